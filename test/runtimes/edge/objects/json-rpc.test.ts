/** What every endpoint does: asked of a sealer in a durable object of workerd, over its port. */
// rules: rpc-semantics 1
import { afterAll, beforeAll } from "vitest";
import { jsonRpcContract } from "../../../contract/json-rpc.ts";
import { rpcDetailsContract } from "../../../contract/rpc-details.ts";
import { type ObjectChain, openObjectChain } from "../../../support/edge/object-chain.ts";

let chain: ObjectChain;

beforeAll(async () => {
  chain = await openObjectChain(1);
});
afterAll(() => chain?.close());

jsonRpcContract("the app of a durable object", async () => ({
  request: (path, init) => fetch(new URL(path, chain.urls[0]), init),
  close: async () => undefined,
}));

rpcDetailsContract("requests of any size and shape at a durable object", () => chain.urls[0] ?? "");
