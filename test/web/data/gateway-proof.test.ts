/** The page shows what the height of a gateway rests on, and nothing where a node answers. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import type { ChainFacts } from "../../../web/data/chain.ts";
import { callFunction } from "../../../web/workbench/contracts/chain-client.ts";
import { nodeSource } from "../../../web/data/source.ts";

const PROOF = "certificate; height=7; sealers=0,1,3";

/** Answers as a gateway, or as a node. */
function posed(
  proofs: Readonly<Record<string, string>>,
  results: Readonly<Record<string, unknown>> = {},
): () => void {
  const { fetch: before, WebSocket: socket } = globalThis;
  // Nothing is subscribed to.
  globalThis.WebSocket = class {} as unknown as typeof WebSocket;
  globalThis.fetch = async (_, init) => {
    const { method, id } = JSON.parse(String(init?.body)) as { method: string; id: number };
    const proof = proofs[method];
    const headers = proof === undefined ? {} : { "x-chain-node-proof": proof };
    return new Response(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? "0x7" }), {
      headers,
    });
  };
  return () => {
    globalThis.fetch = before;
    globalThis.WebSocket = socket;
  };
}

test("the proof of the newest height is kept, and no other", async () => {
  const end = posed({ getBlockNumber: PROOF, getPbftView: "quorum; height=7; sealers=" });
  try {
    const source = nodeSource(new URL("http://127.0.0.1:8645/"));
    assert.equal(source.proof?.(), undefined);
    await source.request({ method: "getBlockNumber", params: [1] });
    await source.request({ method: "getPbftView", params: [1] });
    assert.equal(source.proof?.(), PROOF);
  } finally {
    end();
  }
});

test("each answer has its own proof, whatever it is", async () => {
  const agreed = "quorum; height=7; sealers=";
  const end = posed({ getBlockHashByNumber: PROOF, getCode: agreed });
  try {
    const source = nodeSource(new URL("http://127.0.0.1:8645/"));
    const calls = ["getCode", "getBlockHashByNumber", "getCode", "getPeers"].map((method) => ({
      method,
      params: [1],
    }));
    await Promise.all(calls.map((call) => source.request(call)));
    const proofs = calls.map((call) => source.proofOf?.(call));
    assert.deepEqual(proofs, [agreed, PROOF, agreed, undefined]);
  } finally {
    end();
  }
});

test("the outcome of a call in the workbench says what it rests on", async () => {
  const agreed = "quorum; height=7; sealers=";
  const result = { currentBlockNumber: "0x7", output: `0x${"0".repeat(63)}5`, status: "0x0" };
  const end = posed({ call: agreed }, { call: result });
  try {
    const item = {
      ...{ type: "function", name: "get", stateMutability: "view", inputs: [] },
      outputs: [{ name: "", type: "uint256" }],
    } as const;
    const facts = {
      ...{ chainId: 1n, version: NEWEST_VERSION, suiteName: "standard" as const },
      client: {} as ChainFacts["client"],
    };
    const source = nodeSource(new URL("http://127.0.0.1:8645/"));
    const chain = { source, facts, groups: [1], groupId: 1, height: 7, trouble: undefined };
    const contract = { address: `0x${"1".repeat(40)}`, abi: [item] };
    const acting = { chain, chainKey: "0x1", account: undefined };
    const outcome = await callFunction(acting, { contract, item, values: [] });
    assert.ok(outcome.kind === "called", outcome.kind);
    assert.deepEqual([outcome.result, outcome.block, outcome.proof], [5n, 7, agreed]);
  } finally {
    end();
  }
});

test("a node reports nothing of proofs", async () => {
  const end = posed({});
  try {
    const source = nodeSource(new URL("http://127.0.0.1:8545/"));
    await source.request({ method: "getBlockNumber", params: [1] });
    assert.equal(source.proof?.(), undefined);
  } finally {
    end();
  }
});
