/** Monitors as files of both generations ask for them. Source: benchmark 4, 7; interface 2.7 */
import { expect, test } from "vitest";
import { parse } from "yaml";
import { startMonitors } from "../../../../../runtimes/tools/benchmark/monitors/make-monitors.ts";
import {
  monitorsOfG1,
  monitorsOfG2,
} from "../../../../../runtimes/tools/benchmark/monitors/monitor-settings.ts";
import type { FilePath } from "../../../../../runtimes/shared/benchmark/section.ts";
import { steppedClock } from "../../../../support/benchmark/stepped-clock.ts";

function refuse(path: FilePath, sentence: string): never {
  throw new Error(`${path.join(".")} ${sentence}`);
}

test("the first generation: several types with one interval in seconds", () => {
  const file = parse(`
type: [docker, process, none]
docker: {name: ["http://127.0.0.1:2375/node0", all]}
process:
  - {command: node, arguments: fiscoBcosClientWorker.js, multiOutput: avg}
  - {command: fisco-bcos}
interval: 0.1
`);
  const common = { intervalMs: 100, charts: [] };
  expect(monitorsOfG1(file, refuse)).toEqual([
    {
      ...common,
      type: "docker",
      names: ["http://127.0.0.1:2375/node0", "all"],
      isCpuNormalized: false,
    },
    {
      ...common,
      type: "process",
      patterns: [
        { command: "node", arguments: "fiscoBcosClientWorker.js", multiOutput: "avg" },
        { command: "fisco-bcos", arguments: "", multiOutput: "sum" },
      ],
    },
  ]);
  expect(monitorsOfG1({ type: "none" }, refuse)).toEqual([]);
});

test("the second generation: modules with options", () => {
  const file = parse(`
resource:
  - module: docker
    options:
      interval: 5
      cpuUsageNormalization: true
      containers: [/node0]
      charting: {bar: {metrics: [all]}}
  - module: prometheus
    options:
      url: http://127.0.0.1:9090
      metrics:
        include: [node.*]
        queries:
          - {name: CPU, query: up, step: 10, label: instance, statistic: max, multiplier: 2}
          - {name: Up, query: up}
      charting: {polar: {metrics: [CPU]}}
  - module: chain
    options: {endpoints: http://127.0.0.1:9101}
  - module: none
    options: {}
`);
  expect(monitorsOfG2(file, refuse)).toEqual([
    {
      type: "docker",
      names: ["/node0"],
      isCpuNormalized: true,
      intervalMs: 5_000,
      charts: [{ kind: "bar", metrics: "all" }],
    },
    {
      type: "prometheus",
      url: "http://127.0.0.1:9090",
      include: ["node.*"],
      queries: [
        { name: "CPU", query: "up", step: 10, label: "instance", statistic: "max", multiplier: 2 },
        { name: "Up", query: "up", step: 1, label: "", statistic: "avg", multiplier: 1 },
      ],
      intervalMs: undefined,
      charts: [{ kind: "polar", metrics: ["CPU"] }],
    },
    { type: "chain", endpoints: ["http://127.0.0.1:9101"], intervalMs: undefined, charts: [] },
  ]);
});

test.each([
  ["monitor.type", { type: "dokker" }, 'monitor.type "dokker" is no monitor'],
  ["a section", { type: "docker" }, "monitor.docker is missing"],
  ["a list", { type: "process", process: {} }, "monitor.process is no list"],
  ["a command", { type: "process", process: [{}] }, "monitor.process.0.command is missing"],
  ["a pattern", { type: "process", process: [{ command: "(" }] }, '"(" is no regular expression'],
  ["an output", { type: "process", process: [{ command: "a", multiOutput: "x" }] }, "avg, sum"],
  ["an interval", { type: "process", process: [], interval: 0 }, "interval is below 0.01"],
  ["a number", { type: "process", process: [], interval: "x" }, "interval is no number"],
  ["a chart", { type: "process", process: [], charting: { pie: {} } }, "charting.pie is no chart"],
  ["a URL", { type: "prometheus", prometheus: { url: "here" } }, '"here" is no URL'],
])("what is wrong is named with its place: %s", (_, file, sentence) => {
  expect(() => monitorsOfG1(file, refuse)).toThrow(sentence);
});

test("monitors of a round start and stop together", async () => {
  const file = { type: ["process"], process: [{ command: "no-such-program" }] };
  const terms = { intervalMs: 1_000, clock: steppedClock() };
  const monitors = await startMonitors(monitorsOfG1(file, refuse), terms);
  const results = await monitors.stop();
  expect(results.map(({ type, warnings }) => [type, warnings.length])).toEqual([["process", 1]]);
});
