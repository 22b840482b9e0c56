/** Long records of a ledger. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { storedPart } from "../../../core/bytes/stored-bytes.ts";
import { LONG_RECORD_BYTES, readOnce } from "../../../core/ledger/far-records.ts";

function counted(bytes: number) {
  let reads = 0;
  const get = readOnce(async (_: string) => {
    reads++;
    return { bytes: new Uint8Array(bytes).fill(7) };
  });
  return { get, reads: () => reads };
}

test("who asks while a record is read or held gets the same one", async () => {
  const { get, reads } = counted(LONG_RECORD_BYTES);
  const [first, second] = await Promise.all([get("a"), get("a")]);
  assert.equal(first, second);
  assert.equal(await get("a"), first);
  assert.equal(reads(), 1);
  assert.notEqual(await get("b"), first);
});

test("a view of a long record says where it lies, and is read again", async () => {
  const { get } = counted(LONG_RECORD_BYTES);
  const record = await get("a");
  const part = storedPart(record?.bytes.subarray(10, 20) ?? new Uint8Array(0));
  assert.equal(part?.length, 10);
  assert.deepEqual(await part?.read(), new Uint8Array(10).fill(7));
});

test("short records are no matter of this", async () => {
  const { get, reads } = counted(100);
  const record = await get("a");
  await get("a");
  assert.equal(reads(), 2);
  assert.equal(storedPart(record?.bytes ?? new Uint8Array(0)), undefined);
});
