/** What the letters, the rings and the marks of the picture mean. */
import type { MessageKind } from "../../runtimes/shared/theatre/frame.ts";
import { text } from "../texts.ts";
import { BACKGROUND, kindsOf, lookOf } from "./play/kinds.ts";

type Protocol = "pbft" | "raft";
/** Class of a chip, the sign in it, and the key of its words. */
type Row = readonly [look: string, sign: string, words: string];

const LEADER: Row = ["leader", "★", "legend.leader"];
const MARKS: readonly Row[] = [
  ["lie", "!", "legend.lie"],
  ["off", "×", "legend.off"],
  ["deadline", "", "legend.deadline"],
];
/** Rings of votes and marks of nodes. */
const SIGNS: Readonly<Record<Protocol, readonly Row[]>> = {
  pbft: [
    ["ring sign", "", "legend.signs"],
    ["ring commit", "", "legend.commits"],
    ["ring change", "", "legend.changes"],
    LEADER,
    ["lock", "L", "legend.lock"],
    ...MARKS,
  ],
  raft: [
    ["ring commit", "", "legend.stored"],
    ["ring propose", "", "legend.grants"],
    LEADER,
    ...MARKS,
  ],
};

interface LegendProps {
  readonly protocol: Protocol;
  readonly showsBackground: boolean;
}

/** The messages of the protocol stand there always; everything else unfolds over the picture. */
export function Legend({ protocol, showsBackground }: LegendProps) {
  const kinds = kindsOf(protocol).filter((kind) => showsBackground || !BACKGROUND.has(kind));
  const core = kinds.filter((kind) => lookOf(kind).speakers === protocol && !BACKGROUND.has(kind));
  return (
    <div class="legend">
      <Chips rows={core.map(rowOf)} />
      <details>
        <summary>{text("legend.title")}</summary>
        <div class="whole">
          <Chips rows={kinds.map(rowOf)} />
          <Chips rows={SIGNS[protocol]} />
        </div>
      </details>
    </div>
  );
}

function rowOf(kind: MessageKind): Row {
  const { letter, colour } = lookOf(kind);
  return [colour, letter, `kind.${kind}`];
}

function Chips({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <ul>
      {rows.map(([look, sign, words]) => (
        <li key={words}>
          <span class={`chip ${look}`} aria-hidden="true">
            {sign}
          </span>
          {text(words)}
        </li>
      ))}
    </ul>
  );
}
