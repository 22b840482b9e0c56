/**
 * Read-only calls in threads of their own, so that neither a block nor the main thread waits for
 * one. They have their turns, and are given up when no caller waits for them any more. One that
 * runs long is begun anew in a thread for such ones, and so are the next of its client: quick ones
 * do not wait for it.
 */
import { resolve as absolute } from "node:path";
import type { Worker } from "node:worker_threads";
import { invariant } from "../../../core/fault/invariant.ts";
import { methodFault, RpcFault } from "../../../core/fault/rpc-fault.ts";
import { AskingConnection } from "../../../core/limits/asking-connection.ts";
import type { Asker } from "../../../core/ports/asker.ts";
import { FairLine, type LinePlace } from "../../../core/limits/fair-line.ts";
import type { CallOutcome, CallRequest } from "../../../core/ports/executor.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { CallMessage, CallReply, CallWorkerData } from "./call-frame.ts";
import { goneFault } from "./body-host.ts";
import type { CallPort } from "./executor-host.ts";
import { unpackFault } from "./executor-frame.ts";
import type { LedgerSetup } from "./ledger-setup.ts";
import { ownBytes } from "./own-bytes.ts";
import { Questions, type Unnumbered } from "./questions.ts";
import { endThread, startThread } from "./thread-end.ts";
import { workerUrl } from "./worker-url.ts";

/**
 * Calls that wait or run; for a further one the youngest of the address that has most is refused.
 */
const QUEUE_CALLS = 256;
/** Those of one connection. */
const CONNECTION_CALLS = 128;
/** How long one call may run: the work bound of a call takes less on an idle machine. */
const CALL_LIMIT_MS = 5_000;
/** A call that runs longer is a slow one. */
const QUICK_LIMIT_MS = 250;
/** So long after a slow call those of its client begin where slow ones do. */
const SLOW_CLIENT_MS = 60_000;
/** A thread that has answered so much, or ran a call to its limit, keeps unused memory. */
const FRESH_AFTER_BYTES = 16 * 1024 * 1024;
/** It is ended when no caller has asked it for so long. */
const KEPT_MS = 20_000;
/** Heap of a call thread. */
const WORKER_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/** Bounds of the calls of a process. */
export interface CallHostOptions {
  readonly log?: Log;
  readonly queueCalls?: number;
  readonly connectionCalls?: number;
  readonly callLimitMs?: number;
  readonly keptMs?: number;
  /** The thread's file; the built one by default. */
  readonly url?: URL;
}

