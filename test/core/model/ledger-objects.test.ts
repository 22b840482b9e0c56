/** Behaviour of the codecs of headers, seals, receipts, offset tables, blocks and versions. */
// rules: tx-block-codec 5, tx-block-codec 6, tx-block-codec 7, tx-block-codec 9, tx-block-codec 10
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { addressOf, hashOf, nodeIdOf } from "../../../core/bytes/hex.ts";
import { ZERO_HASH } from "../../../core/bytes/ids.ts";
import { encodeRlp, type RlpInput } from "../../../core/bytes/rlp.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";
import { decodeBlock, encodeBlock } from "../../support/codecs/whole-block.ts";
import { DEFAULT_GENESIS_TIMESTAMP, genesisHeader } from "../../../core/model/genesis.ts";
import {
  decodeHeader,
  decodeSeals,
  encodeHeader,
  encodeSeals,
  headerHash,
} from "../../../core/model/header.ts";
import {
  decodeOffsetTable,
  encodeOffsetTable,
  openOffsetTable,
} from "../../../core/model/offset-table.ts";
import { decodeReceipt, encodeReceipt } from "../../../core/model/receipt.ts";
import { receiptsRoot, transactionsRoot } from "../../../core/model/roots.ts";
import { itemProof } from "../../support/codecs/proofs.ts";
import {
  formatVersion,
  isSupportedVersion,
  parseVersion,
  VERSION_RC2,
  version,
} from "../../../core/model/version.ts";
import { decodeRlp, type RlpItem } from "../../support/codecs/rlp-tree.ts";

const suite = STANDARD_SUITE;
const sized = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hash = sized(32).map(hashOf);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const run = fc.uint8Array({ maxLength: 70 });

/** Decoders make plain objects; the generator's default has no prototype. */
const PLAIN = { noNullPrototype: true } as const;
const header = fc.record(
  {
    parentHash: hash,
    stateRoot: hash,
    transactionsRoot: hash,
    receiptsRoot: hash,
    dbHash: hash,
    logsBloom: sized(256),
    number: fc.maxSafeNat(),
    gasLimit: uint256,
    gasUsed: uint256,
    timestamp: fc.bigInt({ min: 0n, max: DEFAULT_GENESIS_TIMESTAMP }),
    extraData: fc.array(run, { maxLength: 3 }),
    sealer: fc.nat(65_535),
    sealerList: fc.array(sized(64).map(nodeIdOf), { maxLength: 5 }),
  },
  PLAIN,
);
const seals = fc.array(fc.record({ index: fc.nat(65_535), signature: sized(65) }, PLAIN), {
  maxLength: 5,
});
const log = fc.record(
  {
    address: sized(20).map(addressOf),
    topics: fc.array(hash, { maxLength: 4 }),
    data: run,
  },
  PLAIN,
);
const receipt = fc.record(
  {
    root: hash,
    gasUsed: uint256,
    contractAddress: sized(20).map(addressOf),
    logsBloom: sized(256),
    status: fc.nat(40_000),
    output: run,
    remainGas: uint256,
    logs: fc.array(log, { maxLength: 3 }),
  },
  PLAIN,
);

test("any header survives encoding, and its hash is that of its encoding", () => {
  fc.assert(
    fc.property(header, (value) => {
      const raw = encodeHeader(value);
      assert.deepEqual(decodeHeader(raw), value);
      assert.equal(headerHash(value, suite), hashOf(suite.hash(raw)));
    }),
    { numRuns: 50 },
  );
});

const GENESIS = genesisHeader("1-aa,-pbft", DEFAULT_GENESIS_TIMESTAMP);

/** The genesis header with one item replaced. */
function headerWith(index: number, input: RlpInput): Uint8Array {
  const items = decodeRlp(encodeHeader(GENESIS)) as readonly RlpItem[];
  return encodeRlp(items.map((item, i) => (i === index ? input : item)));
}

