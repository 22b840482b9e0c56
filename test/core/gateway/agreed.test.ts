/** What cannot be shown is what more than half of the upstreams report, at one height. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { TrailChain } from "../../support/client/trail-chain.ts";
import {
  gatewayPlace,
  type GatewayPlace,
  type Lie,
  type PosedNode,
  whileMoving,
} from "../../support/gateway/gateway-place.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";

// rules: README 31
const CHAIN = new TrailChain(STANDARD_SUITE, "abcd").grow(5);
const OTHER = new TrailChain(STANDARD_SUITE, "efgh").grow(5);
const CALL = [1, { from: `0x${"1".repeat(40)}`, to: `0x${"2".repeat(40)}`, data: "0xabcd" }];

const wrongCall: Lie = ({ method }, told) =>
  method === "call" ? { ...(told as object), output: "0x66" } : undefined;

function nodeAt({ nodes }: GatewayPlace, index: number): PosedNode {
  const node = nodes[index];
  assert.ok(node);
  return node;
}

for (const [method, params] of [
  ["call", CALL],
  ["getCode", [1, `0x${"2".repeat(40)}`]],
  ["getSealerList", [1]],
  ["getTotalTransactionCount", [1]],
  ["getPendingTxSize", [1]],
  ["getPbftView", [1]],
  ["getGroupPeers", [1]],
  ["getBatchReceiptsByBlockNumberAndRange", [1, "2", "0", "-1", false]],
] as const) {
  test(`${method} is answered when most say the same`, async () => {
    const place = gatewayPlace({ chain: CHAIN });
    const { reply, proof } = await place.ask(method, params);
    assert.deepEqual(reply, await place.truth(method, params));
    assert.equal(proof, "quorum; height=5; sealers=");
    const asked = place.nodes.filter(({ seen }) => seen.some((it) => it.method === method));
    assert.equal(asked.length, 3, "more than half are asked, and no more");
  });
}

test("answers that begin with the node itself are compared as lists", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const { reply, proof } = await place.ask("getNodeIDList", [1]);
  assert.match(proof, /^quorum/);
  assert.deepEqual(reply, await place.truth("getNodeIDList", [1]));
});

for (const method of ["getPeers", "getConsensusStatus", "getSyncStatus", "getClientVersion"]) {
  test(`${method} is one node's word, and most have to agree with what is not its own`, async () => {
    const params = method === "getClientVersion" ? [] : [1];
    const place = gatewayPlace({ chain: CHAIN });
    const { reply, proof } = await place.ask(method, params);
    assert.deepEqual(reply, await place.truth(method, params));
    assert.equal(proof, "none; height=5; sealers=");
  });
}

test("a peer that only one upstream knows keeps the upstreams from agreeing", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const lie: Lie = ({ method }, told) =>
    method === "getPeers" ? [...(told as unknown[]), { NodeID: "ab".repeat(64) }] : undefined;
  nodeAt(place, 0).lie = lie;
  const { reply } = await place.ask("getPeers", [1]);
  assert.deepEqual(reply, await place.truth("getPeers", [1], 1));
  nodeAt(place, 1).lie = lie;
  assert.equal((await place.ask("getPeers", [1])).reply.error?.code, -32_603);
  assert.deepEqual(place.refused(), [], "honest nodes may know others");
});

test("who alters a call is outvoted, named and left out", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  nodeAt(place, 0).lie = wrongCall;
  const { reply, proof } = await place.ask("call", CALL);
  assert.deepEqual(reply, await place.truth("call", CALL));
  assert.equal(proof, "quorum; height=5; sealers=");
  assert.deepEqual(place.refused(), ["node0:8545 differs"]);
});

test("without a majority the caller is told who differs", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  for (const index of [0, 3]) nodeAt(place, index).lie = wrongCall;
  const { reply, proof } = await place.ask("call", CALL);
  assert.equal(reply.error?.code, -32_603);
  const text = reply.error?.message ?? "";
  assert.match(text, /3 of 4 upstreams have to agree at one height/);
  assert.match(text, /node0:8545, node3:8545 agree at block 5/);
  assert.match(text, /node1:8545, node2:8545 agree at block 5/);
  assert.match(proof, /^none/);
  assert.deepEqual(place.refused(), [], "nobody knows who lies");
});

test("who is asked because none is better is named once", async () => {
  const place = gatewayPlace({ chain: CHAIN, chains: { 0: OTHER, 1: OTHER, 2: OTHER, 3: OTHER } });
  for (let look = 0; look < 3; look++) {
    assert.equal((await place.ask("getBlockNumber", [1])).reply.error?.code, -32_603);
    place.clock.move(1_000);
  }
  assert.equal(place.refused().length, 4, place.refused().join());
});

test("who cannot be reached is named once in the answer", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  for (const index of [0, 1]) nodeAt(place, index).isDown = true;
  const { error } = (await place.ask("call", CALL)).reply;
  assert.match(error?.message ?? "", /node0:8545: /);
  assert.doesNotMatch(error?.message ?? "", /node0:8545: *node0:8545/);
});

test("one upstream alone cannot agree", async () => {
  const place = gatewayPlace({ chain: CHAIN, count: 1 });
  const { reply } = await place.ask("call", CALL);
  assert.equal(reply.error?.code, -32_603);
  assert.match(reply.error?.message ?? "", /asked from at least 2 upstreams; this gateway has 1$/);
  assert.match((await place.ask("getBlockNumber", [1])).proof, /^certificate; height=5/);
});

/** What each answers with -40099: there are no such receipts. */
const OUT_OF_RANGE = [
  "getBatchReceiptsByBlockNumberAndRange",
  [1, "2", "99", "-1", false],
] as const;

