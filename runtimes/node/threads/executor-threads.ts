/**
 * The threads in which the executors of a process work. Nodes of one process share them, a few
 * nodes to a thread: every thread compiles the interpreter anew and has a heap of its own, and
 * there is no use for more threads than cores.
 */
import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { endThread, startThread } from "./thread-end.ts";
import { workerUrl } from "./worker-url.ts";

/**
 * Heap of a thread: overlays, receipts and caches of its ledgers; buffers are not counted. Room for
 * two ledgers that each have a block with all that it may keep, some 180 MB by estimate and a third
 * more while it is written. A larger bound makes the engine collect later. The young generation
 * has room for what a block of thousands makes: a third of it costs 2 % more CPU time for each
 * transaction.
 */
const WORKER_LIMITS = { maxOldGenerationSizeMb: 640, maxYoungGenerationSizeMb: 48 };

/** What a thread gets for one ledger. */
export interface SlotMessage<Setup> {
  readonly setup: Setup;
  readonly cancel: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** The place of one ledger in a thread. */
export interface ExecutorSlot {
  readonly port: MessagePort;
  /** Called once when the thread ends while the slot is taken. */
  onDeath(listener: (fault: StoreFault) => void): void;
  /** Gives the slot up; the last one to leave ends the thread. */
  leave(): Promise<void>;
}

/** Threads by demand, at most this many. */
export interface ExecutorThreads {
  take<Setup>(setup: Setup, cancel: SharedArrayBuffer): ExecutorSlot;
  /**
   * Starts a thread that is soon wanted, next to what the process does until then.
   * @returns ends it, unless somebody has a place in it by then
   */
  begin(): () => Promise<void>;
}

interface Thread {
  readonly worker: Worker;
  readonly slots: Set<(fault: StoreFault) => void>;
}

/** @param url the thread's file; the built one by default */
export function createExecutorThreads(threads: number, url?: URL): ExecutorThreads {
  const running = new Set<Thread>();

  function start(): Thread {
    const worker = startThread(url ?? workerUrl("executor-worker"), {
      name: "executor",
      resourceLimits: WORKER_LIMITS,
    });
    const thread: Thread = { worker, slots: new Set() };
    const died = (how: string, cause?: unknown) => {
      running.delete(thread);
      const fault = new StoreFault("io", `the executor thread ${how}`, { cause });
      for (const tell of thread.slots) tell(fault);
      thread.slots.clear();
    };
    // An exit follows each error: the error is the better reason, and comes first.
    worker.on("error", (cause) => died(`failed: ${String(cause)}`, cause));
    worker.on("exit", (code) => died(`ended with code ${code}`));
    running.add(thread);
    return thread;
  }

  async function end(thread: Thread): Promise<void> {
    if (thread.slots.size > 0 || !running.delete(thread)) return;
    await endThread(thread.worker);
  }

  function emptiest(): Thread {
    const empty = [...running].find(({ slots }) => slots.size === 0);
    if (empty) return empty;
    if (running.size < threads) return start();
    const [first = start(), ...others] = running;
    return others.reduce((best, one) => (one.slots.size < best.slots.size ? one : best), first);
  }

  return {
    take(setup, cancel) {
      const thread = emptiest();
      const { port1, port2 } = new MessageChannel();
      let listener: (fault: StoreFault) => void = () => {};
      const tell = (fault: StoreFault) => listener(fault);
      thread.slots.add(tell);
      const message: SlotMessage<typeof setup> = { setup, cancel, port: port2 };
      thread.worker.postMessage(message, [port2]);
      return {
        port: port1,
        onDeath(told) {
          listener = told;
        },
        async leave() {
          port1.close();
          if (thread.slots.delete(tell)) await end(thread);
        },
      };
    },
    begin() {
      const thread = emptiest();
      return () => end(thread);
    },
  };
}
