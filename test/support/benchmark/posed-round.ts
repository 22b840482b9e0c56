/** Rounds in process: a posed system under test, and whatever a round needs besides. */
import type { BenchClock } from "../../../runtimes/shared/benchmark/bench-clock.ts";
import type {
  RateHost,
  RateSpec,
} from "../../../runtimes/shared/benchmark/rate/rate-controller.ts";
import {
  type RoundParts,
  type RoundTask,
  WorkerRound,
} from "../../../runtimes/shared/benchmark/round.ts";
import type { SutSender } from "../../../runtimes/shared/benchmark/sut.ts";
import type { Workload } from "../../../runtimes/shared/benchmark/workload-module.ts";
import { simulatedClock } from "./simulated-clock.ts";

/** A system that takes so long for each request, and refuses those that a test says. */
export function posedSender(
  clock: BenchClock,
  latencyMs: number | ((index: number) => number) = 0,
  refuses: (index: number) => string | undefined = () => undefined,
): SutSender & { readonly sentAt: readonly number[] } {
  const sentAt: number[] = [];
  return {
    type: "posed",
    sentAt,
    async send(_request, status) {
      const index = sentAt.push(clock.now()) - 1;
      const ms = typeof latencyMs === "number" ? latencyMs : latencyMs(index);
      if (ms > 0) await clock.sleep(ms);
      const refused = refuses(index);
      if (refused === undefined) return status.SetStatusSuccess(clock.now());
      status.SetErrMsg(refused);
      status.SetStatusFail(clock.now());
    },
  };
}

/** A workload of one request a time. */
export function plainWorkload(): Workload {
  let send: () => unknown = () => undefined;
  return {
    generation: "G2",
    async initialize({ sut }) {
      send = () => sut.sendRequests({ contractId: "posed", args: {} });
    },
    submit: () => send(),
    cleanUp: async () => undefined,
  };
}

/** Traces in memory, and no modules. */
export function memoryHost(files = new Map<string, Uint8Array>()): RateHost {
  return {
    async readTrace(path) {
      const bytes = files.get(path);
      if (bytes === undefined) throw new Error(`no trace ${path}`);
      return bytes;
    },
    async writeTrace(path, bytes) {
      files.set(path, bytes);
    },
    custom: async () => undefined,
  };
}

/** What a posed round may say otherwise. */
export interface PosedRound {
  readonly clock?: BenchClock;
  readonly number?: number;
  readonly durationMs?: number;
  readonly workers?: number;
  readonly trim?: number;
  readonly timeoutMs?: number;
  readonly sender?: SutSender;
  readonly parts?: Partial<RoundParts>;
}

/** A round that is prepared, of a clock that no caller waits for. */
export async function posedRound(rateControl: RateSpec, posed: PosedRound = {}) {
  const { clock = simulatedClock(), number, durationMs, workers = 1 } = posed;
  const task: RoundTask = {
    share: { workerIndex: 0, workers, roundIndex: 0, number, durationMs },
    rateControl,
    trim: posed.trim ?? 0,
    roundArguments: {},
    timeoutMs: posed.timeoutMs ?? 10_000,
  };
  const sender = posed.sender ?? posedSender(clock);
  const usual: RoundParts = { workload: plainWorkload(), sender, clock, host: memoryHost() };
  const round = new WorkerRound(task, { ...usual, ...posed.parts });
  await round.prepare();
  return { round, clock };
}
