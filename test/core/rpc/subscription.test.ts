/** What a client can subscribe to, and what is refused with a reason. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { RpcFault } from "../../../core/fault/rpc-fault.ts";
import type { JsonObject } from "../../../core/rpc/json.ts";
import { readSubscription } from "../../../core/rpc/subscription.ts";

const HASH = `0x${"7e".repeat(32)}`;
const ADDRESS = `0x${"c0de".repeat(10)}`;

const GOOD: readonly { kind: string; filter: JsonObject }[] = [
  { kind: "blocks", filter: {} },
  { kind: "receipts", filter: {} },
  { kind: "receipts", filter: { transactionHash: HASH } },
  { kind: "receipts", filter: { from: ADDRESS.toUpperCase().replace("X", "x") } },
  { kind: "logs", filter: {} },
  { kind: "logs", filter: { addresses: ADDRESS, topics: HASH } },
  { kind: "logs", filter: { address: ADDRESS } },
  { kind: "logs", filter: { addresses: [ADDRESS], topics: [null, [HASH, HASH]] } },
  { kind: "logs", filter: { fromBlock: 0, toBlock: "latest" } },
  { kind: "logs", filter: { fromBlock: "0x10", toBlock: "16" } },
];
for (const { kind, filter } of GOOD) {
  test(`${kind} with ${JSON.stringify(filter)} can be subscribed to`, () => {
    assert.equal(readSubscription(kind, filter).kind, kind);
  });
}

const BAD: readonly { kind: string; filter: JsonObject; about: RegExp }[] = [
  { kind: "transactions", filter: {}, about: /kind/ },
  { kind: "blocks", filter: { from: ADDRESS }, about: /no member from/ },
  { kind: "receipts", filter: { sender: ADDRESS }, about: /no member sender/ },
  { kind: "receipts", filter: { transactionHash: "0x12" }, about: /transactionHash/ },
  { kind: "receipts", filter: { from: 5 }, about: /from/ },
  { kind: "logs", filter: { adress: ADDRESS }, about: /no member adress/ },
  { kind: "logs", filter: { addresses: ["0x12"] }, about: /addresses/ },
  { kind: "logs", filter: { addresses: 5 }, about: /addresses/ },
  { kind: "logs", filter: { topics: [ADDRESS] }, about: /topics/ },
  { kind: "logs", filter: { topics: [null, null, null, null, null] }, about: /topics/ },
  { kind: "logs", filter: { fromBlock: -1 }, about: /fromBlock/ },
  { kind: "logs", filter: { toBlock: "soon" }, about: /toBlock/ },
  { kind: "logs", filter: { fromBlock: 2, toBlock: 1 }, about: /below/ },
];
for (const { kind, filter, about } of BAD) {
  test(`${kind} with ${JSON.stringify(filter)} is refused with the reason`, () => {
    assert.throws(
      () => readSubscription(kind, filter),
      (error) => error instanceof RpcFault && error.code === -32602 && about.test(error.message),
    );
  });
}
