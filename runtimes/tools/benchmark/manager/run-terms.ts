/** What settings and files say of how a run goes. Source: benchmark 1, 2, 4, 7, 8 */
import type { BenchmarkPlan } from "../files/benchmark-plan.ts";
import type { Log } from "../log.ts";
import { credentialsIn } from "../monitors/http-text.ts";
import type { MonitorTerms } from "../monitors/make-monitors.ts";
import { ProgressPusher } from "../observers/prometheus-observer.ts";
import type { Settings } from "../settings.ts";
import type { ManagerLink } from "../worker/worker-link.ts";
import type { ProgressTerms } from "./round-progress-lines.ts";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import { processLink, startDistant, threadLink } from "../worker/process-link.ts";
import { communicationAddress } from "../worker/distant-link.ts";

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

const FLOW_STEPS = ["start", "init", "install", "test", "end"] as const;

/** One of {@link FLOW_STEPS}. */
export type FlowStep = (typeof FLOW_STEPS)[number];

/** The steps that settings leave. @throws BenchmarkFault `usage` when skip and only are mixed */
export function flowSteps(settings: Settings): ReadonlySet<FlowStep> {
  const chosen = (kind: "skip" | "only"): FlowStep[] =>
    FLOW_STEPS.filter((step) => settings.flag(`caliper-flow-${kind}-${step}`));
  const skipped = chosen("skip");
  const only = chosen("only");
  if (skipped.length > 0 && only.length > 0) {
    throw new BenchmarkFault(
      "usage",
      "caliper-flow-skip-... and caliper-flow-only-... exclude each other",
    );
  }
  if (only.length > 1)
    throw new BenchmarkFault("usage", "at most one caliper-flow-only-... may be true");
  if (only.length === 1) return new Set(only);
  return new Set(FLOW_STEPS.filter((step) => !skipped.includes(step)));
}

const METHOD = "caliper-worker-communication-method";

/** The link of a method. @param args the manager's command line @throws BenchmarkFault `usage` */
export async function managerLink(
  settings: Settings,
  args: readonly string[],
): Promise<ManagerLink> {
  const method = settings.text(METHOD);
  const isRemote = settings.flag("caliper-worker-remote");
  if ((method === "process" || method === "worker_threads") && isRemote) {
    const what = `caliper-worker-remote needs ${METHOD} mqtt or websocket, not ${method}`;
    throw new BenchmarkFault("usage", what);
  }
  switch (method) {
    case "process":
      return processLink(args);
    case "worker_threads":
      return threadLink(args);
    case "mqtt":
    case "websocket": {
      const start = (count: number) =>
        isRemote ? { end: async () => undefined } : startDistant(args, count);
      const address = communicationAddress(settings);
      if (method === "mqtt") {
        const { mqttManagerLink } = await import("../worker/mqtt-link.ts");
        return mqttManagerLink(address, isRemote, start);
      }
      const { webSocketManagerLink } = await import("../worker/web-socket-link.ts");
      return webSocketManagerLink(address, isRemote, start);
    }
    default: {
      const known = "process, worker_threads, mqtt, websocket";
      throw new BenchmarkFault("usage", `${METHOD} is "${method}": ${known}`);
    }
  }
}
