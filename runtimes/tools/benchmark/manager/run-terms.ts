/** What settings and files say of progress and monitors. Source: benchmark 1, 4, 7 */
import type { BenchmarkPlan } from "../files/benchmark-plan.ts";
import type { MonitorTerms } from "../monitors/make-monitors.ts";
import { ProgressPusher } from "../observers/prometheus-observer.ts";
import type { RunIo } from "../run-io.ts";
import type { Settings } from "../settings.ts";
import type { ProgressTerms } from "./round-progress-lines.ts";

/** Lines unless somebody wants none; figures where the file names a gateway. */
export function progressTerms(plan: BenchmarkPlan, settings: Settings, io: RunIo): ProgressTerms {
  const { type, intervalMs, pushUrl } = plan.progress;
  const tell = (line: string): void => io.stderr(`${line}\n`);
  const isTold = type !== "none" && settings.flag("caliper-progress-reporting-enabled");
  const pusher = pushUrl === undefined ? undefined : new ProgressPusher(pushUrl, { tell });
  return {
    intervalMs: intervalMs ?? settings.number("caliper-progress-reporting-interval", 1),
    line: isTold ? tell : undefined,
    push: pusher && ((round, progress) => pusher.update(round, progress)),
  };
}

/** What monitors share. */
export function monitorTerms(settings: Settings): MonitorTerms {
  const intervalMs = settings.number("caliper-monitor-interval", 1);
  const username = settings.find("caliper-auth-prometheus-username") ?? "";
  const password = settings.find("caliper-auth-prometheus-password") ?? "";
  return username === "" ? { intervalMs } : { intervalMs, prometheus: { username, password } };
}
