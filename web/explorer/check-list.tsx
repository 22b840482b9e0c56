/** What the page has verified itself, step by step. */
import { fullTime, numberText } from "../format.ts";
import { type Proof, PROOF_TONES } from "../parts/proof-mark.tsx";
import { text } from "../texts.ts";
import { placeOf } from "./read/addresses.ts";
import type { Check } from "./read/check.ts";
import { usePlace } from "./read/place.tsx";
import { proofOfPage, proofOfSubject, SUBJECT_OF } from "./read/proof.ts";
import type { Standing } from "../data/trust.ts";

/** Whose word it all rests on, and where that is examined. */
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

interface SignProps {
  readonly check: Check;
  /** Of the values that the check is about. */
  readonly proof: Proof;
}

/**
 * A check that holds is no comfort next to one that does not: fields that give the hash of a header
 * that nobody signed are a faulty node's, too. The tick is for what is proven.
 */
function Sign({ check: { verdict }, proof }: SignProps) {
  const isTick = verdict === "good" && proof === "proven";
  const tone = verdict === "good" && !isTick ? "soft" : verdict;
  return (
    <span class={`mark ${tone}`} aria-hidden="true">
      {isTick ? "✓" : verdict === "bad" ? "✗" : verdict === "warn" ? "!" : "•"}
    </span>
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
  const page = proofOfPage(checks);
  const verdict = PROOF_TONES[page];
  const proofOf = (name: Check["name"]) =>
    page === "contradicted" ? page : proofOfSubject(SUBJECT_OF[name], checks);
  return (
    <div class={`checks ${verdict}`} data-verdict={verdict}>
      <ul class="plain">
        {checks.map((check) => {
          const { name, verdict: own, why } = check;
          return (
            <li key={name} data-check={name} data-verdict={own}>
              <Sign check={check} proof={proofOf(name)} />
              <span>
                {text(`explorer.check.${name}.${own}`)}
                {why !== undefined && <span class="why"> {why}</span>}
              </span>
            </li>
          );
        })}
      </ul>
      {standing && <Ground standing={standing} />}
    </div>
  );
}
