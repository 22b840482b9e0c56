/** What every endpoint does: asked of a sealer in a durable object of workerd, over its port. */
// rules: rpc-semantics 1, README 24
import assert from "node:assert/strict";
import { request } from "node:http";
import { afterAll, beforeAll, test } from "vitest";
import { jsonRpcContract } from "../../../contract/json-rpc.ts";
import { rpcDetailsContract } from "../../../contract/rpc-details.ts";
import { type ObjectChain, openObjectChain } from "../../../support/edge/object-chain.ts";

let chain: ObjectChain;

beforeAll(async () => {
  const variables = {
    ALLOWED_HOSTS: "a.example, edge.example.org",
    ALLOWED_ORIGINS: "https://app.example",
  };
  chain = await openObjectChain(1, { variables });
});
afterAll(() => chain?.close());

jsonRpcContract("the app of a durable object", async () => ({
  request: (path, init) => fetch(new URL(path, chain.urls[0]), init),
  close: async () => undefined,
}));

rpcDetailsContract("requests of any size and shape at a durable object", () => chain.urls[0] ?? "");

/** Asks with headers that fetch would not send. */
function ask(headers: Record<string, string>, body?: string) {
  return new Promise<{ status: number | undefined; text: string; sniffs: boolean }>(
    (resolve, reject) => {
      const method = body === undefined ? "GET" : "POST";
      const asking = request(`${chain.urls[0]}/readyz`, { method, headers });
      asking.once("response", (response) => {
        const sniffs = response.headers["x-content-type-options"] !== "nosniff";
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.once("end", () => resolve({ status: response.statusCode, text, sniffs }));
      });
      asking.once("error", reject);
      asking.end(body);
    },
  );
}

test("at the edge browsers know the worker by its listed names, programs by any", async () => {
  const agent = { "user-agent": "Mozilla/5.0" };
  for (const [headers, status] of [
    [{ ...agent, host: "rebound.example.com" }, 403],
    [{ ...agent, host: "edge.example.org" }, 200],
    [{ ...agent }, 200],
    [{ host: "chain.example.net", "user-agent": "curl/8.5.0" }, 200],
  ] as const) {
    const answer = await ask(headers);
    assert.deepEqual([answer.status, answer.sniffs], [status, false], JSON.stringify(headers));
  }
});

test("at the edge only listed pages submit", async () => {
  const send = '{"jsonrpc":"2.0","id":1,"method":"sendRawTransaction","params":[1,"0xff"]}';
  for (const [origin, code] of [
    ["https://evil.example", -100_001],
    ["https://app.example", -32_603],
  ] as const) {
    const { text } = await ask({ origin, host: "edge.example.org" }, send);
    assert.equal((JSON.parse(text) as { error: { code: number } }).error.code, code);
  }
});
