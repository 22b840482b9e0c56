/** Follows a show: draws again when it changes, and lets its time pass while it plays. */
import { useEffect, useState } from "preact/hooks";
import type { Frame } from "../../runtimes/shared/theatre/frame.ts";
import type { Show } from "./play/player.ts";

interface Shown {
  readonly frame: Frame;
  readonly now: number;
}

function shownOf({ frame, now }: Show): Shown {
  return { frame, now };
}

/** What is to be drawn: as it was when the show last said that it changed. */
export function useShow(show: Show): Shown {
  const [shown, setShown] = useState(() => ({ show, ...shownOf(show) }));
  useEffect(() => {
    const follow = () => setShown({ show, ...shownOf(show) });
    follow();
    return show.subscribe(follow);
  }, [show]);
  const { isPlaying } = show;
  useEffect(() => {
    if (!isPlaying) return undefined;
    let last = performance.now();
    let handle = requestAnimationFrame(function next(now) {
      show.tick(now - last);
      last = now;
      handle = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(handle);
  }, [show, isPlaying]);
  return shown.show === show ? shown : shownOf(show);
}

/** Whether the reader wants nothing to move. */
export function useStillness(): boolean {
  const [query] = useState(() => matchMedia("(prefers-reduced-motion: reduce)"));
  const [isStill, setStill] = useState(query.matches);
  useEffect(() => {
    const follow = () => setStill(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, [query]);
  return isStill;
}
