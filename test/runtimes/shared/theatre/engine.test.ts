/** The theatre is deterministic, remembers every step, goes back, and shows no secret. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { test, vi } from "vitest";
import { toHex } from "../../../../core/bytes/hex.ts";
import type { Opened } from "../../../../runtimes/shared/theatre/api.ts";
import { createTheatre, createTheatreApi } from "../../../../runtimes/shared/theatre/engine.ts";
import {
  type ChartState,
  type ChartTransition,
  type Frame,
  FLIGHTS_SHOWN,
} from "../../../../runtimes/shared/theatre/frame.ts";
import { MOST_FLYING } from "../../../../runtimes/shared/theatre/stage/wire.ts";
import { CHARTS } from "../../../../runtimes/shared/theatre/charts.ts";
import { DEFAULT_SCENARIO, MAX_MS } from "../../../../runtimes/shared/theatre/scenario.ts";
import { Stage } from "../../../../runtimes/shared/theatre/stage/stage.ts";
import { CLIENT, createStageSuite } from "../../../../runtimes/shared/theatre/stage/suite.ts";
import { openSite } from "../../../support/browser/site.ts";
import { eventsOf, openScene, playTo } from "../../../support/browser/theatre-scenes.ts";
import { inFull } from "../../../support/runner/in-full.ts";

/** A bit of everything. */
const BUSY = [
  "1.pbft.nodes-5.sealers-4.seed-11.load-400.t300-kill-0.t900-delay-5-90",
  "t1000-loss-5.t1500-duplicate-20.t2500-lie-1-equivocate.t4000-restart-0.t4500-partition-0_1-2_3_4",
  "t6000-heal.t6500-honest-1.t7000-addSealer-4.t7500-pause-2.t8500-resume-2.t9000-spread",
].join(".");
const BUSY_MS = 10_000;
let played: ReturnType<typeof playTo> | undefined;

/** The busy scene, played once for all who look at it. */
function busy(): ReturnType<typeof playTo> {
  played ??= playTo(BUSY, BUSY_MS);
  return played;
}

test("a scenario has the same trace twice, and another seed another one", async () => {
  const first = await busy();
  // The whole of it once more is played in Chromium.
  const second = await playTo(BUSY, BUSY_MS / 2);
  console.log(`trace of ${first.last.step} steps: ${first.last.trace}`);
  assert.ok(first.last.step > 500);
  assert.ok(second.last.step > 250);
  assert.deepEqual(second.frames, first.frames.slice(0, second.last.step + 1));
  const other = await playTo(BUSY.replace("seed-11", "seed-12"), 1_000);
  assert.notEqual(other.last.trace, first.last.trace);
  assert.deepEqual(first.last.forks, []);
});

/** Opens the built worker in a page and asks it as comlink does; gives the last trace. */
const inWorker = (text: string, atMs: number): string => `(async () => {
  const worker = new Worker("/theatre-worker.js", { type: "module" });
  let last = 0;
  const ask = (method, ...values) => new Promise((resolve, reject) => {
    const id = String(++last);
    worker.addEventListener("error", (event) => reject(new Error(event.message)));
    worker.addEventListener("message", ({ data }) => {
      if (data.id === id) resolve(data.value);
    });
    const argumentList = values.map((value) => ({ type: "RAW", value }));
    worker.postMessage({ id, type: "APPLY", path: [method], argumentList });
  });
  await ask("open", ${JSON.stringify(text)});
  const { frames } = await ask("run", { kind: "time", atMs: ${atMs} });
  return frames.at(-1).trace;
})()`;

test("the trace in a worker of Chromium is the trace on Node", async () => {
  const { last } = await busy();
  const site = await openSite();
  try {
    const page = await site.tab();
    const trace = await page.evaluate(inWorker(BUSY, BUSY_MS));
    assert.equal(trace, last.trace);
    console.log(`trace in Chromium: ${trace}`);
    assert.deepEqual(site.foreign, []);
  } finally {
    await site.close();
  }
});

test("what is done by hand is in the text, which gives the same trace", async () => {
  const theatre = await openScene("1.pbft.seed-3");
  await theatre.run({ kind: "steps", count: 7 });
  await theatre.act({ kind: "send", node: 2, count: 1 });
  await theatre.run({ kind: "delivery", message: "sign", to: 1 });
  const sign = theatre.frame.flights.find(({ kind }) => kind === "sign");
  assert.ok(sign);
  await theatre.act({ kind: "hold", message: sign.id });
  // A quiet moment between two steps.
  const { timeMs } = await theatre.run({ kind: "time", atMs: theatre.frame.timeMs + 777 });
  await theatre.act({ kind: "kill", node: 1 });
  assert.equal(theatre.frame.timeMs, timeMs);
  await theatre.act({ kind: "restart", node: 1 });
  await theatre.run({ kind: "time", atMs: 6_000 });
  const again = await openScene(theatre.text);
  await again.run({ kind: "steps", count: theatre.frame.step });
  assert.equal(again.frame.trace, theatre.frame.trace);
  assert.equal(again.text, theatre.text);
});