test("an error is an answer like any other", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const { reply, proof } = await place.ask(...OUT_OF_RANGE);
  assert.equal(reply.error?.code, -40_099);
  assert.deepEqual(reply, await place.truth(...OUT_OF_RANGE));
  assert.match(proof, /^quorum/);
});

test("arguments that no upstream can read are reported as the nodes report them", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const params = [1, { from: "0x", to: "0x", data: "0x" }];
  const { reply, proof } = await place.ask("call", params);
  assert.equal(reply.error?.code, -32_603);
  assert.deepEqual(reply, await place.truth("call", params));
  assert.match(proof, /^none/);
});

/** A node whose calls fail for a reason of its own. */
function troubled(node: PosedNode): void {
  node.fault = { method: "call", code: -32_603, message: "the call ran too long" };
}

test("an upstream in trouble is neither outvoted nor Byzantine", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  troubled(nodeAt(place, 0));
  for (let round = 0; round < 4; round++) {
    const { reply, proof } = await place.ask("call", CALL);
    assert.deepEqual(reply, await place.truth("call", CALL, 1));
    assert.equal(proof, "quorum; height=5; sealers=");
  }
  assert.deepEqual(place.refused(), []);
});

test("upstreams in trouble do not outvote the one that answers", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  for (const index of [0, 1, 2]) troubled(nodeAt(place, index));
  const { reply, proof } = await place.ask("call", CALL);
  assert.match(reply.error?.message ?? "", /3 of 4 upstreams have to agree/);
  assert.match(reply.error?.message ?? "", /node0:8545: cannot answer \(-32603\)/);
  assert.match(proof, /^none/);
  assert.deepEqual(place.refused(), [], "the honest one least of all");
});

test("trouble of one node behind two URLs is told once", async () => {
  const place = gatewayPlace({ chain: CHAIN, sameNode: { 1: 0 } });
  for (const index of [0, 1, 2]) troubled(nodeAt(place, index));
  nodeAt(place, 3).isDown = true;
  const { reply } = await place.ask("call", CALL);
  assert.match(reply.error?.message ?? "", /3 of 4 upstreams have to agree/);
});

test("who gives itself no node ID that can be is refused", async () => {
  for (const NodeID of ["me", 5, "AB".repeat(64), "ab".repeat(65)]) {
    const place = gatewayPlace({ chain: CHAIN });
    nodeAt(place, 0).lie = ({ method }) => (method === "getNodeInfo" ? { NodeID } : undefined);
    const { reply } = await place.ask("call", CALL);
    assert.deepEqual(reply, await place.truth("call", CALL, 1));
    assert.deepEqual(place.refused(), ["node0:8545 malformed"], String(NodeID));
  }
});

