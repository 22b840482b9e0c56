/** The checksum of an entry is the CRC-32 over its key and its value, however it is computed. */
// rules: README 30
import assert from "node:assert/strict";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { test } from "vitest";
import { entryChecksum } from "../../../../runtimes/node/store/entry-checksum.ts";
import { computedChecksum } from "../../../../runtimes/shared/checksums/crc32.ts";

test.each([entryChecksum, computedChecksum])("it is that of the platform", (checksum) => {
  const key = fc.string({
    unit: fc.integer({ max: 0xff }).map((byte) => String.fromCharCode(byte)),
  });
  const value = fc.uint8Array({ maxLength: 200 });
  fc.assert(
    fc.property(key, value, fc.nat(200), (text, bytes, end) => {
      const whole = crc32(Buffer.concat([Buffer.from(text, "latin1"), bytes]));
      assert.equal(checksum(text, bytes), whole);
      const first = checksum(text, bytes.subarray(0, end));
      assert.equal(checksum(text, bytes.subarray(end), first), whole);
    }),
  );
});
