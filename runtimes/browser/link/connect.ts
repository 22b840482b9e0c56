/**
 * Connects a page to the node of this browser. One tab keeps the worker; every other tab of the
 * origin talks to it, and one of them takes over when that tab goes.
 */
import type { Remote } from "comlink";
import type {
  PlainRequest,
  StartRequest,
  TabNode,
  TabProvider,
  TabStatus,
  WorkerApi,
} from "./api.ts";
import { createLink, type Link } from "./link.ts";
import { MarkStore, ownMarks } from "./page-marks.ts";
import { DISCONNECTED, NodeProvider, ProviderError } from "./provider.ts";
import {
  type Beginning,
  channelWire,
  clientName,
  HALL,
  type HallMessage,
  HOLDER_LOCK,
  type Wire,
  type WorkerEvent,
} from "./wire.ts";

/** Settings of {@link connectTabNode}. */
export interface ConnectOptions {
  /** Where node-worker.js lies; the folder of the page when absent. */
  readonly base?: string | URL;
  /** How long a request waits for the tab that runs the node; 60 s when absent. */
  readonly timeoutMs?: number;
}

/** Why there is no node in this page. */
export class InsecurePage extends Error {
  override readonly name = "InsecurePage";
}

const TIMEOUT_MS = 60_000;
/** A worker that is there has reported how it stands by then. */
const PATIENCE_MS = 5_000;
/** What must not be done twice: a caller that asked must look first. */
const NOT_AGAIN: ReadonlySet<string> = new Set([
  "generateGroup",
  "startGroup",
  "stopGroup",
  "removeGroup",
  "recoverGroup",
  "addPeers",
  "erasePeers",
]);
const SUBMIT = "sendRawTransaction";
const NOBODY =
  "the tab that runs the node does not answer: bring it to the front, or close it and another " +
  "tab takes over";

const NOTHING: TabStatus = {
  phase: "connecting",
  owner: "none",
  chain: undefined,
  nodes: [],
  reason: undefined,
};

/** The document of the page, as far as it matters here. */
interface Visible extends EventTarget {
  readonly hidden: boolean;
}

/** The page's node; a class because it owns locks, channels and the worker. */
class Connection implements TabNode {
  readonly worker: TabNode["worker"];
  readonly #client = crypto.randomUUID();
  readonly #options: { readonly base: URL; readonly timeoutMs: number };
  readonly #providers = new Map<number, NodeProvider>();
  readonly #listeners = new Set<(status: TabStatus) => void>();
  readonly #hall = new BroadcastChannel(HALL);
  readonly #waiting = new Set<(link: Link | undefined) => void>();
  readonly #closing = new AbortController();
  readonly #marks = new MarkStore();
  #link: Link | undefined;
  /** A link whose worker has not said yet that it serves. */
  #pending: Link | undefined;
  #worker: Worker | undefined;
  #status = NOTHING;

  constructor(options: ConnectOptions) {
    const { base = ".", timeoutMs = TIMEOUT_MS } = options;
    this.#options = { base: new URL(base, location.href), timeoutMs };
    this.worker = new Proxy({} as TabNode["worker"], {
      get:
        (_, name: keyof WorkerApi) =>
        (...args: readonly never[]) =>
          this.#call(name, args),
    });
  }

  get provider(): TabProvider {
    return this.providerOf(0);
  }

