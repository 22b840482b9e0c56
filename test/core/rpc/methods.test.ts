/** Checks before each query method, and the status methods. */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { createSmSuite } from "../../../core/crypto/national.ts";
import { version } from "../../../core/model/version.ts";
import { nodeIdOf, OWN_ID } from "../../support/data-node.ts";
import { ask, BLOCKS, rpcNode } from "../../support/rpc-node.ts";
import { CONTRACT, SENDER } from "../../support/ledger/small-chain.ts";
import type { RaftStatus } from "../../../core/consensus/raft/status.ts";

const node = rpcNode();
const [GENESIS, FIRST, SECOND] = BLOCKS;
assert.ok(GENESIS && FIRST && SECOND);
const [CREATION] = FIRST.transactions;
const [CALL] = SECOND.transactions;
assert.ok(CREATION && CALL);
const UNKNOWN = `0x${"00".repeat(31)}01`;

async function result(method: string, ...params: unknown[]): Promise<unknown> {
  const reply = await ask(node, method, params);
  assert.equal(reply.error, undefined, reply.error?.message);
  return reply.result;
}

async function code(method: string, ...params: unknown[]): Promise<number | undefined> {
  return (await ask(node, method, params)).error?.code;
}

const HEAD_HASH = SECOND.hash;
const LEADER = { nodeId: nodeIdOf("c3"), index: 2 };

/** A node whose group is one of Raft. */
function raftNode(leader: RaftStatus["leader"]) {
  const status: RaftStatus = {
    kind: "raft",
    accountType: 1,
    cfgErr: false,
    consensusedBlockNumber: 3,
    highestblockHash: HEAD_HASH,
    highestblockNumber: 2,
    leader,
    maxFaultyLeader: 1,
    nodeIndex: 1,
    sealers: [nodeIdOf("a1"), OWN_ID, nodeIdOf("c3")],
    term: 4,
    role: "follower",
  };
  return rpcNode({}, { consensusType: "raft", consensusStatus: () => status });
}

const ADDRESS = SENDER;
/** A request that fits each group-scoped query method. */
const MEMBER_METHODS: Readonly<Record<string, readonly unknown[]>> = {
  getBlockNumber: [],
  getPbftView: [],
  getSealerList: [],
  getObserverList: [],
  getConsensusStatus: [],
  getSyncStatus: [],
  getGroupPeers: [],
  getBlockByHash: [GENESIS.hash, false],
  getBlockByNumber: ["0", false],
  getBlockHeaderByHash: [GENESIS.hash, false],
  getBlockHeaderByNumber: ["0", false],
  getBlockHashByNumber: ["0"],
  getTransactionByHash: [UNKNOWN],
  getTransactionByBlockHashAndIndex: [FIRST.hash, "0"],
  getTransactionByBlockNumberAndIndex: ["1", "0"],
  getTransactionReceipt: [UNKNOWN],
  getTransactionByHashWithProof: [UNKNOWN],
  getTransactionReceiptByHashWithProof: [UNKNOWN],
  getCode: [CONTRACT],
  getTotalTransactionCount: [],
  getSystemConfigByKey: ["tx_count_limit"],
  call: [{ from: ADDRESS }],
  getBatchReceiptsByBlockNumberAndRange: ["1", "0", "-1", false],
  getBatchReceiptsByBlockHashAndRange: [FIRST.hash, "0", "-1", false],
};
const RUNNING_METHODS = ["getPendingTransactions", "getPendingTxSize"];

