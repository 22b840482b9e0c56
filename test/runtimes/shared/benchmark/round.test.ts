/** Rounds of one worker: what is counted, what ends them. Source: benchmark 4, 5 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { RateSpec } from "../../../../runtimes/shared/benchmark/rate/rate-controller.ts";
import {
  type CallbackBlockchain,
  type Workload,
  WorkloadModuleBase,
  workloadOf,
} from "../../../../runtimes/shared/benchmark/workload-module.ts";
import type { RoundSut } from "../../../../runtimes/shared/benchmark/sut.ts";
import { TxStatus } from "../../../../runtimes/shared/benchmark/tx-status.ts";
import { posedRound, posedSender } from "../../../support/benchmark/posed-round.ts";
import { simulatedClock } from "../../../support/benchmark/simulated-clock.ts";

const FAST: RateSpec = { type: "fixed-rate", opts: { tps: 1_000 } };
const REQUEST = { contractId: "posed", args: {} };

/** A workload of a submit function. */
function submitting(submit: (sut: RoundSut) => unknown): Workload {
  let own: RoundSut | undefined;
  return {
    generation: "G2",
    async initialize({ sut }) {
      own = sut;
    },
    submit: () => own && submit(own),
    cleanUp: async () => undefined,
  };
}

describe("counting", () => {
  test("a refused transaction is a failure with its reason, and the round goes on", async () => {
    const clock = simulatedClock();
    const refuses = (index: number) => (index % 4 === 0 ? "RevertInstruction: no" : undefined);
    const sender = posedSender(clock, 10, refuses);
    const { round } = await posedRound(FAST, { clock, sender, number: 100 });
    const { statistics, cause } = await round.run();
    assert.equal(cause, undefined);
    const { succeeded, failed, unfinished } = statistics.counts;
    assert.deepEqual(
      { succeeded, failed, unfinished },
      { succeeded: 75, failed: 25, unfinished: 0 },
    );
    const [row] = statistics.errors;
    assert.deepEqual(row, {
      name: "RevertInstruction",
      count: 25,
      example: "RevertInstruction: no",
    });
  });

  test("a transaction without an answer becomes failed and unfinished after the time limit", async () => {
    const clock = simulatedClock();
    const sender = posedSender(clock, (index) => (index === 3 ? 1e9 : 5));
    const { round } = await posedRound(FAST, { clock, sender, number: 10, timeoutMs: 2_000 });
    const { statistics } = await round.run();
    assert.equal(statistics.counts.succeeded, 9);
    assert.equal(statistics.counts.unfinished, 1);
    assert.equal(statistics.errors[0]?.name, "timeout");
    assert.ok((statistics.lastFinishMs ?? 0) < 3_500);
  });

  test("a request has a limit of its own", async () => {
    const clock = simulatedClock();
    const workload = submitting((sut) => sut.sendRequests({ ...REQUEST, timeout: 1 }));
    const sender = posedSender(clock, 1e9);
    const parts = { workload };
    const { round } = await posedRound(FAST, {
      clock,
      sender,
      number: 3,
      timeoutMs: 60_000,
      parts,
    });
    const { statistics } = await round.run();
    assert.equal(statistics.counts.unfinished, 3);
    assert.ok((statistics.lastFinishMs ?? 0) < 5_000);
  });

  test("several requests of one call are counted one by one", async () => {
    const workload = submitting((sut) => sut.sendRequests([REQUEST, REQUEST, REQUEST]));
    const { round } = await posedRound(FAST, { number: 9, parts: { workload } });
    assert.equal((await round.run()).statistics.counts.succeeded, 9);
  });

  test("a call that sends nothing counts by itself: the empty round measures the tool", async () => {
    const { round } = await posedRound(FAST, {
      number: 50,
      parts: { workload: submitting(() => 0) },
    });
    assert.equal((await round.run()).statistics.counts.succeeded, 50);
  });

  test("calls that send later are planned from the beginning: no burst is sent too much", async () => {
    const clock = simulatedClock();
    const workload = submitting(async (sut) => {
      await clock.sleep(30);
      return await sut.sendRequests(REQUEST);
    });
    const { round } = await posedRound(FAST, { clock, number: 40, parts: { workload } });
    assert.equal((await round.run()).statistics.counts.succeeded, 40);
  });

  test("trim leaves out the first results of a round by number", async () => {
    const clock = simulatedClock();
    const sender = posedSender(clock, (index) => (index < 10 ? 500 : 5));
    const tens: RateSpec = { type: "fixed-rate", opts: { tps: 10 } };
    const { round } = await posedRound(tens, { clock, sender, number: 30, trim: 12 });
    const { counts } = (await round.run()).statistics;
    assert.equal(counts.trimmed, 12);
    assert.equal(counts.succeeded, 18);
  });

  test("and the first seconds of a round by duration", async () => {
    const clock = simulatedClock();
    const tens: RateSpec = { type: "fixed-rate", opts: { tps: 10 } };
    const { round } = await posedRound(tens, { clock, durationMs: 5_000, trim: 2 });
    const { counts, firstCreateMs } = (await round.run()).statistics;
    assert.equal(counts.trimmed, 20);
    assert.equal(counts.succeeded, 30);
    assert.ok(firstCreateMs !== null && firstCreateMs >= 2_000);
  });

  test("latency from the intended time shows what a late generator hides", async () => {
    const clock = simulatedClock();
    const sender = posedSender(clock, 100);
    // Ten at a time: the eleventh is sent when the first has ended, though it was due before.
    const parts = { mostPending: 10 };
    const { round } = await posedRound(FAST, { clock, sender, number: 100, parts });
    const { statistics, heldBackMs } = await round.run();
    assert.ok(statistics.latency.maxMs !== null && statistics.latency.maxMs < 120);
    assert.ok(statistics.intendedLatency.maxMs !== null && statistics.intendedLatency.maxMs > 800);
    assert.ok(heldBackMs > 500);
  });

  test("the seconds of a round sum up to it", async () => {
    const clock = simulatedClock();
    const sender = posedSender(clock, 300);
    const tens: RateSpec = { type: "fixed-rate", opts: { tps: 50 } };
    const { round } = await posedRound(tens, { clock, sender, number: 200 });
    const { seconds } = (await round.run()).statistics;
    assert.equal(
      seconds.reduce((sum, { submitted }) => sum + submitted, 0),
      200,
    );
    assert.equal(Math.max(...seconds.map(({ second }) => second)), 4);
  });
});