/** The call threads of a process. Each starts with its first call, and again after it died. */
export interface CallHost {
  /** The calls of one ledger. Its `close` drops the store, and comes before the store's own. */
  ledger(setup: LedgerSetup): CallPort;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** A call that waits for its turn, or has it. */
interface AskedCall {
  readonly place: LinePlace;
  readonly folder: string;
  /** Its number in the thread; undefined until it is sent there. */
  id: number | undefined;
  /** What is answered to it in place of the thread. */
  answer?: RpcFault | CallReply;
}

/** A thread and the calls it has not answered; a class because it owns the thread. */
class CallThread {
  readonly #options: CallHostOptions;
  readonly #limitMs: number;
  readonly #questions = new Questions<CallReply>();
  /** What the thread has not answered. It gives the turns itself: it would wait for this one. */
  readonly #asked = new FairLine<AskedCall>();
  readonly #places = new WeakMap<Asker, LinePlace>();
  #connections = 0;
  #worker: Worker | undefined;
  #answeredBytes = 0;
  #rest: NodeJS.Timeout | undefined;
  /** A thread that was ended; it has the stores open until then. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: CallHostOptions, limitMs: number) {
    this.#options = options;
    this.#limitMs = limitMs;
  }

  /** @throws RpcFault when there are too many, or no caller waits for it any more */
  async call(asker: Asker, setup: LedgerSetup, request: CallRequest): Promise<CalledInTime> {
    if (asker.isGone) throw goneFault();
    const place = this.#placeOf(asker);
    this.#makeRoom(place);
    const asked: AskedCall = { place, folder: setup.folder, id: undefined };
    this.#asked.add(place, asked);
    const stay = asker.whenGone(() => this.#withdraw(asked, goneFault()));
    try {
      const data = await ownBytes(request.data);
      // It may have been withdrawn meanwhile, as when its store is dropped.
      const { answer } = asked;
      if (answer instanceof RpcFault) throw answer;
      if (answer) return calledOf(answer);
      const exact = { ...request, data };
      const message = { type: "call", place, setup, request: exact } as const;
      return calledOf(await this.#ask(message, asked, [data.buffer]));
    } finally {
      stay();
      this.#asked.remove(place, asked);
    }
  }

  /** Those of a client that wait are not run here. */
  sendAway({ address }: Asker): void {
    for (const asked of [...this.#asked.items()])
      if (asked.place.address === address)
        this.#withdraw(asked, { type: "tooLong", id: asked.id ?? 0 });
  }

  /** Drops a store. A thread that is lost meanwhile has dropped all of them. */
  async release(folder: string): Promise<void> {
    for (const asked of [...this.#asked.items()])
      if (asked.folder === folder) this.#withdraw(asked, closingFault());
    await this.#ended;
    if (this.#worker) await this.#ask({ type: "release", folder }).catch(() => undefined);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    for (const asked of [...this.#asked.items()]) this.#withdraw(asked, closingFault());
    this.#forget(worker, "the node is closing");
    await this.#ended;
    await endThread(worker);
  }

  #placeOf(asker: Asker): LinePlace {
    const known = this.#places.get(asker);
    if (known) return known;
    const place = { address: asker.address, connection: ++this.#connections };
    this.#places.set(asker, place);
    return place;
  }

  /** @throws RpcFault when nobody else has more */
  #makeRoom(place: LinePlace): void {
    const { queueCalls = QUEUE_CALLS, connectionCalls = CONNECTION_CALLS } = this.#options;
    if (this.#asked.lengthOf(place) >= connectionCalls) throw busyFault();
    if (this.#asked.length < queueCalls) return;
    const youngest = this.#asked.yieldTo(place);
    if (!youngest) throw busyFault();
    this.#withdraw(youngest, busyFault());
  }

  /** It is not run any more; if it runs, it is stopped. */
  #withdraw(asked: AskedCall, answer: RpcFault | CallReply): void {
    this.#asked.remove(asked.place, asked);
    asked.answer = answer;
    const { id } = asked;
    if (id === undefined) return;
    this.#worker?.postMessage({ type: "withdraw", id } satisfies CallMessage);
    this.#questions.settle(id, answer);
  }

  #ask(
    message: Unnumbered<Exclude<CallMessage, { readonly type: "withdraw" }>>,
    asked?: AskedCall,
    handedOver: readonly ArrayBuffer[] = [],
  ): Promise<CallReply> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    clearTimeout(this.#rest);
    // The process stays alive for a call, not for an idle thread.
    worker.ref();
    return this.#questions.ask((id) => {
      if (asked) asked.id = id;
      worker.postMessage({ ...message, id } satisfies CallMessage, [...handedOver]);
    });
  }

  #start(): Worker {
    const { url } = this.#options;
    const worker = startThread(url ?? workerUrl("call-worker"), {
      name: "calls",
      workerData: { callLimitMs: this.#limitMs } satisfies CallWorkerData,
      resourceLimits: WORKER_LIMITS,
    });
    worker.on("message", (reply: CallReply) => {
      const isAwaited = this.#questions.settle(reply.id, reply);
      if (isAwaited) this.#answeredBytes += bytesFor(reply);
      if (this.#questions.count > 0) return;
      worker.unref();
      this.#restLater(worker);
    });
    const lost = (reason: string) => {
      if (!this.#forget(worker, reason)) return;
      this.#options.log?.write("warning", "call thread lost", { reason });
    };
    worker.on("error", (error) => lost(`the call failed: ${String(error)}`));
    worker.on("exit", () => lost("the call ended its thread"));
    return worker;
  }

  /** Ends a thread that has grown, and that nobody asks; the next call starts another. */
  #restLater(worker: Worker): void {
    clearTimeout(this.#rest);
    if (this.#answeredBytes < FRESH_AFTER_BYTES) return;
    const { keptMs = KEPT_MS } = this.#options;
    this.#rest = setTimeout(() => {
      if (this.#forget(worker, "the thread is replaced")) this.#ended = endThread(worker);
    }, keptMs).unref();
  }

  /** Fails what waits for a thread; the next call starts another. True if it was in use. */
  #forget(worker: Worker | undefined, reason: string): boolean {
    if (!worker || worker !== this.#worker) return false;
    this.#worker = undefined;
    this.#answeredBytes = 0;
    clearTimeout(this.#rest);
    this.#questions.fail(new RpcFault("internalError", reason));
    return true;
  }
}

/** The threads of a process. A class because it knows who has asked for slow calls. */
class CallThreads {
  readonly #quick: CallThread;
  readonly #slow: CallThread | undefined;
  /** Until when, by address; whose time ends first is in front. */
  readonly #slowUntil = new Map<string, number>();

  constructor(options: CallHostOptions) {
    const { callLimitMs = CALL_LIMIT_MS } = options;
    const isSplit = callLimitMs > QUICK_LIMIT_MS;
    this.#quick = new CallThread(options, isSplit ? QUICK_LIMIT_MS : callLimitMs);
    this.#slow = isSplit ? new CallThread(options, callLimitMs) : undefined;
  }

  all(): readonly CallThread[] {
    return this.#slow ? [this.#quick, this.#slow] : [this.#quick];
  }

  /** Those in which a call of this client is run, one after the other, until it is answered. */
  for({ address }: Asker): readonly CallThread[] {
    const isSlow = performance.now() < (this.#slowUntil.get(address) ?? 0);
    return isSlow && this.#slow ? [this.#slow] : this.all();
  }

  /** A call of this client ran too long: those that wait go on among slow ones. */
  note(asker: Asker): void {
    const { address } = asker;
    if (this.#slow) this.#quick.sendAway(asker);
    const now = performance.now();
    for (const [other, until] of this.#slowUntil) {
      if (now < until) break;
      this.#slowUntil.delete(other);
    }
    this.#slowUntil.delete(address);
    this.#slowUntil.set(address, now + SLOW_CLIENT_MS);
  }
}

function closingFault(): RpcFault {
  return new RpcFault("internalError", "the node is closing");
}

function busyFault(): RpcFault {
  return methodFault("overQpsLimit", "call");
}

/** What came of a call in its time; no outcome when it was abandoned. */
interface CalledInTime {
  readonly outcome: CallOutcome | undefined;
  readonly isLate: boolean;
}

function calledOf(reply: CallReply): CalledInTime {
  if (reply.type === "fault") throw unpackFault(reply.fault);
  if (reply.type === "tooLong") return { outcome: undefined, isLate: true };
  invariant(reply.type === "answer", "a call is answered by its outcome");
  return reply;
}

/** What a reply says of the memory that its thread has needed. */
function bytesFor(reply: CallReply): number {
  if (reply.type === "tooLong") return FRESH_AFTER_BYTES;
  return reply.type === "answer" ? reply.outcome.output.length : 0;
}

/** The host of a process's calls. */
export function createCallHost(options: CallHostOptions = {}): CallHost {
  const threads = new CallThreads(options);
  const inAll = async (work: (thread: CallThread) => Promise<void>): Promise<void> => {
    await Promise.all(threads.all().map(work));
  };
  /** What this process itself asks. */
  const own = new AskingConnection("");
  return {
    ledger(given) {
      const setup = { ...given, folder: absolute(given.folder) };
      let closed: Promise<void> | undefined;
      return {
        async call(request, asker = own) {
          for (const thread of threads.for(asker)) {
            if (closed) throw closingFault();
            const { outcome, isLate } = await thread.call(asker, setup, request);
            if (isLate) threads.note(asker);
            if (outcome) return outcome;
          }
          throw new RpcFault("internalError", "the call ran too long");
        },
        close() {
          closed ??= inAll((thread) => thread.release(setup.folder));
          return closed;
        },
      };
    },
    close: () => inAll((thread) => thread.close()),
  };
}
