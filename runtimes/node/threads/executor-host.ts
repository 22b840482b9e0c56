/** The Executor port with its work in threads: blocks in one of a few, calls in their own. */
import { invariant, type InvariantFault } from "../../../core/fault/invariant.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type {
  ExecuteOutcome,
  ExecuteRequest,
  Executor,
  HeavyTransaction,
} from "../../../core/ports/executor.ts";
import type { Log } from "../../../core/ports/log.ts";
import { cancelFlag, exactSeals, packExecute, unpackFault } from "./executor-frame.ts";
import type { CancelFlag, ExecutorReply, ExecutorRequest } from "./executor-frame.ts";
import {
  createExecutorThreads,
  type ExecutorSlot,
  type ExecutorThreads,
} from "./executor-threads.ts";
import { Questions, type Unnumbered } from "./questions.ts";

/** Answers the calls of one ledger, until it is closed; see call-host.ts. */
export type CallPort = Pick<Executor, "call" | "close">;

interface ExecutorHostOptions<Setup> {
  /** Handed to the thread as its description of the ledger; must survive structured cloning. */
  readonly setup: Setup;
  /** Where calls go. */
  readonly calls: CallPort;
  readonly log?: Log;
  /** Threads shared with other nodes of the process; one of its own when absent. */
  readonly threads?: ExecutorThreads;
  /** The thread's file; the built one by default. */
  readonly url?: URL;
}

/** An executor whose thread can die. */
export interface ExecutorHost extends Executor {
  /**
   * Resolves with the reason when the thread ends before it was closed; the node must then stop.
   */
  readonly died: Promise<StoreFault | InvariantFault>;
}

type Fault = StoreFault | InvariantFault;
type OnHeavy = (heavy: HeavyTransaction) => void;

/** A place in a thread and the requests that it has not answered; a class because it owns both. */
class ExecutorThread {
  readonly #slot: ExecutorSlot;
  readonly #questions = new Questions<ExecutorReply>();
  readonly #died: (fault: Fault) => void;
  /** Who is notified of heavy transactions, by execution. */
  readonly #told = new Map<number, OnHeavy>();
  #fault: Fault | undefined;
  #closing: Promise<void> | undefined;

  constructor(slot: ExecutorSlot, died: (fault: Fault) => void) {
    this.#slot = slot;
    this.#died = died;
    slot.port.on("message", (reply: ExecutorReply) => this.#settle(reply));
    slot.onDeath((fault) => this.#die(fault));
  }

  /** Resolves when the thread is ready: the first question, 0, which nobody puts. */
  async ready(): Promise<void> {
    await this.#questions.ask(() => {});
  }

  async ask(
    request: Unnumbered<ExecutorRequest>,
    transfer: readonly ArrayBuffer[] = [],
    onHeavy?: OnHeavy,
  ): Promise<ExecutorReply> {
    if (this.#fault) throw this.#fault;
    return this.#questions.ask((id) => {
      if (onHeavy) this.#told.set(id, onHeavy);
      this.#slot.port.postMessage({ ...request, id } satisfies ExecutorRequest, [...transfer]);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Gives up a place where the ledger could not be opened. */
  async abandon(): Promise<void> {
    this.#closing = Promise.resolve();
    await this.#leave();
  }

  async #end(): Promise<void> {
    try {
      if (!this.#fault) await this.ask({ type: "close" });
    } catch (cause) {
      // A thread that died meanwhile is as gone as one that was closed.
      if (cause !== this.#fault) throw cause;
    } finally {
      await this.#leave();
    }
  }

  async #leave(): Promise<void> {
    this.#fault ??= new StoreFault("io", "the executor is closed");
    await this.#slot.leave();
  }

  #settle(reply: ExecutorReply): void {
    const id = reply.type === "ready" ? 0 : reply.id;
    if (reply.type === "heavy") return this.#told.get(id)?.(reply.heavy);
    this.#told.delete(id);
    this.#questions.settle(id, reply.type === "fault" ? unpackFault(reply.fault) : reply);
  }

  #die(fault: Fault): void {
    if (this.#fault) return;
    this.#fault = fault;
    this.#told.clear();
    this.#questions.fail(fault);
    if (!this.#closing) this.#died(fault);
  }
}

async function execute(
  thread: ExecutorThread,
  execution: number,
  request: ExecuteRequest,
  onHeavy: OnHeavy | undefined,
): Promise<ExecuteOutcome> {
  const frame = packExecute(request);
  const reply = await thread.ask({ type: "execute", execution, frame }, [frame.buffer], onHeavy);
  invariant(reply.type === "executed", "an execution is answered by its outcome");
  return reply.outcome;
}

function executorOver(thread: ExecutorThread, flag: CancelFlag, calls: CallPort): Executor {
  let executions = 0;
  return {
    execute(request, onHeavy) {
      executions += 1;
      // A running execution notices this while it runs; its thread cannot take messages then.
      flag.cancelBelow(executions);
      return execute(thread, executions, request, onHeavy);
    },
    cancel: () => flag.cancelBelow(executions + 1),
    async write(hash, seals) {
      await thread.ask({ type: "write", hash, seals: exactSeals(seals) });
    },
    call: (request, asker) => calls.call(request, asker),
    async close() {
      flag.cancelBelow(executions + 1);
      await Promise.all([thread.close(), calls.close()]);
    },
  };
}

/**
 * Starts the executor thread of a node and waits until it has opened its ledger. The node's store
 * must be open in this thread already, and be closed after the executor.
 * @throws StoreFault as the thread met it when it opened the ledger
 */
export async function openExecutorHost<Setup>(
  options: ExecutorHostOptions<Setup>,
): Promise<ExecutorHost> {
  const flag = cancelFlag();
  const threads = options.threads ?? createExecutorThreads(1, options.url);
  const slot = threads.take(options.setup, flag.shared);
  let reportDeath: (fault: Fault) => void = () => {};
  const died = new Promise<Fault>((resolve) => {
    reportDeath = resolve;
  });
  const thread = new ExecutorThread(slot, (fault) => {
    options.log?.write("error", fault.message);
    reportDeath(fault);
  });
  try {
    await thread.ready();
  } catch (fault) {
    await thread.abandon();
    throw fault;
  }
  return { ...executorOver(thread, flag, options.calls), died };
}
