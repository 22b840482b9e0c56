/** Which node of several is asked. */
// rules: console 1
import assert from "node:assert/strict";
import { test } from "vitest";
import { NodeFault, TransportFault } from "../../../../../core/client/client-fault.ts";
import { ConsoleFault } from "../../../../../runtimes/tools/console/command.ts";
import {
  type NodeConnector,
  NodePool,
} from "../../../../../runtimes/tools/console/connect/node-pool.ts";

/** A node as the tests pose it. */
interface Posed {
  chainId?: string;
  /** Does not connect. */
  isDown?: boolean;
  /** Loses the connection at the next question. */
  isLost?: boolean;
  /** Is no member of the group. */
  isOther?: boolean;
  asked: number;
  closed: number;
}

function pool(nodes: Readonly<Record<string, Partial<Posed>>>, chainId?: bigint) {
  const posed = new Map<string, Posed>(
    Object.entries(nodes).map(([name, node]) => [name, { asked: 0, closed: 0, ...node }]),
  );
  const nodeOf = (name: string): Posed => {
    const node = posed.get(name);
    assert.ok(node, name);
    return node;
  };
  const connector: NodeConnector = {
    endpoints: [...posed.keys()],
    linkTo: (endpoint) => {
      const node = nodeOf(endpoint);
      const request = ({ method }: { readonly method: string }): Promise<unknown> => {
        if (node.isDown) return Promise.reject(new TransportFault("refused"));
        if (method === "getClientVersion")
          return Promise.resolve({ "Chain Id": node.chainId ?? "1" });
        node.asked++;
        if (node.isLost) return Promise.reject(new TransportFault("lost"));
        const fault = new NodeFault("no such group", { code: -40_001, method });
        return node.isOther ? Promise.reject(fault) : Promise.resolve(endpoint);
      };
      const close = (): Promise<void> => {
        node.closed++;
        return Promise.resolve();
      };
      return Promise.resolve({ endpoint, transport: { request, close }, channel: undefined });
    },
    explain: (endpoint, cause) => Promise.resolve(`${endpoint}: ${String(cause)}`),
  };
  const warnings: string[] = [];
  const made = new NodePool(connector, { chainId, warn: (line) => void warnings.push(line) });
  return { pool: made, nodeOf, warnings };
}

const CALL = { method: "getBlockNumber", params: [1] };

test("a lost node is asked last from then on", async () => {
  const { pool: nodes, nodeOf } = pool({ a: { isLost: true }, b: {} });
  const transport = nodes.transport();
  assert.equal(await transport.request(CALL), "b");
  assert.equal(await transport.request(CALL), "b");
  assert.deepEqual([nodeOf("a").asked, nodeOf("b").asked], [1, 2]);
});

test("a question about a group goes on to a member of it", async () => {
  const { pool: nodes, nodeOf } = pool({ a: { isOther: true }, b: {} });
  assert.equal(await nodes.transport().request(CALL), "b");
  nodeOf("b").isOther = true;
  await assert.rejects(nodes.transport().request(CALL), /-40001/);
  // What a member reports is told, not that another one is lost.
  nodeOf("b").isOther = false;
  nodeOf("b").isLost = true;
  await assert.rejects(nodes.transport().request(CALL), /-40001/);
});

test("one node that answers is enough; connected ones are listed sorted", async () => {
  const { pool: nodes } = pool({ c: {}, a: { isDown: true }, b: {} });
  await nodes.open();
  assert.deepEqual(await nodes.endpoints(), ["b", "c"]);
});

test("without any node the reasons of all are told, with exit code 3, and it is tried again", async () => {
  const { pool: nodes, nodeOf } = pool({ a: { isDown: true }, b: { isDown: true } });
  await assert.rejects(nodes.open(), (cause) => {
    assert.ok(cause instanceof ConsoleFault && cause.exitCode === 3);
    assert.deepEqual(cause.message.split("\n"), [
      "a: TransportFault: refused",
      "b: TransportFault: refused",
    ]);
    return true;
  });
  nodeOf("b").isDown = false;
  assert.equal(await nodes.transport().request(CALL), "b");
});

test("nodes of another chain are left out with a warning, or refused when none is left", async () => {
  const two = pool({ a: {}, b: { chainId: "2" } });
  assert.deepEqual(await two.pool.endpoints(), ["a"]);
  assert.deepEqual(two.warnings, ["b is a node of chain 2, not of chain 1: it is left out."]);
  assert.equal(two.nodeOf("b").closed, 1);
  const none = pool({ a: {} }, 7n);
  await assert.rejects(none.pool.open(), /a is a node of chain 1, not of chain 7\. Name nodes/);
});

test("one node is asked by itself, and all connections are closed", async () => {
  const { pool: nodes, nodeOf } = pool({ a: {}, b: { isLost: true } });
  await nodes.open();
  const { transport } = await nodes.at("b");
  await assert.rejects(transport.request(CALL), /lost/);
  await nodes.close();
  assert.deepEqual([nodeOf("a").closed, nodeOf("b").closed], [1, 1]);
});
