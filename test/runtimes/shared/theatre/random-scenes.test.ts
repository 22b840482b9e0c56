/**
 * Random scenes: nothing throws, one Byzantine node forks nothing, and each is played alike again.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { createTheatre } from "../../../../runtimes/shared/theatre/engine.ts";
import { parseScenario } from "../../../../runtimes/shared/theatre/scenario-text.ts";
import { cases } from "../../../support/runner/cases.ts";
import { eventsOf } from "../../../support/browser/theatre-scenes.ts";

const RUNS = cases(10, 3);
const NODES = 5;
const LAST_MS = 4_000;

const node = fc.nat({ max: NODES - 1 });
const percent = fc.nat({ max: 30 });
/** Node 0 is the only one that lies. */
const word = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("kill", "restart", "restart", "pause", "resume", "send", "addSealer"),
      node,
    )
    .map((words) => words.join("-")),
  fc.tuple(fc.constantFrom("addObserver", "removeNode"), node).map((words) => words.join("-")),
  fc
    .tuple(fc.constantFrom("loss", "duplicate"), percent, node)
    .map(([kind, rate, at]) => `${kind}-${rate}-n${at}`),
  fc
    .tuple(fc.constantFrom("hold", "deliver", "drop"), fc.nat({ max: 300 }))
    .map((words) => words.join("-")),
  fc
    .tuple(node, fc.constantFrom("start", "stop", "remove", "recover"))
    .map(([at, operation]) => `group-${at}-${operation}`),
  fc.constantFrom("partition-0_1-2_3_4", "oneWay-0-1_2", "cut-3-1", "heal", "heal", "addNode"),
  fc.constantFrom("spread", "align", "honest-0", "lie-0-silent", "delay-5-400-n2"),
);
const action = fc.oneof(
  fc.tuple(fc.nat({ max: LAST_MS }), word).map(([at, words]) => `t${at}-${words}`),
  fc.tuple(fc.nat({ max: 200 }), word).map(([step, words]) => `s${step}-${words}`),
);
const text = fc
  .tuple(
    fc.constantFrom("pbft.t5-lie-0-equivocate", "pbft.t5-lie-0-forge", "pbft", "raft"),
    fc.nat({ max: 1_000 }),
    fc.array(action, { maxLength: 10 }),
  )
  .map(([start, seed, actions]) => {
    const [protocol, ...lies] = start.split(".");
    const settings = [`nodes-${NODES}`, "sealers-4", `seed-${seed}`, "load-600"];
    return ["1", protocol, ...settings, ...lies, ...actions].join(".");
  });

test("whatever is done to the nodes, honest ones agree", async () => {
  await fc.assert(
    fc.asyncProperty(text, async (scene) => {
      const parsed = parseScenario(scene);
      assert.ok(parsed.ok, JSON.stringify(parsed));
      const theatre = await createTheatre(parsed.scenario);
      const { frames } = await theatre.run({ kind: "time", atMs: LAST_MS }, { steps: 1_500 });
      assert.deepEqual(theatre.frame.forks, []);
      assert.deepEqual(eventsOf(frames, "groupFailed"), []);
      const half = Math.floor(theatre.frame.step / 2);
      const { trace } = await theatre.at(half);
      const again = await createTheatre(parsed.scenario);
      await again.run({ kind: "steps", count: half });
      assert.equal(again.frame.trace, trace);
    }),
    { numRuns: RUNS },
  );
});
