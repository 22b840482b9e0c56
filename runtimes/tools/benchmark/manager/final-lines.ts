/** The last lines of a run. Source: benchmark 2 */
import type { FinishedRun } from "./benchmark-run.ts";

const MS_PER_SECOND = 1_000;

/** `Benchmark finished in 12.3 seconds. Total rounds: 2. ...` Source: benchmark 2 */
export function finalLines({ plan, rounds, wantedRounds, durationMs }: FinishedRun): string {
  const good = rounds.filter(({ status }) => status === "finished").length;
  const bad = wantedRounds - good;
  const seconds = (durationMs / MS_PER_SECOND).toFixed(3);
  const counts = [
    `Total rounds: ${wantedRounds}`,
    `Successful rounds: ${good}`,
    `Failed rounds: ${bad}`,
  ];
  const line = `Benchmark finished in ${seconds} seconds. ${counts.join(". ")}.\n`;
  if (plan.generation !== "G1") return line;
  const summary = `# Test summary: ${good} succeeded, ${bad} failed #`;
  const edge = "#".repeat(summary.length);
  return `${line}${edge}\n${summary}\n${edge}\n`;
}
