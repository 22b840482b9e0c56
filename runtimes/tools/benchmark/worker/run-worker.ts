/** Runs one worker by a command line: the same as the manager's. Source: benchmark.md 1, 8 */
import { isMainThread } from "node:worker_threads";
import { realClock } from "../../../shared/benchmark/bench-clock.ts";
import { readNetworkFile, inWorkspace } from "../files/network-file.ts";
import type { Settings } from "../settings.ts";
import type { WorkerLink } from "./worker-link.ts";
import { WorkerSession } from "./worker-session.ts";

const US_PER_MS = 1_000;

function cpuMs(): number | null {
  // A thread has no figure of its own.
  if (!isMainThread) return null;
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}

/** Works until the manager ends it. @throws BenchmarkFault */
export async function runWorker(settings: Settings, link: WorkerLink): Promise<void> {
  const { workspace } = settings;
  const path = inWorkspace(workspace, settings.text("caliper-networkconfig"));
  const network = await readNetworkFile(path, workspace);
  const clock = realClock((run) => void setImmediate(run));
  const updateMs = settings.number("caliper-observer-internal-interval", 1);
  await new WorkerSession({ workspace, network, clock, updateMs, cpuMs }, link).run();
}
