/** CPU profiles of the workers of a page. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { workersOf } from "../support/browser/worker-session.ts";

/** Between two samples. */
const SAMPLING_US = 500;

/** Begins; what it gives ends it and writes a file per worker. */
export async function profileWorkers(
  page: Page,
  folder: string | undefined,
  name: string,
): Promise<() => Promise<void>> {
  if (folder === undefined) return async () => undefined;
  const workers = await workersOf(page);
  for (const worker of workers) {
    await worker.send("Profiler.enable");
    await worker.send("Profiler.setSamplingInterval", { interval: SAMPLING_US });
    await worker.send("Profiler.start");
  }
  return async () => {
    for (const [i, worker] of workers.entries()) {
      const { profile } = (await worker.send("Profiler.stop")) as { profile: unknown };
      const file = join(folder, `${name.replaceAll(/\W+/g, "-")}-worker${i}.cpuprofile`);
      writeFileSync(file, JSON.stringify(profile));
    }
  };
}