describe("what ends a round", () => {
  test("an exception of the module, after what is on its way has ended", async () => {
    const clock = simulatedClock();
    let calls = 0;
    const workload = submitting((sut) => {
      if (++calls === 6) throw new TypeError("undefined is no function");
      return sut.sendRequests(REQUEST);
    });
    const sender = posedSender(clock, 50);
    const { round } = await posedRound(FAST, { clock, sender, number: 100, parts: { workload } });
    const { cause, statistics } = await round.run();
    assert.match(String(cause), /undefined is no function/);
    assert.equal(statistics.counts.succeeded, 5);
  });

  test("but not a module that throws because its transaction failed", async () => {
    const clock = simulatedClock();
    const workload = submitting(async (sut) => {
      const status = (await sut.sendRequests(REQUEST)) as TxStatus;
      if (!status.IsCommitted()) throw new Error("it failed");
    });
    const sender = posedSender(clock, 5, () => "RevertInstruction");
    const { round } = await posedRound(FAST, { clock, sender, number: 20, parts: { workload } });
    const { cause, statistics } = await round.run();
    assert.equal(cause, undefined);
    assert.equal(statistics.counts.failed, 20);
  });

  test("a submit function that never ends, when a transaction would have to", async () => {
    const workload = submitting(() => new Promise(() => undefined));
    const parts = { workload };
    const { round } = await posedRound(FAST, { number: 3, timeoutMs: 1_000, parts });
    assert.equal((await round.run()).statistics.counts.unfinished, 3);
  });

  test("the manager", async () => {
    const clock = simulatedClock();
    const { round } = await posedRound(FAST, { clock, durationMs: 60_000 });
    const running = round.run();
    await clock.sleep(1_000);
    round.stop();
    const { statistics } = await running;
    assert.ok(Math.abs(statistics.counts.succeeded - 1_000) < 20);
  });
});

