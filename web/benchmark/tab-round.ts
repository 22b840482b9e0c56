/** One round of a benchmark against the chain of this page, in the page. Source: benchmark 11 */
import { realClock } from "../../runtimes/shared/benchmark/bench-clock.ts";
import { faultText } from "../../runtimes/shared/benchmark/benchmark-fault.ts";
import { WorkerRound } from "../../runtimes/shared/benchmark/round.ts";
import { roundFigures } from "../../runtimes/shared/benchmark/round-figures.ts";
import type { RoundResult } from "../../runtimes/shared/benchmark/round-result.ts";
import { RoundStatistics } from "../../runtimes/shared/benchmark/statistics.ts";
import type { SutRequest } from "../../runtimes/shared/benchmark/sut.ts";
import {
  type SutAdapter,
  type WorkloadModule,
  workloadOfModule,
} from "../../runtimes/shared/benchmark/workload-module.ts";
import { loadSuite, readFacts, readGroups } from "../data/chain.ts";
import type { ChainSource } from "../data/source.ts";
import { BALANCES, countBetween, TabSender } from "./tab-sender.ts";

/** What a round consists of. */
export type TabKind = "transactions" | "calls";

interface TabOrder {
  readonly kind: TabKind;
  readonly count: number;
  /** Each second; 0 for as fast as it goes. */
  readonly tps: number;
}

/** Where it stands. */
export interface TabProgress {
  readonly submitted: number;
  readonly finished: number;
}

const TIMEOUT_MS = 60_000;
/** More would only wait in the node of the tab. */
const MOST_PENDING = 500;
const TOLD_MS = 200;
/** Accounts that are touched by turns. */
const ACCOUNTS = 100;
/** Place of the adapter among what modules are initialised with. Source: benchmark 5 */
const ADAPTER_AT = 4;

/** Saves to, or reads, accounts by turns. */
class Balances implements WorkloadModule {
  readonly #kind: TabKind;
  #adapter: SutAdapter | undefined;
  #count = 0;

  constructor(kind: TabKind) {
    this.#kind = kind;
  }

  initializeWorkloadModule(...place: readonly unknown[]): void {
    this.#adapter = place[ADAPTER_AT] as SutAdapter;
  }

  async submitTransaction(): Promise<void> {
    const user = `user${this.#count % ACCOUNTS}`;
    this.#count += 1;
    const request: SutRequest =
      this.#kind === "calls"
        ? { contractId: BALANCES, contractFunction: "userBalance", args: [user], readOnly: true }
        : { contractId: BALANCES, contractFunction: "userSave", args: [user, 1n] };
    await this.#adapter?.sendRequests(request);
  }
}

/** A page has no files and no modules of users. */
const HOST = {
  readTrace: () => Promise.reject(new Error("a page reads no traces")),
  writeTrace: () => Promise.reject(new Error("a page writes no traces")),
  custom: () => Promise.resolve(undefined),
};

function roundOf({ kind, count, tps }: TabOrder, sender: TabSender): WorkerRound {
  return new WorkerRound(
    {
      share: { workerIndex: 0, workers: 1, roundIndex: 0, number: count },
      rateControl: { type: "fixed-rate", opts: { tps } },
      trim: 0,
      roundArguments: {},
      timeoutMs: TIMEOUT_MS,
    },
    {
      workload: workloadOfModule(new Balances(kind)),
      sender,
      clock: realClock(),
      host: HOST,
      mostPending: MOST_PENDING,
    },
  );
}

function configurationOf({ kind, count, tps }: TabOrder): RoundResult["configuration"] {
  return {
    rateControl: { type: "fixed-rate", opts: { tps } },
    workload: { module: kind, arguments: { contract: BALANCES } },
    txNumber: count,
    txDurationSeconds: null,
    trim: 0,
    workers: 1,
    targetTps: tps === 0 ? null : tps,
  };
}

/** Tells again and again where a round stands. */
function tellProgress(round: WorkerRound, onProgress: (progress: TabProgress) => void) {
  const tell = () => {
    const { submitted, finished } = round.progress;
    onProgress({ submitted, finished });
  };
  const timer = setInterval(tell, TOLD_MS);
  return () => clearInterval(timer);
}

/**
 * Runs a round to its end.
 *
 * @throws NodeFault, TransportFault when the chain cannot be asked before or after it
 */
export async function runTabRound(
  source: Pick<ChainSource, "request">,
  order: TabOrder,
  onProgress: (progress: TabProgress) => void,
): Promise<RoundResult> {
  const { chainId, suiteName } = await readFacts(source);
  const [groupId = 1] = await readGroups(source);
  const suite = await loadSuite(suiteName);
  const sender = new TabSender(source, { suite, chainId, groupId });
  const round = roundOf(order, sender);
  try {
    await sender.begin();
    await round.prepare();
    const before = await sender.moment();
    const startedAtMs = Date.now();
    const stopTelling = tellProgress(round, onProgress);
    const { statistics: data, cause } = await round.run().finally(stopTelling);
    const statistics = new RoundStatistics();
    statistics.merge(data);
    const hasFailed = cause !== undefined;
    return {
      index: 0,
      label: order.kind,
      description: "",
      status: hasFailed ? "failed" : "finished",
      remarks: hasFailed ? [faultText(cause)] : [],
      configuration: configurationOf(order),
      startedAtMs,
      ...roundFigures(statistics),
      workers: [],
      monitors: [],
      chain: countBetween(before, await sender.moment()),
      generatorCpuMs: null,
    };
  } finally {
    sender.close();
  }
}
