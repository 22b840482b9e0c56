/** The monitors of a round, started and stopped together. */
import { type BenchClock, realClock } from "../../../shared/benchmark/bench-clock.ts";
import type { MonitorResult } from "../../../shared/benchmark/round-result.ts";
import { ChainMonitor } from "./chain-monitor.ts";
import { DockerMonitor } from "./docker-monitor.ts";
import type { Credentials } from "./http-text.ts";
import type { Monitor } from "./monitor.ts";
import type { MonitorSettings } from "./monitor-settings.ts";
import { machineProcesses } from "./process-list.ts";
import { ProcessMonitor } from "./process-monitor.ts";
import { PrometheusMonitor } from "./prometheus-monitor.ts";

/** What monitors share. */
export interface MonitorTerms {
  /** `caliper-monitor-interval`: where the file says none. */
  readonly intervalMs: number;
  /** `caliper-auth-prometheus-username` and `-password`. */
  readonly prometheus?: Credentials | undefined;
  readonly clock?: BenchClock;
}

function makeMonitor(settings: MonitorSettings, terms: MonitorTerms): Monitor {
  const { charts } = settings;
  const clock = terms.clock ?? realClock();
  const common = { intervalMs: settings.intervalMs ?? terms.intervalMs, charts, clock };
  switch (settings.type) {
    case "process":
      return new ProcessMonitor({ ...settings, ...common, source: machineProcesses() });
    case "docker":
      return new DockerMonitor({ ...settings, ...common });
    case "prometheus":
      return new PrometheusMonitor({ ...settings, ...common, credentials: terms.prometheus });
    case "chain":
      return new ChainMonitor({ ...settings, ...common });
  }
}

/** The monitors of one round. */
export interface RoundMonitors {
  /** What each of them saw, in the order of the file. */
  stop(): Promise<readonly MonitorResult[]>;
}

/** Makes and starts the monitors of one round; they all have looked once when this ends. */
export async function startMonitors(
  settings: readonly MonitorSettings[],
  terms: MonitorTerms,
): Promise<RoundMonitors> {
  const monitors = settings.map((one) => makeMonitor(one, terms));
  await Promise.all(monitors.map((monitor) => monitor.start()));
  return { stop: () => Promise.all(monitors.map((monitor) => monitor.stop())) };
}
