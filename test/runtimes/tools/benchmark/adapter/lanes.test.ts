/** Nodes of a network file as a run reaches them. Source: benchmark 3 */
import { expect, test } from "vitest";
import { openChain } from "../../../../../runtimes/tools/benchmark/adapter/chain.ts";
import { reasonAt } from "../../../../../runtimes/tools/benchmark/adapter/lane.ts";
import { networkOf } from "../../../../../runtimes/tools/benchmark/files/network-file.ts";
import { parsePlaced } from "../../../../../runtimes/tools/benchmark/files/placed-file.ts";
import { realClock } from "../../../../../runtimes/shared/benchmark/bench-clock.ts";
import { poseServer } from "../../../../support/benchmark/posed-server.ts";

/** A node that knows its version and its height. */
function poseNode() {
  return poseServer(({ body }) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    const result = method === "getClientVersion" ? { "Chain Id": "1" } : "0x1";
    return JSON.stringify({ jsonrpc: "2.0", id, result });
  });
}

function planOf(ports: readonly number[]) {
  const nodes = ports.map((rpcPort) => ({ ip: "127.0.0.1", rpcPort }));
  const value = { caliper: { blockchain: "c" }, c: { network: { nodes } } };
  return networkOf(parsePlaced("net.json", JSON.stringify(value)), "/");
}

const CALL = { method: "getBlockNumber", params: [1] };
const REQUESTS = 200;
/** Fewer of {@link REQUESTS} at one of two nodes are no chance: less than one run in 10^20. */
const FEWEST = 30;

test("each request goes to a node at random, also those that are sent at one time", async () => {
  const nodes = [await poseNode(), await poseNode()];
  const chain = await openChain(planOf(nodes.map(({ port }) => port)), realClock());
  const before = nodes.map(({ heard }) => heard.length);
  await Promise.all(Array.from({ length: REQUESTS }, () => chain.request(CALL)));
  const shares = nodes.map(({ heard }, index) => heard.length - (before[index] ?? 0));
  await chain.close();
  expect((shares[0] ?? 0) + (shares[1] ?? 0)).toBe(REQUESTS);
  expect(Math.min(...shares)).toBeGreaterThan(FEWEST);
});

test("a node that is lost is left out while others are there", async () => {
  const node = await poseNode();
  const chain = await openChain(planOf([1, node.port]), realClock());
  const [lost] = chain.lanes;
  await expect(lost?.request(CALL)).rejects.toThrow("ECONNREFUSED");
  const before = node.heard.length;
  await Promise.all(Array.from({ length: 20 }, () => chain.request(CALL)));
  expect(node.heard.length - before).toBe(20);
  await chain.close();
});

test.each([
  [
    "127.0.0.1:1: nothing listens there (connect ECONNREFUSED 127.0.0.1:1)",
    "nothing listens there",
  ],
  ["http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1", "nothing listens there"],
  ["ws://127.0.0.1:1: no connection", "no connection"],
  ["channel port: read ECONNRESET", "channel port: read ECONNRESET"],
])("the reason of a loss has no address: %s", (text, reason) => {
  const told = reasonAt("127.0.0.1:1", new Error(text));
  expect(told.startsWith(reason)).toBe(true);
  expect(told).not.toContain("127.0.0.1");
});
