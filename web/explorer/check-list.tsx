/** What the page has verified itself, step by step. */
import { fullTime, numberText } from "../format.ts";
import { StatusBadge } from "../parts/status-badge.tsx";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import { type Check, worst } from "./read/check.ts";
import { usePlace } from "./read/place.tsx";
import type { Standing } from "../data/trust.ts";

/** Whose word it all rests on, and where that is looked at. */
function Ground({ standing }: { readonly standing: Standing }) {
  const { groupId } = usePlace();
  const { confirmedAt, isEntered, seenAt, seenNumber } = standing.kept;
  const how = isEntered ? "entered" : confirmedAt === undefined ? "seen" : "confirmed";
  const date = fullTime(confirmedAt ?? seenAt);
  const block = numberText(seenNumber);
  return (
    <p class="soft" data-ground={how}>
      {text(`explorer.ground.${how}`, { date, block })}{" "}
      <a href={placeOf(groupId, "trust")}>{text("explorer.ground.look")}</a>
    </p>
  );
}

/** Checks with their verdicts in words. */
export function CheckList({
  checks,
  standing,
}: {
  readonly checks: readonly Check[];
  readonly standing: Standing | undefined;
}) {
  const verdict = worst(checks);
  return (
    <div class={`checks ${verdict}`} data-verdict={verdict}>
      <p>
        <StatusBadge tone={verdict}>{text(`explorer.verdict.${verdict}`)}</StatusBadge>
      </p>
      <ul class="plain">
        {checks.map(({ name, verdict: own, why }) => (
          <li key={name} data-check={name} data-verdict={own}>
            <span class={`mark ${own}`} aria-hidden="true">
              {own === "good" ? "✓" : own === "bad" ? "✗" : "!"}
            </span>
            <span>
              {text(`explorer.check.${name}.${own}`)}
              {why !== undefined && <span class="why"> {why}</span>}
            </span>
          </li>
        ))}
      </ul>
      {standing && <Ground standing={standing} />}
    </div>
  );
}