  /**
   * Takes its place among the tabs; resolves when the worker has reported how it stands, or soon.
   */
  async open(): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      const stop = this.onStatus(({ phase }) => {
        if (phase === "connecting") return;
        queueMicrotask(() => stop());
        resolve();
      });
    });
    // The worker waits for this lock: when it gets it, this tab is gone.
    await new Promise<void>((held) => {
      void navigator.locks.request(clientName(this.#client), () => {
        held();
        return this.#closed();
      });
    });
    this.#hall.onmessage = ({ data }: MessageEvent<HallMessage>) => {
      if (data.kind === "owner" && !this.#worker) this.#greet();
    };
    const { signal } = this.#closing;
    const seated = () => this.#sit();
    navigator.locks.request(HOLDER_LOCK, { signal }, seated).catch(() => undefined);
    // A caller that has the lock already hears this; else the lock is ours in a moment.
    this.#greet();
    await Promise.race([heard, this.#patience()]);
  }

  /** A tab that sleeps may hold the node: the page is told, and connects when it wakes up. */
  async #patience(): Promise<void> {
    await new Promise((resume) =>
      setTimeout(resume, Math.min(PATIENCE_MS, this.#options.timeoutMs)),
    );
    if (this.#status.phase === "connecting") this.#show({ ...NOTHING, reason: NOBODY });
  }

  providerOf(node: number): TabProvider {
    const known = this.#providers.get(node);
    if (known) return known;
    const provider = new NodeProvider({
      post: (body, method) => this.#post(body, node, method),
      heard: (count) => void this.#call("heard", [count, node]).catch(() => undefined),
    });
    this.#providers.set(node, provider);
    return provider;
  }

  async fetch(
    path: string,
    init: Partial<Omit<PlainRequest, "path">> = {},
    node = 0,
  ): Promise<Response> {
    const { method = "GET", headers = {}, body } = init;
    const answer = await this.#call("fetch", [{ path, method, headers, body }, node]);
    const { status, headers: told, body: text } = answer as Awaited<ReturnType<WorkerApi["fetch"]>>;
    return new Response(text, { status, headers: told });
  }

  async start(request: StartRequest): Promise<void> {
    await this.#call("start", [request]);
  }

  async stop(): Promise<void> {
    await this.#call("stop", []);
  }

  async wipe(): Promise<void> {
    await this.#call("wipe", []);
  }

  status(): TabStatus {
    return this.#status;
  }

  onStatus(listener: (status: TabStatus) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#status);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#link?.lose("the connection was closed");
    this.#link = undefined;
    this.#worker?.terminate();
    this.#hall.close();
    for (const resume of this.#waiting) resume(undefined);
  }

  /** Asks the worker of another tab to serve this one. */
  #greet(): void {
    this.#join(channelWire(clientName(this.#client)), "other");
    this.#hall.postMessage({ kind: "hello", client: this.#client } satisfies HallMessage);
  }

  /** This tab keeps the worker from now on, until it goes. */
  async #sit(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const url = new URL("node-worker.js", this.#options.base);
    url.hash = encodeURIComponent(JSON.stringify(this.#beginning()));
    const worker = new Worker(url, { type: "module", name: "chain-node" });
    this.#worker = worker;
    const wire: Wire = {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      listen: (onMessage) => {
        worker.onmessage = ({ data }: MessageEvent<unknown>) => onMessage(data);
      },
      close: () => worker.terminate(),
    };
    worker.onerror = (event) => {
      const reason = event.message || `${url.pathname} cannot be loaded`;
      this.#show({ ...NOTHING, phase: "failed", owner: "this", reason });
    };
    this.#join(wire, "this");
    this.#tellHidden();
    await this.#closed();
  }

  /** As long as this tab keeps its place. */
  async #closed(): Promise<void> {
    await new Promise((over) => this.#closing.signal.addEventListener("abort", over));
  }

  /** What the worker has to know before anything runs. */
  #beginning(): Beginning {
    const { document: page } = globalThis as { readonly document?: Visible };
    return { marks: ownMarks(), isHidden: page?.hidden ?? false };
  }

  /** A hidden tab is put to sleep: as a sealer of a network its node would be waited for. */
  #tellHidden(): void {
    const { document: page } = globalThis as { readonly document?: Visible };
    if (!page) return;
    const tell = () => void this.#call("setHidden", [page.hidden]).catch(() => undefined);
    page.addEventListener("visibilitychange", tell, { signal: this.#closing.signal });
    tell();
  }

  #join(wire: Wire, owner: "this" | "other"): void {
    this.#link?.lose("the tab that ran the node is gone");
    const link = createLink(wire, (event) => this.#hear(event, link, owner));
    // Calls wait until it has reported that it serves.
    this.#link = undefined;
    this.#pending?.lose("another tab runs the node");
    this.#pending = link;
  }

  #hear(event: WorkerEvent, link: Link, owner: "this" | "other"): void {
    if (event.event === "serving") {
      if (this.#pending !== link) return;
      this.#pending = undefined;
      this.#link = link;
      for (const resume of this.#waiting) resume(link);
      this.#waiting.clear();
      for (const provider of this.#providers.values()) provider.renew();
    } else if (event.event === "renewed") {
      for (const [node, provider] of this.#providers)
        if (event.node === undefined || event.node === node) provider.renew();
    } else if (event.event === "status") {
      this.#show({ ...event.status, owner });
      if (owner === "this") this.#marks.note(event.status);
    } else {
      this.#providers.get(event.node)?.notify(event.text);
    }
  }

  #show(status: TabStatus): void {
    this.#status = status;
    for (const listener of this.#listeners) listener(status);
  }

  /** The link to a caller that serves; waits for one. @throws ProviderError 4900 */
  async #linked(): Promise<Link> {
    const link =
      this.#link ??
      (await new Promise<Link | undefined>((resume) => {
        if (this.#closing.signal.aborted) resume(undefined);
        else this.#waiting.add(resume);
        setTimeout(
          () => this.#waiting.delete(resume) && resume(undefined),
          this.#options.timeoutMs,
        );
      }));
    if (link) return link;
    const reason = this.#closing.signal.aborted ? "the connection was closed" : NOBODY;
    throw new ProviderError(DISCONNECTED, reason);
  }

  /** A call of the worker, whichever tab it is in. */
  async #call(name: keyof WorkerApi, args: readonly unknown[]): Promise<unknown> {
    const { remote } = await this.#linked();
    const call = remote[name] as (...given: readonly unknown[]) => Promise<unknown>;
    return call(...args);
  }

  async #post(body: string, node: number, method: string): Promise<string> {
    for (let isAgain = false; ; isAgain = true) {
      const { remote } = await this.#linked();
      try {
        const landed = isAgain && method === SUBMIT ? await remote.landed(body, node) : undefined;
        return landed ?? (await this.#within(remote, body, node));
      } catch (cause) {
        if (!(cause instanceof Error)) throw cause;
        if (cause.name === "NodeOff") throw new ProviderError(DISCONNECTED, cause.message);
        if (cause.name !== "LinkLost") throw cause;
        if (NOT_AGAIN.has(method) || this.#closing.signal.aborted)
          throw new ProviderError(DISCONNECTED, cause.message);
        // The one who took over is asked again. A transaction is executed once, however often it
        // comes; one that is in a block already was a success.
      }
    }
  }

  /** An answer of another tab's worker must come in time: a tab that sleeps answers nothing. */
  #within(remote: Remote<WorkerApi>, body: string, node: number): Promise<string> {
    const answer = remote.post(body, node);
    if (this.#worker) return answer;
    return new Promise((resolve, reject) => {
      const late = () => reject(new ProviderError(DISCONNECTED, NOBODY));
      const timer = setTimeout(late, this.#options.timeoutMs);
      answer.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

/**
 * The node of this browser for this page. Nothing is started by it that was not running before.
 *
 * @throws InsecurePage on a page that was opened neither through localhost nor through https
 */
export async function connectTabNode(options: ConnectOptions = {}): Promise<TabNode> {
  if (!globalThis.isSecureContext || !("locks" in navigator)) {
    const reason = "this page cannot run a node: open it through localhost or https";
    throw new InsecurePage(reason);
  }
  const connection = new Connection(options);
  await connection.open();
  return connection;
}
