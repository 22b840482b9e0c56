/**
 * One network of real processes through its life: up, status, logs, a node, a group and a joining
 * node more, down, clean.
 */
// rules: groups 1, groups 2, groups 4, groups 5, interface 2.7, interface 3.1, interface 4.2
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import { publicKeyPem } from "../../../../runtimes/formats/keys/public-key.ts";
import { hexBytes } from "../../../../core/bytes/hex.ts";
import { readNodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import {
  ask,
  askUntil,
  endOf,
  runProgram,
  untilSaid,
} from "../../../support/process/dev-chain-process.ts";
import {
  createNetworkPlace,
  type NetworkPlace,
  type ToldNetwork,
} from "../../../support/process/network-place.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { createSender } from "../../../support/sender.ts";
import { inFull } from "../../../support/runner/in-full.ts";

/** Three agencies, seven nodes, two groups. */
const NETWORK = `agencies: [bank, audit, clearing]
nodes:
  - { name: node0, agency: bank }
  - { name: node1, agency: bank }
  - { name: node2, agency: bank }
  - { name: node3, agency: audit }
  - { name: node4, agency: audit }
  - { name: node5, agency: clearing }
  - { name: node6, agency: clearing, role: observer }
groups:
  - id: 1
  - id: 2
    consensus: raft
    sealers: [node0, node3, node5]
    observers: [node6]
`;
const NODES = 7;
/** Room for those that are added. */
const MOST_NODES = 12;

let place: NetworkPlace;
let up: ToldNetwork;

beforeAll(async () => {
  place = await createNetworkPlace(NETWORK, MOST_NODES);
  // The nodes outlive the process that starts them.
  const { code, stdout, stderr } = await place.apart("up", "--json");
  assert.equal(code, 0, stderr);
  up = JSON.parse(stdout) as ToldNetwork;
  console.log(`up: three agencies, seven nodes, two groups after ${up.seconds} s`);
});

afterAll(() => place.close());

const urlOf = (told: ToldNetwork, name: string) =>
  told.nodes.find((node) => node.name === name)?.rpc ?? "";

const send = createSender(createStandardSuite());

/** Has a transaction in a block. */
async function transact(url: string, groupId: number): Promise<string> {
  const head = Number(await ask(url, "getBlockNumber", groupId));
  const { raw, hash } = send({ head, groupId });
  await ask(url, "sendRawTransaction", groupId, raw);
  await askUntil(
    () => ask(url, "getTransactionReceipt", groupId, hash),
    (receipt) => receipt !== null,
  );
  return hash;
}

test("every node runs and every group has consensus when the command ends", () => {
  assert.equal(up.nodes.length, NODES);
  assert.ok(up.nodes.every(({ writable }) => writable));
  assert.deepEqual(
    up.groups.map(({ id, consensus, voting, writable }) => ({ id, consensus, voting, writable })),
    [
      {
        id: 1,
        consensus: "pbft",
        voting: ["node0", "node1", "node2", "node3", "node4", "node5"],
        writable: true,
      },
      { id: 2, consensus: "raft", voting: ["node0", "node3", "node5"], writable: true },
    ],
  );
  assert.deepEqual(up.pending, []);
});

test("a node has the files of its groups only, and the chain says the same of its members", async () => {
  const groupFiles = (name: string) =>
    readdirSync(join(place.folder, name, "conf")).filter((file) => file.endsWith(".genesis"));
  assert.deepEqual(groupFiles("node0"), ["group.1.genesis", "group.2.genesis"]);
  assert.deepEqual(groupFiles("node1"), ["group.1.genesis"]);
  const url = urlOf(up, "node0");
  const idOf = (name: string) => up.nodes.find((node) => node.name === name)?.nodeId;
  assert.deepEqual(await ask(url, "getObserverList", 2), [idOf("node6")]);
  const sealers = await ask<readonly string[]>(url, "getSealerList", 2);
  assert.deepEqual([...sealers].sort(), ["node0", "node3", "node5"].map(idOf).sort());
  await transact(url, 1);
  await transact(urlOf(up, "node3"), 2);
});

// What up decides on nodes that run is in posed-network.test.ts.
inFull("up on a network that runs changes nothing and says the same", async () => {
  const again = await place.told("up");
  const pids = (told: ToldNetwork) => told.nodes.map(({ name, pid }) => `${name} ${pid}`);
  assert.deepEqual(pids(again), pids(up));
});

test("status, inspect and logs show the network", async () => {
  const { code, stdout } = await place.run("status");
  assert.equal(code, 0);
  assert.match(stdout, /^node0 +running \d+ +127\.0\.0\.1:\d+ +\d+ +6\/6 +1 +RUNNING +sealer/m);
  assert.match(stdout, /^2 +raft +writes +\d+ +3\/3 +node0 node3 node5 +node6$/m);
  const inspected = await place.run("inspect", "--json");
  const { nodes, sdks } = JSON.parse(inspected.stdout) as {
    nodes: readonly { name: string; agency: string; channel: string; groups: readonly number[] }[];
    sdks: readonly { agency: string; folder: string }[];
  };
  assert.deepEqual([nodes[3]?.agency, nodes[3]?.groups], ["audit", [1, 2]]);
  assert.ok(sdks.every(({ folder }) => existsSync(join(folder, "sdk.key"))));
  const text = await place.run("inspect");
  assert.match(text.stdout, /^node3 of audit$/m);
  const logs = await place.run("logs", "node3", "--lines", "500");
  assert.match(logs.stdout, /^node3 \| [\dTZ:.-]+ info +the node starts version=/m);
  const json = await place.run("logs", "--lines", "1", "--json");
  const names = json.stdout.trim().split("\n");
  assert.equal(
    new Set(names.map((line) => (JSON.parse(line) as { node: string }).node)).size,
    NODES,
  );
});

// What logs show is examined above.
inFull("logs that are followed show what is written later, and end with a signal", async () => {
  const running = runProgram("network", "logs", place.file, "node0", "-f", "--lines", "0");
  const signal = join(place.folder, "node0", "config.ini.append_group");
  // What was written before the command looked is not shown: the signal goes until it is.
  const again = setInterval(() => void writeFile(signal, ""), 500);
  await untilSaid(running, ({ stdout }) => stdout.includes("there are no new groups")).finally(() =>
    clearInterval(again),
  );
  running.child.kill("SIGINT");
  assert.equal((await endOf(running)).code, 0);
});

// The form of files is in the tests of network files.
inFull("what is written as a file in full is the same network", async () => {
  const { stdout } = await place.run("inspect", "--yaml");
  const file = join(place.home, "whole.yaml");
  await writeFile(file, stdout);
  const { code, stdout: told } = await runHosted("network", "status", file, "--json");
  assert.equal(code, 0);
  const { groups } = JSON.parse(told) as ToldNetwork;
  const members = (each: ToldNetwork["groups"][number]) => [each.id, each.sealers, each.observers];
  assert.deepEqual(groups.map(members), up.groups.map(members));
});

test("what cannot be changed is reported, and nothing is written", async () => {
  const text = await place.text("network.yaml");
  const file = join(place.home, "other.yaml");
  const changed = text
    .replace("name: demo", "name: demo\n  suite: national")
    .replace("{ name: node4, agency: audit }", "{ name: node4, agency: bank }")
    .replace("{ name: node5, agency: clearing }", "{ name: node9, agency: clearing }")
    .replace("node3, node5]", "node3, node9]")
    .replace("consensus: raft", "consensus: pbft");
  await writeFile(file, changed);
  const { code, stdout, stderr } = await runHosted("network", "up", file);
  assert.deepEqual([code, stdout], [1, ""]);
  const lines = stderr.trim().split("\n");
  const chain = place.folder;
  assert.deepEqual(lines, [
    `the chain in ${chain} is of the suite standard. It is fixed in the life of a chain.`,
    "node4 belongs to agency audit, not to bank: a certificate stays with its agency. " +
      "Add another node instead.",
    `${chain}/node5 is a node that the file does not name: add it, or take it out with ` +
      "chain-node role --as free, stop it, and move its folder away.",
    "group 2 has consensus raft, not pbft. It is fixed in the life of a chain.",
  ]);
  assert.ok(!existsSync(join(chain, "node9")));
});

test("a node of a new agency is added while the network runs, and becomes a sealer", async () => {
  const before = await ask<readonly string[]>(urlOf(up, "node0"), "getSealerList", 1);
  const told = await place.told("add-node", "node7", "--agency", "trade", "--groups", "1");
  const node = told.nodes.find(({ name }) => name === "node7");
  const [group] = told.groups;
  assert.deepEqual(group?.voting.includes("node7"), true);
  const after = await ask<readonly string[]>(urlOf(up, "node0"), "getSealerList", 1);
  assert.deepEqual(new Set(after), new Set([...before, node?.nodeId]));
  assert.match(await place.text("network.yaml"), /name: node7\n {4}agency: trade/);
  assert.ok(existsSync(join(place.folder, "cert/trade/agency.key")));
  assert.ok(existsSync(join(place.folder, "trade/sdk/sdk.key")));
  // The others have its address in their files.
  const config = readNodeConfig(await place.text("demo/node0/config.ini"), "config.ini").value;
  const own = readNodeConfig(await place.text("demo/node7/config.ini"), "config.ini").value;
  assert.ok(config.p2p.peers.some(({ port }) => port === own.p2p.listen.port));
});

test("a group is added while the network runs: loaded, started, with its observer", async () => {
  const told = await place.told(
    "add-group",
    "3",
    "--sealers",
    "node1,node2,node4,node7",
    "--observers",
    "node6",
  );
  const group = told.groups.find(({ id }) => id === 3);
  assert.deepEqual(
    [group?.writable, group?.voting, group?.observers],
    [true, ["node1", "node2", "node4", "node7"], ["node6"]],
  );
  const pids = up.nodes.map(({ pid }) => pid);
  assert.deepEqual(
    told.nodes.slice(0, NODES).map(({ pid }) => pid),
    pids,
    "none was restarted",
  );
  await transact(urlOf(told, "node2"), 3);
});

// node-add.test.ts has join bundles; a place in the group is given to node7 above.
inFull(
  "a joining node gets its bundle once its public key is there, and its place in the group",
  async () => {
    const visitor = ["visitor", "--agency", "bank", "--runtime", "edge", "--groups", "1"];
    const first = await place.told("add-node", ...visitor);
    assert.deepEqual(
      first.pending.map(({ node, reason }) => `${node}: ${reason}`),
      ["visitor: its key is not known yet"],
    );
    const suite = createStandardSuite();
    const key = suite.publicKey(hexBytes("11".repeat(32)));
    const pem = publicKeyPem("standard", key);
    await mkdir(join(place.home, "keys"));
    await writeFile(join(place.home, "keys/visitor.pub"), pem);
    const text = await place.text("network.yaml");
    const named = text.replace("runtime: edge", "runtime: edge\n    public_key: keys/visitor.pub");
    await writeFile(place.file, named);
    const told = await place.told("up");
    assert.deepEqual(told.pending, []);
    const bundle = told.joins[0]?.papers ?? "";
    assert.deepEqual(readdirSync(bundle).sort(), [
      "ca.crt",
      "group.1.genesis",
      "node.crt",
      "node.nodeid",
    ]);
    const observers = await ask<readonly string[]>(urlOf(told, "node0"), "getObserverList", 1);
    assert.ok(observers.includes(readFileSync(join(bundle, "node.nodeid"), "utf8").trim()));
  },
);

test("what is refused: a node that is there, a group that is none, a file that is none", async () => {
  const twice = await place.run("add-node", "node0", "--agency", "bank");
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /"node0" is not allowed: nodes\[0\] has that name already/);
  const noGroup = await place.run("add-group", "two");
  assert.deepEqual([noGroup.code, noGroup.stdout], [2, ""]);
  const noNode = await place.run("logs", "node99");
  assert.equal(noNode.code, 2);
  assert.match(noNode.stderr, /there is no node node99 here; there are node0, node1/);
});

