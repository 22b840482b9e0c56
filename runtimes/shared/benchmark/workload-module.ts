/**
 * Workload modules of both generations, and the form in which a round runs them.
 * Source: benchmark 5
 */
import { BenchmarkFault } from "./benchmark-fault.ts";
import type { RequestArguments, RoundSut } from "./sut.ts";
import type { TxStatus } from "./tx-status.ts";

/** What modules send through. */
export type SutAdapter = Pick<RoundSut, "sendRequests" | "getType">;

/** What a module of the second generation is initialised with, one after the other. */
export type RoundValues = readonly [
  workerIndex: number,
  totalWorkers: number,
  roundIndex: number,
  roundArguments: Readonly<Record<string, unknown>>,
  sutAdapter: SutAdapter,
  sutContext: unknown,
];

/** A module of the second generation. */
export interface WorkloadModule {
  initializeWorkloadModule?(...values: RoundValues): Promise<void> | void;
  submitTransaction(): Promise<unknown> | unknown;
  cleanupWorkloadModule?(): Promise<void> | void;
}

/** Keeps the six values of a round as fields; modules extend it. */
export class WorkloadModuleBase implements WorkloadModule {
  workerIndex = -1;
  totalWorkers = -1;
  roundIndex = -1;
  roundArguments: Readonly<Record<string, unknown>> = {};
  sutAdapter: SutAdapter | undefined;
  sutContext: unknown;

  async initializeWorkloadModule(...values: RoundValues): Promise<void> {
    [this.workerIndex, this.totalWorkers, this.roundIndex] = values;
    [, , , this.roundArguments, this.sutAdapter, this.sutContext] = values;
  }

  /** Modules say here what they send. */
  async submitTransaction(): Promise<unknown> {
    throw new BenchmarkFault("module", "the workload module has no submitTransaction of its own");
  }

  /** Nothing to clean up unless a module says so. */
  async cleanupWorkloadModule(): Promise<void> {}
}

/** What an older request is about, one after the other. */
export type CallbackRequest = readonly [
  context: unknown,
  id: string,
  version: unknown,
  args: RequestArguments | readonly RequestArguments[],
  timeoutSeconds?: number,
];

/** What an older question for a value is about. */
export type CallbackQuestion = readonly [
  context: unknown,
  id: string,
  version: unknown,
  key: unknown,
  fcn?: unknown,
];

/** What modules of the first generation send through. */
export interface CallbackBlockchain {
  invokeSmartContract(...request: CallbackRequest): Promise<readonly TxStatus[]>;
  querySmartContract(...request: CallbackRequest): Promise<readonly TxStatus[]>;
  queryState(...question: CallbackQuestion): Promise<readonly TxStatus[]>;
  getType(): string;
}

/** A module of the first generation. */
export interface CallbackModule {
  readonly info?: string;
  init?(
    blockchain: CallbackBlockchain,
    context: unknown,
    args: Readonly<Record<string, unknown>>,
  ): Promise<void> | void;
  run(): Promise<unknown> | unknown;
  end?(): Promise<void> | void;
}

/** Seconds that a request of the first generation waits unless it says otherwise. */
const CALLBACK_TIMEOUT_S = 120;

function listOf(args: RequestArguments | readonly RequestArguments[]): readonly RequestArguments[] {
  const isList = Array.isArray(args) && args.length > 0 && typeof args[0] === "object";
  return isList ? (args as readonly RequestArguments[]) : [args as RequestArguments];
}

function queriedFunction(key: unknown, fcn: unknown): string {
  for (const given of [fcn, key]) {
    if (typeof given === "object" && given !== null && "query_type" in given)
      return String(given.query_type);
  }
  if (typeof fcn === "string") return fcn;
  throw new BenchmarkFault("module", "queryState: the function is missing, such as get()");
}

function blockchainOver(sut: SutAdapter): CallbackBlockchain {
  const sendAll = async (
    [, contractId, , args, timeout = CALLBACK_TIMEOUT_S]: CallbackRequest,
    readOnly: boolean,
  ): Promise<readonly TxStatus[]> => {
    const requests = listOf(args).map((each) => ({ contractId, args: each, readOnly, timeout }));
    return await sut.sendRequests(requests);
  };
  return {
    invokeSmartContract: (...request) => sendAll(request, false),
    querySmartContract: (...request) => sendAll(request, true),
    queryState(...[context, id, version, key, fcn]) {
      const args = { transaction_type: queriedFunction(key, fcn) };
      return sendAll([context, id, version, args], true);
    },
    getType: () => sut.getType(),
  };
}

/** What a round needs of a module of either generation. */
export interface Workload {
  readonly generation: "G1" | "G2";
  initialize(place: WorkloadPlace): Promise<void>;
  /** Sends; gives what a module of the first generation returns. */
  submit(): Promise<unknown> | unknown;
  cleanUp(): Promise<void>;
}

/** Where a module works. */
export interface WorkloadPlace {
  readonly workerIndex: number;
  readonly totalWorkers: number;
  readonly roundIndex: number;
  readonly roundArguments: Readonly<Record<string, unknown>>;
  readonly sut: RoundSut;
  readonly context: Readonly<Record<string, unknown>>;
}

/** A module of the second generation as a workload. */
export function workloadOfModule(module: WorkloadModule): Workload {
  return {
    generation: "G2",
    async initialize({ workerIndex, totalWorkers, roundIndex, roundArguments, sut, context }) {
      const who = [workerIndex, totalWorkers, roundIndex] as const;
      await module.initializeWorkloadModule?.(...who, roundArguments, sut, context);
    },
    submit: () => module.submitTransaction(),
    cleanUp: async () => await module.cleanupWorkloadModule?.(),
  };
}

/** A module of the first generation as a workload. */
function workloadOfCallback(module: CallbackModule): Workload {
  return {
    generation: "G1",
    async initialize({ workerIndex, totalWorkers, roundIndex, roundArguments, sut, context }) {
      const engine = { submitCallback: (count: number) => sut.announce(count) };
      const own = { ...context, clientIdx: workerIndex, totalClients: totalWorkers, roundIndex };
      await module.init?.(blockchainOver(sut), { ...own, engine }, roundArguments);
    },
    submit: () => module.run(),
    cleanUp: async () => await module.end?.(),
  };
}

function functionIn(holder: unknown, name: string): boolean {
  const value = (holder as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return typeof value === "function";
}

/**
 * The workload that a module exports, by itself or as its default.
 * @throws BenchmarkFault `module` when it exports neither generation's functions
 */
export function workloadOf(exported: unknown, name: string): Workload {
  const holder = exported as { readonly default?: unknown };
  for (const one of [exported, holder?.default]) {
    if (functionIn(one, "createWorkloadModule")) {
      const made = (one as { createWorkloadModule(): unknown }).createWorkloadModule();
      if (functionIn(made, "submitTransaction")) return workloadOfModule(made as WorkloadModule);
      const what = "createWorkloadModule() gives no object with submitTransaction()";
      throw new BenchmarkFault("module", `${name}: ${what}`);
    }
    if (functionIn(one, "run")) return workloadOfCallback(one as CallbackModule);
  }
  const wanted = "createWorkloadModule() (or init, run and end)";
  throw new BenchmarkFault("module", `${name} exports no ${wanted}: it is no workload module`);
}
