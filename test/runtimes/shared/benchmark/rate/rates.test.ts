/** Rate controllers on a simulated clock. Source: benchmark 6, 11.4 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { RateSpec } from "../../../../../runtimes/shared/benchmark/rate/rate-controller.ts";
import {
  memoryHost,
  type PosedRound,
  posedRound,
  posedSender,
} from "../../../../support/benchmark/posed-round.ts";
import { simulatedClock } from "../../../../support/benchmark/simulated-clock.ts";

const MINUTE_MS = 60_000;

/** Times of all submissions, milliseconds since the first moment of the round. */
async function submitTimes(
  rateControl: RateSpec,
  posed: PosedRound & { readonly latencyMs?: number | ((index: number) => number) } = {},
): Promise<readonly number[]> {
  const clock = simulatedClock();
  const sender = posedSender(clock, posed.latencyMs ?? 0);
  const { round } = await posedRound(rateControl, { clock, sender, ...posed });
  const { cause } = await round.run();
  assert.equal(cause, undefined);
  return sender.sentAt.map((at) => at - round.progress.startMs);
}

function rate(type: string, opts: Readonly<Record<string, unknown>> = {}): RateSpec {
  return { type, opts };
}

describe("rates are kept within 2 % for a minute", () => {
  const TABLE = [
    { spec: rate("fixed-rate", { tps: 200 }), workers: 1, tps: 200 },
    { spec: rate("fixed-rate", { tps: 200 }), workers: 4, tps: 50 },
    {
      spec: rate("fixed-feedback-rate", { tps: 200, transactionLoad: 1_000 }),
      workers: 1,
      tps: 200,
    },
    { spec: rate("linear-rate", { startingTps: 200, finishingTps: 200 }), workers: 1, tps: 200 },
    {
      spec: rate("record-rate", {
        rateController: rate("fixed-rate", { tps: 200 }),
        pathTemplate: "t",
      }),
      workers: 1,
      tps: 200,
    },
  ];
  for (const { spec, workers, tps } of TABLE) {
    test(`${spec.type} at 200 per second, of ${workers} workers`, async () => {
      const times = await submitTimes(spec, { durationMs: MINUTE_MS, workers, latencyMs: 20 });
      const kept = (times.length * 1_000) / MINUTE_MS;
      assert.ok(Math.abs(kept - tps) <= 0.02 * tps, `${kept} per second`);
    });
  }
});

test("a worker that was late sends all that is due at one time", async () => {
  const clock = simulatedClock();
  const sender = posedSender(clock);
  const { round } = await posedRound(rate("fixed-rate", { tps: 100 }), {
    clock,
    sender,
    number: 100,
  });
  // Something keeps the event loop from its work for half a second.
  let isLate = false;
  const stall = { ...clock, now: () => clock.now() + (isLate ? 500 : 0) };
  const late = await posedRound(rate("fixed-rate", { tps: 100 }), {
    clock: stall,
    sender: posedSender(stall),
    number: 100,
    parts: { listener: { txSubmitted: () => (isLate = late.round.progress.submitted >= 10) } },
  });
  const [usual, delayed] = [await round.run(), await late.round.run()];
  assert.equal(usual.statistics.counts.succeeded, 100);
  assert.equal(delayed.statistics.counts.succeeded, 100);
  const { lastCreateMs } = delayed.statistics;
  assert.ok(lastCreateMs !== null && Math.abs(lastCreateMs - 990) < 20, `${lastCreateMs}`);
});

test("no control sends as fast as it can", async () => {
  const times = await submitTimes(rate("fixed-rate", { tps: 0 }), { number: 500 });
  assert.equal(times.length, 500);
  assert.ok((times.at(-1) ?? 0) < 10);
});

test("fixed-load begins at its start rate and then keeps this many on their way", async () => {
  const opts = { transactionLoad: 20, startTps: 10 };
  const times = await submitTimes(rate("fixed-load", opts), { durationMs: 20_000, latencyMs: 500 });
  assert.deepEqual(times.slice(0, 4), [0, 100, 200, 300]);
  const late = times.filter((at) => at >= 10_000);
  // Twenty on their way for half a second each are forty in a second.
  assert.ok(Math.abs(late.length / 10 - 40) < 4, `${late.length / 10} per second`);
});

test("fixed-backlog sleeps until the first success, then by the average latency", async () => {
  const opts = { unfinished_per_client: 5, sleep_time: 100 };
  const times = await submitTimes(rate("fixed-backlog", opts), {
    durationMs: 20_000,
    latencyMs: 250,
  });
  assert.deepEqual(times.slice(0, 3), [100, 200, 300]);
  const late = times.filter((at) => at >= 10_000).length / 10;
  assert.ok(late > 15 && late < 30, `${late} per second`);
});

test("fixed-feedback-rate waits longer the more is unanswered, and does not catch up", async () => {
  const opts = { tps: 100, transactionLoad: 10, sleepTime: 100 };
  const times = await submitTimes(rate("fixed-feedback-rate", opts), {
    durationMs: 20_000,
    latencyMs: 1_000,
  });
  // Ten a second may be on their way; a hundred are wanted.
  const perSecond = times.length / 20;
  assert.ok(perSecond > 5 && perSecond < 40, `${perSecond} per second`);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  assert.ok(Math.min(...gaps.slice(20)) >= 9, "what was held back is not sent in a burst");
});

