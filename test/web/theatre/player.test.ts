/** Playing, stepping, scrubbing and acting, on the engine itself. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { TheatreApi } from "../../../runtimes/shared/theatre/api.ts";
import { createTheatreApi } from "../../../runtimes/shared/theatre/engine.ts";
import { MOST_ROWS, Reel } from "../../../web/theatre/play/reel.ts";
import { LivePlayer } from "../../../web/theatre/play/live-player.ts";
import { textAt } from "../../../web/theatre/play/moment.ts";
import { highest, Player, ScenarioRefused } from "../../../web/theatre/play/player.ts";
import { PRESETS } from "../../../web/theatre/presets.ts";

const LOADED = "1.pbft.seed-7.load-400";

async function opened(text: string): Promise<Player> {
  return Player.open(createTheatreApi(), text);
}

/** Lets real time pass for a player until something holds. */
async function playUntil(player: Player, holds: () => boolean): Promise<void> {
  for (let ticks = 0; ticks < 5_000 && !holds(); ticks++) {
    player.tick(16);
    await new Promise((resume) => setImmediate(resume));
  }
  assert.ok(holds());
}

test("a step goes to the next thing that can be seen, and back again to the same frame", async () => {
  const player = await opened(LOADED);
  const seen = [player.frame];
  for (let count = 0; count < 6; count++) {
    await player.step("message");
    seen.push(player.frame);
  }
  assert.ok(seen.every((frame, index) => index === 0 || frame.step > (seen[index - 1]?.step ?? 0)));
  for (const frame of seen.slice(0, -1).toReversed()) {
    await player.back();
    assert.deepEqual(player.frame, frame);
  }
  assert.ok(!player.isAtHead);
});

test("steps go to the next block and to the next view", async () => {
  const player = await opened("1.pbft.seed-7");
  await player.act({ kind: "send", node: 0, count: 1 });
  await player.step("block");
  assert.equal(highest(player.frame), 1);
  await player.step("view");
  assert.ok(player.frame.events.some(({ id }) => id === "viewEntered"));
});

test("playing follows the theatre, and replays what is known without asking for more", async () => {
  const player = await opened(LOADED);
  player.setSpeed(1_000, false);
  player.play();
  await playUntil(player, () => highest(player.frame) >= 1);
  assert.ok(player.now >= player.frame.timeMs);
  player.pause();
  const { head } = player;
  await player.seek(0);
  assert.equal(player.frame.step, 0);
  player.playTo(head);
  await playUntil(player, () => !player.isPlaying);
  assert.equal(player.frame.step, head);
  assert.equal(player.head, head);
});

test("an act in the past forgets what came behind, and its text plays to the same trace", async () => {
  const player = await opened(LOADED);
  await player.run({ kind: "height", height: 2 });
  const { head } = player;
  await player.seek(Math.floor(head / 2));
  await player.act({ kind: "kill", node: 3 });
  assert.ok(player.head < head);
  assert.equal(player.frame.nodes[3]?.power, "off");
  assert.ok(player.rows.every(({ step }) => step <= player.head));
  const again = await opened(textAt(player.text, player.frame.step));
  assert.equal(again.frame.trace, player.frame.trace);
});

/** A theatre in which nothing happens but time, so that long plays are cheap. */
async function emptyTheatre() {
  const opening = await createTheatreApi().open("1.pbft.nodes-1");
  assert.ok(opening.ok);
  const { frame } = opening;
  let head = 0;
  const at = (step: number) => ({ ...frame, step, timeMs: step });
  const range = (from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => at(from + index));
  const api: TheatreApi = {
    ...createTheatreApi(),
    run: async (until) => {
      const last = until.kind === "steps" ? head + until.count : head;
      const frames = range(head + 1, last);
      head = last;
      return { frames, reached: true, timeMs: head, isOver: false };
    },
    frames: async (from, to) => range(from, Math.min(to, head)),
  };
  return { api, opening };
}

test("frames that were let go are there again when they are looked for", async () => {
  const { api, opening } = await emptyTheatre();
  const player = new Player(api, opening);
  await player.run({ kind: "steps", count: 10_000 });
  for (const step of [40, 9_000, 1, 5_000]) {
    await player.seek(step);
    assert.equal(player.frame.step, step);
  }
  assert.equal(player.failure, undefined);
});

