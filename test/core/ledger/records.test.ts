import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { addressOf, hashOf } from "../../../core/bytes/hex.ts";
import { openRlpList } from "../../../core/bytes/rlp.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { createBoundedCache } from "../../../core/limits/bounded-cache.ts";
import { genesisBlock } from "../../../core/ledger/genesis-block.ts";
import {
  bodyKey,
  headerKey,
  metaKey,
  noncesKey,
  numberKey,
  receiptsKey,
  transactionKey,
} from "../../../core/ledger/keys.ts";
import {
  decodeBody,
  decodeHeaderRecord,
  decodePlace,
  encodeBody,
  encodeHeaderRecord,
  encodeNonces,
  encodePlace,
} from "../../../core/ledger/records.ts";
import { GENESIS, SUITE } from "../../support/execution/test-chain.ts";
import { version } from "../../../core/model/version.ts";
import { decodeRlp } from "../../support/codecs/rlp-tree.ts";

// rules: storage 13, tx-block-codec 9

const hash = hashOf(Uint8Array.from({ length: 32 }, (_, index) => index * 8));
const bytes = fc.uint8Array({ maxLength: 60 });

test("keys of records differ in their first character and hold the raw hash", () => {
  const keys = [headerKey(hash), bodyKey(hash), receiptsKey(hash), transactionKey(hash)];
  assert.deepEqual(
    keys.map((key) => key[0]),
    ["h", "b", "e", "t"],
  );
  for (const key of keys) {
    assert.equal(key.length, 33);
    assert.equal(key.charCodeAt(32), 31 * 8);
  }
  assert.equal(metaKey("format"), "mformat");
});

test("keys of numbers are in the order of the numbers", () => {
  const number = fc.maxSafeNat();
  fc.assert(
    fc.property(number, number, (left, right) => {
      assert.equal(numberKey(left) < numberKey(right), left < right);
      assert.equal(noncesKey(left) < noncesKey(right), left < right);
    }),
  );
});

test("a body is read back with its senders", () => {
  const item = fc.tuple(bytes, fc.uint8Array({ minLength: 20, maxLength: 20 }));
  fc.assert(
    fc.property(fc.array(item, { maxLength: 8 }), (items) => {
      const body = {
        transactions: items.map(([raw]) => raw),
        senders: items.map(([, sender]) => addressOf(sender)),
      };
      assert.deepEqual(decodeBody(encodeBody(body)), body);
    }),
  );
});

test("a place is read back", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat({ max: 0xffff_ffff }), (number, index) => {
      assert.deepEqual(decodePlace(encodePlace({ number, index })), { number, index });
    }),
  );
});

test("a header record is read back and refused when it was cut", () => {
  const { header, headerRlp } = genesisBlock({
    suite: SUITE,
    version: version(2, 11, 1),
    genesis: GENESIS,
  });
  const seals = [{ index: 3, signature: new Uint8Array(65).fill(1) }];
  const record = encodeHeaderRecord({ headerRlp, seals, unexecuted: hash, transactionCount: 7 });
  const decoded = decodeHeaderRecord(record);
  assert.deepEqual(decoded, { header, seals, unexecuted: hash, transactionCount: 7 });
  for (let length = 0; length < record.length; length++) {
    assert.throws(() => decodeHeaderRecord(record.subarray(0, length)), StoreFault);
  }
});

test("random bytes are no record, or one that was meant, and never another failure", () => {
  fc.assert(
    fc.property(bytes, (noise) => {
      for (const decode of [decodeBody, decodeHeaderRecord, decodePlace]) {
        try {
          decode(noise);
        } catch (reason) {
          assert.ok(reason instanceof StoreFault && reason.kind === "corrupt");
        }
      }
    }),
  );
});

test("nonces become one RLP list", () => {
  const encoded = encodeNonces([new Uint8Array([0x80]), new Uint8Array([0x82, 1, 2])]);
  assert.deepEqual(decodeRlp(encoded), [new Uint8Array(0), new Uint8Array([1, 2])]);
});

test("a bounded cache drops what was used longest ago", () => {
  const cache = createBoundedCache<string, number>(10, (value) => value);
  cache.set("a", 4);
  cache.set("b", 4);
  assert.equal(cache.get("a"), 4);
  cache.set("c", 4);
  assert.deepEqual(
    ["a", "b", "c"].map((key) => cache.get(key)),
    [4, undefined, 4],
  );
  cache.set("a", 1);
  cache.set("d", 5);
  assert.deepEqual(
    ["a", "c", "d"].map((key) => cache.get(key)),
    [1, 4, 5],
  );
  cache.set("huge", 11);
  assert.equal(cache.get("huge"), undefined);
  assert.equal(cache.get("d"), 5);
});

test("the nonces of a block of any size are one list", () => {
  const item = Uint8Array.of(1);
  const list = encodeNonces(Array.from({ length: 1_000_000 }, () => item));
  assert.equal(openRlpList(list)?.all((reader) => reader.safe()).length, 1_000_000);
});
