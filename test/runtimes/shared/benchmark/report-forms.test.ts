/** Every form of a report besides the page. Source: benchmark 1, 2, 7, 9 */
import { expect, test } from "vitest";
import {
  checkAssertion,
  errorRateAssertion,
  readAssertion,
} from "../../../../runtimes/shared/benchmark/assertion.ts";
import { compareReports } from "../../../../runtimes/shared/benchmark/compare.ts";
import {
  byteUnit,
  figureText,
  monitorTable,
} from "../../../../runtimes/shared/benchmark/monitor-table.ts";
import { CSV_COLUMNS, reportCsv } from "../../../../runtimes/shared/benchmark/report-csv.ts";
import { DEFAULT_LOOK, fillPage } from "../../../../runtimes/shared/benchmark/report-page.ts";
import { resultCells, resultTitles } from "../../../../runtimes/shared/benchmark/result-table.ts";
import { posedMonitor, posedReport, posedRound } from "../../../support/benchmark/posed-report.ts";

test("the table has the reference's columns first, then ours; no success is a dash", () => {
  expect(resultTitles().join(" | ")).toBe(
    "Name | Succ | Fail | Send Rate (TPS) | Max Latency (s) | Min Latency (s) | Avg Latency (s)" +
      " | Throughput (TPS) | Succ TPS | p50 (s) | p90 (s) | p95 (s) | p99 (s)",
  );
  const [first, second] = posedReport().rounds.map(resultCells);
  expect(first?.join(" ")).toBe(
    "transfer 8200 40 412.0 2.05 0.18 0.42 408.1 406.2 0.38 0.54 0.56 1.75",
  );
  expect(second?.slice(1).join(" ")).toBe("0 0 - - - - - - - - - -");
});

test("bytes of a column have one unit in its title, figures this many digits", () => {
  const { titles, rows } = monitorTable(posedMonitor(), 4);
  expect(titles).toEqual([
    "Name",
    "Memory(max) [MB]",
    "Memory(avg) [MB]",
    "CPU%(max)",
    "CPU%(avg)",
  ]);
  expect(rows[0]).toEqual(["node main.js(avg)", "181.2", "163.1", "96.4", "71.25"]);
  expect(rows[1]?.slice(1)).toEqual(["-", "-", "-", "-"]);
  expect([[0], [1023], [1024], [5e9]].map((amounts) => byteUnit(amounts).name)).toEqual([
    "B",
    "B",
    "KB",
    "GB",
  ]);
  expect([null, Number.NaN, 1234567, 0.00012345].map((one) => figureText(one, 3))).toEqual([
    "-",
    "-",
    "1230000",
    "0.000123",
  ]);
});

test("texts next to the name are columns of their own, in front", () => {
  const labels = { Metric: "CPU", "Prometheus Query": "up" };
  const columns = [{ key: "value", title: "Value", unit: "none" as const }];
  const rows = [{ name: "node0", labels, values: { value: 2 } }];
  const table = monitorTable({ ...posedMonitor(), type: "prometheus", columns, rows });
  expect(table.titles).toEqual(["Metric", "Prometheus Query", "Name", "Value"]);
  expect(table.rows).toEqual([["CPU", "up", "node0", "2"]]);
});

test("the CSV has a line for each round, quoted where it must be", () => {
  const round = posedRound({ label: 'a, "b"' });
  const [head, line, end] = reportCsv({ rounds: [round] }).split("\r\n");
  expect(head).toBe(CSV_COLUMNS.map(({ name }) => name).join(","));
  expect(line).toMatch(
    /^0,"a, ""b""",finished,fixed-rate,1000,2,8240,8200,40,4,0,412,408.1,406.2,/,
  );
  expect(line).toMatch(/,2026-01-02T03:04:05.000Z,8236,4700$/);
  expect(end).toBe("");
});

