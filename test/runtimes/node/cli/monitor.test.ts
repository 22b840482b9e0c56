// rules: generator 10.3
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, test } from "vitest";
import { findingText } from "../../../../runtimes/node/monitor/finding.ts";
import { checkLoad, loadOf } from "../../../../runtimes/node/monitor/process-load.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const NO_INDEX = 65_535;
const SEALER = { node_index: 0, accountType: 1, currentView: 3 };

/** What the stub answers, by method. */
let answers: Record<string, unknown>;
/** What was posted to the place for alerts. */
let alerts: { readonly text: string; readonly receiver?: string }[];
let alertStatus: number;
/** What the metrics port of the stub says. */
let metrics: string | undefined;
let rpc: Server;
let alert: Server;
let home: string;
let folder: string;
let running: ChildProcess | undefined;

function listening(server: Server): Promise<unknown> {
  return once(server.listen(0, "127.0.0.1"), "listening");
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  rpc = createServer(async (request, response) => {
    if (request.method !== "POST") return response.writeHead(404).end();
    const { method } = JSON.parse(await text(request)) as { readonly method: string };
    const result = answers[method];
    const error = { code: -40_009, message: "no such thing here" };
    const answer = result === undefined ? { error } : { result };
    return response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...answer }));
  });
  // Stands for the metrics port too, which is one of its own.
  alert = createServer(async (request, response) => {
    if (request.method === "GET")
      return metrics === undefined ? response.writeHead(404).end() : response.end(metrics);
    alerts.push(JSON.parse(await text(request)));
    return response.writeHead(alertStatus).end();
  });
  await Promise.all([listening(rpc), listening(alert)]);
});

afterAll(() => {
  for (const server of [rpc, alert]) {
    server.closeAllConnections();
    server.close();
  }
});

beforeEach(() => {
  answers = {
    getGroupList: [1],
    getPeers: [{ NodeID: "aa" }, { nodeId: "bb" }],
    getConsensusStatus: [SEALER, []],
    getBlockNumber: "0x10",
    getPbftView: "0x3",
    getSyncStatus: { blockNumber: 16, peers: [{ blockNumber: 17 }] },
  };
  alerts = [];
  metrics = undefined;
  alertStatus = 200;
  home = mkdtempSync(join(tmpdir(), "chain-monitor-"));
  folder = join(home, "node0");
  mkdirSync(join(folder, "log"), { recursive: true });
  const ports = `jsonrpc_listen_ip=127.0.0.1\njsonrpc_listen_port=${portOf(rpc)}`;
  writeFileSync(join(folder, "config.ini"), `[rpc]\n${ports}\n[p2p]\nlisten_port=30300\n`);
  // Stands for the node: runs in its folder.
  running = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { cwd: folder });
  writeFileSync(join(folder, "node.pid"), `${running.pid}\n`);
});

afterEach(async () => {
  await endNode();
  rmSync(home, { recursive: true, force: true });
});

async function endNode(): Promise<void> {
  if (!running) return;
  const ended = once(running, "exit");
  running.kill("SIGKILL");
  await ended;
  running = undefined;
}

async function monitor(...args: string[]) {
  const { code, stdout, stderr } = await runHosted("monitor", "-o", home, ...args);
  return { code, lines: stdout.trimEnd().split("\n"), stderr };
}

const NOTHING = { code: 0, lines: ["nothing found at node0"], stderr: "" };

test("nothing is found at a node that goes on, in both spellings of a peer's ID", async () => {
  assert.deepEqual(await monitor("-c", "2"), NOTHING);
  answers["getPbftView"] = "0x4";
  assert.deepEqual(await monitor("-c", "2"), NOTHING);
  answers["getBlockNumber"] = "0x11";
  assert.deepEqual(await monitor("-c", "2"), NOTHING);
  assert.equal(readFileSync(join(folder, "node0.1.height"), "utf8"), "17\n");
  assert.equal(readFileSync(join(folder, "node0.1.view"), "utf8"), "4\n");
});

test("a sealer with height and view of the last run does not go on", async () => {
  assert.equal((await monitor()).code, 0);
  const says = "at block 16 and view 3 as in the last run: it does not go on";
  assert.deepEqual(await monitor(), {
    code: 1,
    lines: [`node0 group 1: height: ${says}`],
    stderr: "",
  });
});

test("too few connections are found, with how many there are", async () => {
  const { code, lines } = await monitor("-c", "3");
  assert.deepEqual([code, lines], [1, ["node0 group 1: peers: 2 of 3 expected connections"]]);
});

// Heights and views that do not go on are found above.
inFull("an observer may be one block behind its peers", async () => {
  answers["getConsensusStatus"] = [{ node_index: NO_INDEX, accountType: 0 }];
  assert.deepEqual(await monitor(), NOTHING);
  assert.deepEqual(await monitor(), NOTHING);
  answers["getSyncStatus"] = { peers: [{ blockNumber: 18 }] };
  const { lines } = await monitor();
  assert.deepEqual(lines, ["node0 group 1: height: at block 16, 2 blocks behind its peers"]);
});

