/**
 * Signed transactions, sent and matched with their receipts by the generator of the benchmark
 * tool, on Node or in a page.
 */
import type { BenchClock } from "../../runtimes/shared/benchmark/bench-clock.ts";
import { faultText } from "../../runtimes/shared/benchmark/benchmark-fault.ts";
import type { RateHost } from "../../runtimes/shared/benchmark/rate/rate-controller.ts";
import { failureOf, type LaneReceipt } from "../../runtimes/shared/benchmark/receipt-watch.ts";
import { WorkerRound } from "../../runtimes/shared/benchmark/round.ts";
import { type RoundFigures, roundFigures } from "../../runtimes/shared/benchmark/round-figures.ts";
import type { RoundProgress } from "../../runtimes/shared/benchmark/round-progress.ts";
import type { SignedBytes } from "../../runtimes/shared/benchmark/signing.ts";
import { RoundStatistics } from "../../runtimes/shared/benchmark/statistics.ts";
import type { SutSender } from "../../runtimes/shared/benchmark/sut.ts";
import type { Workload } from "../../runtimes/shared/benchmark/workload-module.ts";

/** What is sent, how often and whereto. */
export interface SignedLoad {
  next(): SignedBytes;
  /** Hands one in; settles with its receipt. */
  submit(transaction: SignedBytes): Promise<LaneReceipt>;
  readonly clock: BenchClock;
  /** Absent: until it is stopped. */
  readonly count?: number | undefined;
  /** In a second; absent: as many as go. */
  readonly rate?: number | undefined;
  /** Transactions on their way at one time. */
  readonly mostPending?: number | undefined;
  /** A transaction without a receipt for this long has failed; a minute when absent. */
  readonly timeoutMs?: number | undefined;
}

/** A load that runs. */
export interface RunningLoad {
  readonly progress: RoundProgress;
  /** Settles when the last transaction has its receipt, or waits in vain. */
  readonly end: Promise<RoundFigures>;
  stop(): void;
}

const TIMEOUT_MS = 60_000;

const nothing = () => Promise.reject(new Error("a load of the benchmark has no files"));
const HOST: RateHost = { readTrace: nothing, writeTrace: nothing, custom: async () => undefined };

function senderOf({ next, submit, clock }: SignedLoad): SutSender {
  return {
    type: "signed",
    async send(_request, status) {
      try {
        const transaction = next();
        status.SetID(transaction.hash);
        const failure = failureOf(await submit(transaction));
        if (failure === undefined) return status.SetStatusSuccess(clock.now());
        status.SetErrMsg(failure);
      } catch (cause) {
        status.SetErrMsg(faultText(cause));
      }
      status.SetStatusFail(clock.now());
    },
  };
}

/** A request at a time: the sender knows what it is. */
function oneByOne(): Workload {
  let send: () => unknown = () => undefined;
  return {
    generation: "G2",
    async initialize({ sut }) {
      send = () => sut.sendRequests({ contractId: "" });
    },
    submit: () => send(),
    cleanUp: async () => undefined,
  };
}

async function figuresOf(round: WorkerRound): Promise<RoundFigures> {
  const { statistics: data, cause } = await round.run();
  if (cause !== undefined) throw cause;
  const statistics = new RoundStatistics();
  statistics.merge(data);
  return roundFigures(statistics);
}

/** Starts a load. */
export async function startLoad(load: SignedLoad): Promise<RunningLoad> {
  const { clock, count, rate = 0, mostPending, timeoutMs = TIMEOUT_MS } = load;
  const round = new WorkerRound(
    {
      share: { workerIndex: 0, workers: 1, roundIndex: 0, number: count },
      rateControl: { type: "fixed-rate", opts: { tps: rate } },
      trim: 0,
      roundArguments: {},
      timeoutMs,
    },
    {
      workload: oneByOne(),
      sender: senderOf(load),
      clock,
      host: HOST,
      ...(mostPending === undefined ? {} : { mostPending }),
    },
  );
  await round.prepare();
  const end = figuresOf(round);
  return {
    get progress() {
      return round.progress;
    },
    end,
    stop: () => round.stop(),
  };
}
