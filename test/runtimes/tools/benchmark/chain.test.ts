/**
 * The tool before one chain of four nodes: samples of both generations, all kinds of workers and
 * transports, and what is lost in the middle of a round. Source: benchmark 11; interface 8
 */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { Aedes } from "aedes";
import { afterAll, beforeAll, onTestFinished, type TestContext, test } from "vitest";
import type { RoundResult } from "../../../../runtimes/shared/benchmark/round-result.ts";
import { type BenchPlace, FILES, openBenchPlace } from "../../../support/benchmark/bench-place.ts";
import { initProcessChain, type ProcessChain } from "../../../support/process/node-processes.ts";
import { steadyPorts } from "../../../support/process/dev-process.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { inFull, inFullAll } from "../../../support/runner/in-full.ts";

let chain: ProcessChain | undefined;
beforeAll(async () => {
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  // The first is a process of its own where it is killed in the middle of a round.
  const hosted = TAKES_ALL_CASES ? 3 : 4;
  chain = await initProcessChain({ nodes: 4, hosted, pauseMs: 100 });
  await Promise.all(chain.nodes.map((node) => node.start()));
});
afterAll(() => chain?.close());

async function open(
  sample: "g1" | "g2",
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<BenchPlace> {
  assert.ok(chain);
  const place = await openBenchPlace(sample, chain);
  atEnd(() => place.close());
  return place;
}

/** The chain counted what the round did, and nothing else. */
function requireAgreement({ counts, chain: counted }: RoundResult, transactions: number): void {
  assert.deepEqual([counts.succeeded, counts.failed], [transactions, 0]);
  assert.equal(counted?.transactions, transactions);
}

test("the sample of the first generation, installed before, with a worker as a process", async () => {
  const { bench, edit, report } = await open("g1");
  // The sample as it is takes half a minute: a fiftieth of it shows the same.
  await edit("benchmark.yaml", (text) =>
    text.replaceAll("- 10000\n", "- 200\n").replaceAll("- 5000\n", "- 100\n"),
  );
  const installed = await bench("run", ...FILES, "--caliper-flow-only-install");
  assert.equal(installed.code, 0, installed.err);
  assert.match(installed.out, /Total rounds: 0\. Successful rounds: 0\. Failed rounds: 0\./);
  const { code, out, err } = await bench(
    "benchmark",
    "run",
    ...FILES,
    "--caliper-flow-skip-install",
  );
  assert.equal(code, 0, err);
  assert.doesNotMatch(err, /contract helloworld: HelloWorld is at/);
  assert.match(err, /benchmark file of generation G1: 3 round\(s\)/);
  assert.match(out, /\| Name \| Succ \| Fail \| Send Rate \(TPS\) \| Max Latency \(s\)/);
  assert.match(out, /Total rounds: 3\. Successful rounds: 3\. Failed rounds: 0\./);
  assert.match(out, /# Test summary: 3 succeeded, 0 failed #/);
  const { rounds, generation, info, configuration } = await report();
  assert.deepEqual(
    [generation, info],
    ["G1", { Version: "2.0.0", Size: "4 Nodes", Distribution: "Single Host" }],
  );
  assert.ok(!JSON.stringify(configuration).includes("bcec428d"), "the key stays out of the report");
  const [set, get, slow] = rounds;
  assert.ok(set && get && slow);
  requireAgreement(set, 200);
  assert.deepEqual([get.counts.submitted, get.chain?.transactions], [200, 0]);
  assert.deepEqual([slow.counts.submitted, slow.configuration.targetTps], [100, 200]);
  // A rate that is not reached is reported so, and one that is is not.
  const missed = (set.rates.sendTps ?? 0) < 950;
  assert.equal(
    set.remarks.some((remark) => remark.includes("was not reached")),
    missed,
  );
  assert.match(set.remarks.join(), /127\.0\.0\.1:1/, "the daemon that is not there is reported");
  assert.deepEqual(
    set.monitors.map(({ type }) => type),
    ["docker", "process"],
  );
  assert.match(err, /ms of CPU per transaction in this tool/);
});

// How a manager has workers and loses them: manager/worker-pool.test.ts and flow.test.ts.
inFullAll("workers elsewhere", () => {
  const DISTANT = [
    { method: "mqtt", server: startBroker },
    { method: "websocket", server: async () => undefined },
  ] as const;
  for (const { method, server } of DISTANT) {
    test(`four over ${method} give the sum of their parts`, async () => {
      const { bench, report } = await open("g2");
      const port = await steadyPorts(1);
      const broker = await server(port);
      const scheme = method === "mqtt" ? "mqtt" : "ws";
      const how = [
        `--caliper-worker-communication-method=${method}`,
        `--caliper-worker-communication-address=${scheme}://127.0.0.1:${port}`,
        ...["--caliper-worker-remote", "true"],
      ];
      const managing = bench("launch", "manager", ...FILES, ...how);
      const workers = Array.from({ length: 4 }, () => bench("launch", "worker", ...FILES, ...how));
      const { code, err } = await managing;
      const ends = await Promise.all(workers);
      await broker?.close();
      assert.equal(code, 0, err);
      assert.deepEqual(
        ends.map((end) => end.code),
        [0, 0, 0, 0],
      );
      const { rounds, generation, workers: spread } = await report();
      assert.deepEqual([generation, spread], ["G2", { type: method, number: 4 }]);
      const [users, names] = rounds;
      assert.ok(users && names);
      requireAgreement(users, 40);
      assert.deepEqual(
        users.workers.map(({ counts }) => counts.succeeded),
        [10, 10, 10, 10],
      );
      assert.ok(users.workers.every(({ clockOffsetMs }) => Math.abs(clockOffsetMs ?? 1e9) < 1_000));
      assert.equal(names.counts.failed, 0);
      const sum = names.workers.reduce((total, { counts }) => total + counts.succeeded, 0);
      assert.ok(sum > 0 && sum === names.counts.succeeded && sum === names.chain?.transactions);
      const perSecond = names.seconds.reduce((total, { succeeded }) => total + succeeded, 0);
      assert.equal(perSecond, sum);
    });
  }
});

/** A worker of the first sample speaks the channel. */
const MODES = TAKES_ALL_CASES ? (["rpc", "websocket"] as const) : (["websocket"] as const);
for (const mode of MODES) {
  test(`threads over ${mode}: an ES module, receipts that nobody pushes`, async () => {
    const { bench, edit, report } = await open("g2");
    await edit("benchmark.yaml", (text) =>
      text.replace("number: 4", "number: 2").replace("set-name.js", "set-name.mjs"),
    );
    await edit("network.json", (text) => text.replace('"groupID"', `"mode": "${mode}", "groupID"`));
    const threads = "--caliper-worker-communication-method=worker_threads";
    const { code, err, out } = await bench("run", ...FILES, threads, "--json");
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out), await report());
    const [users, names] = (await report()).rounds;
    assert.ok(users && names);
    requireAgreement(users, 40);
    requireAgreement(names, names.counts.submitted);
    // The tool's own is that of the process, in which threads have their share.
    const shares = users.workers.map(({ cpuMs }) => cpuMs ?? 0);
    assert.ok(
      shares.every((ms) => ms > 0 && ms < (users.generatorCpuMs ?? 0)),
      `${shares}`,
    );
  });
}

