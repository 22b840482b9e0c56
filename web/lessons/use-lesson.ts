/** Plays a lesson in the theatre's worker, for the page. */
import { useEffect, useState } from "preact/hooks";
import { hostScenario } from "../theatre/play/host.ts";
import type { Player } from "../theatre/play/player.ts";
import type { Lesson } from "./lesson.ts";
import { LessonRun, type Shot } from "./lesson-run.ts";

/** The longest time that the way to a step takes to watch, in real milliseconds. */
const LONGEST_WATCH_MS = 6_000;
const USUAL_SPEED = 100;

/** A lesson that is shown. */
export interface ShownLesson {
  readonly player: Player | undefined;
  /** Of the step that is shown; undefined while it is being played. */
  readonly shot: Shot | undefined;
  readonly failure: string | undefined;
  again(): void;
}

/** Opens the lesson and shows a step of it. */
export function useLesson(lesson: Lesson, index: number, isStill: boolean): ShownLesson {
  const [run, setRun] = useState<LessonRun>();
  const [shown, setShown] = useState<{ index: number; shot: Shot }>();
  const [failure, setFailure] = useState<string>();
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isWanted = true;
    setRun(undefined);
    setShown(undefined);
    setFailure(undefined);
    const { player, end } = hostScenario(lesson.scenario);
    player.then(
      (opened) => isWanted && setRun(new LessonRun(lesson, opened)),
      (cause: unknown) => isWanted && setFailure(String(cause)),
    );
    return () => {
      isWanted = false;
      end();
    };
  }, [lesson]);
  useEffect(() => {
    if (!run) return undefined;
    let isWanted = true;
    show({ run, index, isStill, isWanted: () => isWanted }).then(
      (shot) => {
        if (!isWanted) return;
        if (shot) setShown({ index, shot });
        setFailure(run.player.failure);
      },
      (cause: unknown) => isWanted && setFailure(String(cause)),
    );
    return () => {
      isWanted = false;
    };
    // Turning the page back to itself plays it again.
  }, [run, index, isStill, turn]);
  return {
    player: run?.player,
    shot: shown?.index === index ? shown.shot : undefined,
    failure,
    again: () => setTurn(turn + 1),
  };
}

/** A step of a lesson that is to be shown. */
interface StepRequest {
  readonly run: LessonRun;
  readonly index: number;
  readonly isStill: boolean;
  /** False once another page was turned to. */
  readonly isWanted: () => boolean;
}

/** A reader who turns pages quickly gets one after the other: they share a player. */
const turns = new WeakMap<LessonRun, Promise<unknown>>();

function show(request: StepRequest): Promise<Shot | undefined> {
  const before = turns.get(request.run) ?? Promise.resolve();
  const done = before.then(() => (request.isWanted() ? showNow(request) : undefined));
  turns.set(
    request.run,
    done.catch(() => undefined),
  );
  return done;
}

/** Plays on to a step of the lesson, then shows the way to it from the step before. */
async function showNow({ run, index, isStill, isWanted }: StepRequest): Promise<Shot | undefined> {
  const { player } = run;
  player.pause();
  player.isQuiet = true;
  try {
    const shot = await run.reach(index);
    if (!shot || !isWanted()) return shot;
    const before = run.shots[index - 1]?.step ?? 0;
    await player.seek(isStill ? shot.step : before);
    const from = player.now;
    await player.peek(shot.step, (timeMs) => {
      const needed = ((timeMs - from) / LONGEST_WATCH_MS) * 1_000;
      player.setSpeed(Math.max(USUAL_SPEED, needed), true);
    });
    player.isQuiet = false;
    if (isStill) player.pause();
    else player.playTo(shot.step);
    return shot;
  } finally {
    player.isQuiet = false;
  }
}
