/** Subscriptions at a running chain: what is told is what the node answers when it is asked. */
import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import { WebSocket } from "ws";
import { createDevChain } from "../../../../runtimes/node/dev/dev-chain.ts";
import { createSender } from "../../../support/sender.ts";
import { useBuiltWorkers } from "../threads/built-workers.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

beforeAll(useBuiltWorkers);

interface Told {
  readonly kind: string;
  readonly result: Record<string, unknown>;
}

test("a transaction of one node is told to subscribers of another, with block and receipt", async () => {
  const chain = await createDevChain({ nodes: 2 });
  try {
    const [first, second] = chain.nodes;
    assert.ok(first && second);
    const socket = new WebSocket(second.rpcUrl.replace("http", "ws"));
    await new Promise((resolve) => socket.once("open", resolve));
    const kinds = ["blocks", "receipts"];
    const names = new Map<string, string>();
    const told: Told[] = [];
    const done = new Promise<void>((resolve) => {
      socket.on("message", (data: Buffer) => {
        const message = JSON.parse(data.toString());
        if (message.params) {
          told.push({ kind: names.get(message.params.id) ?? "", result: message.params.result });
        } else names.set(message.result, kinds[message.id] ?? "");
        if (told.length === 2) resolve();
      });
    });
    const send = createSender(STANDARD_SUITE);
    for (const [id, kind] of kinds.entries()) {
      socket.send(
        JSON.stringify({ jsonrpc: "2.0", id, method: "subscribe", params: [1, kind, {}] }),
      );
    }
    while (names.size < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const { hash, raw } = send({ head: 0 });
    assert.equal(await first.request("sendRawTransaction", [1, raw]), hash);
    await done;
    const of = (kind: string) => told.find((it) => it.kind === kind)?.result;
    assert.deepEqual(of("receipts"), await second.request("getTransactionReceipt", [1, hash]));
    const header = await second.request("getBlockHeaderByNumber", [1, "0x1", false]);
    assert.deepEqual(of("blocks"), header);
    const ended = new Promise((resolve) => socket.once("close", resolve));
    await chain.close();
    assert.equal(await ended, 1001);
  } finally {
    await chain.close();
  }
});
