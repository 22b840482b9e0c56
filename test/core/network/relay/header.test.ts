/** What goes before a message that is passed on. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { encodeRlp } from "../../../../core/bytes/rlp.ts";
import {
  encodeRelayed,
  MAX_MISSING,
  openRelayed,
  type RelayHeader,
} from "../../../../core/network/relay/header.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";

// rules: pbft 2, 11

const PAYLOAD = encodeRlp([Uint8Array.of(1, 2, 3)]);

test("a header survives the wire, with a list and without", () => {
  const ids = fc.array(fc.nat({ max: 50 }).map(nodeIdOfNumber), { maxLength: 5 });
  const payload = fc.uint8Array({ maxLength: 100 });
  fc.assert(
    fc.property(fc.nat({ max: 127 }), fc.option(ids, { nil: undefined }), payload, (ttl, ...of) => {
      const [missing, bytes] = of;
      const header: RelayHeader = { ttl, missing };
      assert.deepEqual(openRelayed(encodeRelayed(header, bytes)), { header, payload: bytes });
    }),
  );
});

test("the top bit of the ttl says nothing about hops", () => {
  const bytes = encodeRlp([[0x82], PAYLOAD]);
  assert.deepEqual(openRelayed(bytes)?.header, { ttl: 2, missing: undefined });
});

test("a message without a header is left as it is", () => {
  assert.deepEqual(openRelayed(PAYLOAD), { header: undefined, payload: PAYLOAD });
  const noise = Uint8Array.of(1, 2, 3);
  assert.deepEqual(openRelayed(noise), { header: undefined, payload: noise });
});

const MALFORMED = [
  { name: "nothing behind it", bytes: encodeRlp([[1]]) },
  { name: "too much behind it", bytes: encodeRlp([[1], PAYLOAD, PAYLOAD]) },
  { name: "no hops", bytes: encodeRlp([[], PAYLOAD]) },
  { name: "more hops than a byte has", bytes: encodeRlp([[256], PAYLOAD]) },
  { name: "a name cut short", bytes: encodeRlp([[1, [new Uint8Array(63)]], PAYLOAD]) },
  { name: "something behind the list", bytes: encodeRlp([[1, [], 1], PAYLOAD]) },
  {
    name: "too long a list",
    bytes: encodeRlp([
      [1, Array.from({ length: MAX_MISSING + 1 }, () => new Uint8Array(64))],
      PAYLOAD,
    ]),
  },
] as const;
for (const { name, bytes } of MALFORMED) {
  test(`a header with ${name} is malformed`, () => {
    assert.equal(openRelayed(bytes), undefined);
  });
}

test("any bytes open or are malformed", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const opened = openRelayed(bytes);
      if (opened?.header) assert.ok(opened.header.ttl <= 127);
    }),
  );
});