const BAD_HEADERS = [
  { what: "a number above 2^53 - 1", raw: headerWith(6, 2n ** 53n) },
  { what: "a timestamp above 2^64 - 1", raw: headerWith(9, 2n ** 64n) },
  { what: "a sealer index above 2^53 - 1", raw: headerWith(11, 2n ** 60n) },
  { what: "a hash of 31 bytes", raw: headerWith(0, new Uint8Array(31)) },
  { what: "a bloom of 255 bytes", raw: headerWith(5, new Uint8Array(255)) },
  { what: "a node ID of 63 bytes", raw: headerWith(12, [new Uint8Array(63)]) },
  { what: "extra data that is no list", raw: headerWith(10, Uint8Array.of(1, 2)) },
  { what: "a gas limit of 33 bytes", raw: headerWith(7, 2n ** 256n) },
] as const;
for (const { what, raw } of BAD_HEADERS) {
  test(`a header with ${what} is refused`, () => {
    assert.equal(decodeHeader(raw), undefined);
  });
}

test("a header with 12 or 14 items is refused", () => {
  const items = decodeRlp(encodeHeader(GENESIS)) as readonly RlpItem[];
  assert.equal(decodeHeader(encodeRlp(items.slice(0, 12))), undefined);
  assert.equal(decodeHeader(encodeRlp([...items, 1])), undefined);
});

test("the genesis header has zero roots and its mark as the only extra data", () => {
  assert.equal(GENESIS.transactionsRoot, ZERO_HASH);
  assert.equal(Buffer.from(GENESIS.extraData[0] ?? []).toString(), "1-aa,-pbft");
  assert.deepEqual(decodeHeader(encodeHeader(GENESIS)), GENESIS);
});

test("seals keep their order", () => {
  fc.assert(
    fc.property(seals, (list) => assert.deepEqual(decodeSeals(encodeSeals(list)), list)),
    { numRuns: 30 },
  );
});

test("a seal with a third item or a huge index is refused", () => {
  const signature = new Uint8Array(65);
  assert.equal(decodeSeals(encodeRlp([[1, signature, 1]])), undefined);
  assert.equal(decodeSeals(encodeRlp([[2n ** 53n, signature]])), undefined);
  assert.equal(decodeSeals(encodeRlp(1)), undefined);
});

test("a receipt survives encoding from 2.9.0 on; before, it has no remaining gas", () => {
  fc.assert(
    fc.property(receipt, (value) => {
      const newer = encodeReceipt(value, version(2, 9, 0));
      assert.deepEqual(decodeReceipt(newer, version(2, 9, 0)), value);
      assert.equal(decodeReceipt(newer, version(2, 8, 0)), undefined);
      const older = encodeReceipt(value, version(2, 8, 0));
      assert.deepEqual(decodeReceipt(older, version(2, 8, 0)), { ...value, remainGas: 0n });
      assert.equal(decodeReceipt(older, version(2, 9, 0)), undefined);
    }),
    { numRuns: 40 },
  );
});

test("an offset table gives back its items, all or one", () => {
  fc.assert(
    fc.property(fc.array(run, { maxLength: 12 }), (items) => {
      const bytes = encodeOffsetTable(items);
      assert.deepEqual(decodeOffsetTable(bytes), items);
      const table = openOffsetTable(bytes);
      assert.equal(table?.count, items.length);
      assert.deepEqual(table?.item(items.length - 1), items.at(-1));
      assert.equal(table?.item(items.length), undefined);
    }),
  );
});

test("an offset table is count, offsets from zero, and the items back to back", () => {
  const bytes = encodeOffsetTable([Uint8Array.of(7), Uint8Array.of(8, 9)]);
  const words = [2, 0, 1, 3].flatMap((word) => [word, 0, 0, 0]);
  assert.deepEqual(bytes, Uint8Array.of(...words, 7, 8, 9));
  assert.equal(encodeOffsetTable([]).length, 0);
});

