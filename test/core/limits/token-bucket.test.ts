/** Token buckets refill with time, borrow one second ahead and refuse what is beyond. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  chargePermits,
  createBandwidthBucket,
  createBucket,
  permitsOfBytes,
  takeFromAll,
  takePermits,
} from "../../../core/limits/token-bucket.ts";

// rules: sync 10
test("a limit of one admits a burst of one plus one borrowed", () => {
  const bucket = createBucket(1, 0);
  const taken = [1, 2, 3].map(() => takePermits(bucket, 1, 0));
  assert.deepEqual(taken, [true, true, false]);
});

test("permits refill continuously up to the capacity", () => {
  const bucket = createBucket(10, 0);
  assert.ok(takePermits(bucket, 20, 0));
  assert.ok(!takePermits(bucket, 5, 499));
  assert.ok(takePermits(bucket, 5, 500));
  assert.ok(!takePermits(bucket, 21, 1_000_000));
  assert.equal(bucket.stored, 10);
});

test("a refusal takes nothing, and a clock that goes back gives nothing", () => {
  const bucket = createBucket(10, 1_000);
  takePermits(bucket, 20, 1_000);
  assert.ok(!takePermits(bucket, 1, 1_000));
  assert.ok(!takePermits(bucket, 1, 0));
  assert.equal(bucket.stored, -10);
});

test("what is only counted is never refused, and never borrows more than a second", () => {
  const bucket = createBucket(10, 0);
  chargePermits(bucket, 1_000, 0);
  assert.equal(bucket.stored, -10);
});

test("bandwidth in Mbit/s stores at most 5 Mi permits", () => {
  assert.equal(createBandwidthBucket(2, 0).ratePerSecond, 256 * 1024);
  assert.equal(createBandwidthBucket(2.5, 0).ratePerSecond, 320 * 1024);
  assert.equal(createBandwidthBucket(1_000, 0).capacity, 5 * 1024 * 1024);
  assert.equal(permitsOfBytes(9), 3);
});

test("all limiters give or none does, and the time named is enough", () => {
  const node = createBucket(100, 0);
  const group = createBucket(10, 0);
  assert.equal(takeFromAll([node, group], 20, 0), undefined);
  const retryAt = takeFromAll([node, group], 5, 0);
  assert.equal(node.stored, 80);
  assert.ok(retryAt !== undefined && retryAt >= 500);
  assert.equal(takeFromAll([node, group], 5, retryAt), undefined);
});

test("a block larger than a limiter can ever give passes once it is full", () => {
  const bucket = createBucket(10, 0);
  assert.equal(takeFromAll([bucket], 1_000_000, 0), undefined);
  const retryAt = takeFromAll([bucket], 1_000_000, 0);
  assert.ok(retryAt !== undefined && retryAt >= 2_000);
  assert.equal(takeFromAll([bucket], 1_000_000, retryAt), undefined);
});

test("no sequence of requests gets more than rate times time, and two seconds", () => {
  const steps = fc.array(fc.tuple(fc.nat(50), fc.nat(500)), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), steps, (rate, requests) => {
      const bucket = createBucket(rate, 0);
      let now = 0;
      let granted = 0;
      for (const [permits, wait] of requests) {
        now += wait;
        if (takePermits(bucket, permits, now)) granted += permits;
      }
      assert.ok(granted <= rate * (2 + now / 1_000) + 1e-6);
    }),
  );
});
