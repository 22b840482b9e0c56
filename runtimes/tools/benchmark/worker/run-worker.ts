/** Runs one worker by a command line: the same as the manager's. Source: benchmark 1, 8 */
import { isMainThread } from "node:worker_threads";
import { realClock } from "../../../shared/benchmark/bench-clock.ts";
import { readBenchmarkFile } from "../files/benchmark-file.ts";
import type { BenchmarkPlan } from "../files/benchmark-plan.ts";
import { inWorkspace, readNetworkFile } from "../files/network-file.ts";
import { loadModule } from "../modules.ts";
import { makeObservers } from "../observers/make-observers.ts";
import type { TxObserver } from "../observers/observer.ts";
import type { Settings } from "../settings.ts";
import type { OpenListener } from "./worker-listener.ts";
import type { WorkerLink } from "./worker-link.ts";
import { WorkerSession } from "./worker-session.ts";

/** Where sentences for the operator go. */
type Say = (line: string) => void;

const US_PER_MS = 1_000;

function cpuMs(): number | null {
  // A thread has no figure of its own.
  if (!isMainThread) return null;
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}

/** Opens the observers of the benchmark file, once for all rounds. */
function listenersOf(plan: BenchmarkPlan, settings: Settings, say: Say) {
  const { workspace } = settings;
  let opened: Promise<TxObserver> | undefined;
  const open: OpenListener = async ({ workerIndex, roundIndex, label }) => {
    opened ??= makeObservers(plan.observers, {
      workerIndex,
      scrapePort: settings.number("caliper-observer-prometheus-scrapeport", 1),
      pushIntervalMs: settings.number("caliper-observer-prometheuspush-interval", 1),
      write: (_level, line) => say(line),
      load: (path) => loadModule(path, workspace),
      tell: say,
    });
    const observer = await opened;
    await observer.roundStarts({ workerIndex, roundIndex, roundLabel: label });
    return { listener: observer, close: () => observer.roundEnds() };
  };
  return { open, close: async () => await (await opened)?.close() };
}

/** Works until the manager ends it. @throws BenchmarkFault */
export async function runWorker(settings: Settings, link: WorkerLink, say: Say): Promise<void> {
  const { workspace } = settings;
  const path = (key: string): string => inWorkspace(workspace, settings.text(key));
  const network = await readNetworkFile(path("caliper-networkconfig"), workspace);
  const plan = await readBenchmarkFile(path("caliper-benchconfig"), workspace);
  const clock = realClock((run) => void setImmediate(run));
  const updateMs = settings.number("caliper-observer-internal-interval", 1);
  const { open, close } = listenersOf(plan, settings, say);
  const setup = { workspace, network, clock, updateMs, cpuMs };
  const observed = plan.observers.length === 0 ? setup : { ...setup, openListener: open };
  try {
    await new WorkerSession(observed, link).run();
  } finally {
    await close();
  }
}