describe("modules", () => {
  test("of the second generation get their six values and send through the adapter", async () => {
    class Module extends WorkloadModuleBase {
      override async submitTransaction(): Promise<unknown> {
        assert.deepEqual([this.workerIndex, this.totalWorkers, this.roundIndex], [0, 1, 0]);
        return await this.sutAdapter?.sendRequests(REQUEST);
      }
    }
    const workload = workloadOf({ createWorkloadModule: () => new Module() }, "module.js");
    assert.equal(workload.generation, "G2");
    const { round } = await posedRound(FAST, { number: 5, parts: { workload } });
    assert.equal((await round.run()).statistics.counts.succeeded, 5);
  });

  test("of the first generation invoke, query and read state", async () => {
    const asked: unknown[] = [];
    let chain: CallbackBlockchain;
    const workload = workloadOf(
      {
        default: {
          info: "posed",
          init: async (blockchain: typeof chain) => {
            chain = blockchain;
          },
          run: async () => {
            const args = { transaction_type: "set(string)", name: "a" };
            await chain.invokeSmartContract({}, "posed", "v0", [args, args], 30);
            await chain.querySmartContract({}, "posed", "v0", args);
            return await chain.queryState({}, "posed", "v0", { query_type: "get()" });
          },
          end: async () => undefined,
        },
      },
      "callback.js",
    );
    assert.equal(workload.generation, "G1");
    const clock = simulatedClock();
    const posed = posedSender(clock);
    const sender = {
      type: "posed",
      send: async (request: unknown, status: TxStatus) => {
        asked.push(request);
        await posed.send({ contractId: "posed" }, status);
      },
    };
    const { round } = await posedRound(
      { type: "fixed-rate", opts: { tps: 1 } },
      {
        clock,
        sender,
        number: 1,
        parts: { workload },
      },
    );
    assert.equal((await round.run()).statistics.counts.succeeded, 4);
    const args = { transaction_type: "set(string)", name: "a" };
    assert.deepEqual(asked, [
      { contractId: "posed", args, readOnly: false, timeout: 30 },
      { contractId: "posed", args, readOnly: false, timeout: 30 },
      { contractId: "posed", args, readOnly: true, timeout: 120 },
      { contractId: "posed", args: { transaction_type: "get()" }, readOnly: true, timeout: 120 },
    ]);
  });

  test("of the first generation may send by themselves: what they announce and return counts once", async () => {
    const clock = simulatedClock();
    let engine: { submitCallback(count: number): void } | undefined;
    const workload = workloadOf(
      {
        init: async (_: unknown, context: { engine: typeof engine }) => {
          engine = context.engine;
        },
        run: async () => {
          engine?.submitCallback(1);
          const status = new TxStatus("1", clock.now());
          await clock.sleep(20);
          status.SetStatusSuccess(clock.now());
          return [status];
        },
      },
      "own.js",
    );
    const { round } = await posedRound(FAST, { clock, number: 10, parts: { workload } });
    const { statistics } = await round.run();
    assert.equal(statistics.counts.submitted, 10);
    assert.equal(statistics.latency.minMs, 20);
  });

  test("that are none say what is wanted", () => {
    assert.throws(() => workloadOf({ go: 1 }, "x.js"), /x\.js exports no createWorkloadModule\(\)/);
    assert.throws(
      () => workloadOf({ createWorkloadModule: () => ({}) }, "x.js"),
      /submitTransaction/,
    );
  });
});

test("statuses have the methods of both generations", () => {
  const status = new TxStatus("0x1", 100);
  status.SetFlag(1);
  status.SetFlag(4);
  status.Set("mine", 7);
  status.SetResult("0x");
  status.SetVerification(true);
  assert.equal(status.GetStatus(), "created");
  status.SetErrMsg("why");
  status.SetStatusFail(150);
  assert.deepEqual(
    [status.IsCommitted(), status.GetStatus(), status.GetErrMsg()],
    [false, "failed", "why"],
  );
  status.SetStatusSuccess(160);
  assert.deepEqual(
    [
      status.GetID(),
      status.GetTimeCreate(),
      status.GetTimeFinal(),
      status.GetFlag(),
      status.Get("mine"),
    ],
    ["0x1", 100, 160, 5, 7],
  );
  assert.deepEqual(
    [status.IsVerified(), status.GetResult(), status.Get("other")],
    [true, "0x", undefined],
  );
});
