/**
 * What the commands decide by what nodes report: here this process poses all four nodes, so that
 * nothing has to be started, stopped or agreed on.
 */
// rules: pbft 1, groups 5, generator 9.2
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, beforeEach, test, vi } from "vitest";
import { createKeyPair } from "../../../../runtimes/folder/private-key.ts";
import { createNodeEntropy } from "../../../../runtimes/node/machine/entropy.ts";
import { FolderFault } from "../../../../runtimes/folder/folder-fault.ts";
import { runClean } from "../../../../runtimes/tools/network/clean.ts";
import { untilConsensus } from "../../../../runtimes/tools/network/consensus-wait.ts";
import { giveRoles } from "../../../../runtimes/tools/network/group-roles.ts";
import { writeJoins } from "../../../../runtimes/tools/network/joins.ts";
import {
  type LiveNetwork,
  liveNetwork,
  type LiveNode,
} from "../../../../runtimes/tools/network/live-network.ts";
import type { NetworkGroup } from "../../../../runtimes/tools/network/network-spec.ts";
import { parseNetwork } from "../../../../runtimes/tools/network/network-file.ts";
import { startNode } from "../../../../runtimes/tools/network/node-processes.ts";
import { bringUp, writeMissing, writingContext } from "../../../../runtimes/tools/network/up.ts";
import {
  requireAgreement,
  requireQuorum,
} from "../../../../runtimes/tools/network/upgrade-quorum.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { portsInRow } from "../../../support/process/ports.ts";
import {
  type PosedChain,
  type PosedGroup,
  poseNodes,
} from "../../../support/process/posed-nodes.ts";

const NODES = ["node0", "node1", "node2", "node3"];
const USUAL: readonly PosedGroup[] = [{ id: 1, sealers: NODES }];
const OUTSIDER = "ab".repeat(64);

const scratch = mkdtempSync(join(tmpdir(), "chain-posed-"));
const file = join(scratch, "network.yaml");
let text: string;
let network: LiveNetwork;
let chain: PosedChain;

beforeAll(async () => {
  const first = await portsInRow(3 * NODES.length);
  const ports = [0, 1, 2].map((use) => first + use * NODES.length).join(",");
  const nodes = NODES.map((name) => `  - { name: ${name}, agency: bank }\n`).join("");
  text = `chain:\n  name: demo\n  ports: ${ports}\nagencies: [bank]\nnodes:\n${nodes}`;
  writeFileSync(file, text);
  network = await writeMissing(parseNetwork(text, file), () => undefined);
  chain = await poseNodes(
    network.nodes.map(({ found }) => found),
    USUAL,
  );
});

beforeEach(() => Object.assign(chain, { groups: USUAL, down: [], odd: {}, answers: {} }));

