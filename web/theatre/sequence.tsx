/** What was reported, from top to bottom: a lane for each node, an arrow for each message. */
import type { EndedFlight, TheatreEvent } from "../../runtimes/shared/theatre/frame.ts";
import { text } from "../texts.ts";
import { lookOf } from "./play/kinds.ts";
import type { Row } from "./play/reel.ts";
import { endedSentence, eventSentence, messageWord, timeWord } from "./row-words.ts";
import { RowList } from "./row-list.tsx";

/** Rows, and where the picture is. */
export interface RowsProps {
  readonly rows: readonly Row[];
  readonly count: number;
  readonly step: number;
  readonly onSeek: (step: number) => void;
}

const ROW = 26;

/** The place of the newest row at or before a step. */
export function placeOfStep(rows: readonly Row[], step: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.step ?? 0) <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The sequence diagram: times, lanes, and words in a column of their own. */
export function Sequence({ rows, count, step, onSeek }: RowsProps) {
  const at = placeOfStep(rows, step);
  const now = rows[at]?.step;
  return (
    <div class="sequence" style={`--lanes:${count * laneOf(count)}px`}>
      <div class="sequence-row lanes-head" aria-hidden="true">
        <span class="time">{text("sequence.seconds")}</span>
        <svg width={count * laneOf(count)} height={ROW} aria-hidden="true">
          {Array.from({ length: count }, (_, lane) => (
            <text key={lane} x={laneAt(lane, count)} y={17}>
              {lane + 1}
            </text>
          ))}
        </svg>
      </div>
      <RowList
        className="sequence-rows"
        count={rows.length}
        rowHeight={ROW}
        at={at}
        label={text("sequence.title")}
        draw={(from, to) =>
          rows
            .slice(from, to)
            .map((row, index) => (
              <SequenceRow
                key={from + index}
                row={row}
                count={count}
                isNow={row.step === now}
                onSeek={onSeek}
              />
            ))
        }
      />
    </div>
  );
}

/** Width of a lane: where there are many, words still need room. */
function laneOf(count: number): number {
  return count <= 4 ? 36 : count <= 7 ? 28 : 24;
}

/** The middle of a lane. */
function laneAt(lane: number, count: number): number {
  return (lane + 0.5) * laneOf(count);
}

interface SequenceRowProps {
  readonly row: Row;
  readonly count: number;
  readonly isNow: boolean;
  readonly onSeek: (step: number) => void;
}

function SequenceRow({ row, count, isNow, onSeek }: SequenceRowProps) {
  const words = row.ended ? messageWord(row.ended.flight) : eventSentence(row.event);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list of events serves the keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list of events serves the keyboard
    <div
      class={isNow ? "sequence-row now" : "sequence-row"}
      title={row.ended ? endedSentence(row.ended) : words}
      onClick={() => onSeek(row.step)}
    >
      <span class="time">{timeWord(row.timeMs)}</span>
      <svg width={count * laneOf(count)} height={ROW} aria-hidden="true">
        {Array.from({ length: count }, (_, lane) => (
          <line
            key={lane}
            class="lane"
            x1={laneAt(lane, count)}
            x2={laneAt(lane, count)}
            y1={0}
            y2={ROW}
          />
        ))}
        {row.ended ? (
          <Arrow ended={row.ended} count={count} />
        ) : (
          <Note event={row.event} count={count} />
        )}
      </svg>
      <span class={row.ended ? "words message" : "words"}>{words}</span>
    </div>
  );
}

function Arrow({ ended: { flight, how }, count }: { ended: EndedFlight; count: number }) {
  const { letter, colour } = lookOf(flight.kind);
  const [from, to] = [laneAt(flight.from, count), laneAt(flight.to, count)];
  const side = Math.sign(to - from) || 1;
  const end = how === "delivered" ? to - side * 3 : from + (to - from) * 0.6;
  const y = ROW / 2;
  return (
    <g class={`arrow ${colour} ${how} ${flight.lie ? "lie" : ""}`}>
      <line x1={from} x2={end} y1={y} y2={y} />
      {how === "delivered" ? (
        <path d={`M${end} ${y} l${-7 * side} -4 v8 z`} />
      ) : (
        <path class="lost" d={`M${end - 5} ${y - 5} l10 10 m0 -10 l-10 10`} />
      )}
      <circle cx={from + side * 12} cy={y} r={8} />
      <text class="letter" x={from + side * 12} y={y + 4}>
        {letter}
      </text>
    </g>
  );
}

/** A mark on the lane of whom it happened to, and a line to the words. */
function Note({ event: { node, id }, count }: { event: TheatreEvent; count: number }) {
  if (node === undefined) return null;
  return (
    <g class={`note ${id}`}>
      <circle cx={laneAt(node, count)} cy={ROW / 2} r={4.5} />
    </g>
  );
}
