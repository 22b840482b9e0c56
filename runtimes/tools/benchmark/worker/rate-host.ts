/** Files of traces and custom controllers, for the engine. Source: benchmark 6 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import type {
  RateContext,
  RateController,
  RateHost,
  RateSpec,
} from "../../../shared/benchmark/rate/rate-controller.ts";
import { fileReason } from "../files/placed-file.ts";
import { inWorkspace } from "../files/network-file.ts";
import { loadModule, moduleFault } from "../modules.ts";
import type { RoundMessage } from "./messages.ts";

/** A controller as modules make them. */
interface CustomController {
  init?(message: unknown): Promise<void> | void;
  applyRateControl(...args: readonly unknown[]): Promise<unknown> | unknown;
  end?(): Promise<void> | void;
}

type MakeCustom = (message: unknown, stats: unknown, workerIndex: number) => unknown;
type CustomClass = new (opts: unknown, clientIdx: number, roundIdx: number) => unknown;

/** The round as custom controllers of the second generation ask for it. */
function testMessageOf(round: RoundMessage, { opts }: RateSpec, type: string) {
  return {
    getRoundIndex: () => round.testRound,
    getRoundLabel: () => round.label,
    getRateControlSpec: () => ({ type, opts: opts ?? {} }),
    getWorkloadSpec: () => round.workload,
    getTrimLength: () => round.trim,
    getNumberOfTxs: () => round.numb,
    getRoundDuration: () => round.txDuration,
    getWorkerArguments: () => round.workload.arguments,
    getTotalWorkers: () => round.totalWorkers,
    content: round,
  };
}

function madeBy(
  exported: unknown,
  round: RoundMessage,
  spec: RateSpec,
  context: RateContext,
): { readonly controller: CustomController; readonly generation: "G1" | "G2" } | undefined {
  const { default: byDefault } = exported as { readonly default?: unknown };
  const { workerIndex, roundIndex } = context.share;
  for (const one of [exported, byDefault]) {
    const make = (one as { readonly createRateController?: MakeCustom } | undefined)
      ?.createRateController;
    if (typeof make === "function") {
      const message = testMessageOf(round, spec, spec.type);
      const made = make(message, context.progress, workerIndex);
      return { controller: made as CustomController, generation: "G2" };
    }
    if (typeof one === "function") {
      const Made = one as CustomClass;
      const controller = new Made(spec.opts ?? {}, workerIndex, roundIndex) as CustomController;
      return { controller, generation: "G1" };
    }
  }
  return undefined;
}

async function openCustom(
  spec: RateSpec,
  context: RateContext,
  round: RoundMessage,
  workspace: string,
): Promise<RateController> {
  const name = spec.type;
  const made = madeBy(await loadModule(name, workspace), round, spec, context);
  if (typeof made?.controller?.applyRateControl !== "function") {
    const what = "exports neither createRateController() nor a class with applyRateControl()";
    throw new BenchmarkFault("module", `${name} ${what}`);
  }
  const { controller, generation } = made;
  const guarded = async <T>(work: () => Promise<T> | T): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      throw moduleFault(name, cause, workspace);
    }
  };
  if (generation === "G1") await guarded(() => controller.init?.(round));
  const { progress } = context;
  const args = (): readonly unknown[] =>
    generation === "G1" ? [progress.startMs, progress.planned, [], []] : [];
  return {
    applyRateControl: () =>
      guarded(() => controller.applyRateControl(...args())).then(() => undefined),
    end: () => guarded(async () => await controller.end?.()),
  };
}

/** The host of a round. @param workspace absolute */
export function rateHostOf(round: RoundMessage, workspace: string): RateHost {
  return {
    async readTrace(path) {
      try {
        return await readFile(inWorkspace(workspace, path));
      } catch (cause) {
        const what = `the trace ${path} cannot be read: ${fileReason(cause)}`;
        throw new BenchmarkFault("usage", what, { cause });
      }
    },
    async writeTrace(path, bytes) {
      const file = inWorkspace(workspace, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    },
    custom: (spec, context) => openCustom(spec, context, round, workspace),
  };
}
