// Receipts as they are pushed, held to the recorded frames byte for byte.
// rules: channel-protocol 4, 6.1
import assert from "node:assert/strict";
import { test } from "vitest";
import { refusedReceiptText, styledText } from "../../../core/channel/receipt-push.ts";
import type { TransactionStatus } from "../../../core/fault/transaction-status.ts";
import type { JsonObject } from "../../../core/rpc/json.ts";
import { readDataLines } from "../../support/ledger/data-files.ts";

interface Recorded {
  readonly type?: string;
  readonly text?: string;
}

function recordedReceipts(): readonly string[] {
  const frames = readDataLines<Recorded>("golden/channel.jsonl");
  return frames.flatMap(({ type, text }) => (type === "0x1000" && text ? [text] : []));
}

test("recorded receipts are written as they were recorded", () => {
  const receipts = recordedReceipts();
  assert.ok(receipts.length >= 8);
  for (const text of receipts) assert.equal(styledText(JSON.parse(text) as JsonObject), text);
});

test("refused transactions have the recorded zeros", () => {
  const refused = recordedReceipts().filter((text) => text.includes('"blockNumber" : "0x0"'));
  assert.ok(refused.length >= 4);
  for (const text of refused) {
    const status = Number((JSON.parse(text) as { status: string }).status) as TransactionStatus;
    assert.equal(refusedReceiptText(status), text);
  }
});

test("empty lists and objects stay on their line", () => {
  assert.equal(
    styledText({ b: [], a: {}, c: null }),
    '{\n   "a" : {},\n   "b" : [],\n   "c" : null\n}\n',
  );
});