// rules: rpc-semantics 4.1-5, 2.1.11
describe("checks before the method", () => {
  for (const [method, rest] of Object.entries(MEMBER_METHODS)) {
    test(`${method} answers on a running group of a member`, async () => {
      const reply = await ask(node, method, [1, ...rest]);
      assert.equal(reply.error, undefined);
    });

    test(`${method} asks for readiness, the group, membership, in this order`, async () => {
      const notReady = rpcNode({ isReady: () => false });
      const outsider = rpcNode({}, { isMember: () => false });
      assert.equal((await ask(notReady, method, [9, ...rest])).error?.code, -40010);
      assert.equal((await ask(outsider, method, [9, ...rest])).error?.code, -40001);
      assert.equal((await ask(outsider, method, [1, ...rest])).error?.code, -40009);
    });

    test(`${method} answers outsiders when the node acts as a member`, async () => {
      const actor = rpcNode({ actAsGroupMember: true }, { isMember: () => false });
      assert.equal((await ask(actor, method, [1, ...rest])).error, undefined);
    });
  }

  for (const method of RUNNING_METHODS) {
    test(`${method} does not ask for membership`, async () => {
      const outsider = rpcNode({}, { isMember: () => false });
      assert.equal((await ask(outsider, method, [1])).error, undefined);
      assert.equal((await ask(outsider, method, [9])).error?.code, -40001);
    });
  }

  for (const method of ["getPeers", "getNodeIDList"]) {
    test(`${method} ignores the group`, async () => {
      assert.equal((await ask(node, method, [12_345])).error, undefined);
      assert.equal((await ask(node, method, ["1"])).error?.code, -32602);
    });
  }

  test("membership is asked before arguments are read", async () => {
    const outsider = rpcNode({}, { isMember: () => false });
    const reply = await ask(outsider, "getBlockByNumber", [1, "latest", false]);
    assert.equal(reply.error?.code, -40009);
  });

  for (const method of ["getTransactionByHashWithProof", "getTransactionReceiptByHashWithProof"]) {
    test(`${method} needs compatibility version 2.2.0, before anything else`, async () => {
      const old = rpcNode({ supportedVersion: version(2, 1, 0) });
      const { error } = await ask(old, method, [9, UNKNOWN]);
      assert.equal(error?.code, -40009);
      assert.equal(error.message, `method ${method} not support this version`);
    });
  }

  test("the version is told before the node is ready", async () => {
    const notReady = rpcNode({ isReady: () => false });
    assert.equal((await ask(notReady, "getClientVersion", [])).error, undefined);
    assert.equal((await ask(notReady, "getGroupList", [])).error?.code, -40010);
  });
});