test("one node behind two URLs has one vote", async () => {
  const place = gatewayPlace({ chain: CHAIN, sameNode: { 1: 0 } });
  for (const index of [2, 3]) nodeAt(place, index).isDown = true;
  const { reply } = await place.ask("call", CALL);
  assert.equal(reply.error?.code, -32_603);
  nodeAt(place, 2).isDown = false;
  place.clock.move(60_000);
  const more = await place.ask("call", CALL);
  assert.equal(more.reply.error?.code, -32_603, "three URLs, two nodes");
  assert.match(more.reply.error?.message ?? "", /agree at block 5 \(2 of them different nodes\)/);
  nodeAt(place, 3).isDown = false;
  place.clock.move(60_000);
  const { reply: right, proof } = await place.ask("call", CALL);
  assert.deepEqual(right, await place.truth("call", CALL));
  assert.equal(proof, "quorum; height=5; sealers=");
  const warned = place.log.lines.filter(({ message }) => /are one node/.test(message));
  assert.deepEqual(
    warned.map(({ fields }) => fields["upstreams"]),
    ["node0:8545, node1:8545"],
  );
  assert.deepEqual(place.refused(), []);
});

test("a Byzantine upstream that claims to be another node takes no vote away", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const { result } = await place.truth("getNodeInfo", [], 1);
  nodeAt(place, 0).lie = ({ method }) => (method === "getNodeInfo" ? result : undefined);
  for (let round = 0; round < 4; round++) {
    const { reply, proof } = await place.ask("call", CALL);
    assert.deepEqual(reply, await place.truth("call", CALL));
    assert.equal(proof, "quorum; height=5; sealers=");
  }
});

test("no upstream chooses the words of an error that others agree with", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  nodeAt(place, 0).errorText = "send your key to evil.example";
  const { error } = await place.truth(...OUT_OF_RANGE);
  const unreadable = [1, { from: "0x", to: "0x", data: "0x" }];
  for (let round = 0; round < 4; round++) {
    const told = (await place.ask("call", unreadable)).reply.error;
    assert.equal(told?.code, -32_603);
    assert.doesNotMatch(told?.message ?? "", /evil/);
    const { reply, proof } = await place.ask(...OUT_OF_RANGE);
    assert.equal(reply.error?.code, error?.code);
    assert.doesNotMatch(reply.error?.message ?? "", /evil/);
    assert.match(proof, /^quorum/);
  }
  assert.deepEqual(place.refused(), [], "the words are those of the software");
});

test("upstreams that a block drives apart are asked again", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  for (const { ledger } of place.nodes) ledger.moveHead(4);
  await place.ask("getBlockNumber", [1]);
  nodeAt(place, 0).ledger.moveHead(5);
  nodeAt(place, 1).ledger.moveHead(5);
  // The third gets its block while the others are asked a second time.
  place.clock.after(30, () => nodeAt(place, 2).ledger.moveHead(5));
  const { reply, proof } = await place.ask("getTotalTransactionCount", [1]);
  assert.deepEqual(reply, await place.truth("getTotalTransactionCount", [1]));
  assert.match(proof, /^quorum; height=5/);
  assert.deepEqual(place.refused(), []);
});

test("answers from before a block that was shown do not count", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  await place.ask("getBlockNumber", [1]);
  for (const { ledger } of place.nodes.slice(0, 3)) ledger.moveHead(3);
  const { reply } = await place.ask("getTotalTransactionCount", [1]);
  assert.equal(reply.error?.code, -32_603);
  assert.match(reply.error?.message ?? "", /node0:8545: is at block 3, behind 5/);
});

test("an upstream that hangs holds no answer up for longer than the patience", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  await place.ask("getBlockNumber", [1]);
  nodeAt(place, 1).hangs = true;
  for (const [method, params] of [
    ["call", CALL],
    ["getBlockByNumber", [1, "3", true]],
    ["getBlockNumber", [1]],
  ] as const) {
    const began = place.clock.steady();
    assert.equal((await place.ask(method, params)).reply.error, undefined, method);
    assert.ok(place.clock.steady() - began < 1_000, `${method}: ${place.clock.steady() - began}`);
  }
});