// Nodes in the same process are asked by the page of a tab in web/node-page.test.ts.
inFull("a node inside the worker", async () => {
  const { bench, edit, report } = await open("g2");
  await edit("benchmark.yaml", (text) => text.replace("number: 4", "number: 1"));
  await edit("network.json", (text) => text.replace('"groupID"', '"mode": "inproc", "groupID"'));
  const threads = "--caliper-worker-communication-method=worker_threads";
  const { code, err } = await bench("run", ...FILES, threads);
  assert.equal(code, 0, err);
  const { rounds, workers } = await report();
  assert.equal(workers.type, "inproc");
  assert.equal(rounds[0]?.counts.succeeded, 40);
});

// The same in worker-pool.test.ts; a node that is gone, in adapter/lanes.test.ts.
inFullAll("what is lost in the middle of a round", () => {
  /** A round that would go on for a minute. */
  async function openLong(
    { onTestFinished: atEnd }: TestContext,
    { workers, seconds }: { readonly workers: number; readonly seconds: number },
  ): Promise<BenchPlace> {
    const opened = await open("g2", atEnd);
    await opened.edit("benchmark.yaml", (text) => {
      const [head = "", rest = ""] = text.split("    - label: names");
      const rounds = head.slice(head.indexOf("    - label: users"));
      const round = rounds
        .replace("txNumber: 40", `txDuration: ${seconds}`)
        .replace("add-user.js", "set-name.js");
      const tail = rest.slice(rest.indexOf("monitors:"));
      return `${head.replace(rounds, round).replace("number: 4", `number: ${workers}`)}${tail}`;
    });
    return opened;
  }

  /** Ends something once this many transactions have succeeded. */
  async function once(err: () => string, succeeded: number, end: () => unknown): Promise<void> {
    const limit = performance.now() + 60_000;
    for (;;) {
      assert.ok(performance.now() < limit, err());
      const told = [...err().matchAll(/Succ: (\d+)/g)].at(-1)?.[1];
      if (Number(told ?? 0) >= succeeded) return void (await end());
      await new Promise((resume) => setTimeout(resume, 50));
    }
  }
  const OFTEN = [
    "--caliper-progress-reporting-interval=100",
    "--caliper-observer-internal-interval=100",
  ];

  // The first two wait for most of their time, and touch nothing in common.
  test.concurrent("a worker: the figures of its last update stay, the others go on, exit 3", async (context) => {
    const { folder, start, report } = await openLong(context, { workers: 2, seconds: 2 });
    const running = start("run", ...FILES, ...OFTEN);
    await once(running.err, 10, async () => {
      // Other files of the suite have workers in this process too: the workspace tells ours.
      const [child] = await childrenOf(process.pid, folder);
      assert.ok(child);
      process.kill(child, "SIGKILL");
    });
    assert.equal((await running.end).code, 3);
    const [round] = (await report()).rounds;
    assert.ok(round);
    assert.equal(round.status, "partial");
    assert.match(
      round.remarks.join(),
      /worker \d \(process-\d+\) was lost: the process ended with SIGKILL/,
    );
    const [lost, kept] = [...round.workers].sort(
      (a, b) => Number(b.lost !== null) - Number(a.lost !== null),
    );
    assert.ok(lost && kept && lost.counts.succeeded > 0);
    assert.ok(kept.counts.succeeded > lost.counts.succeeded);
    assert.equal(round.counts.succeeded, kept.counts.succeeded + lost.counts.succeeded);
  });

  test.concurrent("the broker: all workers are lost with it, and what they told is reported, exit 3", async (context) => {
    const { start, bench, report } = await openLong(context, { workers: 1, seconds: 60 });
    const port = await steadyPorts(1);
    const broker = await startBroker(port);
    const how = [
      "--caliper-worker-communication-method=mqtt",
      `--caliper-worker-communication-address=mqtt://127.0.0.1:${port}`,
      ...["--caliper-worker-remote", "true"],
    ];
    const running = start("launch", "manager", ...FILES, ...how, ...OFTEN);
    const worker = bench("launch", "worker", ...FILES, ...how, ...OFTEN);
    await once(running.err, 10, () => broker.close());
    assert.equal((await running.end).code, 3);
    const { code, err } = await worker;
    assert.equal(code, 1);
    assert.match(err, /the manager was lost: the MQTT broker mqtt:.* was lost/);
    const [round] = (await report()).rounds;
    assert.match(round?.remarks.join() ?? "", /was lost: the MQTT broker/);
    assert.ok((round?.counts.succeeded ?? 0) >= 10);
    assert.equal(round?.status, "partial");
  });

  test("a node: transactions on their way fail, the others go to the rest, exit 3", async (context) => {
    const { start, report } = await openLong(context, { workers: 1, seconds: 2.5 });
    const threads = "--caliper-worker-communication-method=worker_threads";
    const running = start("run", ...FILES, ...OFTEN, threads);
    await once(running.err, 20, () => chain?.nodes[0]?.end("SIGKILL"));
    assert.equal((await running.end).code, 3);
    const [round] = (await report()).rounds;
    assert.ok(round);
    assert.equal(round.status, "partial");
    assert.match(
      round.remarks.join(),
      /node 127\.0\.0\.1:\d+ was lost: (?:channel port: |nothing listens there)/,
    );
    assert.equal(round.errors[0]?.name, "no connection");
    assert.ok(round.counts.failed > 0 && round.counts.succeeded > 40);
  });
});

interface Broker {
  close(): Promise<void>;
}

async function startBroker(port: number): Promise<Broker> {
  const aedes = await Aedes.createBroker();
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    aedes.handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await new Promise<void>((resolve) => aedes.close(() => resolve()));
    },
  };
}

/** Child processes of a process whose command line has a word. */
async function childrenOf(pid: number, word: string): Promise<readonly number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, "utf8").catch(() => "")),
  );
  const pids = lists.join(" ").split(" ").filter(Boolean).map(Number);
  const lines = await Promise.all(
    pids.map((each) => readFile(`/proc/${each}/cmdline`, "utf8").catch(() => "")),
  );
  return pids.filter((_, index) => lines[index]?.includes(word));
}
