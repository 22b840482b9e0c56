/** What every endpoint does: asked of a node in a durable object of workerd, over its port. */
// rules: rpc-semantics 1
import { afterAll, beforeAll } from "vitest";
import { jsonRpcContract } from "../contract/json-rpc.ts";
import { rpcDetailsContract } from "../contract/rpc-details.ts";
import { bundleFor } from "../support/platform-bundle.ts";
import { type OpenWorker, openWorker } from "../support/workerd.ts";

const MAIN = `
  export { ChainNode, default } from "../../runtimes/edge/main.ts";
`;

let worker: OpenWorker;

beforeAll(async () => {
  const { script } = await bundleFor("edge", MAIN);
  worker = await openWorker(script, { CHAIN: "ChainNode" });
});
afterAll(() => worker.close());

jsonRpcContract("the app at the edge", async () => ({
  request: (path, init) => fetch(new URL(path, worker.url), init),
  close: async () => undefined,
}));

rpcDetailsContract("requests of any size and shape at the edge", () => worker.url);
