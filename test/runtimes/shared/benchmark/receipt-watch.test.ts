/** Receipts of blocks, from nodes that tell all of a block and from those that do not. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { NodeFault } from "../../../../core/client/client-fault.ts";
import type { RpcCall } from "../../../../core/client/transport.ts";
import { ReceiptWatch } from "../../../../runtimes/shared/benchmark/receipt-watch.ts";
import { simulatedClock } from "../../../support/benchmark/simulated-clock.ts";

const BATCH = "getBatchReceiptsByBlockNumberAndRange";
/** Transactions by block; block 2 has none. */
const BLOCKS: Readonly<Record<string, readonly string[]>> = { 1: ["a"], 2: [], 3: ["b", "c"] };

function receiptOf(transactionHash: string) {
  return { transactionHash, status: transactionHash === "c" ? "0x16" : "0x0", output: "0x2a" };
}

function fault(code: number, { method }: RpcCall): NodeFault {
  return new NodeFault("refused", { code, method, data: undefined });
}

/** A node whose chain grows by a block at each look. */
function posedNode(hasBatch: boolean) {
  let height = 0;
  const asked: string[] = [];
  const request = async (call: RpcCall): Promise<unknown> => {
    const { method, params } = call;
    asked.push(method);
    const [, place] = params;
    if (method === "getBlockNumber") return `0x${(Math.min(3, height++)).toString(16)}`;
    if (method === "getTransactionReceipt") return receiptOf(String(place));
    const hashes = BLOCKS[String(place)] ?? [];
    if (method === "getBlockByNumber") return { transactions: hashes };
    if (!hasBatch) throw fault(-32601, call);
    assert.deepEqual(params, [1, place, "0", "-1", false]);
    if (hashes.length === 0) throw fault(-40099, call);
    return { transactionReceipts: hashes.map(receiptOf) };
  };
  return { request, asked };
}

for (const hasBatch of [true, false]) {
  test(`a node ${hasBatch ? "with" : "without"} receipts of blocks`, async () => {
    const node = posedNode(hasBatch);
    const watch = new ReceiptWatch({ pick: () => node, groupId: 1, clock: simulatedClock() });
    await watch.begin();
    const told = await Promise.all(["a", "b", "c"].map((hash) => watch.receiptOf(hash)));
    assert.deepEqual(
      told.map(({ status, output }) => [status, output]),
      [
        [0, "0x2a"],
        [0, "0x2a"],
        [0x16, "0x2a"],
      ],
    );
    const count = (method: string) => node.asked.filter((each) => each === method).length;
    assert.deepEqual(
      [BATCH, "getBlockByNumber", "getTransactionReceipt"].map(count),
      hasBatch ? [3, 0, 0] : [1, 3, 3],
    );
    watch.close();
  });
}
