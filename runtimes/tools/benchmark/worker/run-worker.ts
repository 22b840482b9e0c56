/** Runs one worker by a command line: the same as the manager's. Source: benchmark 1, 8 */
import { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { realClock } from "../../../shared/benchmark/bench-clock.ts";
import { readBenchmarkFile } from "../files/benchmark-file.ts";
import type { BenchmarkPlan } from "../files/benchmark-plan.ts";
import { inWorkspace, readNetworkFile } from "../files/network-file.ts";
import type { Log } from "../log.ts";
import { loadModule } from "../modules.ts";
import { credentialsIn } from "../monitors/http-text.ts";
import { makeObservers } from "../observers/make-observers.ts";
import type { TxObserver } from "../observers/observer.ts";
import type { Settings } from "../settings.ts";
import type { OpenListener } from "./worker-listener.ts";
import type { WorkerLink } from "./worker-link.ts";
import { WorkerSession } from "./worker-session.ts";

const UPDATE = "caliper-observer-internal-interval";
const OLD_UPDATE = "caliper-txupdatetime";
const US_PER_MS = 1_000;
const NS_PER_MS = 1_000_000;
/** Time on a processor of the thread that reads it, nanoseconds, and more. Linux only. */
const THREAD_FILE = "/proc/thread-self/schedstat";

/** CPU of this worker so far; null for a thread where the system does not tell it. */
function cpuMs(): number | null {
  if (isMainThread) {
    const { user, system } = process.cpuUsage();
    return (user + system) / US_PER_MS;
  }
  try {
    return Number.parseInt(readFileSync(THREAD_FILE, "latin1"), 10) / NS_PER_MS;
  } catch {
    return null;
  }
}

function listenersOf(plan: BenchmarkPlan, settings: Settings, log: Log) {
  const { workspace } = settings;
  let opened: Promise<TxObserver> | undefined;
  const open: OpenListener = async ({ workerIndex, roundIndex, label }) => {
    opened ??= makeObservers(plan.observers, {
      workerIndex,
      scrapePort: settings.number("caliper-observer-prometheus-scrapeport", 1),
      pushIntervalMs: settings.number("caliper-observer-prometheuspush-interval", 1),
      write: (level, line) => log.say(level, line),
      load: (path) => loadModule(path, workspace),
      gateway: credentialsIn(settings, "prometheus-push"),
      tell: (sentence) => log.say("warn", sentence),
    });
    const observer = await opened;
    await observer.roundStarts({ workerIndex, roundIndex, roundLabel: label });
    return { listener: observer, close: () => observer.roundEnds() };
  };
  return { open, close: async () => await (await opened)?.close() };
}

/** Works until the manager ends it. @throws BenchmarkFault */
export async function runWorker(settings: Settings, link: WorkerLink, log: Log): Promise<void> {
  const { workspace } = settings;
  const path = (key: string): string => inWorkspace(workspace, settings.text(key));
  const network = await readNetworkFile(path("caliper-networkconfig"), workspace);
  const plan = await readBenchmarkFile(path("caliper-benchconfig"), workspace);
  const clock = realClock((run) => void setImmediate(run));
  // The first generation had another name for it. Source: benchmark 1
  const isOldName = !settings.isDefault(OLD_UPDATE);
  const updateMs = settings.number(isOldName ? OLD_UPDATE : UPDATE, 1);
  const { open, close } = listenersOf(plan, settings, log);
  const setup = { workspace, network, clock, updateMs, cpuMs };
  const observed = plan.observers.length === 0 ? setup : { ...setup, openListener: open };
  try {
    await new WorkerSession(observed, link).run();
  } finally {
    await close();
  }
}
