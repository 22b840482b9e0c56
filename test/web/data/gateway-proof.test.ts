/** The page shows what the height of a gateway rests on, and nothing where a node answers. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { nodeSource } from "../../../web/data/source.ts";

const PROOF = "certificate; height=7; sealers=0,1,3";

/** Answers as a gateway, or as a node. */
function posed(proofs: Readonly<Record<string, string>>): () => void {
  const { fetch: before, WebSocket: socket } = globalThis;
  // Nothing is subscribed to.
  globalThis.WebSocket = class {} as unknown as typeof WebSocket;
  globalThis.fetch = async (_, init) => {
    const { method, id } = JSON.parse(String(init?.body)) as { method: string; id: number };
    const proof = proofs[method];
    const headers = proof === undefined ? {} : { "x-chain-node-proof": proof };
    return new Response(JSON.stringify({ jsonrpc: "2.0", id, result: "0x7" }), { headers });
  };
  return () => {
    globalThis.fetch = before;
    globalThis.WebSocket = socket;
  };
}

test("the proof of the newest height is kept, and no other", async () => {
  const end = posed({ getBlockNumber: PROOF, getPbftView: "quorum; height=7; sealers=0" });
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

test("a node says nothing of proofs", async () => {
  const end = posed({});
  try {
    const source = nodeSource(new URL("http://127.0.0.1:8545/"));
    await source.request({ method: "getBlockNumber", params: [1] });
    assert.equal(source.proof?.(), undefined);
  } finally {
    end();
  }
});
