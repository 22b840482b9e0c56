/** What the letters, the rings and the marks of the picture mean. */
import { text } from "../texts.ts";
import { BACKGROUND, kindsOf, lookOf } from "./play/kinds.ts";

type Protocol = "pbft" | "raft";

const RINGS = {
  pbft: [
    ["sign", "signs"],
    ["commit", "commits"],
    ["change", "changes"],
  ],
  raft: [
    ["commit", "stored"],
    ["propose", "grants"],
  ],
} as const;

/** What is explained. */
export interface LegendProps {
  readonly protocol: Protocol;
  readonly showsBackground: boolean;
}

/** The messages of the protocol stand there always; everything else unfolds over the picture. */
export function Legend({ protocol, showsBackground }: LegendProps) {
  const kinds = kindsOf(protocol).filter((kind) => showsBackground || !BACKGROUND.has(kind));
  const core = kinds.filter((kind) => lookOf(kind).speakers === protocol && !BACKGROUND.has(kind));
  return (
    <div class="legend">
      <Kinds kinds={core} />
      <details>
        <summary>{text("legend.title")}</summary>
        <div class="whole">
          <Kinds kinds={kinds} />
          <Rings protocol={protocol} />
        </div>
      </details>
    </div>
  );
}

function Kinds({ kinds }: { readonly kinds: ReturnType<typeof kindsOf> }) {
  return (
    <ul>
      {kinds.map((kind) => {
        const { letter, colour } = lookOf(kind);
        return (
          <li key={kind}>
            <span class={`chip ${colour}`} aria-hidden="true">
              {letter}
            </span>
            {text(`kind.${kind}`)}
          </li>
        );
      })}
    </ul>
  );
}

const MARKS = [
  ["lock", "L", "pbft"],
  ["lie", "!", "both"],
  ["off", "×", "both"],
] as const;

function Rings({ protocol }: { readonly protocol: Protocol }) {
  return (
    <ul>
      {RINGS[protocol].map(([colour, name]) => (
        <li key={name}>
          <span class={`chip ring ${colour}`} aria-hidden="true" />
          {text(`legend.${name}`)}
        </li>
      ))}
      <li>
        <span class="chip leader" aria-hidden="true">
          ★
        </span>
        {text("legend.leader")}
      </li>
      {MARKS.filter(([, , speaker]) => speaker === "both" || speaker === protocol).map(
        ([name, sign]) => (
          <li key={name}>
            <span class={`chip ${name}`} aria-hidden="true">
              {sign}
            </span>
            {text(`legend.${name}`)}
          </li>
        ),
      )}
      <li>
        <span class="chip deadline" aria-hidden="true" />
        {text("legend.deadline")}
      </li>
    </ul>
  );
}