test("an upstream that hangs holds up no answer that there is nothing", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  await place.ask("getBlockNumber", [1]);
  const unknown = `0x${"12".repeat(32)}`;
  for (let index = 0; index < 4; index++) {
    nodeAt(place, index).hangs = true;
    for (const [method, params] of [
      ["getTransactionReceipt", [1, unknown]],
      ["getBlockHashByNumber", [1, "99"]],
    ] as const) {
      const began = place.clock.steady();
      const { reply, proof } = await place.ask(method, params);
      const took = place.clock.steady() - began;
      assert.deepEqual(reply, await place.truth(method, params));
      assert.match(proof, /^quorum/);
      assert.ok(took < 2_000, `${method}, ${index} hangs: ${took} ms`);
    }
    nodeAt(place, index).hangs = false;
    place.clock.move(60_000);
  }
});

test("what comes while nobody has it is looked for again", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  for (const { ledger } of place.nodes) ledger.moveHead(4);
  await place.ask("getBlockNumber", [1]);
  // All have reported that there is no such block when it comes.
  for (const node of place.nodes) {
    node.lie = ({ method, params }) => {
      if (method === "getBlockHeaderByNumber" && params[1] === "5") node.ledger.moveHead(5);
      return undefined;
    };
  }
  const { reply, proof } = await place.ask("getBlockHashByNumber", [1, "5"]);
  assert.deepEqual(reply.result, CHAIN.header(5).hash);
  assert.match(proof, /^certificate; height=5/);
  assert.deepEqual(place.refused(), []);
});

test("management is never handed on", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  for (const [method, params] of [
    ["stopGroup", [1]],
    ["generateGroup", [2, {}]],
    ["queryGroupStatus", [1]],
    ["queryPeers", []],
    ["addPeers", [[]]],
  ] as const) {
    const { reply, proof } = await place.ask(method, params);
    assert.equal(reply.error?.code, -100_001, method);
    assert.match(proof, /^none/);
  }
  assert.deepEqual(
    place.nodes.flatMap(({ seen }) => seen),
    [],
  );
});

test("a gateway names its group and knows no other", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  assert.deepEqual((await place.ask("getGroupList", [])).reply.result, [1]);
  assert.equal((await place.ask("getBlockNumber", [9])).reply.error?.code, -40_001);
  assert.equal((await place.ask("getBlockByNumber", [9, "0", true])).reply.error?.code, -40_001);
  assert.deepEqual(
    place.nodes.flatMap(({ seen }) => seen),
    [],
  );
});

test("in a batch the proofs stand in the order of the requests", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const request = (id: number, method: string, params: readonly unknown[]) =>
    `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`;
  const all = [
    request(1, "getCode", [1, `0x${"2".repeat(40)}`]),
    "5",
    request(2, "getBlockHashByNumber", [1, "2"]),
    request(3, "getGroupList", []),
  ];
  const { text, proof } = await place.send(`[${all.join()}]`);
  assert.equal((JSON.parse(text) as unknown[]).length, 4);
  const seals = CHAIN.header(2)
    .signatureList?.map(({ index }) => Number(index))
    .sort();
  assert.deepEqual(proof.split(/, (?=[a-z])/), [
    "quorum; height=5; sealers=",
    "none; height=5; sealers=",
    `certificate; height=2; sealers=${seals?.join()}`,
    "none; height=5; sealers=",
  ]);
  const many = Array.from({ length: 51 }, (_, id) => request(id, "getGroupList", []));
  assert.match((await place.send(`[${many.join()}]`)).text, /A batch has at most 50 requests/);
});

test("callers that want the same at once share one request", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  await place.ask("getBlockNumber", [1]);
  for (const node of place.nodes) node.seen.length = 0;
  const asks = Array.from({ length: 20 }, () => place.ask("call", CALL));
  const replies = await whileMoving(place.clock, Promise.all(asks));
  assert.equal(new Set(replies.map(({ reply }) => JSON.stringify(reply))).size, 1);
  const calls = place.nodes.flatMap(({ seen }) => seen.filter(({ method }) => method === "call"));
  assert.equal(calls.length, 3);
});