test("a Raft group that is idle is in order while it has a leader", async () => {
  answers["getPbftView"] = undefined;
  const raft = { "node index": 0, accountType: 1, leaderId: "ab".repeat(64) };
  answers["getConsensusStatus"] = [raft];
  assert.deepEqual(await monitor(), NOTHING);
  assert.deepEqual(await monitor(), NOTHING);
  answers["getConsensusStatus"] = [{ ...raft, leaderId: "0".repeat(128) }];
  assert.deepEqual((await monitor()).lines, ["node0 group 1: height: the group has no leader"]);
});

test("groups are chosen, and one that the node does not run is found", async () => {
  answers["getGroupList"] = [1, 2];
  answers["getPeers"] = [];
  const { lines } = await monitor("-g", "2,7");
  assert.deepEqual(lines, [
    "node0 group 7: rpc: the node does not run this group",
    "node0 group 2: peers: 0 of 1 expected connections",
  ]);
});

test("a node that answers with an error, and one that does not run, are distinguished", async () => {
  answers["getGroupList"] = undefined;
  const failing = await monitor();
  assert.match(failing.lines[0] ?? "", /^node0: rpc: .*getGroupList with -40009: no such thing/);
  await endNode();
  const { code, lines } = await monitor();
  assert.equal(code, 1);
  assert.match(lines[0] ?? "", /^node0: process: it does not run/);
});

test.runIf(process.platform !== "win32")("-R starts a node that does not run", async () => {
  await endNode();
  assert.match((await monitor("-R")).lines[1] ?? "", /it cannot be restarted: .*start\.sh is not/);
  writeFileSync(join(folder, "start.sh"), "touch started\n");
  const { code, lines } = await monitor("-R");
  assert.deepEqual([code, lines[1]], [1, "node0: process: it was restarted"]);
  assert.ok(existsSync(join(folder, "started")));
  writeFileSync(join(folder, "start.sh"), "echo the port is in use\nexit 1\n");
  const failed = await monitor("-R");
  assert.equal(failed.lines[1], "node0: process: it could not be restarted: the port is in use");
});

/** A line of a log, this many seconds ago. */
function logged(ago: number, level: string, msg: string, fields = {}): string {
  return `${JSON.stringify({ level, time: Date.now() - ago * 1_000, msg, ...fields })}\n`;
}

test("troubles of the last minute of the log are counted by their kind", async () => {
  const log = [
    logged(90, "error", "long ago"),
    logged(20, "warning", "ViewChangeWarning", { group: 1, view: 3 }),
    logged(10, "warning", "ViewChangeWarning", { group: 1, view: 4 }),
    logged(5, "error", "the disk is full"),
    logged(5, "info", "^^^^ block written", { group: 1 }),
    "not a line of a log\n",
  ];
  writeFileSync(join(folder, "log/log_2026112801.00.log"), log.join(""));
  assert.deepEqual((await monitor()).lines, [
    'node0 group 1: log: view changes in the last minute: 2, such as "ViewChangeWarning"',
    'node0: log: errors in the last minute: 1, such as "the disk is full"',
  ]);
});

test("statistics count what the log reports each group, in both forms of a line", async () => {
  const time = new Date(Date.now() - 60_000);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString();
  const classic = `info|${local.slice(0, 10)} ${local.slice(11, 23)}000| [g:2]^^^^ written\n`;
  const log = [
    logged(1_200, "info", "^^^^ block written", { group: 1, sealer: 3 }),
    logged(90, "info", "++++ block sealed", { group: 1 }),
    logged(80, "info", "^^^^ block written", { group: 1, sealer: 0 }),
    logged(70, "info", "^^^^ block written", { group: 1, sealer: 2 }),
    logged(60, "warning", "ViewChangeWarning", { group: 1 }),
    classic,
  ];
  writeFileSync(join(folder, "log/log_2026112801.00.log"), log.join(""));
  const { code, lines } = await monitor("-m", "statistics", "--json");
  assert.equal(code, 0);
  const [one, two] = JSON.parse(lines.join("")) as Record<string, unknown>[];
  assert.deepEqual(one, {
    node: "node0",
    group: 1,
    sealed: 1,
    written: 2,
    bySealer: { 0: 1, 2: 1 },
    viewChanges: 1,
    warnings: 1,
    errors: 0,
  });
  assert.deepEqual([two?.["group"], two?.["written"]], [2, 1]);
  const table = await monitor("-m", "statistics", "-d", "30", "-g", "1");
  assert.match(
    table.lines.join("\n"),
    /last 30 minutes\n.*by sealer\nnode0 +1 +1 +3 .*0:1 2:1 3:1/,
  );
  const none = await monitor("-m", "statistics", "-g", "9");
  assert.deepEqual(none.lines, ["log of the last 10 minutes: no line of a group"]);
});