afterAll(async () => {
  await chain.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** The network with another file over the same folder. */
async function withFile(changed: string): Promise<LiveNetwork> {
  return liveNetwork(parseNetwork(changed, file), network.chain);
}

function nodeOf(name: string): LiveNode {
  const found = network.nodes.find(({ spec }) => spec.name === name);
  assert.ok(found);
  return found;
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const fault = await work.then(
    () => assert.fail("it was not refused"),
    (error: unknown) => error,
  );
  assert.ok(fault instanceof FolderFault, String(fault));
  return fault.message;
}

const OBSERVER_BY_FILE = () =>
  text.replace("{ name: node0, agency: bank }", "{ name: node0, agency: bank, role: observer }");

test("an upgrade counts the sealers of the chain, whatever the file calls them", async () => {
  Object.assign(chain, { down: ["node3"] });
  const other = await withFile(OBSERVER_BY_FILE());
  const said = await refusalOf(requireQuorum(other, [other.nodes[0] as LiveNode], ["node9"]));
  assert.equal(
    said,
    "node9 run it already, because:\n" +
      "group 1: 4 sealers need 3, and without node0 2 are left (node3 does not answer)\n" +
      "Start what is down and wait, or stop the chain as a whole: network down, then network up.",
  );
  // One that is down does not come back by waiting: they were examined once.
  assert.equal(chain.asked.filter((each) => each === "node0 getSealerList").length, 1);
});

test("an observer can always go, and so can a sealer that is down, while the others decide", async () => {
  Object.assign(chain, { groups: [{ id: 1, sealers: ["node0", "node1", "node2"] }] });
  await requireQuorum(network, [nodeOf("node3")], []);
  assert.match(await refusalOf(requireQuorum(network, [nodeOf("node0")], [])), /3 sealers need 3/);
  Object.assign(chain, { groups: USUAL, down: ["node1"] });
  await requireQuorum(network, [nodeOf("node1")], []);
});

test("a sealer that lags is waited for, before an upgrade is refused", async () => {
  let looks = 0;
  const getSealerList = () => {
    looks++;
    if (looks === 2) chain.odd = {};
    return undefined;
  };
  Object.assign(chain, { odd: { node2: { behind: 9 } }, answers: { getSealerList } });
  await requireQuorum(network, [nodeOf("node0")], []);
  assert.equal(looks, 3);
});

test("sealers of other hosts count as far as one of this host is connected to them", async () => {
  const nodes = network.nodes.map((node) => ({ ...node, isHere: node.spec.name === "node0" }));
  const apart = { ...network, nodes };
  await requireQuorum(apart, [nodes[0] as LiveNode], []);
  Object.assign(chain, { down: ["node3"] });
  assert.match(
    await refusalOf(requireQuorum(apart, [nodes[0] as LiveNode], [], 0)),
    /4 sealers need 3, and without node0 2 are left/,
  );
});

test("an only sealer, and a group of which nobody answers, are not upgraded", async () => {
  Object.assign(chain, { groups: [{ id: 1, sealers: ["node0"] }] });
  const only = await refusalOf(requireQuorum(network, [nodeOf("node0")], []));
  assert.match(only, /group 1: node0 is its only sealer/);
  Object.assign(chain, { down: NODES });
  const silent = await refusalOf(requireQuorum(network, network.nodes, []));
  assert.match(silent, /^nothing was restarted, because:\ngroup 1: no member here answers\n/);
});

test("an upgrade is refused where the file says otherwise than the chain", async () => {
  await requireAgreement(network);
  Object.assign(chain, { groups: [{ id: 1, sealers: ["node0", "node1", "node2", OUTSIDER] }] });
  const head = "nothing was restarted, because the file says otherwise than the chain:\n";
  assert.equal(
    await refusalOf(requireAgreement(network)),
    `${head}group 1: node3 is no sealer by the chain, and one by the file: network up makes it ` +
      "what the file says; or change the file.\n" +
      "group 1: the sealer abababab... of the chain is none of the file: add it to the file, or " +
      `take it out: chain-node role ${OUTSIDER} --as free.`,
  );
  Object.assign(chain, { groups: USUAL });
  assert.match(
    await refusalOf(requireAgreement(await withFile(OBSERVER_BY_FILE()))),
    /group 1: node0 is a sealer by the chain, and none by the file: /,
  );
  const managed = await withFile(text.replace("name: demo", "name: demo\n  management: token"));
  assert.match(
    await refusalOf(requireAgreement(managed)),
    /^nothing was restarted, .*\nnode0 has management = local, not token\. Change it in /,
  );
});

test("up waits for consensus as long as it was told, however long roles take", async () => {
  const now = performance.now.bind(performance);
  let minutes = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + minutes * 60_000);
  const looks = () => chain.asked.filter((each) => each === "node0 readyz").length;
  let before = Number.POSITIVE_INFINITY;
  const getSealerList = () => {
    minutes = 10;
    before = looks();
    return undefined;
  };
  // No view moves on before the fourth look.
  const odd = {
    get node0() {
      return looks() - before > 3 ? {} : { view: 7 };
    },
  };
  Object.assign(chain, { answers: { getSealerList }, odd });
  const { state } = await bringUp(network.spec, 5 * 60_000, () => undefined).finally(() =>
    clock.mockRestore(),
  );
  assert.deepEqual(state.groups[0]?.voting, NODES);
  // What moves is seen by a second look.
  Object.assign(chain, { answers: {}, odd: {} });
  await untilConsensus(network, network.spec.groups, 0);
});

function observing(name: string, sealers: readonly string[]): NetworkGroup {
  return { id: 1, consensus: "pbft", sealers, observers: [name] };
}

test("a sealer is not made an observer where the rest could not decide", async () => {
  Object.assign(chain, { down: ["node2"] });
  const group = observing("node3", ["node0", "node1", "node2"]);
  const give = (request: NetworkGroup) =>
    giveRoles(network, request, nodeOf("node0"), () => undefined);
  assert.equal(
    await refusalOf(give(group)),
    "group 1: node3 stays a sealer: without it 2 of 3 sealers are connected, and 3 must be. " +
      "Start those that are down, and run the command again.",
  );
  Object.assign(chain, { down: [], groups: [{ id: 1, sealers: ["node0"] }] });
  assert.match(
    await refusalOf(give(observing("node0", []))),
    /node0 stays a sealer, because it is the only one\. Make another node a sealer first\./,
  );
  assert.ok(!chain.asked.some((each) => each.endsWith("sendRawTransaction")));
});

test("the join bundle of a node follows its key, and the groups that it is in", async () => {
  const [key, next] = [1, 2].map(() => createKeyPair(createNodeEntropy(), "standard").nodeId);
  const joiner = (id = "", groups = "") =>
    `${text}  - { name: visitor, agency: bank, runtime: edge, public_key: ${id} }\n${groups}`;
  const context = writingContext();
  const folder = join(network.spec.folder, "joins/visitor");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  const written = async (changed: string) => writeJoins(await withFile(changed), context);
  assert.deepEqual(await written(joiner(key)), [{ name: "visitor", formerId: undefined }]);
  const first = read("node.crt");
  assert.deepEqual(await written(joiner(key)), []);
  assert.deepEqual(await written(joiner(next)), [{ name: "visitor", formerId: key }]);
  assert.equal(read("node.nodeid"), `${next}\n`);
  assert.notEqual(read("node.crt"), first);
  // A group more.
  const live = await withFile(joiner(next, "groups: [{ id: 1 }, { id: 2 }]\n"));
  const nodes = live.chain.nodes.map((node) => ({
    ...node,
    groups: node.groups.flatMap((group) => [group, { ...group, id: 2, text: "second\n" }]),
  }));
  const more = { ...live, chain: { ...live.chain, nodes } };
  assert.deepEqual(await writeJoins(more, context), [{ name: "visitor", formerId: undefined }]);
  assert.deepEqual(readdirSync(folder).sort(), [
    "ca.crt",
    "group.1.genesis",
    "group.2.genesis",
    "node.crt",
    "node.nodeid",
  ]);
  assert.equal(read("group.2.genesis"), "second\n");
});

test("node add says who does not know of the new node, and tells them when it is run again", async () => {
  const folder = join(network.spec.folder, "node4");
  const add = () =>
    runHosted("node", "add", folder, "--ca", network.spec.folder, "--agency", "bank", "--json");
  const addPeers = (_: unknown, name: string) =>
    name === "node1" ? { code: "0x1", message: "too many" } : undefined;
  Object.assign(chain, { answers: { addPeers } });
  const half = await add();
  assert.deepEqual([half.code, half.stdout], [1, ""]);
  assert.match(half.stderr, /node4 is written, and not all nodes know of it:\n/);
  assert.match(
    half.stderr,
    /\nnode1 does not take peers: too many \(0x1\)\.\nRun the same command/,
  );
  const key = readFileSync(join(folder, "conf/node.key"), "utf8");
  Object.assign(chain, { answers: {} });
  const again = await add();
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, /node4 is there already: an earlier run made it/);
  const told = JSON.parse(again.stdout) as { readonly told: readonly string[] };
  assert.ok(told.told.includes("node1"));
  assert.equal(readFileSync(join(folder, "conf/node.key"), "utf8"), key);
  rmSync(folder, { recursive: true });
});

