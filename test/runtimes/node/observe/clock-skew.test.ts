/** Clocks of peers are compared over real connections, also with peers that do not tell theirs. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { testId, testPair, until, withNodes } from "../p2p/p2p-field.ts";

const AHEAD_MS = 45_000;
const clock = createNodeClock();
const fast = { ...clock, now: () => clock.now() + AHEAD_MS };

test("a clock that differs by more than 30 s is measured and warned about, on both sides", async () => {
  const nodes = await testPair({}, { clock: fast });
  await withNodes(nodes, async () => {
    const [one, two] = nodes;
    await one.start();
    await two.start();
    await until("measured", () => one.network.clockSkewMs(testId(1)) !== undefined);
    await until("measured there", () => two.network.clockSkewMs(testId(0)) !== undefined);
    assert.ok(Math.abs((one.network.clockSkewMs(testId(1)) ?? 0) - AHEAD_MS) < 5_000);
    assert.ok(Math.abs((two.network.clockSkewMs(testId(0)) ?? 0) + AHEAD_MS) < 5_000);
    for (const { lines } of nodes) {
      const warnings = lines.filter(({ message }) => message.startsWith("the clock of a peer"));
      assert.deepEqual(
        warnings.map(({ level, fields }) => [level, Math.abs(Number(fields?.["seconds"]))]),
        [["warning", 45]],
      );
    }
  });
});

test("clocks that agree are not mentioned", async () => {
  const nodes = await testPair({}, { timing: { heartbeatMs: 30 } });
  await withNodes(nodes, async () => {
    const [one, two] = nodes;
    await one.start();
    await two.start();
    await until("measured", () => two.network.clockSkewMs(testId(0)) !== undefined);
    assert.ok(Math.abs(two.network.clockSkewMs(testId(0)) ?? Infinity) < 5_000);
    assert.ok(nodes.every(({ lines }) => lines.every(({ message }) => !/clock/.test(message))));
  });
});
