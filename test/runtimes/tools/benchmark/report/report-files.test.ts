/** The files of a report, and the tables of the terminal. Source: benchmark 1, 2, 9 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  borderedTable,
  monitorText,
  resultText,
} from "../../../../../runtimes/tools/benchmark/report/bordered-table.ts";
import {
  compareText,
  readReport,
} from "../../../../../runtimes/tools/benchmark/report/compare-text.ts";
import { writeReport } from "../../../../../runtimes/tools/benchmark/report/write-report.ts";
import {
  posedMonitor,
  posedReport,
  posedRound,
} from "../../../../support/benchmark/posed-report.ts";
import { ROOT } from "../../../../support/runner/root.ts";

let folder: string;

beforeAll(async () => {
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  folder = await mkdtemp(join(tmpdir(), "benchmark-files-"));
});

afterAll(() => rm(folder, { recursive: true }));

test("page, JSON and CSV lie side by side, and the JSON is the report", async () => {
  const report = posedReport();
  const path = join(folder, "new", "report.html");
  const look = { hue: 200, scheme: "mono", transparency: 0.5, precision: 2 };
  const files = await writeReport(report, { path, look });
  expect(files).toEqual({
    html: path,
    json: join(folder, "new", "report.json"),
    csv: join(folder, "new", "report.csv"),
  });
  expect(await readReport(files.json)).toEqual(report);
  expect((await readFile(files.csv, "utf8")).split("\r\n")).toHaveLength(4);
  expect(await readFile(files.html, "utf8")).toContain('"look":{"hue":200');
});

test("a flag of the settings that refuses is heard", async () => {
  const path = join(folder, "once.html");
  await writeReport(posedReport(), { path });
  const again = writeReport(posedReport(), { path, flag: "wx" });
  await expect(again).rejects.toThrow("EEXIST");
});

test.each([
  ["none.json", undefined, /none\.json cannot be read: ENOENT/],
  ["text.json", "hello", /text\.json is no JSON/],
  ["other.json", '{"schema":"chain-node-benchmark-report/9"}', /is no report of the form/],
  ["list.json", "[]", /give a report\.json/],
])("%s is no report", async (name, text, sentence) => {
  const file = join(folder, name);
  if (text !== undefined) await writeFile(file, text);
  await expect(readReport(file)).rejects.toThrow(sentence);
});

test("two reports are compared as tables and as JSON", async () => {
  const [before, after] = ["a.html", "b.html"].map((name) => join(folder, name));
  const rates = { sendTps: 412, throughputTps: 816.2, successTps: 812.4 };
  const one = await writeReport(posedReport(), { path: before ?? "" });
  const other = await writeReport(posedReport({ rounds: [posedRound({ rates })] }), {
    path: after ?? "",
  });
  const text = await compareText(one.json, other.json, { json: false });
  expect(text).toMatch(/\| Throughput \(TPS\) +\| 408\.1 +\| 816\.2 +\| \+100\.0 % \| better \|/);
  expect(text).toContain('note: round "hello </script> <b>" is in the first report alone');
  const json = JSON.parse(await compareText(one.json, other.json, { json: true }));
  expect(json.rounds[0].metrics[5]).toEqual({
    name: "throughput",
    before: 408.1,
    after: 816.2,
    changePercent: 100,
    verdict: "better",
  });
});

test("tables of the terminal: wide letters, long cells, nothing that steers", () => {
  const rows = [
    ["转账", "1"],
    [`a\u001b[31m${"x".repeat(80)}`, "2"],
  ];
  const lines = borderedTable({ titles: ["Name", "n"], rows }).split("\n");
  expect(lines).toEqual([
    `+${"-".repeat(62)}+---+`,
    `| Name${" ".repeat(56)} | n |`,
    `+${"-".repeat(62)}+---+`,
    `| 转账${" ".repeat(56)} | 1 |`,
    `| a [31m${"x".repeat(53)}… | 2 |`,
    `+${"-".repeat(62)}+---+`,
    "",
  ]);
});

test("rounds and monitors on the terminal", () => {
  expect(resultText([posedRound()])).toMatch(/\| transfer \| 8200 \| 40 +\| 412\.0 +\|/);
  const text = monitorText([posedMonitor()]);
  expect(text).toMatch(/^### process resource stats ###\n\+-/);
  expect(text).toContain("| Memory(max) [MB] |");
  expect(text).toContain("  no process matches command /fisco-bcos/: its row is empty\n");
});