// What is found is told in every test here; where it is posted, here alone.
inFull("findings are posted where that is asked, and appended to a file", async () => {
  const url = `http://127.0.0.1:${portOf(alert)}/hook`;
  const file = join(home, "monitor.log");
  answers["getPeers"] = [];
  const told = await monitor("-s", url, "-r", "duty", "-f", file);
  assert.deepEqual([told.code, told.stderr], [1, ""]);
  assert.deepEqual(
    alerts.map((each) => [each.text, each.receiver]),
    [["node0 group 1: peers: 0 of 1 expected connections", "duty"]],
  );
  assert.match(readFileSync(file, "utf8"), /^\d{4}-.*Z node0 group 1: peers: /);
  alertStatus = 503;
  assert.match((await monitor("-s", url)).stderr, /the alert was not delivered: .* with 503/);
  const silent = await monitor("-s", "http://127.0.0.1:9/");
  assert.match(silent.stderr, /the alert was not delivered: .*cannot be reached: /);
});

test("a node that cannot be examined is a finding, and the others are examined", async () => {
  const other = join(home, "node1");
  mkdirSync(other);
  writeFileSync(join(other, "config.ini"), readFileSync(join(folder, "config.ini")));
  // Where the monitor keeps what it compares with.
  mkdirSync(join(folder, "node0.processor"));
  const { code, lines } = await monitor("-s", `http://127.0.0.1:${portOf(alert)}/hook`);
  assert.equal(code, 1);
  assert.match(lines[0] ?? "", /^node0: process: it cannot be examined: .*node0\.processor/);
  assert.match(lines[1] ?? "", /^node1: process: it does not run/);
  assert.equal(alerts[0]?.text, lines.join("\n"));
});

// Memory and processor above their bounds are found below.
inFull("memory and processor come from the metrics port of a node that has one", async () => {
  const config = readFileSync(join(folder, "config.ini"), "utf8");
  writeFileSync(join(folder, "config.ini"), `${config}[metrics]\nlisten_port=${portOf(alert)}\n`);
  metrics = [
    `chain_node_start_time_seconds ${Date.now() / 1000 - 100}`,
    'chain_node_memory_bytes{kind="heap_used"} 9e15',
    `chain_node_memory_bytes{kind="rss"} ${totalmem()}`,
    'chain_node_cpu_seconds_total{mode="user"} 500',
    'chain_node_cpu_seconds_total{mode="system"} 300',
  ].join("\n");
  const { lines } = await monitor();
  assert.match(lines[0] ?? "", /^node0: memory: \d+ has 100\.0 % of the memory, above 20 %$/);
  assert.match(lines[1] ?? "", /^node0: processor: \d+ takes (800|799) % of a processor/);
  metrics = undefined;
  answers["getBlockNumber"] = "0x11";
  assert.match((await monitor()).lines[0] ?? "", /^node0: metrics: .*\/metrics answered with 404$/);
});

test("arguments that cannot be end with 2, a folder without nodes too", async () => {
  for (const args of [
    ["-m", "other"],
    ["-d", "61"],
    ["-s", "not a url"],
    ["-g", "x"],
  ])
    assert.equal((await monitor(...args)).code, 2, args.join(" "));
  const { code, stderr } = await runHosted("monitor");
  assert.equal(code, 2);
  assert.match(stderr, /required option '-o, --nodes <folder>' not specified/);
  const none = await runHosted("monitor", "-o", join(folder, "log"));
  assert.equal(none.code, 2);
  assert.match(none.stderr, /holds no config\.ini and no folder of a node/);
});

test("memory and processor above the bounds are found, the processor's between two runs", async () => {
  const node = { name: "node0", path: folder, config: join(folder, "config.ini") };
  const load = { residentBytes: 100, processorSeconds: 700, ageSeconds: 1_000 };
  assert.deepEqual(await checkLoad(node, 7, load, 1_000), []);
  const later = { residentBytes: 300, processorSeconds: 770, ageSeconds: 1_010 };
  const texts = (await checkLoad(node, 7, later, 1_000)).map(findingText);
  assert.deepEqual(texts, [
    "node0: memory: 7 has 30.0 % of the memory, above 20 %",
    "node0: processor: 7 takes 700 % of a processor, above 600 %",
  ]);
  // Another process: since its own beginning.
  const other = { residentBytes: 0, processorSeconds: 5, ageSeconds: 10 };
  assert.deepEqual(await checkLoad(node, 8, other, 1_000), []);
  const own = await loadOf(process.pid);
  assert.ok(process.platform !== "linux" || (own && own.residentBytes > 0 && own.ageSeconds > 0));
});
