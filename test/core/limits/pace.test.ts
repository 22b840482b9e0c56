/** Turns for long work: how long one lasts, and in which order those who wait go on. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { AskingConnection } from "../../../core/limits/asking-connection.ts";
import { createPace, paceOf, TURN_MS } from "../../../core/limits/pace.ts";
import { createHandClock } from "../../support/world/hand-clock.ts";

test("who works for less than a turn goes on at once", () => {
  const clock = createHandClock();
  const pace = createPace(clock);
  for (let i = 0; i < 1_000; i++) assert.equal(pace(), undefined);
  assert.equal(clock.waiting, 1);
});

test("after a turn everything else comes first, and idle time makes no turns", async () => {
  let now = 0;
  const timers: (() => void)[] = [];
  const after = (_: number, run: () => void) => {
    timers.push(run);
    return () => undefined;
  };
  const pace = createPace({ steady: () => now, after });
  const order: string[] = [];
  const work = async (name: string) => {
    for (let part = 0; part < 2; part++) {
      await pace();
      order.push(name + part);
      now += TURN_MS;
    }
  };
  const both = Promise.all([work("a"), work("b")]);
  for (let turn = 0; turn < 9; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    order.push("|");
    timers.shift()?.();
  }
  await both;
  assert.equal(order.join(" ").replaceAll(/( \|)+$/g, ""), "a0 b0 | a1 | b1");
  assert.deepEqual(timers, [], "nothing runs while nobody works");
});

/** A pace whose turn is over, and what ends the turns that follow. */
function busyPace() {
  let now = 0;
  const timers: (() => void)[] = [];
  const pace = createPace({
    steady: () => now,
    after: (_, run) => {
      timers.push(run);
      return () => undefined;
    },
  });
  void pace();
  now += TURN_MS;
  const turn = async (): Promise<void> => {
    timers.shift()?.();
    now += TURN_MS;
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { pace, turn };
}

test("who has many that wait keeps nobody else waiting for all of them", async () => {
  const { pace, turn } = busyPace();
  const order: string[] = [];
  const wait = (address: string, name: string) =>
    void pace(new AskingConnection(address))?.then(() => order.push(name));
  for (let i = 0; i < 100; i++) wait("a", `a${i}`);
  wait("b", "b");
  await turn();
  await turn();
  assert.deepEqual(order, ["a0", "b"]);
});

test("one who goes waits no longer, takes no turn, and is not worked for any more", async () => {
  const { pace, turn } = busyPace();
  const gone = new AskingConnection("a");
  const plain = pace(gone);
  const work = async (): Promise<void> => paceOf(pace, gone)?.();
  const ended = assert.rejects(work, /The client has gone/);
  const other = paceOf(pace, new AskingConnection("b"))?.();
  gone.leave();
  await plain;
  await ended;
  await turn();
  assert.equal(await other, undefined);
  const again = assert.rejects(work, /The client has gone/);
  await turn();
  await again;
});