test("of a long nohup.out the end is read when a node does not start", async () => {
  const path = join(scratch, "broken");
  mkdirSync(path);
  writeFileSync(join(path, "chain-node"), "#!/bin/sh\necho no such thing >&2\nexit 3\n", {
    mode: 0o755,
  });
  // More than can be read at once; it takes no room on the disk.
  writeFileSync(join(path, "nohup.out"), "");
  await truncate(join(path, "nohup.out"), 3 * 1024 ** 3);
  const node = { name: "broken", path, config: join(path, "config.ini") };
  assert.match(
    await refusalOf(startNode(node)),
    /^broken has ended \(exit code 3\); .*nohup\.out says:\nno such thing$/,
  );
});

/** Clean, asked at a terminal; `undefined` closes it. */
async function cleaned(answer: string | undefined): Promise<number> {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  if (answer === undefined) input.end();
  else input.write(`${answer}\n`);
  const quiet = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const silent = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    const asked = { input, output: new PassThrough() };
    return await runClean(file, { yes: false, json: false }, asked);
  } finally {
    quiet.mockRestore();
    silent.mockRestore();
  }
}

test("clean at a terminal removes after a yes, and after nothing else", async () => {
  const { folder } = network.spec;
  const nodes = () => NODES.filter((name) => existsSync(join(folder, name, "conf/node.key")));
  assert.match(await refusalOf(cleaned("y")), /node0 runs .*and nothing was removed/);
  Object.assign(chain, { down: NODES });
  for (const answer of ["n", "", "yess", undefined]) {
    assert.equal(await cleaned(answer), 1, String(answer));
    assert.deepEqual(nodes(), NODES);
  }
  assert.equal(await cleaned("Yes"), 0);
  assert.ok(!existsSync(folder));
});