test("earlier steps are shown as they were, kept or played again", async () => {
  const parsed = await busy();
  const theatre = await createTheatre(parsed.theatre.scenario, { framesKept: 40 });
  await theatre.run({ kind: "time", atMs: 4_000 });
  for (const step of [0, 150, theatre.frame.step - 30, theatre.frame.step])
    assert.deepEqual(await theatre.at(step), parsed.frames[step]);
  const some = await theatre.frames(100, 110);
  assert.deepEqual(some, parsed.frames.slice(100, 111));
  await assert.rejects(theatre.at(theatre.frame.step + 1), RangeError);
});

test("steps that are not kept are played again once for all who go on there", async () => {
  const parsed = await busy();
  const theatre = await createTheatre(parsed.theatre.scenario, { framesKept: 40 });
  await theatre.run({ kind: "time", atMs: 4_000 });
  const beginnings = vi.spyOn(Stage.prototype, "begin");
  try {
    for (let step = 15; step <= 150; step += 15)
      assert.deepEqual(await theatre.frames(step, step + 5), parsed.frames.slice(step, step + 6));
    for (let step = 150; step >= 0; step -= 50)
      assert.deepEqual(await theatre.at(step), parsed.frames[step]);
    assert.equal(beginnings.mock.calls.length, 1);
    // With another action behind it, it is another performance.
    await theatre.act({ kind: "kill", node: 0 });
    assert.deepEqual(await theatre.at(100), parsed.frames[100]);
    assert.equal(beginnings.mock.calls.length, 2);
  } finally {
    beginnings.mockRestore();
  }
});

// Steps are shown as they were in the two tests above; how many, here alone.
inFull("10,000 steps are scrubbed back and forward without being played again", async () => {
  const theatre = await openScene("1.raft.nodes-2");
  const { frames } = await theatre.run({ kind: "steps", count: 10_000 });
  assert.equal(frames.length, 10_000);
  for (let step = 10_000; step >= 1; step -= 1_111)
    assert.equal(await theatre.at(step), frames[step - 1], "the very frame");
  const parts = new Set(frames.flatMap(({ nodes }) => nodes));
  assert.ok(parts.size < 20_000, "what did not change is shared");
});

test("a branch forgets what was done by hand behind it", async () => {
  const theatre = await openScene("1.pbft.t100-send-0.t2000-send-1");
  await theatre.run({ kind: "steps", count: 20 });
  const { trace } = theatre.frame;
  await theatre.act({ kind: "kill", node: 0 });
  await theatre.run({ kind: "time", atMs: 1_500 });
  assert.equal(eventsOf([await theatre.at(21)], "killed").length, 1);
  const frame = await theatre.branch(20);
  assert.deepEqual([frame.step, frame.trace], [20, trace]);
  assert.equal(theatre.text, "1.pbft.t100-send-0.t2000-send-1");
  await theatre.act({ kind: "lie", node: 3, lie: "silent" });
  await theatre.run({ kind: "height", height: 2, node: 1 });
  assert.equal(theatre.text, "1.pbft.t100-send-0.t2000-send-1.s20-lie-3-silent");
  assert.equal(theatre.frame.nodes[0]?.power, "on");
});

/** All texts and keys of a value. */
function textsOf(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === "string") found.add(value);
  if (typeof value !== "object" || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    found.add(key);
    textsOf(inner, found);
  }
  return found;
}

test("frames are plain data that can be posted, and hold no key", async () => {
  for (const text of [BUSY, "1.raft.nodes-3.t2500-send-0"]) {
    const { frames } = await playTo(text, 5_000);
    assert.deepEqual(structuredClone(frames), frames);
    const { identities } = createStageSuite();
    const keys = [CLIENT, ...identities.map(({ privateKey }) => privateKey)].map((key) =>
      toHex(key),
    );
    for (const one of textsOf(frames)) {
      assert.ok(!/privateKey|secret|signer|signature|seed/i.test(one), one);
      for (const key of keys) assert.ok(!one.includes(key));
    }
  }
});

function pathsOf(state: ChartState): string[] {
  return [state.path, ...state.states.flatMap(pathsOf)];
}

test("what is lit is in the chart of its actor, and arrows lead to states", async () => {
  const paths = new Map(CHARTS.map(({ id, root }) => [id, new Set(pathsOf(root))]));
  const arrows = (state: ChartState): readonly string[] => [
    ...state.transitions.flatMap(({ targets }) => targets),
    ...state.states.flatMap(arrows),
  ];
  for (const { id, root } of CHARTS) {
    assert.ok(root.states.length > 1, id);
    for (const target of arrows(root)) assert.ok(paths.get(id)?.has(target), `${id}: ${target}`);
  }
  const lit = (frame: Frame) => frame.nodes.flatMap(({ actors }) => actors);
  const { frames } = await busy();
  const raft = await playTo("1.raft.nodes-3.t100-group-1-stop", 2_000);
  for (const actor of [...frames, ...raft.frames].flatMap(lit)) {
    assert.ok(actor.active.length > 0, actor.name);
    for (const path of actor.active) assert.ok(paths.get(actor.chart)?.has(path), actor.name);
  }
});

