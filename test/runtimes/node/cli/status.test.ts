/** The table of nodes: what is shown of nodes that run, hang, are down or cannot be read. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import type { NodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import { findNodeFolders } from "../../../../runtimes/node/observe/node-folders.ts";
import type { NodeProbe } from "../../../../runtimes/node/observe/node-probe.ts";
import { statusOf, statusScreen } from "../../../../runtimes/node/observe/node-status.ts";
import { urlOf } from "../../../../runtimes/node/machine/listen-url.ts";
import type { ProcessHealth } from "../../../../runtimes/node/observe/port-user.ts";
import { nodeIdOf } from "../../../support/data-node.ts";

const FOLDER = { name: "node0", path: "/c/node0", config: "/c/node0/config.ini" };
const HEALTH: ProcessHealth = {
  ready: false,
  reasons: ["group 2 does not run: the disk is full"],
  writable: false,
  warnings: [],
  nodeId: nodeIdOf("a1"),
  version: "2.12.0",
  supportedVersion: "2.11.1",
  chainId: 1,
  groups: [
    {
      group: 1,
      status: "RUNNING",
      running: true,
      consensus: "pbft",
      role: "sealer",
      height: 120,
      highest: 123,
      behind: 3,
      syncing: true,
      pending: 9,
      sealers: 4,
      votingSealers: 3,
      connected: 3,
      view: 5,
    },
    { group: 2, status: "RUNNING", running: false, failure: "the disk is full" },
  ],
  peers: [],
  pid: 4242,
  folderNumber: undefined,
  uptimeSeconds: 60,
  memoryBytes: 1e8,
  certificateDaysLeft: 12,
  endpoints: [
    { endpoint: "127.0.0.1:1", state: "self" },
    { endpoint: "127.0.0.1:2", state: "waiting" },
  ],
};

function probe(changes: Partial<NodeProbe>): NodeProbe {
  return {
    folder: FOLDER,
    config: {} as NodeConfig,
    problems: [],
    nodeId: undefined,
    user: { kind: "silent", reason: "nothing listens there" },
    pid: undefined,
    rpcUrl: "http://127.0.0.1:8545",
    health: undefined,
    silence: "nothing listens there",
    ...changes,
  };
}

test("a running node has a row for each group, and what is wrong stands below", () => {
  const screen = statusScreen([statusOf(probe({ health: HEALTH }), 12)], false);
  const [head, first, second, ...rest] = screen.split("\n");
  assert.match(
    head ?? "",
    /^node +process +rpc +channel +peers +group +state +role +votes +height/,
  );
  assert.match(first ?? "", /^node0 +not ready 4242 +127\.0\.0\.1:8545 +- +0\/1 +1 +RUNNING /);
  assert.match(first ?? "", / RUNNING +sealer +3\/4 +120 \(-3\) +5 +9 /);
  assert.match(first ?? "", / 2\.12\.0 +12 d$/);
  assert.match(second ?? "", /^ +2 +FAILED +- +- +- +- +-$/);
  assert.deepEqual(rest, [
    "",
    "node0: group 2 does not run: the disk is full",
    "",
    "chain-node doctor says what to do.",
    "",
  ]);
});

test("the port for SDKs is shown, and how many are connected", () => {
  const channel = "127.0.0.1:20200";
  const rowOf = (sdks: number) =>
    statusScreen([statusOf(probe({ channel, health: { ...HEALTH, sdks } }), 12)], false);
  assert.match(rowOf(0), /^node0 .* 127\.0\.0\.1:8545 +20200 +0\/1 /m);
  assert.match(rowOf(1), / 20200 \(1 SDK\) +0\/1 /);
  assert.match(rowOf(12), / 20200 \(12 SDKs\) +0\/1 /);
});

test("nodes that are down, hang, or cannot be read are distinguished", () => {
  const down = statusOf(probe({}), 3_000);
  assert.deepEqual([down.running, down.ready, down.certificateDaysLeft], [false, false, 3_000]);
  assert.deepEqual(down.reasons, ["it does not run"]);
  const user = { kind: "program", process: undefined } as const;
  const taken = statusOf(probe({ user, silence: "127.0.0.1:8545 is answered by x" }), 1);
  assert.deepEqual(taken.reasons, ["it does not run: 127.0.0.1:8545 is answered by x"]);
  const hung = statusOf(probe({ pid: 7, silence: "no answer within 3 s" }), undefined);
  assert.deepEqual([hung.running, hung.pid], [true, 7]);
  assert.deepEqual(hung.reasons, ["process 7 does not answer: no answer within 3 s"]);
  const unread = statusOf(probe({ config: undefined, problems: ["config.ini:3: x"] }), undefined);
  assert.deepEqual(unread.reasons, ["config.ini:3: x"]);
  const screen = statusScreen([down, hung, unread], false);
  assert.match(screen, /^node0 +stopped +127/m);
  assert.match(screen, /^node0 +silent 7 +127/m);
});

test("a group that cannot write blocks is shown as stalled, with the cause below", () => {
  const [first] = HEALTH.groups;
  assert.ok(first);
  const group = { ...first, stall: { cause: "2 of 4 sealers are connected", seconds: 9 } };
  const health = {
    ...HEALTH,
    ready: true,
    reasons: [],
    groups: [group],
    warnings: ["group 1: a2a2a2a2"],
  };
  const other = { ...statusOf(probe({ nodeId: nodeIdOf("a2") }), 12), name: "node7" };
  const screen = statusScreen([statusOf(probe({ health }), 12), other], false);
  assert.match(screen, /^node0 +running 4242 .* 1 +STALLED +sealer /m);
  assert.match(screen, /^node0: group 1: a2a2a2a2 node7$/m);
});

test("colours are for terminals only and do not move columns", () => {
  const nodes = [statusOf(probe({ health: HEALTH }), 12)];
  const plain = statusScreen(nodes, false);
  const coloured = statusScreen(nodes, true);
  assert.ok(!plain.includes("\u001b") && coloured.includes("\u001b[31mFAILED"));
  assert.equal(coloured.replaceAll(/\u001b\[\d+m/g, ""), plain);
});

test("addresses that listen everywhere are asked on loopback", () => {
  assert.equal(urlOf({ ip: "0.0.0.0", port: 1 }), "http://127.0.0.1:1");
  assert.equal(urlOf({ ip: "::", port: 2 }), "http://[::1]:2");
  assert.equal(urlOf({ ip: "192.0.2.1", port: 3 }), "http://192.0.2.1:3");
});

test("a node's folder stands for itself, a chain's for its nodes in the order of numbers", async () => {
  const home = await mkdtemp(join(tmpdir(), "node-folders-"));
  try {
    for (const name of ["node10", "node9", "cert"]) await mkdir(join(home, name));
    for (const name of ["node10", "node9"]) await writeFile(join(home, name, "config.ini"), "");
    const names = async (path: string) => (await findNodeFolders(path)).map(({ name }) => name);
    assert.deepEqual(await names(home), ["node9", "node10"]);
    assert.deepEqual(await names(join(home, "node9")), ["node9"]);
    await assert.rejects(findNodeFolders(join(home, "cert")), /holds no config\.ini/);
    await assert.rejects(findNodeFolders(join(home, "none")), /there is no such folder/);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
