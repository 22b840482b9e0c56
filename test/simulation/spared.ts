/**
 * A step of the core, held against what is reported of its message before anybody has verified it:
 * what would have been dropped must not have done anything.
 */
import type { Effect } from "../../core/consensus/pbft/effect.ts";
import { aheadOf } from "../../core/consensus/pbft/future.ts";
import type { Input } from "../../core/consensus/pbft/input.ts";
import { type Relevance, relevanceOf } from "../../core/consensus/pbft/relevance.ts";
import type { PbftState } from "../../core/consensus/pbft/state.ts";
import { step } from "../../core/consensus/pbft/step.ts";
import { Violation } from "./checkers.ts";
import type { Sights } from "./sights.ts";

/** Irrelevant to the protocol. */
type Spared = Exclude<Relevance, "counts" | "doubtful">;

/** What a step may ask for over a message of each use; a deadline is no news. */
const ALLOWED: Readonly<Record<Spared, readonly Effect["type"][]>> = {
  none: ["report"],
  behind: ["report", "send"],
  compact: ["report"],
  evidence: ["report", "send"],
};

/**
 * Takes the step.
 *
 * @param sights absent for a Byzantine node: it meets messages of its own that no honest node says
 * @throws Violation
 */
export function takeStep(
  state: PbftState,
  input: Input,
  sights?: Sights,
  take: typeof step = step,
): readonly Effect[] {
  if (!sights || input.type !== "message" || input.message.type === "status")
    return take(state, input);
  const { message, from } = input;
  const use = relevanceOf(state, message, from);
  const kept = state.future.size;
  const isLater = message.type !== "viewCertificate" && aheadOf(state, message) > 0;
  const effects = take(state, input);
  if (use === "counts" || use === "doubtful") return effects;
  if (use !== "evidence") sights.add("spared");
  const did: string[] = effects
    .filter((effect) => !isHarmless(effect, use))
    .map(({ type }) => type);
  if (state.future.size !== kept) did.push("kept");
  // Whatever is not counted is reported as ignored, but for a second copy of what is kept.
  const isReported = effects.some(({ type }) => type === "report");
  if (!isReported && !isLater) did.push("counted");
  if (did.length > 0) throw new Violation(`${message.type}, use ${use}, led to ${did.join()}`);
  return effects;
}

function isHarmless(effect: Effect, use: Spared): boolean {
  if (effect.type === "deadline") return true;
  if (effect.type === "report" && use !== "evidence") return effect.report.event === "ignored";
  return ALLOWED[use].includes(effect.type);
}
