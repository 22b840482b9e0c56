/** JSON-RPC in the page, in the form of EIP-1193. */
import { requestText } from "../../../core/client/transport.ts";
import type { ProviderRequest, TabProvider } from "./api.ts";

/** What EIP-1193 has for a provider that reaches no chain. */
export const DISCONNECTED = 4900;

/** An error answer of the node, or {@link DISCONNECTED}. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface ProviderLine {
  /** Gives the text of the answer. @throws ProviderError 4900 */
  post(body: string, method: string): Promise<string>;
  /** Says that this many characters of notifications were heard. */
  heard(count: number): void;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Followed {
  readonly params: readonly unknown[];
  readonly listener: (result: unknown) => void;
  /** Undefined while it is being asked for. */
  id: string | undefined;
  isOver: boolean;
}

/** The worker is told now and then what was heard. */
const SAID_CHARACTERS = 65_536;
/** Early notifications are kept until the answer with their id has come. */
const MOST_EARLY = 256;

/** The provider of one node; a class because it owns subscriptions. */
export class NodeProvider implements TabProvider {
  readonly #line: ProviderLine;
  readonly #followed = new Set<Followed>();
  readonly #byId = new Map<string, Followed>();
  readonly #early: { readonly id: string; readonly result: unknown }[] = [];
  #asked = 0;
  /** Characters of notifications that the worker does not know to be heard. */
  #unsaid = 0;

  constructor(line: ProviderLine) {
    this.#line = line;
  }

  async request(asked: ProviderRequest): Promise<unknown> {
    // Pages of anybody ask: what is no request is refused by the node, with its code.
    const { method, params = [] } = (asked ?? {}) as ProviderRequest;
    this.#asked += 1;
    const body = requestText(this.#asked, { method, params });
    const { error, result } = JSON.parse(await this.#line.post(body, String(method))) as Answer;
    if (error) throw new ProviderError(error.code, error.message, error.data);
    return result;
  }

  async subscribe(
    kind: string,
    params: readonly [groupId: number, filter?: Readonly<Record<string, unknown>>],
    listener: (result: unknown) => void,
  ): Promise<() => void> {
    const [groupId, ...filter] = params;
    const asked = [groupId, kind, ...filter];
    const followed: Followed = { params: asked, listener, id: undefined, isOver: false };
    await this.#begin(followed);
    this.#followed.add(followed);
    return () => this.#end(followed);
  }

  /** Hands a notification to whom it belongs. */
  notify(text: string): void {
    this.#unsaid += text.length;
    if (this.#unsaid >= SAID_CHARACTERS) {
      this.#line.heard(this.#unsaid);
      this.#unsaid = 0;
    }
    const { params } = JSON.parse(text) as { params: { id: string; result: unknown } };
    const { id, result } = params;
    const followed = this.#byId.get(id);
    if (followed) followed.listener(result);
    else if (this.#early.push({ id, result }) > MOST_EARLY) this.#early.shift();
  }

  async #begin(followed: Followed): Promise<void> {
    const { params } = followed;
    const id = (await this.request({ method: "subscribe", params })) as string;
    followed.id = id;
    this.#byId.set(id, followed);
    const early = this.#early.filter((one) => one.id === id);
    this.#early.splice(0, Infinity, ...this.#early.filter((one) => one.id !== id));
    for (const { result } of early) followed.listener(result);
    if (followed.isOver) this.#end(followed);
  }

  /** The subscriptions are gone, as when another worker serves: they begin again. */
  renew(): void {
    this.#byId.clear();
    this.#early.length = 0;
    this.#unsaid = 0;
    for (const followed of this.#followed) {
      followed.id = undefined;
      // A chain that is not there any more has nothing to tell.
      this.#begin(followed).catch(() => undefined);
    }
  }

  #end(followed: Followed): void {
    followed.isOver = true;
    this.#followed.delete(followed);
    const { id } = followed;
    if (id === undefined || this.#byId.get(id) !== followed) return;
    this.#byId.delete(id);
    this.request({ method: "unsubscribe", params: [id] }).catch(() => undefined);
  }
}
