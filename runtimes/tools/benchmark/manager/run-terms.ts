/** What settings and files say of how a run goes. Source: benchmark 1, 4, 7 */
import type { BenchmarkPlan } from "../files/benchmark-plan.ts";
import type { Log } from "../log.ts";
import { credentialsIn } from "../monitors/http-text.ts";
import type { MonitorTerms } from "../monitors/make-monitors.ts";
import { ProgressPusher } from "../observers/prometheus-observer.ts";
import type { Settings } from "../settings.ts";
import type { ManagerLink } from "../worker/worker-link.ts";
import { type FlowStep, flowSteps } from "./flow-steps.ts";
import { managerLink } from "./open-pool.ts";
import type { ProgressTerms } from "./round-progress-lines.ts";

/** More digits a number has not. */
const MOST_DIGITS = 15;

/** Everything that is read of the settings before anything is started. */
export interface RunTerms {
  readonly steps: ReadonlySet<FlowStep>;
  readonly link: ManagerLink;
  /** Between two questions for workers. */
  readonly pollMs: number;
  /** Between two rounds. Source: benchmark 2 */
  readonly pauseMs: number;
  readonly monitors: MonitorTerms;
  readonly progress: ProgressTerms;
  /** Digits of figures in the tables of monitors. */
  readonly precision: number;
}

/** Lines unless somebody wants none; figures where the file names a gateway. */
function progressTerms(plan: BenchmarkPlan, settings: Settings, log: Log): ProgressTerms {
  const { type, intervalMs, pushUrl } = plan.progress;
  const isTold = type !== "none" && settings.flag("caliper-progress-reporting-enabled");
  const tell = (line: string): void => log.say("warn", line);
  const gateway = credentialsIn(settings, "prometheus-push");
  const pusher = pushUrl === undefined ? undefined : new ProgressPusher(pushUrl, { tell, gateway });
  return {
    intervalMs: intervalMs ?? settings.number("caliper-progress-reporting-interval", 1),
    line: isTold ? (line) => log.say("info", line) : undefined,
    push: pusher && ((round, progress) => pusher.update(round, progress)),
  };
}

/** Digits that figures of monitors have. @throws BenchmarkFault `usage` */
export function precisionOf(settings: Settings): number {
  return settings.number("caliper-report-precision", 1, MOST_DIGITS);
}

/** What monitors share. */
function monitorTerms(settings: Settings): MonitorTerms {
  const intervalMs = settings.number("caliper-monitor-interval", 1);
  return { intervalMs, prometheus: credentialsIn(settings, "prometheus") };
}

/** The terms of a run. @param args the command line, for workers @throws BenchmarkFault `usage` */
export async function runTerms(
  plan: BenchmarkPlan,
  settings: Settings,
  args: readonly string[],
  log: Log,
): Promise<RunTerms> {
  return {
    steps: flowSteps(settings),
    link: await managerLink(settings, args),
    pollMs: settings.number("caliper-worker-pollinterval", 1),
    pauseMs: settings.number("caliper-round-pause"),
    monitors: monitorTerms(settings),
    progress: progressTerms(plan, settings, log),
    precision: precisionOf(settings),
  };
}