test("a slider that is dragged shows where it stands at last, and asks for no step between", async () => {
  const { api, opening } = await emptyTheatre();
  const asked: number[] = [];
  const slow: TheatreApi = {
    ...api,
    frames: (from, to) => {
      asked.push(from);
      return api.frames(from, to);
    },
  };
  const player = new Player(slow, opening);
  await player.run({ kind: "steps", count: 20_000 });
  const drag = Array.from({ length: 50 }, (_, at) => player.seek(15_000 - at * 250));
  assert.equal(player.aim, 2_750);
  await Promise.all(drag);
  assert.deepEqual([player.frame.step, player.aim], [2_750, undefined]);
  assert.equal(asked.length, 1);
});

test("a scenario that cannot be read is refused with its field", async () => {
  await assert.rejects(opened("1.pbft.nodes-77"), (cause: unknown) => {
    assert.ok(cause instanceof ScenarioRefused);
    assert.equal(cause.fault.field, "nodes-77");
    return true;
  });
});

test("an act that is refused is told, and the theatre goes on", async () => {
  const player = await opened(LOADED);
  for (let time = 0; time < 2; time++)
    assert.match((await player.act({ kind: "kill", node: 9 })) ?? "", /noSuchNode/);
  assert.equal(player.failure, undefined);
  assert.equal(await player.act({ kind: "kill", node: 3 }), undefined);
  assert.equal(player.frame.nodes[3]?.power, "off");
});

test("a theatre that fails stops the playing and says why", async () => {
  const { api, opening } = await emptyTheatre();
  const broken = { ...api, run: () => Promise.reject(new Error("the worker is gone")) };
  const player = new Player(broken, opening);
  player.play();
  await player.run({ kind: "steps", count: 1 });
  assert.equal(player.isPlaying, false);
  assert.match(player.failure ?? "", /the worker is gone/);
});

test("a moment behind any number of steps is reached, in slices that are told", async () => {
  const { api } = await emptyTheatre();
  const told: number[] = [];
  const player = await Player.open(api, "1.pbft.show-s21000", (step) => told.push(step));
  assert.equal(player.frame.step, 21_000);
  assert.equal(told.length, 42);
});

test("a running node is examined anywhere while it goes on telling", async () => {
  const { opening } = await emptyTheatre();
  const { frame } = opening;
  const event = { id: "signed", node: 0, values: {}, timeMs: 0 } as const;
  const at = (step: number) => ({ ...frame, step, timeMs: step, events: [{ ...event, step }] });
  const live = new LivePlayer({ charts: [], groups: [1], frame });
  for (let step = 1; step <= 300; step++) live.add(at(step));
  await live.seek(200);
  live.pause();
  for (let step = 301; step <= 5_000; step++) live.add(at(step));
  for (let count = 0; count < 1_000; count++) {
    const { step } = live.frame;
    await live.step("message");
    assert.ok(live.frame.step > step || step === live.head);
  }
  await live.seek(live.first - 1_000);
  assert.equal(live.frame.step, live.first);
  await live.seek(live.head - 3);
  await live.back();
  assert.equal(live.frame.step, live.head - 4);
});

for (const { id, text, title, about } of PRESETS) {
  test(`the scenario ${id} of the start screen plays without a fork`, async () => {
    const player = await opened(text);
    await player.run({ kind: "time", atMs: 2_600 });
    assert.ok(player.frame.timeMs > 2_000);
    assert.deepEqual(player.frame.forks, []);
    for (const [en, zh] of [title, about]) assert.ok(en && zh);
  });
}

test("rows are bounded, and what is cut off is gone", async () => {
  const player = await opened("1.pbft");
  const reel = new Reel(player.frame);
  const event = { id: "signed", node: 0, values: {}, timeMs: 0 } as const;
  const frames = Array.from({ length: 2 * MOST_ROWS }, (_, index) => {
    const step = index + 1;
    return { ...player.frame, step, events: [{ ...event, step }] };
  });
  reel.add(frames);
  assert.equal(reel.rows.length, MOST_ROWS);
  assert.equal(reel.rows[0]?.step, MOST_ROWS + 1);
  reel.cut(MOST_ROWS + 100);
  assert.equal(reel.head, MOST_ROWS + 100);
  assert.equal(reel.rows.length, 100);
});
