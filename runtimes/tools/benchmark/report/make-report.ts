/** The report of a finished run, as data. */
import type { AssertionResult, BenchmarkReport } from "../../../shared/benchmark/round-result.ts";
import { REPORT_SCHEMA } from "../../../shared/benchmark/round-result.ts";
import type { FinishedRun } from "../manager/benchmark-run.ts";

/** Puts it together. */
export function reportOf(
  run: FinishedRun,
  assertions: readonly AssertionResult[],
): BenchmarkReport {
  const { plan, network } = run;
  return {
    schema: REPORT_SCHEMA,
    generation: plan.generation,
    name: plan.name,
    description: plan.description,
    blockchain: network.blockchain,
    workers: {
      type: network.mode === "inproc" ? "inproc" : run.workersType,
      number: plan.workers,
    },
    startedAtMs: run.startedAtMs,
    durationMs: run.durationMs,
    info: network.info,
    configuration: { benchmark: plan.value, network: network.value },
    environment: run.environment,
    rounds: run.rounds,
    assertions,
    remarks: run.failures.map(({ message }) => message),
  };
}
