/** What happened, in words; and the newest of it for those who listen. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { TheatreEvent } from "../../runtimes/shared/theatre/frame.ts";
import { text } from "../texts.ts";
import type { Row } from "./play/reel.ts";
import { eventSentence, rowSentence, timeWord } from "./row-words.ts";
import { placeOfStep, type RowsProps } from "./sequence.tsx";
import { RowList } from "./row-list.tsx";

const ROW = 30;
/** Screen readers are told at most this often. */
const TOLD_EVERY_MS = 2_000;
/** And at most this many sentences at once. */
const TOLD_AT_ONCE = 3;

/** The list; each row leads to its step. */
export function EventList({ rows, step, onSeek }: RowsProps) {
  const at = placeOfStep(rows, step);
  return (
    <RowList
      className="events"
      count={rows.length}
      rowHeight={ROW}
      at={at}
      label={text("events.title")}
      draw={(from, to) => (
        <ol start={from + 1}>
          {rows.slice(from, to).map((row, index) => (
            <li key={from + index} class={rowClass(row, rows[at]?.step)}>
              <button type="button" onClick={() => onSeek(row.step)}>
                <span class="time">{timeWord(row.timeMs)}</span> {rowSentence(row)}
              </button>
            </li>
          ))}
        </ol>
      )}
    />
  );
}

function rowClass(row: Row, now: number | undefined): string {
  const kind = row.event ? `event ${row.event.id}` : "message";
  return row.step === now ? `${kind} now` : kind;
}

/** Says the newest events to those who do not see the picture. */
export function Announcer({ rows, step }: { rows: readonly Row[]; step: number }) {
  // Events, not sentences: another language says them again in its words.
  const [told, setTold] = useState<readonly TheatreEvent[]>([]);
  const latest = useRef({ rows, step });
  latest.current = { rows, step };
  useEffect(() => {
    let last = latest.current.step;
    const timer = setInterval(() => {
      const now = latest.current;
      if (now.step === last) return;
      const fresh = now.rows.flatMap(({ event, step: at }) =>
        event && at > last && at <= now.step ? [event] : [],
      );
      last = now.step;
      if (fresh.length > 0) setTold(fresh.slice(-TOLD_AT_ONCE));
    }, TOLD_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p class="visually-hidden" aria-live="polite">
      {told.map(eventSentence).join(text("events.and"))}
    </p>
  );
}
