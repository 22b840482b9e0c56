/** A worker: does what the manager's messages say, round after round. Source: benchmark 8 */
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import { WorkerRound } from "../../../shared/benchmark/round.ts";
import { openWorkerSut, type WorkerSut } from "../adapter/worker-sut.ts";
import type { NetworkPlan } from "../files/network-file.ts";
import { loadWorkload, moduleFault } from "../modules.ts";
import {
  type AssignedId,
  MANAGER,
  messageOf,
  type PrepareContent,
  type ResultContent,
  type RoundMessage,
  type UpdateContent,
  type WorkerMessage,
} from "./messages.ts";
import { rateHostOf } from "./rate-host.ts";
import type { WorkerLink } from "./worker-link.ts";
import { type OpenListener, NO_LISTENER } from "./worker-listener.ts";

/** What a worker works with. */
export interface WorkerSetup {
  /** Absolute. */
  readonly workspace: string;
  readonly network: NetworkPlan;
  readonly clock: BenchClock;
  /** Between two updates, milliseconds. */
  readonly updateMs: number;
  /** CPU so far, milliseconds; null where it is not known. */
  cpuMs(): number | null;
  readonly openListener?: OpenListener;
}

/** A round that is prepared, or runs. */
interface CurrentRound {
  readonly message: RoundMessage;
  readonly round: WorkerRound;
  close(): Promise<void>;
}

/** One worker. */
export class WorkerSession {
  readonly #setup: WorkerSetup;
  readonly #link: WorkerLink;
  #index = 0;
  #sut: WorkerSut | undefined;
  #current: CurrentRound | undefined;

  constructor(setup: WorkerSetup, link: WorkerLink) {
    this.#setup = setup;
    this.#link = link;
  }

  /** Works until the manager says `exit`. @throws BenchmarkFault `engine` when that is lost */
  async run(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        const onLost = (reason: string): void => {
          reject(new BenchmarkFault("engine", `the manager was lost: ${reason}`));
        };
        this.#link.listen((message) => void this.#take(message, resolve), onLost);
      });
    } finally {
      this.#current?.round.stop();
      await this.#sut?.close();
      await this.#link.close();
    }
  }

  async #take(message: WorkerMessage, exit: () => void): Promise<void> {
    const { type, content } = message;
    if (type === "register") return this.#say("connected");
    if (type === "exit") return exit();
    if (type === "assignId") {
      this.#index = (content as AssignedId).workerIndex;
      return this.#say("assigned");
    }
    if (type === "initialize") return this.#say("ready");
    if (type === "prepare")
      return await this.#answer("prepared", () => this.#prepare(content as PrepareContent));
    if (type === "test") await this.#answer("testResult", () => this.#test());
  }

  #say(type: string, content: unknown = {}, error?: string): void {
    const head = { sender: this.#link.id, recipients: [MANAGER], type, error };
    this.#link.send(messageOf(head, content));
  }

  /** Answers with what the work gives, or with what it throws. */
  async #answer(type: string, work: () => Promise<unknown>): Promise<void> {
    try {
      this.#say(type, await work());
    } catch (cause) {
      this.#say(type, {}, faultText(cause));
    }
  }

  async #prepare({ round, workersNumber, workerArgs }: PrepareContent): Promise<object> {
    const { workspace, network, clock, openListener } = this.#setup;
    this.#sut ??= await openWorkerSut(network, workerArgs, {
      workerIndex: this.#index,
      clock,
      workspace,
    });
    const workload = await loadWorkload(round.workload.module, workspace);
    const place = { workerIndex: this.#index, roundIndex: round.testRound, label: round.label };
    const observer = await (openListener?.(place) ?? NO_LISTENER);
    const task = {
      share: {
        workerIndex: this.#index,
        workers: workersNumber,
        roundIndex: round.testRound,
        number: round.numb,
        durationMs: round.txDuration === undefined ? undefined : round.txDuration * 1_000,
      },
      rateControl: round.rateControl,
      trim: round.trim,
      roundArguments: round.workload.arguments,
      timeoutMs: network.timeoutMs,
    };
    const host = rateHostOf(round, workspace);
    const { sender } = this.#sut;
    const parts = { workload, sender, clock, host, listener: observer.listener };
    const made = new WorkerRound(task, parts);
    this.#current = { message: round, round: made, close: observer.close };
    try {
      await made.prepare();
    } catch (cause) {
      throw moduleFault(round.workload.module, cause, workspace);
    }
    return {};
  }

  async #test(): Promise<ResultContent> {
    const current = this.#current;
    if (current === undefined) throw new BenchmarkFault("engine", "no round is prepared");
    const { round, message } = current;
    this.#say("txReset");
    const cpuBefore = this.#setup.cpuMs();
    const end = new AbortController();
    const updates = this.#update(round, end.signal);
    const outcome = await round.run();
    end.abort();
    await updates;
    await current.close();
    this.#current = undefined;
    const cpuAfter = this.#setup.cpuMs();
    const result: ResultContent = {
      stats: outcome.statistics,
      cpuMs: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
      heldBackMs: outcome.heldBackMs,
      lostNodes: this.#sut?.sender.takeLostNodes() ?? [],
    };
    if (outcome.cause === undefined) return result;
    const { workspace } = this.#setup;
    const fault = moduleFault(message.workload.module, outcome.cause, workspace);
    // The figures of what was sent are not lost with the round.
    this.#say("txUpdate", { ...this.#counters(round), stats: result.stats });
    throw fault;
  }

  #counters(round: WorkerRound): Omit<UpdateContent, "stats"> {
    const { submitted, succeeded, finished } = round.progress;
    return { submitted, succeeded, failed: finished - succeeded, pending: round.pending };
  }

  async #update(round: WorkerRound, signal: AbortSignal): Promise<void> {
    const { clock, updateMs } = this.#setup;
    while (!signal.aborted) {
      await clock.sleep(updateMs, signal);
      if (signal.aborted) return;
      this.#say("txUpdate", { ...this.#counters(round), stats: round.takeChanges() });
    }
  }
}
