/** addPeers and erasePeers: what is checked before the node's list of peers is asked. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeApi, PeerList } from "../../../core/api/node-api.ts";
import { ask, rpcNode } from "../../support/rpc-node.ts";

// rules: README 24

const MANY = Array.from({ length: 11 }, (_, index) => `127.0.0.1:${30_300 + index}`);

function listNode(changes: Partial<NodeApi> = {}): { node: NodeApi; asked: unknown[] } {
  const asked: unknown[] = [];
  const peerList: PeerList = {
    configured: () => ["127.0.0.1:30300"],
    isEndpoint: (text) => text.startsWith("127."),
    paramLimit: 10,
    add: async (endpoints) => {
      asked.push(["add", ...endpoints]);
      return { code: 0, message: "done" };
    },
    erase: async (endpoints) => {
      asked.push(["erase", ...endpoints]);
      return { code: 0, message: "done" };
    },
  };
  return { node: rpcNode({ peerList, ...changes }), asked };
}

for (const [method, operation] of [
  ["addPeers", "add"],
  ["erasePeers", "erase"],
] as const) {
  test(`${method} hands addresses on, and its outcome is a result`, async () => {
    const { node, asked } = listNode();
    const { result } = await ask(node, method, [["127.0.0.1:1", "127.0.0.1:2"]]);
    assert.deepEqual(result, { code: "0x0", message: "done" });
    assert.deepEqual(asked, [[operation, "127.0.0.1:1", "127.0.0.1:2"]]);
  });

  test(`${method} says what is wrong with its argument`, async () => {
    const { node, asked } = listNode();
    const outcomes: readonly [unknown, string, string][] = [
      ["127.0.0.1:1", "0x7", "invalid params field, not array format json"],
      [{}, "0x7", "invalid params field, not array format json"],
      [null, "0x7", "invalid params field, not array format json"],
      [[], "0x7", "failed for empty host list, expect at least one peer"],
      [["127.0.0.1:1", "here"], "0x7", "invalid peer at position 2"],
      [[7, "127.0.0.1:1"], "0x7", "invalid peer at position 1"],
      [MANY, "0x1", "refused for too many param peers. peers_param_limit: 10"],
    ];
    for (const [argument, code, message] of outcomes) {
      const { result } = await ask(node, method, [argument]);
      assert.deepEqual(result, { code, message });
    }
    assert.deepEqual((await ask(node, method, [])).error?.code, -32_602);
    assert.deepEqual(asked, []);
  });

  test(`${method} is closed to foreign pages, and waits for the node`, async () => {
    const { node, asked } = listNode();
    const foreign = await ask(node, method, [["127.0.0.1:1"]], false);
    assert.equal(foreign.error?.code, -100_001);
    const early = listNode({ isReady: () => false });
    assert.equal((await ask(early.node, method, [["127.0.0.1:1"]])).error?.code, -40_010);
    assert.deepEqual([...asked, ...early.asked], []);
  });
}

test("a node whose peers are fixed says so", async () => {
  const { result } = await ask(rpcNode(), "addPeers", [["127.0.0.1:1"]]);
  assert.deepEqual(result, { code: "0x1", message: "the peers of this node cannot be changed" });
});
