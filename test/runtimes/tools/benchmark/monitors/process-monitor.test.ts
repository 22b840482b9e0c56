/** The process monitor over a posed /proc. Source: benchmark 7 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  machineProcesses,
  procSource,
  readPsLine,
} from "../../../../../runtimes/tools/benchmark/monitors/process-list.ts";
import {
  ProcessMonitor,
  type ProcessPattern,
} from "../../../../../runtimes/tools/benchmark/monitors/process-monitor.ts";
import { steppedClock } from "../../../../support/benchmark/stepped-clock.ts";

async function posedProc() {
  const root = await mkdtemp(join(tmpdir(), "posed-proc-"));
  onTestFinished(() => rm(root, { recursive: true }));
  return {
    root,
    /** @param ticks of CPU, hundredths of a second */
    put: async (pid: number, line: readonly string[], ticks: number, kib: number) => {
      const folder = join(root, String(pid));
      await mkdir(folder, { recursive: true });
      const fields = ["S", ...Array.from({ length: 10 }, () => "0"), String(ticks), "0", "0"];
      await writeFile(join(folder, "comm"), "node (1) x\n");
      await writeFile(join(folder, "cmdline"), `${line.join("\0")}\0`);
      await writeFile(join(folder, "stat"), `${pid} (node (1) x) ${fields.join(" ")}`);
      await writeFile(join(folder, "status"), `Name:\tx\nVmRSS:\t  ${kib} kB\n`);
    },
    end: (pid: number) => rm(join(root, String(pid)), { recursive: true }),
  };
}

const NODES: ProcessPattern = { command: "node", arguments: "main.js", multiOutput: "sum" };

function monitorOf(root: string, patterns: readonly ProcessPattern[], intervalMs = 100) {
  const clock = steppedClock();
  const source = procSource(root);
  const charts = [{ kind: "bar" as const, metrics: ["Memory(avg)", "Heat"] }];
  return { clock, monitor: new ProcessMonitor({ patterns, intervalMs, charts, clock, source }) };
}

test("several processes are summed or averaged, and the first CPU sample is dropped", async () => {
  const { root, put } = await posedProc();
  await put(7, ["/usr/bin/node", "main.js", "start"], 1_000, 1024);
  await put(8, ["/usr/bin/node", "main.js", "start"], 5_000, 3072);
  await put(9, ["/usr/bin/node", "other.js"], 0, 9_999);
  const patterns = [NODES, { ...NODES, multiOutput: "avg" as const }];
  const { clock, monitor } = monitorOf(root, patterns);
  await monitor.start();
  await put(7, ["/usr/bin/node", "main.js", "start"], 1_005, 2048);
  await put(8, ["/usr/bin/node", "main.js", "start"], 5_015, 3072);
  await clock.advance(100);
  const { rows, columns, series, charts, warnings } = await monitor.stop();
  expect(columns.map(({ title }) => title)).toEqual([
    "Memory(max)",
    "Memory(avg)",
    "CPU%(max)",
    "CPU%(avg)",
  ]);
  const [sum, average] = rows;
  expect(sum?.name).toBe("node main.js(sum)");
  // 50 ms and 150 ms of CPU in 100 ms: 50 % and 150 % of a core.
  expect(sum?.values["cpuMax"]).toBeCloseTo(200);
  expect(sum?.values["memoryMax"]).toBe(5120 * 1024);
  expect(average?.name).toBe("node main.js(avg)");
  expect(average?.values["cpuMax"]).toBeCloseTo(100);
  expect(series.find(({ metric }) => metric === "Memory")?.points.slice(0, 2)).toEqual([
    [0, 4096 * 1024],
    [100, 5120 * 1024],
  ]);
  expect(charts).toEqual([{ kind: "bar", metrics: ["memoryAvg"] }]);
  expect(warnings).toEqual([expect.stringContaining('no metric "Heat"')]);
});

test("what is not there is reported with its pattern, and what ends is counted", async () => {
  const { root, put, end } = await posedProc();
  await put(7, ["/usr/bin/node", "main.js"], 0, 1024);
  const missing = { command: "fisco-bcos", arguments: "", multiOutput: "sum" as const };
  const { clock, monitor } = monitorOf(root, [NODES, missing]);
  await monitor.start();
  await end(7);
  await clock.advance(100);
  const { rows, warnings } = await monitor.stop();
  expect(rows[1]?.values["memoryMax"]).toBeNull();
  expect(warnings).toContain("no process matches command /fisco-bcos/: its row is empty");
  expect(warnings).toContain(
    "1 of the processes of command /node/ with arguments /main.js/ ended in the round",
  );
});

test("a process that starts in the round is found within a second", async () => {
  const { root, put } = await posedProc();
  const { clock, monitor } = monitorOf(root, [NODES], 500);
  await monitor.start();
  await put(7, ["node", "main.js"], 0, 1024);
  await clock.advance(500);
  await clock.advance(500);
  const { rows } = await monitor.stop();
  expect(rows[0]?.values["memoryMax"]).toBe(1024 * 1024);
});

test("a machine that does not tell is reported", async () => {
  const { root, end, put } = await posedProc();
  await put(1, ["x"], 0, 0);
  const { monitor } = monitorOf(join(root, "gone"), [NODES]);
  await monitor.start();
  await end(1);
  expect((await monitor.stop()).warnings[0]).toMatch(/^processes cannot be examined: ENOENT/);
});

test("lines of ps are read, with days and without", () => {
  expect(readPsLine("  42 1-02:03:04 2048 /usr/bin/node main.js start")).toEqual({
    pid: 42,
    cpuMs: 93_784_000,
    memoryBytes: 2_097_152,
    names: ["/usr/bin/node", "node"],
    arguments: "main.js start",
  });
  expect(readPsLine("7 0:00.50 1 launchd")?.cpuMs).toBe(500);
  expect(readPsLine("PID TIME RSS")).toBeUndefined();
});

test("this very process is found on this machine, and none where there is no source", async () => {
  const source = machineProcesses();
  const found = await source?.list();
  expect(found?.some(({ pid }) => pid === process.pid)).toBe(true);
  const uses = await source?.use([process.pid]);
  expect(uses?.get(process.pid)?.memoryBytes).toBeGreaterThan(1_000_000);
  expect(machineProcesses("win32")).toBeUndefined();
});