test("nothing in the data ends its element or its page", () => {
  const report = posedReport({ name: "</title> $& REPORT-DATA" });
  const page = fillPage('<title>REPORT-TITLE</title><script>"REPORT-DATA"</script>', {
    report,
    look: DEFAULT_LOOK,
  });
  expect(page).toContain("<title>&lt;/title&gt; $&amp; REPORT-DATA</title>");
  const json = /<script>(.*)<\/script>/s.exec(page)?.[1] ?? "";
  expect(json).not.toContain("<");
  expect(JSON.parse(json)).toEqual({ report, look: DEFAULT_LOOK });
});

test.each([
  ["transfer.p95 <= 2", true, 0.5596, ""],
  ["#0.tps >= 406.2", true, 406.2, ""],
  ["transfer.tps > 500", false, 406.2, "round 0 (transfer) has tps 406.2"],
  ["transfer.fail == 40", true, 40, ""],
  ["transfer.unfinished != 4", false, 4, "round 0 (transfer) has unfinished 4"],
  ["transfer.errorRate < 0.5", true, (100 * 40) / 8240, ""],
  ["*.p95 < 9", false, null, "round 1 (hello </script> <b>) has no p95"],
  ["other.p95 < 9", false, null, 'no round is called "other"'],
])("assertion %s", (text, holds, actual, reason) => {
  const { rounds } = posedReport();
  expect(checkAssertion(readAssertion(text), rounds)).toEqual({ text, holds, actual, reason });
});

test("a label may have dots and spaces; an error rate is an assertion", () => {
  const rounds = [posedRound({ label: "v1.2 transfer" })];
  expect(checkAssertion(readAssertion("v1.2 transfer.succ >= 1"), rounds).holds).toBe(true);
  expect(errorRateAssertion(0.1).text).toBe("*.errorRate <= 0.1");
  expect(checkAssertion(errorRateAssertion(0.1), rounds).holds).toBe(false);
});

test.each([
  ["p95 <= 2", 'is not of the form "round.metric op value"'],
  ["a.p95 is 2", "is not of the form"],
  ["a.p96 <= 2", 'there is no metric "p96"; there are succ, fail'],
])("%s is no assertion", (text, sentence) => {
  expect(() => readAssertion(text)).toThrow(sentence);
});

test("two reports: better, worse, the same, and what cannot be compared", () => {
  const before = posedReport();
  const faster = posedRound({
    rates: { sendTps: 600, throughputTps: 610, successTps: 406.5 },
    latency: { ...posedRound().latency, p95Ms: 900 },
  });
  const environment = { ...before.environment, cpuCount: 4 };
  const after = posedReport({
    environment,
    rounds: [faster, posedRound({ index: 1, label: "new", status: "partial" })],
  });
  const { rounds, remarks } = compareReports(before, after);
  const verdicts = Object.fromEntries(
    (rounds[0]?.metrics ?? []).map(({ metric, verdict }) => [metric.name, verdict]),
  );
  expect(verdicts).toMatchObject({
    throughput: "better",
    tps: "same",
    p95: "worse",
    p50: "same",
    sendRate: "neither",
  });
  const throughput = rounds[0]?.metrics.find(({ metric }) => metric.name === "throughput");
  expect(throughput?.changePercent).toBeCloseTo(49.47, 2);
  expect(remarks).toEqual([
    "CPU count differs: 2, 4",
    'round "hello </script> <b>" is in the first report alone',
    'round "new" is in the second report alone',
  ]);
});

test("rounds of one label are paired in their order", () => {
  const sub = (tps: number) => {
    const rateControl = { type: "fixed-rate", opts: { tps } };
    return posedRound({ configuration: { ...posedRound().configuration, rateControl } });
  };
  const before = posedReport({ rounds: [sub(1), sub(2)] });
  const after = posedReport({ rounds: [sub(1), sub(3)] });
  const { rounds, remarks } = compareReports(before, after);
  expect(rounds.map(({ label }) => label)).toEqual(["transfer", "transfer (2)"]);
  expect(remarks).toEqual(['round "transfer (2)" was configured differently']);
});