// rules: rpc-semantics 5
describe("node and group status", () => {
  test("getClientVersion gives versions as text under both names", async () => {
    assert.deepEqual(await result("getClientVersion"), {
      "Build Time": "20260101 00:00:00",
      "Build Type": "Node",
      "Chain Id": "1",
      "Chain-Node Version": "2.12.0",
      "FISCO-BCOS Version": "2.12.0",
      "Git Branch": "main",
      "Git Commit Hash": "0123456789",
      "Supported Version": "2.11.1",
    });
  });

  // rules: sm-suite 1
  test("the release carries a suffix on a national chain, under both names", async () => {
    const national = rpcNode({ suite: createSmSuite() });
    const { result: said } = await ask(national, "getClientVersion", []);
    const names = said as Record<string, unknown>;
    const { "Chain-Node Version": name, "FISCO-BCOS Version": alias } = names;
    assert.deepEqual([name, alias], ["2.12.0 gm", "2.12.0 gm"]);
  });

  test("lists of members: table order, and ascending together", async () => {
    const [a, c] = [nodeIdOf("a1"), nodeIdOf("c3")];
    assert.deepEqual(await result("getSealerList", 1), [c, a, OWN_ID]);
    assert.deepEqual(await result("getObserverList", 1), [nodeIdOf("b0")]);
    assert.deepEqual(await result("getGroupPeers", 1), [a, nodeIdOf("b0"), OWN_ID, c]);
  });

  test("peers are shown with both spellings of their ID", async () => {
    const peer = { nodeId: nodeIdOf("a1"), endpoint: "[::1]:30300", agency: "x", node: "n" };
    const connected = rpcNode({ peers: () => [{ ...peer, topics: ["t"] }] });
    const { result: peers } = await ask(connected, "getPeers", [1]);
    const id = nodeIdOf("a1");
    const shown = { Agency: "x", IPAndPort: "[::1]:30300", Node: "n", NodeID: id, nodeId: id };
    assert.deepEqual(peers, [{ ...shown, Topic: ["t"] }]);
    assert.deepEqual((await ask(connected, "getNodeIDList", [1])).result, [OWN_ID, id]);
  });

  test("getConsensusStatus gives the status object and the views", async () => {
    const [status, views] = (await result("getConsensusStatus", 1)) as [
      Record<string, unknown>,
      unknown[],
    ];
    assert.equal(status["protocolId"], 65_544);
    assert.equal(status["node_index"], 1);
    assert.equal(status["nodeNum"], 3);
    assert.equal(status["consensusedBlockNumber"], 3);
    assert.equal(status["sealer.2"], nodeIdOf("c3"));
    assert.equal(status["allowFutureBlocks"], true);
    assert.deepEqual(views[0], { nodeId: nodeIdOf("a1"), view: 7 });
  });

  test("getSyncStatus gives nine members and peers, hashes with 0x", async () => {
    const status = (await result("getSyncStatus", 1)) as Record<string, unknown>;
    assert.equal(Object.keys(status).length, 10);
    assert.equal(status["genesisHash"], GENESIS.hash);
    assert.equal(status["latestHash"], SECOND.hash);
    assert.equal(status["protocolId"], 65_545);
    assert.equal(status["txPoolSize"], "0");
  });

  test("the view is an error on a Raft group", async () => {
    const { error } = await ask(raftNode(LEADER), "getPbftView", [1]);
    assert.equal(error?.code, -40007);
    assert.equal(error.message, "Only pbft consensus supports the view property");
    assert.equal(await result("getPbftView", 1), "0x7");
  });

  test("getConsensusStatus of a Raft group is one object, the own index under both names", async () => {
    const { result: array } = await ask(raftNode(LEADER), "getConsensusStatus", [1]);
    assert.deepEqual(array, [
      {
        accountType: 1,
        allowFutureBlocks: true,
        cfgErr: false,
        consensusedBlockNumber: 3,
        groupId: 1,
        highestblockHash: SECOND.hash,
        highestblockNumber: 2,
        leaderId: nodeIdOf("c3"),
        leaderIdx: 2,
        max_faulty_leader: 1,
        "node index": 1,
        nodeId: OWN_ID,
        nodeNum: 3,
        node_index: 1,
        omitEmptyBlock: true,
        protocolId: 65_547,
        "sealer.0": nodeIdOf("a1"),
        "sealer.1": OWN_ID,
        "sealer.2": nodeIdOf("c3"),
      },
    ]);
  });

  test("without a leader the Raft status says so in words", async () => {
    const { result: array } = await ask(raftNode(undefined), "getConsensusStatus", [1]);
    const [status] = array as [Record<string, unknown>];
    assert.equal(status["leaderId"], "get leader ID failed");
    assert.equal(status["leaderIdx"], "NULL");
  });

  test("getEpochSealersList is refused with the consensus type", async () => {
    const { error } = await ask(node, "getEpochSealersList", [1]);
    assert.equal(error?.code, -40009);
    assert.match(error.message, /current consensus type is pbft$/);
  });

  test("system configuration: known keys, keys without a value, other keys", async () => {
    assert.equal(await result("getSystemConfigByKey", 1, "tx_count_limit"), "1000");
    assert.equal(await result("getSystemConfigByKey", 1, "enable_charge_mgr"), "");
    assert.equal(await code("getSystemConfigByKey", 1, "TX_COUNT_LIMIT"), -40008);
    assert.equal(await code("getSystemConfigByKey", 1, "toString"), -40008);
  });

  test("counters are quantities", async () => {
    assert.deepEqual(await result("getTotalTransactionCount", 1), {
      blockNumber: "0x2",
      failedTxSum: "0x1",
      txSum: "0x7",
    });
  });

  test("extras tell what the node knows", async () => {
    assert.deepEqual(await result("rpc_modules"), { "FISCO BCOS": "2.0" });
    assert.deepEqual(await result("queryPeers"), []);
    const info = (await result("getNodeInfo")) as Record<string, unknown>;
    assert.equal(info["NodeID"], OWN_ID);
  });
});