test("maximum-rate rises while the system keeps up, and falls when it does not", async () => {
  const opts = { tps: 10, step: 10, sampleInterval: 5 };
  // One at a time, and each takes 20 milliseconds: fifty in a second, whatever comes.
  const clock = simulatedClock();
  let free = 0;
  const sentAt: number[] = [];
  const sender = {
    type: "posed",
    async send(_request: unknown, status: { SetStatusSuccess(time: number): void }) {
      sentAt.push(clock.now());
      free = Math.max(free, clock.now()) + 20;
      await clock.sleep(free - clock.now());
      status.SetStatusSuccess(clock.now());
    },
  };
  const { round } = await posedRound(rate("maximum-rate", opts), {
    clock,
    sender,
    durationMs: 120_000,
    timeoutMs: 60_000,
  });
  await round.run();
  const perSecond = (from: number, to: number) =>
    sentAt.filter((at) => at - 1_000 >= from && at - 1_000 < to).length / ((to - from) / 1_000);
  assert.ok(perSecond(0, 5_000) < 12);
  assert.ok(perSecond(10_000, 15_000) > 25);
  const end = perSecond(100_000, 120_000);
  assert.ok(end > 40 && end < 75, `${end} per second`);
});

test("linear-rate grows from its first rate to its last", async () => {
  const opts = { startingTps: 20, finishingTps: 100 };
  const times = await submitTimes(rate("linear-rate", opts), { number: 1_000 });
  const gap = (index: number) => (times[index + 20] ?? 0) - (times[index] ?? 0);
  assert.ok(Math.abs(gap(0) / 20 - 50) < 2);
  assert.ok(Math.abs(gap(970) / 20 - 10) < 2);
});

describe("composite-rate", () => {
  test("gives each controller its share of a round by number; zero weights are skipped", async () => {
    const parts = [
      rate("fixed-rate", { tps: 10 }),
      rate("zero-rate"),
      rate("fixed-rate", { tps: 100 }),
    ];
    const opts = { weights: [1, 0, 3], rateControllers: parts };
    const times = await submitTimes(rate("composite-rate", opts), { number: 400 });
    assert.equal(times.length, 400);
    assert.ok(Math.abs((times[99] ?? 0) - 9_900) < 20);
    assert.ok(Math.abs((times[399] ?? 0) - (times[100] ?? 0) - 2_990) < 30);
  });

  test("pauses in the middle of a round by duration", async () => {
    const parts = [
      rate("fixed-rate", { tps: 10 }),
      rate("zero-rate"),
      rate("fixed-rate", { tps: 20 }),
    ];
    const opts = { weights: [1, 1, 2], rateControllers: parts };
    const times = await submitTimes(rate("composite-rate", opts), { durationMs: 20_000 });
    const within = (from: number, to: number) => times.filter((at) => at >= from && at < to).length;
    assert.equal(within(0, 5_000), 50);
    assert.ok(within(5_001, 9_990) === 0, `${within(5_001, 9_990)}`);
    assert.ok(Math.abs(within(10_000, 20_000) - 200) <= 2);
  });
});

test("zero-rate sends nothing, and is for rounds by duration", async () => {
  const { round } = await posedRound(rate("zero-rate"), { number: 10 });
  assert.match(String((await round.run()).cause), /txDuration/);
  assert.deepEqual(await submitTimes(rate("zero-rate"), { durationMs: 5_000 }), []);
});

for (const format of ["TEXT", "BIN_BE", "BIN_LE"]) {
  test(`record, then replay gives the same trace within 10 ms: ${format}`, async () => {
    const files = new Map<string, Uint8Array>();
    const parts = { host: memoryHost(files) };
    const pathTemplate = "trace-<R>-<C>.txt";
    const linear = rate("linear-rate", { startingTps: 5, finishingTps: 80 });
    const record = { rateController: linear, pathTemplate, outputFormat: format };
    const recorded = await submitTimes(rate("record-rate", record), { number: 300, parts });
    assert.deepEqual([...files.keys()], ["trace-0-0.txt"]);
    const replay = { pathTemplate, inputFormat: format, defaultSleepTime: 50 };
    const replayed = await submitTimes(rate("replay-rate", replay), { number: 303, parts });
    const off = recorded.map((at, index) => Math.abs(at - (replayed[index] ?? Number.NaN)));
    assert.ok(Math.max(...off) <= 10, `${Math.max(...off)} ms`);
    const after = replayed.slice(300).map((at, index) => at - (replayed[299 + index] ?? 0));
    assert.ok(
      after.every((gap) => Math.abs(gap - 50) < 1),
      "after its end it goes on",
    );
  });
}

test("a trace that is none is refused with its line or its length", async () => {
  const text = new Map([["t", new TextEncoder().encode("10\n20\nsoon\n")]]);
  const one = await posedRound(rate("replay-rate", { pathTemplate: "t" }), {
    number: 3,
    parts: { host: memoryHost(text) },
  });
  assert.match(String((await one.round.run()).cause), /t:3: "soon" is no number/);
  const other = await posedRound(
    rate("replay-rate", { pathTemplate: "t", inputFormat: "BIN_BE" }),
    {
      number: 3,
      parts: { host: memoryHost(text) },
    },
  );
  assert.match(String((await other.round.run()).cause), /11 bytes are no count/);
});

test("a name that nothing has lists those that there are", async () => {
  const { round } = await posedRound(rate("fast-rate"), { number: 1 });
  assert.match(
    String((await round.run()).cause),
    /rateControl\.type "fast-rate" is no controller: fixed-rate/,
  );
});
