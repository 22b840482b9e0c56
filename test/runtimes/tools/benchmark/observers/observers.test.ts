/** Observers of transactions before posed servers. Source: benchmark 7 */
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { TxStatus } from "../../../../../runtimes/shared/benchmark/tx-status.ts";
import {
  makeObservers,
  type WorkerTerms,
} from "../../../../../runtimes/tools/benchmark/observers/make-observers.ts";
import {
  observersOfG2,
  progressOfG1,
} from "../../../../../runtimes/tools/benchmark/observers/observer-settings.ts";
import { ProgressPusher } from "../../../../../runtimes/tools/benchmark/observers/prometheus-observer.ts";
import type { FilePath } from "../../../../../runtimes/shared/benchmark/section.ts";
import { poseServer } from "../../../../support/benchmark/posed-server.ts";
import { portsInRow } from "../../../../support/process/ports.ts";
import { startOtlpReceiver } from "../../../../support/process/otlp-receiver.ts";

const HASH = `0x${"ab".repeat(32)}`;

function refuse(path: FilePath, sentence: string): never {
  throw new Error(`${path.join(".")} ${sentence}`);
}

/** A transaction that took 400 ms; a message is that of a failure. */
function transaction(message = ""): TxStatus {
  const status = new TxStatus(HASH, 1_700_000_000_000.25);
  if (message === "") status.SetStatusSuccess(1_700_000_000_400.25);
  else status.SetStatusFail(1_700_000_000_400.25);
  if (message !== "") status.SetErrMsg(message);
  return status;
}

/** Observers of a YAML list, what they told, and what they wrote. */
async function observe(list: string, changes: Partial<WorkerTerms> = {}) {
  const settings = observersOfG2({ transaction: parse(list) }, refuse);
  const told: string[] = [];
  const written: [string, string][] = [];
  const observer = await makeObservers(settings, {
    workerIndex: 2,
    scrapePort: 3000,
    pushIntervalMs: 3_600_000,
    tell: (sentence) => told.push(sentence),
    write: (level, line) => written.push([level, line]),
    load: () => Promise.reject(new Error("nothing is loaded here")),
    ...changes,
  });
  onTestFinished(() => observer.close());
  return { observer, told, written };
}

const ROUND = { workerIndex: 2, roundIndex: 1, roundLabel: "set" };

test("a line of JSON for each transaction", async () => {
  const { observer, written } = await observe(
    "[{module: logging, options: {messageLevel: debug}}]",
  );
  await observer.roundStarts(ROUND);
  observer.txSubmitted(1);
  observer.txFinished(transaction("RevertInstruction"));
  await observer.roundEnds();
  const [[level, line] = ["", "{}"]] = written;
  expect(level).toBe("debug");
  expect(JSON.parse(line)).toEqual({
    id: HASH,
    status: "failed",
    time_create: 1_700_000_000_000.25,
    time_final: 1_700_000_000_400.25,
    latency_ms: 400,
    verified: false,
    error: "RevertInstruction",
    ...ROUND,
  });
});

test("metrics at a port of the worker, with the reference's names, labels and buckets", async () => {
  const free = await poseServer(() => "");
  // The worker's index is added to the port.
  const list = `[{module: prometheus, options: {scrapePort: ${free.port - 2}, metricPath: /m}}]`;
  const taken = await observe(list);
  await expect(taken.observer.roundStarts(ROUND)).rejects.toThrow(
    `metrics cannot be shown at 127.0.0.1:${free.port}: `,
  );
  const port = await portsInRow(1);
  const { observer } = await observe(`
- module: prometheus
  options:
    scrapePort: ${port}
    metricPath: /m
    defaultLabels: {team: a}
    histogramBuckets: {explicit: [0.3, 0.5]}
`);
  await observer.roundStarts({ ...ROUND, workerIndex: 0 });
  observer.txSubmitted(3);
  observer.txFinished(transaction());
  observer.txFinished(transaction("x"));
  const text = await (await fetch(`http://127.0.0.1:${port}/m`)).text();
  const labels = 'workerIndex="0",roundIndex="1",roundLabel="set"';
  expect(text).toContain(`caliper_tx_submitted{${labels},team="a"} 3`);
  expect(text).toContain(`caliper_tx_finished{${labels},final_status="failed",team="a"} 1`);
  expect(text).toMatch(/caliper_tx_e2e_latency_bucket\{le="0.3".*final_status="success".*\} 0/);
  expect(text).toMatch(/caliper_tx_e2e_latency_bucket\{le="0.5".*final_status="success".*\} 1/);
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404);
});

