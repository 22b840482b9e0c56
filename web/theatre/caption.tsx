/** What has just happened, in one sentence below the picture, large enough for the last row. */
import { text } from "../texts.ts";
import type { Row } from "./play/reel.ts";
import { eventSentence } from "./row-words.ts";
import { placeOfStep } from "./sequence.tsx";

interface CaptionProps {
  readonly rows: readonly Row[];
  readonly step: number;
}

/** Rows before the shown one that are searched for an event: the others are messages. */
const SEARCHED = 400;

/** The sentence; the list of events tells all of them. */
export function Caption({ rows, step }: CaptionProps) {
  const place = placeOfStep(rows, step);
  const event = rows
    .slice(Math.max(0, place + 1 - SEARCHED), place + 1)
    .findLast((row) => row.event)?.event;
  return (
    <p class="caption" aria-hidden="true">
      {event ? eventSentence(event) : text("stage.nothing")}
    </p>
  );
}
