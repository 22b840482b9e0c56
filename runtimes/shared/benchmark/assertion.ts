/** Assertions on rounds that decide the exit code. Source: benchmark 1 (`--assert`) */
import { ROUND_METRICS, type RoundMetric } from "./round-metrics.ts";
import type { AssertionResult, RoundResult } from "./round-result.ts";

const OPERATORS = {
  "<=": (actual: number, wanted: number) => actual <= wanted,
  ">=": (actual: number, wanted: number) => actual >= wanted,
  "==": (actual: number, wanted: number) => actual === wanted,
  "!=": (actual: number, wanted: number) => actual !== wanted,
  "<": (actual: number, wanted: number) => actual < wanted,
  ">": (actual: number, wanted: number) => actual > wanted,
};
type Operator = keyof typeof OPERATORS;

/** A claim about one round, or about all of them. */
export interface Assertion {
  readonly text: string;
  /** Label of rounds, index from 0 as `#0`, or `*` for all. */
  readonly round: string;
  readonly metric: RoundMetric;
  readonly operator: Operator;
  readonly value: number;
}

/** A text that is no assertion: what is wrong, and what is known. */
export class AssertionFault extends Error {
  override readonly name = "AssertionFault";
}

/** The name of the round may have dots and spaces of its own. */
const FORM = /^\s*(.+)\.(\w+)\s*(<=|>=|==|!=|<|>)\s*(-?\d+(?:\.\d+)?)\s*$/;

/**
 * Reads `round.metric op value`: `transfer.p95 <= 2`, `*.errorRate < 1`, `#0.tps >= 500`. Times are
 * seconds, as in the table.
 * @throws AssertionFault what is wrong with the text
 */
export function readAssertion(text: string): Assertion {
  const [, round = "", name = "", operator = "", value = ""] = FORM.exec(text) ?? [];
  if (operator === "")
    throw new AssertionFault(`"${text}" is not of the form "round.metric op value"`);
  const metric = ROUND_METRICS.find((one) => one.name === name);
  if (metric === undefined) {
    const known = ROUND_METRICS.map((one) => one.name).join(", ");
    throw new AssertionFault(`"${text}": there is no metric "${name}"; there are ${known}`);
  }
  return { text: text.trim(), round, metric, operator: operator as Operator, value: Number(value) };
}

/** `--fail-on-error-rate <pct>` as an assertion. */
export function errorRateAssertion(percent: number): Assertion {
  return readAssertion(`*.errorRate <= ${percent}`);
}

function isMeant({ round }: Assertion, { label, index }: RoundResult): boolean {
  return round === "*" || round === label || round === `#${index}`;
}

/** The first figure that does not hold, or the last that does. */
export function checkAssertion(
  assertion: Assertion,
  rounds: readonly RoundResult[],
): AssertionResult {
  const { text, metric, operator, value } = assertion;
  const meant = rounds.filter((round) => isMeant(assertion, round));
  let actual: number | null = null;
  for (const round of meant) {
    actual = metric.figure(round);
    const name = `round ${round.index} (${round.label})`;
    if (actual === null)
      return { text, holds: false, actual, reason: `${name} has no ${metric.name}` };
    if (OPERATORS[operator](actual, value)) continue;
    const reason = `${name} has ${metric.name} ${Number(actual.toPrecision(6))}`;
    return { text, holds: false, actual, reason };
  }
  if (meant.length === 0)
    return { text, holds: false, actual, reason: `no round is called "${assertion.round}"` };
  return { text, holds: true, actual, reason: "" };
}
