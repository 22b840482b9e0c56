/** Each lesson is played on the engine: its claims hold, and its link leads to the same moment. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createTheatreApi } from "../../../runtimes/shared/theatre/engine.ts";
import type { Frame } from "../../../runtimes/shared/theatre/frame.ts";
import { LESSONS } from "../../../web/lessons/all-lessons.ts";
import { minorityStandstill, sealed } from "../../../web/lessons/claims.ts";
import type { Lesson } from "../../../web/lessons/lesson.ts";
import { LessonRun } from "../../../web/lessons/lesson-run.ts";
import { MERKLE_STEPS } from "../../../web/lessons/merkle-lesson.ts";
import { PastRecorder } from "../../../web/lessons/past.ts";
import { textAt } from "../../../web/theatre/play/moment.ts";
import { Player } from "../../../web/theatre/play/player.ts";
import type { Words } from "../../../web/texts.ts";

const CHINESE = /[\u4e00-\u9fff]/;
/** One idea is told in a few sentences. */
const MOST_CHARACTERS = 420;

function assertSaid([en, zh]: Words, where: string): void {
  assert.match(en, /^[\x20-\x7e]+$/, `${where}: English`);
  assert.match(zh, CHINESE, `${where}: Chinese`);
  assert.ok(en.length <= MOST_CHARACTERS, `${where} is too long`);
}

async function play(lesson: Lesson) {
  const player = await Player.open(createTheatreApi(), lesson.scenario);
  const run = new LessonRun(lesson, player);
  await run.reach(lesson.steps.length - 1);
  assert.equal(player.failure, undefined);
  return { player, run };
}

for (const lesson of LESSONS) {
  test(`the lesson ${lesson.id} shows what it says, and its link leads there`, async () => {
    const { player, run } = await play(lesson);
    assert.equal(run.shots.length, lesson.steps.length);
    for (const [index, { checked }] of run.shots.entries())
      for (const { claim, holds } of checked)
        assert.ok(holds, `step ${index + 1}: ${claim.says[0]}`);
    const last = run.shots.at(-1);
    assert.ok(last);
    const link = textAt(last.text, last.step);
    const opened = await Player.open(createTheatreApi(), link);
    assert.equal(opened.frame.step, last.step);
    assert.equal(opened.frame.trace, player.frame.trace, link);
    assert.deepEqual(opened.frame.nodes, player.frame.nodes);
    console.log(`${lesson.id} ${link} ${opened.frame.trace.slice(0, 16)}`);
  });

  test(`the lesson ${lesson.id} has its texts in both languages`, () => {
    assertSaid(lesson.title, lesson.id);
    assertSaid(lesson.about, lesson.id);
    for (const [index, { says, look, until, claims = [] }] of lesson.steps.entries()) {
      const where = `${lesson.id} ${index + 1}`;
      assertSaid(says, where);
      if (look) assertSaid(look, where);
      for (const claim of [until, ...claims]) assertSaid(claim.says, where);
    }
  });
}

test("the lesson about proofs has its texts in both languages", () => {
  for (const [index, { says }] of MERKLE_STEPS.entries()) assertSaid(says, `merkle ${index + 1}`);
});

test("a claim that does not hold is told", async () => {
  const [lesson] = LESSONS;
  assert.ok(lesson);
  const wrong = { says: ["never", "从不"] as const, holds: () => false };
  const [first, ...others] = lesson.steps;
  assert.ok(first);
  const broken = { ...lesson, steps: [{ ...first, claims: [wrong] }, ...others] };
  const player = await Player.open(createTheatreApi(), broken.scenario);
  const shot = await new LessonRun(broken, player).reach(0);
  assert.deepEqual(
    shot?.checked.map(({ holds }) => holds),
    [true, false],
  );
});

test("pages that are turned quickly show what pages that are turned slowly show", async () => {
  const lesson = LESSONS.find(({ id }) => id === "pbft-view-change");
  assert.ok(lesson);
  const indexes = [0, 1, 2];
  const runs = await Promise.all(
    [0, 1].map(async () => {
      const player = await Player.open(createTheatreApi(), lesson.scenario);
      return new LessonRun(lesson, player);
    }),
  );
  const [slow, quick] = runs;
  assert.ok(slow && quick);
  for (const index of indexes) await slow.reach(index);
  await Promise.all([...indexes, 1].map((index) => quick.reach(index)));
  assert.deepEqual(quick.shots, slow.shots);
});

test("claims about blocks fail for blocks that should not be there, and for none", async () => {
  const player = await Player.open(createTheatreApi(), "1.pbft");
  const { frame } = player;
  const later = { ...frame, timeMs: 1_000 };
  const wrote = { ...later, nodes: frame.nodes.map((node) => ({ ...node, height: 1 })) };
  const past = (now: Frame) => ({ ...new PastRecorder(frame).past, frame: now });
  assert.ok(minorityStandstill(10).holds(past(later)));
  assert.ok(!minorityStandstill(10).holds(past(wrote)));
  assert.ok(!sealed(9, 3).holds(past(later)));
});
