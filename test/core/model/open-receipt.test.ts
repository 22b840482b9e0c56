/** Long receipts, whose logs are decoded some at a time. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { type Address, type Hash, ZERO_ADDRESS, ZERO_HASH } from "../../../core/bytes/ids.ts";
import {
  decodeReceipt,
  encodeReceipt,
  openReceipt,
  readLogs,
  type Receipt,
} from "../../../core/model/receipt.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";

const logs = Array.from({ length: 100 }, (_, i) => ({
  address: `0x${"ab".repeat(20)}` as Address,
  topics: i % 2 ? [`0x${"0c".repeat(32)}` as Hash] : [],
  data: new Uint8Array(i * 10).fill(i),
}));
const receipt: Receipt = {
  root: ZERO_HASH,
  gasUsed: 5n,
  contractAddress: ZERO_ADDRESS,
  logsBloom: new Uint8Array(256),
  status: 0,
  output: Uint8Array.of(1, 2, 3),
  remainGas: 9n,
  logs,
};
const bytes = encodeReceipt(receipt, NEWEST_VERSION);

test("an open receipt has the fields of a decoded one", () => {
  const opened = openReceipt(bytes, NEWEST_VERSION);
  assert.ok(opened);
  const { logBytes, ...rest } = opened;
  assert.deepEqual({ ...rest }, decodeReceipt(bytes, NEWEST_VERSION));
  const found = [];
  for (let from = 0; from < logBytes.length; ) {
    const some = readLogs(logBytes, { from, most: 2_000 });
    assert.ok(some && some.next > from && some.next < from + 4_000);
    found.push(...some.logs);
    from = some.next;
  }
  assert.deepEqual(found, logs);
});

test("malformed ones are found out, logs when they are asked for", () => {
  assert.equal(openReceipt(bytes.subarray(1), NEWEST_VERSION), undefined);
  assert.equal(openReceipt(bytes.subarray(0, -1), NEWEST_VERSION), undefined);
  assert.equal(readLogs(Uint8Array.of(0x80), { from: 0, most: 10 }), undefined);
});
