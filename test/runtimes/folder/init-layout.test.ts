// rules: generator 3, generator 5, groups 8
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  type ChainChoices,
  DEFAULT_PORTS,
  parseAgencies,
  parseBasePorts,
  parseGroups,
  parseHost,
  planChain,
} from "../../../runtimes/folder/chain-layout.ts";
import { FolderFault } from "../../../runtimes/folder/folder-fault.ts";

const CHOICES: ChainChoices = {
  nodes: 4,
  agencies: ["A", "B"],
  groups: [{ id: 1, consensus: "pbft" }],
  host: "127.0.0.1",
  basePorts: DEFAULT_PORTS,
};

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof FolderFault && error.kind === "argument", String(error));
    return error.message;
  }
  assert.fail("nothing was refused");
}

test("agencies get their nodes in blocks, and every node ports of its own", () => {
  const { nodes, peers } = planChain(CHOICES);
  assert.deepEqual(
    nodes.map(({ name, agency }) => `${name} ${agency}`),
    ["node0 A", "node1 A", "node2 B", "node3 B"],
  );
  assert.deepEqual(nodes[3]?.ports, { rpc: 8648, channel: 20_203, p2p: 30_303 });
  assert.equal(nodes[2]?.endpoint, "127.0.0.1:30302");
  assert.deepEqual(peers[2], { host: "127.0.0.1", port: 30_302 });
});

test("no agency is left without a node", () => {
  for (let nodes = 3; nodes < 12; nodes++) {
    const plan = planChain({ ...CHOICES, nodes, agencies: ["A", "B", "C"] });
    assert.equal(new Set(plan.nodes.map(({ agency }) => agency)).size, 3);
  }
  const refusal = refusalOf(() => planChain({ ...CHOICES, nodes: 1 }));
  assert.match(refusal, /2 agencies cannot share 1 nodes/);
});

test("the WebSocket port is there only when it was chosen", () => {
  assert.equal(planChain(CHOICES).nodes[1]?.ports.ws, undefined);
  const basePorts = parseBasePorts("8545, 20200,30300,40300");
  assert.equal(planChain({ ...CHOICES, basePorts }).nodes[1]?.ports.ws, 40_301);
});

test("ports of different nodes that clash are refused with both owners", () => {
  const basePorts = parseBasePorts("8545,30303,30300");
  const refusal = refusalOf(() => planChain({ ...CHOICES, basePorts }));
  assert.match(refusal, /port 30303 is wanted twice, for channel of node0 and p2p of node3/);
  assert.match(refusal, /at least 4 apart/);
  assert.ok(planChain({ ...CHOICES, nodes: 3, basePorts }));
});

test("ports that run over the end are refused", () => {
  const basePorts = parseBasePorts("8545,20200,65534");
  const refusal = refusalOf(() => planChain({ ...CHOICES, basePorts }));
  assert.match(refusal, /port 65536 \(p2p of node2\) is above 65535/);
});

for (const text of ["8545", "8545,20200", "1,2,3", "80,20200,30300", "a,b,c", "1,2,3,4,5", ""]) {
  test(`base ports "${text}" are refused with an example`, () => {
    assert.match(
      refusalOf(() => parseBasePorts(text)),
      /RPC,CHANNEL,P2P.*1024 to 65535.*8645,20200,30300/,
    );
  });
}

test("groups are read with and without their consensus", () => {
  assert.deepEqual(parseGroups("1:pbft,2:raft, 32767"), [
    { id: 1, consensus: "pbft" },
    { id: 2, consensus: "raft" },
    { id: 32_767, consensus: "pbft" },
  ]);
});

for (const text of ["0", "32768", "1:rpbft", "x", "", "1,", "-1", "1:pbft:raft"]) {
  test(`group "${text}" is refused with what is allowed`, () => {
    assert.match(
      refusalOf(() => parseGroups(text)),
      /ID:pbft or ID:raft is wanted, ID from 1 to 32767/,
    );
  });
}

test("a group twice, and an agency twice in any case, are refused", () => {
  assert.match(
    refusalOf(() => parseGroups("1,1:raft")),
    /once/,
  );
  assert.match(
    refusalOf(() => parseAgencies("A,a")),
    /once/,
  );
});

test("agencies are names, and none of the chain's own folders", () => {
  assert.deepEqual(parseAgencies("A, bank.B"), ["A", "bank.B"]);
  for (const text of ["", "A,", "a b", "../up", "ä"]) {
    assert.match(
      refusalOf(() => parseAgencies(text)),
      /no agency name/,
    );
  }
  for (const text of ["cert", "node7"]) {
    assert.match(
      refusalOf(() => parseAgencies(text)),
      /folder of the chain/,
    );
  }
});

test("hosts are addresses or names", () => {
  for (const host of ["10.0.0.5", "node.example.org", "localhost", "fe80::1", "host_1"]) {
    assert.equal(parseHost(host), host);
  }
  assert.equal(parseHost("[2001:db8::1]"), "2001:db8::1");
  for (const host of [
    "",
    "1.2.3",
    "300.1.1.1",
    "a b",
    "http://x",
    "a..b",
    "x:1",
    "-a",
    "1::2::3",
  ]) {
    assert.match(
      refusalOf(() => parseHost(host)),
      /no host/,
      host,
    );
  }
  for (const host of ["0.0.0.0", "::"]) {
    assert.match(
      refusalOf(() => parseHost(host)),
      /cannot be dialled/,
    );
  }
});

test("a chain on loopback listens there only, another on every address of its family", () => {
  const listenIp = (host: string) => planChain({ ...CHOICES, host }).listenIp;
  assert.deepEqual(["127.0.0.1", "localhost", "::1"].map(listenIp), [
    "127.0.0.1",
    "127.0.0.1",
    "::1",
  ]);
  assert.deepEqual(["10.0.0.5", "a.example", "2001:db8::1"].map(listenIp), [
    "0.0.0.0",
    "0.0.0.0",
    "::",
  ]);
  const plan = planChain({ ...CHOICES, host: "2001:db8::1" });
  assert.equal(plan.nodes[0]?.endpoint, "[2001:db8::1]:30300");
});
