/** The lesson about Merkle proofs: a real proof, verified in the page, with bytes to change. */
import { useMemo, useState } from "preact/hooks";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import { Button } from "../parts/button.tsx";
import { inLanguage, text } from "../texts.ts";
import { MERKLE_STEPS } from "./merkle-lesson.ts";
import { MerklePicture } from "./merkle-picture.tsx";
import { PROVED } from "./proved-transaction.ts";
import { StepWords } from "./step-nav.tsx";
import { alterations, judge, type PlaceId, type Verdict, withAlteredByte } from "./verdict.ts";

/** Address of the lesson. */
export const MERKLE = "merkle-proof";

const suite = createStandardSuite();

/** A byte that was changed. */
interface Altered {
  readonly id: PlaceId;
  readonly byte: number;
}

/** The page; it shows one step. */
export function MerklePage({ index }: { index: number }) {
  const at = Math.min(index, MERKLE_STEPS.length - 1);
  const step = MERKLE_STEPS[at];
  const [altered, setAltered] = useState<Altered>();
  const shown = useMemo(
    () => (altered ? withAlteredByte(PROVED, altered.id, altered.byte) : PROVED),
    [altered],
  );
  const verdict = useMemo(() => judge(shown, suite), [shown]);
  if (!step) return null;
  const isChangeable = (id: PlaceId) => step.places.includes(id) || altered?.id === id;
  return (
    <article class="lesson">
      <div class="lesson-picture">
        <MerklePicture proved={shown} part={step.part} verdict={verdict} />
        <Outcome verdict={verdict} />
        <h2>{text("merkle.change")}</h2>
        <ul class="alterations">
          {alterations(shown)
            .filter(({ id }) => isChangeable(id))
            .map(({ id, digits }) => (
              <Place
                key={id}
                id={id}
                digits={digits}
                altered={altered?.id === id ? altered : undefined}
                onAlter={setAltered}
              />
            ))}
        </ul>
      </div>
      <div class="lesson-words">
        <StepWords id={MERKLE} title={text("merkle.title")} at={at} count={MERKLE_STEPS.length}>
          <p class="says" aria-live="polite">
            {inLanguage(step.says)}
          </p>
        </StepWords>
      </div>
    </article>
  );
}

/** What the verifier says. */
function Outcome({ verdict }: { verdict: Verdict }) {
  return (
    <p class={verdict.ok ? "verdict good" : "verdict bad"} data-ok={verdict.ok} role="status">
      {verdict.ok ? text("merkle.good") : text(`merkle.fault.${verdict.fault}`)}
      {!verdict.ok && <small>{verdict.words}</small>}
    </p>
  );
}

interface PlaceProps {
  readonly id: PlaceId;
  readonly digits: string;
  readonly altered: Altered | undefined;
  readonly onAlter: (altered: Altered | undefined) => void;
}

/** Digits that are shown on each side of the chosen byte. */
const AROUND = 14;

/** One text of digits, of which a byte may be changed. */
function Place({ id, digits, altered, onAlter }: PlaceProps) {
  const [byte, setByte] = useState(0);
  const most = digits.length / 2 - 1;
  const [start, end] = [2 * byte, 2 * byte + 2];
  const from = Math.max(0, start - AROUND);
  const to = Math.min(digits.length, Math.max(end + AROUND, 2 * AROUND));
  return (
    <li class={altered ? "panel altered" : "panel"} data-place={id}>
      <strong>{text(`merkle.place.${id}`)}</strong>
      <code>
        {from > 0 && "…"}
        {digits.slice(from, start)}
        <mark>{digits.slice(start, end)}</mark>
        {digits.slice(end, to)}
        {to < digits.length && "…"}
      </code>
      <label>
        {text("merkle.byte")}
        <input
          type="range"
          min={0}
          max={most}
          value={byte}
          onInput={({ currentTarget }) => {
            const next = currentTarget.valueAsNumber;
            setByte(next);
            if (altered) onAlter({ id, byte: next });
          }}
        />
      </label>
      <Button
        says={altered ? "merkle.restore" : "merkle.alter"}
        onClick={() => onAlter(altered ? undefined : { id, byte })}
      />
    </li>
  );
}
