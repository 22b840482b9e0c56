/** The built gateway in workerd, with its processor time and the memory of its isolate. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { WebSocket } from "ws";
import { ROOT } from "../../support/runner/root.ts";
import { usageOf } from "../process-usage.ts";

/** A worker that is measured. */
export interface MeasuredWorker {
  readonly url: string;
  /** Of workerd, since it started. */
  cpuMs(): number;
  /** Bytes of the isolate that are used; garbage is collected before, or counts. */
  heapBytes(options?: { readonly collected: boolean }): Promise<number>;
  close(): Promise<void>;
}

/** Processes of workerd below this one. */
function workerdPids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        const [, name = "", parent] = /^\d+ \((.*)\) \S (\d+)/.exec(stat) ?? [];
        return name === "workerd" && Number(parent) === process.pid;
      } catch {
        return false;
      }
    })
    .map(Number);
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly usedSize?: number };
}

/** Asks the inspector of the isolate. */
async function heapAt(url: string, collected: boolean): Promise<number> {
  const socket = new WebSocket(url);
  try {
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return await new Promise<number>((resolve) => {
      socket.on("message", (data: Buffer) => {
        const { id, result } = JSON.parse(data.toString()) as Reply;
        if (id === 1) resolve(result?.usedSize ?? Number.NaN);
      });
      const collect = { id: 0, method: "HeapProfiler.collectGarbage" };
      if (collected) socket.send(JSON.stringify(collect));
      socket.send(JSON.stringify({ id: 1, method: "Runtime.getHeapUsage" }));
    });
  } finally {
    socket.close();
  }
}

/** Starts the worker of `dist/edge/gateway.js`. */
export async function startMeasured(
  variables: Readonly<Record<string, string>>,
): Promise<MeasuredWorker> {
  const before = new Set(workerdPids());
  const worker = new Miniflare({
    modules: true,
    script: readFileSync(join(ROOT, "dist/edge/gateway.js"), "utf8"),
    bindings: { ...variables },
    compatibilityDate: "2026-04-01",
    host: "127.0.0.1",
    inspectorPort: 0,
  });
  const { href } = await worker.ready;
  const pids = workerdPids().filter((pid) => !before.has(pid));
  const inspector = await worker.getInspectorURL();
  // The isolate of the worker itself, next to those of the runner.
  const debug = new URL("/core:user:", inspector.href).href;
  return {
    url: href,
    cpuMs: () => 1_000 * usageOf(pids).cpuSeconds,
    heapBytes: ({ collected } = { collected: false }) => heapAt(debug, collected),
    close: () => worker.dispose(),
  };
}