test("a step tells the transitions that it took, and they lead to what is lit", async () => {
  const declared = (state: ChartState, path: string): readonly ChartTransition[] =>
    state.path === path
      ? state.transitions
      : state.states.flatMap((inner) => declared(inner, path));
  const { frames } = await busy();
  const raft = await playTo("1.raft.nodes-3.t100-group-1-stop", 2_000);
  let told = 0;
  for (const { nodes, taken } of [...frames, ...raft.frames]) {
    for (const { node, actor, from, transition } of taken) {
      const view = nodes[node]?.actors.find(({ name }) => name === actor);
      if (!view) continue;
      const chart = CHARTS.find(({ id }) => id === view.chart);
      assert.ok(chart);
      const same = declared(chart.root, from).filter((it) => isDeepStrictEqual(it, transition));
      assert.ok(same.length > 0, `${actor}: ${from} ${transition.event}`);
      told++;
    }
    for (const { node, actor, transition } of new Map(
      taken
        .filter(({ transition: { targets } }) => targets.length > 0)
        .map((it) => [`${it.node} ${it.actor}`, it]),
    ).values()) {
      const view = nodes[node]?.actors.find(({ name }) => name === actor);
      const [target = ""] = transition.targets;
      assert.ok(!view || view.active.includes(target), `${actor} is in ${target}`);
    }
  }
  assert.ok(told > 100, `${told}`);
});

test("a proposal that lands takes its arrow in the chart of its receiver", async () => {
  const { frames } = await playTo("1.pbft.t10-send-0", 2_000);
  const landed = frames.filter(({ ended }) => ended[0]?.flight.kind === "prepare");
  const arrows = landed.flatMap(({ ended, taken }) => {
    const node = ended[0]?.flight.to;
    return taken.filter((it) => it.node === node && it.transition.event === "prepare");
  });
  assert.deepEqual(
    // The first block; others may follow.
    arrows.slice(0, 3).map(({ actor, from, transition: { targets } }) => [actor, from, ...targets]),
    [1, 2, 3].map(() => ["g1.consensus", "member.sealer.idle", "member.sealer.prePrepared"]),
  );
});

test("the interface of the worker answers in the order it was asked", async () => {
  const api = createTheatreApi();
  await assert.rejects(api.run({ kind: "steps", count: 1 }), /no scenario is open/);
  const wrong = await api.open("1.pbft.t5-fly");
  assert.ok(!wrong.ok);
  assert.deepEqual(wrong.fault, { code: "unknownAction", position: 2, field: "t5-fly" });
  const [opened, run, acted, frames] = await Promise.all([
    api.open("1.raft.nodes-3.seed-5"),
    api.run({ kind: "event", id: "becameLeader" }),
    api.act({ kind: "kill", node: 1 }),
    api.frames(0, 3),
  ]);
  assert.ok(opened.ok && run.reached);
  assert.deepEqual(
    frames.map(({ step }) => step),
    [0, 1, 2, 3],
  );
  assert.equal(acted.frame.step, run.frames.length + 1);
  assert.equal(acted.text, `1.raft.nodes-3.seed-5.s${run.frames.length}-kill-1`);
  const back: Opened = await api.branch(2);
  assert.ok(back.ok && back.frame.step === 2 && back.charts.length > 6);
});

test("a performance ends where a text could not name the moment any more", async () => {
  const theatre = await openScene("1.pbft.nodes-1.t5-kill-0");
  const quiet = await theatre.run({ kind: "time", atMs: MAX_MS - 1 });
  assert.deepEqual([quiet.reached, quiet.isOver], [true, false]);
  const late = await theatre.run({ kind: "time", atMs: MAX_MS + 5_000 });
  assert.deepEqual([late.reached, late.isOver, late.timeMs], [false, true, MAX_MS]);
  const { text } = await theatre.act({ kind: "heal" });
  assert.match(text, /\.s1_3600000-heal$/);
  assert.equal((await openScene(text)).text, text);
  await theatre.act({ kind: "restart", node: 0 });
  const { frames } = await theatre.run({ kind: "steps", count: 100 });
  assert.ok(frames.every(({ timeMs }) => timeMs <= MAX_MS));
});

test("however much is in flight, a frame lists this much and the rest is counted", async () => {
  const { frames, last } = await playTo("1.pbft.nodes-10.load-1.delay-60000-60000", 700);
  assert.equal(last.flights.length, FLIGHTS_SHOWN);
  const flying = frames.map(({ flights, skipped }) => flights.length + skipped);
  assert.equal(Math.max(...flying), MOST_FLYING);
  const lists = new Set(frames.map(({ flights }) => flights));
  assert.ok(lists.size < frames.length, "a list that did not change is the same");
});

test("a scenario without nodes to come ends: nothing is planned any more", async () => {
  const theatre = await createTheatre({ ...DEFAULT_SCENARIO, nodes: 1, sealers: 1 });
  await theatre.act({ kind: "kill", node: 0 });
  const { frames, reached } = await theatre.run({ kind: "steps", count: 5 });
  assert.deepEqual([frames.length, reached], [0, false]);
});
