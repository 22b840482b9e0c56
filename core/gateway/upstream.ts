/** One node that a gateway asks: how requests reach it, and how it has stood up to that. */
import { NodeFault, TransportFault } from "../client/client-fault.ts";
import type { SendPost } from "../client/http-transport.ts";
import {
  readMessage,
  requestText,
  resultOf,
  type RpcCall,
  type RpcMessage,
} from "../client/transport.ts";
import type { Clock } from "../ports/clock.ts";

/** What a node answered to one call. */
export type Told = { readonly result: unknown } | { readonly fault: NodeFault };

/** The result. @throws NodeFault */
export function resultIn(told: Told | undefined): unknown {
  if (told === undefined) throw new TransportFault("nothing was answered");
  if ("fault" in told) throw told.fault;
  return told.result;
}

/** How upstreams are reached. */
export interface UpstreamPorts {
  readonly send: SendPost;
  readonly clock: Clock;
  /** An answer that takes longer is none. */
  readonly timeoutMs: number;
  /** Told of each request and whether an answer came. */
  readonly onAsked: (name: string, answered: boolean) => void;
  /** Told once, with the text of the platform, that answers do not come any more. */
  readonly onSilent: (name: string, why: string) => void;
  /** What is thrown says nothing of hosts and addresses. */
  readonly hidesHosts: boolean;
}

/** Why an upstream is not asked for now. */
export interface LeftOut {
  /** A word: a reason of a ProofFault, `head`, `differs` or `stale`. */
  readonly reason: string;
  /** A sentence. */
  readonly what: string;
  /** On the steady clock, in milliseconds; infinite while it lasts. */
  readonly until: number;
}

/** After a failure it rests this long, twice as long after each further one. */
const REST_MS = 500;
const LONGEST_REST_MS = 30_000;
/** How much of the mean the newest latency is. */
const NEWEST_PART = 0.3;

/** A node behind a URL. */
export class Upstream {
  /** Host and port, without what a URL may hold of secrets; or a number. */
  readonly name: string;
  readonly #url: string;
  readonly #ports: UpstreamPorts;
  #failures = 0;
  #restUntil = 0;
  /** A mean, in milliseconds; 0 before the first answer. */
  latencyMs = 0;
  /** How often it was left out for what it said. */
  lies = 0;
  leftOut: LeftOut | undefined;
  /** The node ID that it gives itself. */
  nodeId: string | undefined;

  /** @param name how logs, metrics and errors call it */
  constructor(name: string, url: string, ports: UpstreamPorts) {
    this.name = name;
    this.#url = url;
    this.#ports = ports;
  }

  /** Whether it failed a short time ago. */
  isResting(now: number): boolean {
    return this.#restUntil > now;
  }

  /** Whether it is not asked because of what it said. */
  isLeftOut(now: number): boolean {
    return this.leftOut !== undefined && this.leftOut.until > now;
  }

  /**
   * Its answers, in the order of the calls, which it gets in one request.
   *
   * @throws TransportFault when there is none in time
   */
  async ask(calls: readonly RpcCall[]): Promise<readonly Told[]> {
    const { clock, onAsked } = this.#ports;
    const began = clock.steady();
    try {
      const told = await this.#ask(calls);
      const took = clock.steady() - began;
      this.latencyMs += (took - this.latencyMs) * (this.latencyMs === 0 ? 1 : NEWEST_PART);
      this.#failures = 0;
      this.#restUntil = 0;
      onAsked(this.name, true);
      return told;
    } catch (cause) {
      const rest = Math.min(LONGEST_REST_MS, REST_MS * 2 ** this.#failures++);
      this.#restUntil = clock.steady() + rest;
      onAsked(this.name, false);
      throw cause;
    }
  }

  async #ask(calls: readonly RpcCall[]): Promise<readonly Told[]> {
    const texts = calls.map((call, index) => requestText(index + 1, call));
    const [only = ""] = texts;
    const text = await this.#post(texts.length === 1 ? only : `[${texts.join(",")}]`);
    if (texts.length === 1) return [toldIn(readMessage(text), calls[0]?.method ?? "")];
    const messages: unknown = readMessage(text);
    if (!Array.isArray(messages)) throw new TransportFault(`${this.name} answers no batches`);
    const byId = new Map(messages.map((it) => [(it as RpcMessage | null)?.id, it as RpcMessage]));
    return calls.map(({ method }, index) => toldIn(byId.get(index + 1) ?? {}, method));
  }

  /** Bounded here too: not every platform ends a request when it is told to. */
  async #post(body: string): Promise<string> {
    const { send, clock, timeoutMs } = this.#ports;
    const headers = { "content-type": "application/json" };
    let cancel = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      const why = `${this.name}: no answer in ${timeoutMs} ms`;
      cancel = clock.after(timeoutMs, () => reject(new TransportFault(why)));
    });
    try {
      const sent = send({ url: this.#url, headers, body, timeoutMs, signal: undefined });
      const { status, body: text } = await Promise.race([sent, late]);
      if (status === 200) return text;
      throw new TransportFault(`${this.name} answered with status ${status}`);
    } catch (cause) {
      throw this.#abstention(cause);
    } finally {
      cancel();
    }
  }

  /** The platform's words name the URL, which may hold secrets, and addresses. */
  #abstention(cause: unknown): TransportFault {
    const { onSilent, hidesHosts } = this.#ports;
    const said = cause instanceof Error ? cause.message : String(cause);
    const why = said.replaceAll(this.#url, "").replace(/^[:\s]+/, "");
    if (this.#failures === 0) onSilent(this.name, why);
    if (cause instanceof TransportFault && said.startsWith(`${this.name}: `)) return cause;
    const inner = cause instanceof Error ? cause.cause : undefined;
    // What the gateway reports itself, such as that an answer is too long, names nobody.
    const isOwn = inner instanceof TransportFault;
    return new TransportFault(`${this.name}: ${hidesHosts && !isOwn ? "no answer" : why}`);
  }
}

function toldIn(message: RpcMessage, method: string): Told {
  try {
    return { result: resultOf(message, method) };
  } catch (cause) {
    if (cause instanceof NodeFault) return { fault: cause };
    throw cause;
  }
}
