// Receipts as they are pushed, held to the recorded frames byte for byte.
// rules: channel-protocol 4, 6.1
import assert from "node:assert/strict";
import { test } from "vitest";
import { receiptText, refusedReceiptText, styledText } from "../../../core/channel/receipt-push.ts";
import type { TransactionStatus } from "../../../core/fault/transaction-status.ts";
import type { JsonObject } from "../../../core/rpc/json.ts";
import { type Address, type Hash, ZERO_ADDRESS, ZERO_HASH } from "../../../core/bytes/ids.ts";
import { encodeReceipt, openReceipt, type Receipt } from "../../../core/model/receipt.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { presentReceipt } from "../../../core/rpc/present.ts";
import { wholeText } from "../../../core/rpc/long-answer.ts";
import { smallTransaction } from "../../support/ledger/small-chain.ts";
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

const LOG_BYTES = [0, 10, 40_000, 20_000];
const RECEIPT: Receipt = {
  root: ZERO_HASH,
  gasUsed: 5n,
  contractAddress: ZERO_ADDRESS,
  logsBloom: new Uint8Array(256),
  status: 0,
  output: new Uint8Array(50_000).fill(3),
  remainGas: 9n,
  logs: LOG_BYTES.map((bytes) => ({
    address: `0x${"ab".repeat(20)}` as Address,
    topics: bytes === 10 ? [] : [`0x${"0c".repeat(32)}` as Hash],
    data: new Uint8Array(bytes).fill(1),
  })),
};

// rules: channel-protocol 6.1
test("a long receipt is pushed in pieces, with the text of a short one", async () => {
  const transaction = smallTransaction({ nonce: 1n, input: new Uint8Array(30_000).fill(8) });
  const place = { transaction, blockHash: ZERO_HASH, blockNumber: 3, index: 0 };
  const opened = openReceipt(encodeReceipt(RECEIPT, NEWEST_VERSION), NEWEST_VERSION);
  const bare = { ...RECEIPT, logs: [] };
  const bareOpened = openReceipt(encodeReceipt(bare, NEWEST_VERSION), NEWEST_VERSION);
  assert.ok(opened && bareOpened);
  for (const receipt of [opened, bareOpened]) {
    const located = { ...place, receipt };
    const answer = await receiptText(located, {}, () => undefined);
    assert.ok(typeof answer !== "string");
    const text = styledText(presentReceipt(located));
    assert.equal(await wholeText(answer), text);
    assert.equal(answer.bytes, text.length);
  }
  const short = { ...place, transaction: smallTransaction({ nonce: 2n }), receipt: bare };
  const small = { ...short, receipt: { ...bare, output: new Uint8Array(0) } };
  assert.equal(await receiptText(small, {}, () => undefined), styledText(presentReceipt(small)));
});