test("clean refuses while nodes run, and asks first", async () => {
  const { code, stderr } = await place.run("clean", "--yes");
  assert.equal(code, 1);
  assert.match(stderr, /node0 runs \(process \d+\), and nothing was removed/);
  assert.ok(existsSync(join(place.folder, "node0/data")));
});

test("manifests with the keys of nodes that run are refused", async () => {
  const out = join(place.home, "k8s");
  const { code, stderr } = await place.run("manifests", "--for", "kubernetes", "--out", out);
  assert.equal(code, 1);
  assert.match(stderr, /run here, and the manifests would have the same keys/);
  assert.ok(!existsSync(out));
});

test("down ends one node, or all of them", async () => {
  const stopped = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await place.run("down", ...args, "--json");
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as { readonly stopped: readonly string[] }).stopped;
  };
  assert.deepEqual(await stopped("node6"), ["node6"]);
  assert.deepEqual((await stopped()).length, NODES);
  const { code } = await place.run("status");
  assert.equal(code, 1);
});

test("clean removes what the network made, and nothing else", async () => {
  const down = await place.run("down");
  assert.match(down.stdout, /^0 stopped, ledgers are kept in /);
  const own = join(place.folder, "notes.txt");
  await writeFile(own, "mine\n");
  // A copy that somebody keeps: keys and a ledger.
  const copy = join(place.folder, "node0.bak");
  await cp(join(place.folder, "node0"), copy, { recursive: true });
  const asked = await place.apart("clean");
  assert.equal(asked.code, 2, "nobody is there to be asked");
  assert.match(asked.stderr, /nothing was removed: --yes removes what is listed/);
  const { code, stderr } = await place.run("clean", "--yes");
  assert.equal(code, 0);
  assert.match(stderr, /to be removed:\n[\s\S]*node0\n[\s\S]*cert\nto be kept:\n[\s\S]*notes\.txt/);
  assert.deepEqual(readdirSync(place.folder), ["node0.bak", "notes.txt"]);
});
