/** Memory that is given back without the collector. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { freeBytes } from "../../../../runtimes/node/machine/free-bytes.ts";

const MIB = 1024 * 1024;

test("bytes with a buffer of their own are empty, and their memory is there at once", () => {
  const bytes = Buffer.allocUnsafeSlow(MIB);
  const view = new Uint8Array(bytes.buffer);
  freeBytes(bytes);
  assert.deepEqual([bytes.length, view.length], [0, 0]);
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 200; i++) freeBytes(Buffer.allocUnsafeSlow(MIB));
  assert.ok(process.memoryUsage().arrayBuffers < before + 16 * MIB);
});

test("bytes of a buffer that holds others, and shared ones, are left as they are", () => {
  const whole = new Uint8Array(MIB).fill(7);
  freeBytes(whole.subarray(0, MIB / 2));
  freeBytes(whole.subarray(1));
  freeBytes(whole.subarray(0, MIB - 5), 4);
  assert.equal(whole.at(-1), 7);
  const pooled = Buffer.from("of the pool");
  freeBytes(pooled);
  assert.equal(pooled.toString(), "of the pool");
  const shared = new Uint8Array(new SharedArrayBuffer(MIB));
  freeBytes(shared);
  assert.equal(shared.length, MIB);
  freeBytes(whole.subarray(0, MIB - 4), 4);
  assert.equal(whole.length, 0);
});
