/** What a round's result says of its rate and its cost. Source: benchmark 2; interface 8 */
import { expect, test } from "vitest";
import type { PlannedRound } from "../../../../../runtimes/tools/benchmark/files/benchmark-plan.ts";
import { roundResultOf } from "../../../../../runtimes/tools/benchmark/manager/round-outcome.ts";
import type { PoolAnswer } from "../../../../../runtimes/tools/benchmark/manager/worker-pool.ts";
import type { ResultContent } from "../../../../../runtimes/tools/benchmark/worker/messages.ts";
import { RoundStatistics } from "../../../../../runtimes/shared/benchmark/statistics.ts";

/** A worker that sent this many transactions in a second, each answered after 10 ms. */
function answer(index: number, perSecond: number, cpuMs: number | null): PoolAnswer {
  const statistics = new RoundStatistics();
  for (let sent = 0; sent <= perSecond; sent++) {
    const createdMs = (sent * 1_000) / perSecond;
    const finishedMs = createdMs + 10;
    statistics.add({ createdMs, finishedMs, intendedMs: undefined, error: undefined });
  }
  const content: ResultContent = {
    stats: statistics.data(),
    cpuMs,
    heldBackMs: 0,
    lostNodes: [],
  };
  const worker = { id: `w${index}`, index, clockOffsetMs: null, lost: undefined };
  return { worker: { ...worker, update: undefined, seconds: new Map() }, content };
}

function resultOf(tps: number | undefined, answers: readonly PoolAnswer[], hasThreads = false) {
  const planned: PlannedRound = {
    label: "set",
    description: "",
    txNumber: 1_000,
    txDurationSeconds: undefined,
    rateControl:
      tps === undefined ? { type: "maximum-rate" } : { type: "fixed-rate", opts: { tps } },
    trim: 0,
    module: "set.js",
    arguments: {},
  };
  const facts = { index: 0, planned, workers: answers.length, startedAtMs: 0, monitors: [] };
  const more = { chain: null, managerCpuMs: 100, remarks: [] };
  return roundResultOf({ ...facts, ...more, answers, hasThreads });
}

test("a rate that is missed by more than a twentieth is reported, with both rates", () => {
  const two = [answer(0, 200, 1), answer(1, 200, 1)];
  const missed = resultOf(1_000, two);
  expect(missed.configuration.targetTps).toBe(1_000);
  expect(missed.remarks).toEqual(["the rate of 1000 TPS was not reached: 402.0 TPS were sent"]);
  expect(missed.status).toBe("finished");
  expect(resultOf(420, two).remarks).toEqual([]);
  expect(resultOf(0, two).remarks).toEqual([]);
  expect(resultOf(undefined, two)).toMatchObject({
    remarks: [],
    configuration: { targetTps: null },
  });
});

test("the tool's own CPU is that of all its processes; threads are in that of the manager", () => {
  const two = [answer(0, 10, 30), answer(1, 10, 20)];
  expect(resultOf(10, two).generatorCpuMs).toBe(150);
  expect(resultOf(10, two, true).generatorCpuMs).toBe(100);
  expect(resultOf(10, two).workers.map(({ cpuMs }) => cpuMs)).toEqual([30, 20]);
  const unknown = [answer(0, 10, 30), answer(1, 10, null)];
  expect(resultOf(10, unknown).generatorCpuMs).toBeNull();
});
