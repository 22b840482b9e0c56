/** Addresses of scenarios: what is played, and the moment that is shown. */
import { formatScenario, parseScenario } from "../../../runtimes/shared/theatre/scenario-text.ts";
import type { When } from "../../../runtimes/shared/theatre/scenario.ts";

/** The scenario's text with the moment that is to be shown. */
export function textAt(text: string, step: number): string {
  const parsed = parseScenario(text);
  if (!parsed.ok) return text;
  const show = step > 0 ? { afterStep: step } : undefined;
  return formatScenario({ ...parsed.scenario, show });
}

/** The moment that a text shows first; undefined: the beginning. */
export function momentOf(text: string): When | undefined {
  const parsed = parseScenario(text);
  return parsed.ok ? parsed.scenario.show : undefined;
}

/** The address of a scenario, behind the page's own. */
export function playAddress(text: string): string {
  return `#/theatre?play=${encodeURIComponent(text)}`;
}