const word = (value: number) => [value & 0xff, (value >> 8) & 0xff, 0, value >>> 24];
const BAD_TABLES = [
  { what: "a count of zero", bytes: [...word(0), ...word(0)] },
  { what: "a count beyond the bytes", bytes: [...word(2), ...word(0), ...word(1), 1] },
  { what: "a huge count", bytes: [...word(0xff00_0000), ...word(0)] },
  { what: "a first offset that is not zero", bytes: [...word(1), ...word(1), ...word(1), 1] },
  { what: "bytes left over", bytes: [...word(1), ...word(0), ...word(1), 1, 2] },
  { what: "falling offsets", bytes: [...word(2), ...word(0), ...word(2), ...word(1), 1] },
  { what: "three bytes", bytes: [1, 0, 0] },
] as const;
for (const { what, bytes } of BAD_TABLES) {
  test(`an offset table with ${what} is refused`, () => {
    assert.equal(decodeOffsetTable(Uint8Array.from(bytes)), undefined);
  });
}

const block = fc.record(
  {
    header,
    seals,
    transactions: fc.array(run, { maxLength: 4 }),
    receipts: fc.array(receipt, { maxLength: 3 }),
  },
  PLAIN,
);

test("a whole block survives encoding with the hash of its header", () => {
  const codec = { version: version(2, 9, 0), suite };
  fc.assert(
    fc.property(block, (value) => {
      const decoded = decodeBlock(encodeBlock(value, codec), codec);
      assert.deepEqual(decoded, { ...value, hash: headerHash(value.header, suite) });
    }),
    { numRuns: 30 },
  );
});

test("a block whose hash is not its header's is refused", () => {
  const codec = { version: version(2, 9, 0), suite };
  const empty = { header: GENESIS, seals: [], transactions: [], receipts: [] };
  const items = decodeRlp(encodeBlock(empty, codec)) as readonly RlpItem[];
  const forged = encodeRlp(items.map((item, i) => (i === 2 ? new Uint8Array(32) : item)));
  assert.equal(decodeBlock(forged, codec), undefined);
  assert.equal(decodeBlock(encodeRlp(items.slice(0, 4)), codec), undefined);
});

test("roots change their form at 2.2.0", () => {
  const raws = [Uint8Array.of(0xc1, 1), Uint8Array.of(0xc1, 2)];
  const items = raws.map((raw) => ({ raw, hash: hashOf(suite.hash(raw)) }));
  const old = { version: version(2, 1, 0), suite };
  const table = hashOf(suite.hash(encodeOffsetTable(raws)));
  assert.equal(transactionsRoot(items, old), table);
  assert.equal(receiptsRoot(items, old), hashOf(suite.hash(encodeRlp([[1], [2]]))));
  const merkle = { version: version(2, 2, 0), suite };
  assert.notEqual(transactionsRoot(items, merkle), table);
  assert.equal(transactionsRoot(items, merkle), receiptsRoot(items, merkle));
  assert.equal(
    itemProof(
      items.map((item) => item.hash),
      1,
      suite,
    ).length,
    2,
  );
});

// rules: README 13
const VERSIONS = [
  { text: "2.11.1", value: version(2, 11, 1) },
  { text: "2.0.0", value: version(2, 0, 0) },
  { text: "2.0.0-rc2", value: VERSION_RC2 },
] as const;
for (const { text, value } of VERSIONS) {
  test(`${text} is a version and reads back`, () => {
    assert.equal(parseVersion(text), value);
    assert.equal(formatVersion(value), text);
  });
}

for (const text of ["", "2", "2.9", "2.9.0.1", "v2.9.0", "2.09.0", "2.9.0 ", "2.0.0-rc1"]) {
  test(`${JSON.stringify(text)} is no version`, () => {
    assert.equal(parseVersion(text), undefined);
  });
}

test("chains run with 2.0.0 to the newest version", () => {
  const supported = [VERSION_RC2, version(2, 0, 0), version(2, 11, 1), version(2, 11, 2)];
  assert.deepEqual(supported.map(isSupportedVersion), [false, true, true, false]);
});