test("metrics are pushed, at the latest at the end of a round; a gateway that is not there is reported once", async () => {
  const gateway = await poseServer(() => "");
  const list = (url: string) => `[{module: prometheus-push, options: {pushUrl: "${url}"}}]`;
  const asked = { gateway: { username: "ann", password: "word" } };
  const { observer, told } = await observe(list(gateway.url), asked);
  await observer.roundStarts(ROUND);
  observer.txSubmitted(2);
  await observer.roundEnds();
  expect(gateway.heard.map(({ method, url }) => [method, url])).toEqual([
    ["POST", "/metrics/job/caliper"],
  ]);
  expect(gateway.heard[0]?.body).toContain("caliper_tx_submitted{");
  expect(gateway.heard[0]?.headers.authorization).toBe(`Basic ${btoa("ann:word")}`);
  expect(told).toEqual([]);
  const dead = await observe(list("http://127.0.0.1:2"));
  await dead.observer.roundStarts(ROUND);
  await dead.observer.roundEnds();
  await dead.observer.roundEnds();
  expect(dead.told).toEqual([
    expect.stringMatching(/^http:\/\/127.0.0.1:2 took no metrics: .*ECONNREFUSED/),
  ]);
});

test("the first generation's progress is pushed under its own names", async () => {
  const gateway = await poseServer(() => "");
  const settings = progressOfG1(
    { type: "prometheus", interval: 5 },
    { prometheus: { push_url: gateway.url } },
    refuse,
  );
  expect(settings).toEqual({ type: "prometheus", intervalMs: 5_000, pushUrl: gateway.url });
  const pusher = new ProgressPusher(settings.pushUrl ?? "", { tell: expect.unreachable });
  const rates = { tps: 10, submitRate: 12, latencySeconds: 0.4 };
  await pusher.update("set", { submitted: 9, succeeded: 5, failed: 1, ...rates });
  const body = gateway.heard[0]?.body ?? "";
  const lines = body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines).toEqual([
    'caliper_tps{round="set"} 10',
    'caliper_latency{round="set"} 0.4',
    'caliper_txn_submit_rate{round="set"} 12',
    'caliper_txn_success{round="set"} 5',
    'caliper_txn_failure{round="set"} 1',
    'caliper_txn_pending{round="set"} 3',
  ]);
  expect(progressOfG1(undefined, undefined, refuse).type).toBe("local");
});

test("spans of every second transaction lie in the trace of the transaction's hash", async () => {
  const receiver = await startOtlpReceiver();
  onTestFinished(() => receiver.close());
  const list = `[{module: otlp, options: {url: "${receiver.url}", ratio: 0.5, headers: {k: v}}}]`;
  const { observer, told } = await observe(list);
  await observer.roundStarts(ROUND);
  for (let i = 0; i < 1_200; i += 1) observer.txFinished(transaction(i % 4 === 1 ? "timeout" : ""));
  await observer.roundEnds();
  expect(receiver.spans).toHaveLength(600);
  const [span] = receiver.spans;
  expect(span).toMatchObject({
    name: "benchmark transaction",
    traceId: "ab".repeat(16),
    startTimeUnixNano: "1700000000000250000",
    endTimeUnixNano: "1700000000400250000",
    status: { code: 2, message: "timeout" },
  });
  expect(span?.attributes).toContainEqual({
    key: "benchmark.round",
    value: { stringValue: "set" },
  });
  expect(receiver.headers[0]).toMatchObject({ k: "v" });
  expect(told).toEqual([]);
});

test("a collector that refuses is reported once, with the number of spans that were lost", async () => {
  const { url } = await poseServer(() => ({ status: 503, text: "" }));
  const { observer, told } = await observe(`[{module: otlp, options: {url: "${url}", ratio: 1}}]`);
  observer.txFinished(transaction());
  await observer.roundEnds();
  expect(told).toEqual([`${url} took no spans: HTTP 503`, "1 spans were lost"]);
});

test("an observer of the user's hears everything", async () => {
  const heard: unknown[] = [];
  const load = async (path: string) => ({
    createTxObserver: (options: object, _: unknown, workerIndex: number) => {
      heard.push([path, options, workerIndex]);
      return {
        activate: (...where: unknown[]) => heard.push(where),
        txSubmitted: (count: number) => heard.push(count),
        txFinished: (status: TxStatus) => heard.push(status.GetStatus()),
      };
    },
  });
  const { observer } = await observe("[{module: ./own.js, options: {a: 1}}]", { load });
  await observer.roundStarts(ROUND);
  observer.txSubmitted(1);
  observer.txFinished(transaction());
  await observer.roundEnds();
  expect(heard).toEqual([["./own.js", { a: 1 }, 2], [2, 1, "set"], 1, "success"]);
  const empty = observe("[{module: ./own.js}]", { load: async () => ({}) });
  await expect(empty).rejects.toThrow("./own.js exports no createTxObserver");
});

test.each([
  ["{module: otlp, options: {url: here}}", 'transaction.0.options.url "here" is no URL'],
  ["{module: otlp, options: {url: 'http://a', ratio: 2}}", "ratio is above 1"],
  ["{module: prometheus-push}", "transaction.0.options.pushUrl is missing"],
  [
    "{module: prometheus, options: {histogramBuckets: {}}}",
    "histogramBuckets has none of explicit",
  ],
  [
    "{module: prometheus, options: {histogramBuckets: {explicit: [2, 1]}}}",
    "histogramBuckets.explicit does not rise",
  ],
])("what is wrong is named with its place: %s", (entry, sentence) => {
  expect(() => observersOfG2({ transaction: [parse(entry)] }, refuse)).toThrow(sentence);
});
