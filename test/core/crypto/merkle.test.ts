/** Behaviour of the Merkle tree, its proofs, the bloom filter and contract addresses. */
// rules: tx-block-codec 8.1, tx-block-codec 8.2, tx-block-codec 8.4, tx-block-codec 3
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import { concatBytes, equalBytes, fixedUintBytes } from "../../../core/bytes/bytes.ts";
import { hashOf, hexBytes, toHex } from "../../../core/bytes/hex.ts";
import type { Address, Hash } from "../../../core/bytes/ids.ts";
import { EMPTY_BLOOM, logsBloom } from "../../../core/crypto/bloom.ts";
import { create2Address, createAddress } from "../../../core/crypto/contract-address.ts";
import {
  foldProof,
  merkleLeaf,
  merkleRoot,
  merkleTree,
  type ProofLevel,
  verifyProof,
} from "../../../core/crypto/merkle.ts";
import { merkleProof } from "../../support/codecs/proofs.ts";
import { InvariantFault } from "../../../core/fault/invariant.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";

const { hash } = STANDARD_SUITE;
const leaves = (count: number) =>
  Array.from({ length: count }, (_, i) => hash(utf8Bytes(`leaf${i}`)));

test("18 leaves have the root of the worked example", () => {
  assert.equal(
    toHex(merkleRoot(leaves(18), hash)),
    "440d122bd2bc4bedc46f69dc9a316e8ba90e53cf704f9dc82807210749dab107",
  );
});

test("the proof of the last of 18 leaves is that of the worked example", () => {
  const hashes = leaves(18);
  const proof = merkleProof(hashes, 17, hash);
  const text = proof.map(({ left, right }) => [left.map((b) => toHex(b)), right.length]);
  assert.deepEqual(text, [
    [["1040bd463b06adac3d3f4d9f69acf274bf72617327c94407540c58a969aa4df76a"], 0],
    [["03b196257347f97390048a0867b2299487c2c576d61c3599b7d4a1c5683deabd"], 0],
    [[], 0],
  ]);
});

test("no items have the hash of nothing, one item the hash of its leaf", () => {
  assert.deepEqual(merkleRoot([], hash), hash(new Uint8Array(0)));
  const [only = new Uint8Array(0)] = leaves(1);
  assert.deepEqual(merkleRoot([only], hash), hash(merkleLeaf(0, only)));
  assert.deepEqual(merkleProof([only], 0, hash), [{ left: [], right: [] }]);
});

test("every leaf is proven, and only at its own place with its own hash", () => {
  const size = fc.integer({ min: 1, max: 300 });
  fc.assert(
    fc.property(size, fc.nat(), (count, choice) => {
      const hashes = leaves(count);
      const index = choice % count;
      const itemHash = hashes[index] ?? new Uint8Array(0);
      const root = merkleRoot(hashes, hash);
      const proof = merkleProof(hashes, index, hash);
      assert.ok(verifyProof({ index, itemHash, root }, proof, hash));
      assert.ok(!verifyProof({ index: index + 1, itemHash, root }, proof, hash));
      assert.ok(!verifyProof({ index, itemHash: hash(itemHash), root }, proof, hash));
      assert.ok(!verifyProof({ index, itemHash, root: hash(root) }, proof, hash));
    }),
    { numRuns: 15 },
  );
});

test("a leaf is not shown at another index by counting its first bytes to its neighbours", () => {
  const hashes = leaves(700);
  const root = merkleRoot(hashes, hash);
  let forged = 0;
  for (let index = 128; index < hashes.length; index++) {
    const itemHash = hashes[index] ?? new Uint8Array(0);
    const proof = merkleProof(hashes, index, hash);
    const [first, ...above] = proof;
    const leaf = merkleLeaf(index, itemHash);
    for (let cut = 1; cut <= 2; cut++) {
      const claimed = leaf[cut] === 0x80 ? 0 : (leaf[cut] ?? 0);
      const isLeaf = equalBytes(merkleLeaf(claimed, itemHash), leaf.subarray(cut));
      if (!first || !isLeaf || claimed === index) continue;
      forged++;
      const claim = { index: claimed, itemHash, root };
      const head = leaf.subarray(0, cut);
      // As a neighbour of its own, or as the end of one.
      for (const left of [[...first.left, head], [concatBytes(...first.left, head)]]) {
        const lie: ProofLevel[] = [{ left, right: first.right }, ...above];
        assert.deepEqual(foldProof(leaf.subarray(cut), lie, hash), root);
        assert.ok(!verifyProof(claim, lie, hash), `${index} as ${claimed}`);
      }
    }
  }
  assert.ok(forged > 200, `${forged}`);
});

test("a proof is cut in one way: whole levels, whole nodes, one last level", () => {
  const hashes = leaves(300);
  const root = merkleRoot(hashes, hash);
  const [itemHash = new Uint8Array(0)] = hashes.slice(257);
  const claim = { index: 257, itemHash, root };
  const proof = merkleProof(hashes, 257, hash);
  const [first, second, third, last] = proof;
  assert.ok(first && second && third && last && verifyProof(claim, proof, hash));
  const joined = (nodes: readonly Uint8Array[]) =>
    nodes.length > 0 ? [concatBytes(...nodes)] : [];
  const lies = [
    [{ left: joined([...first.left, ...first.right]), right: [] }, second, third, last],
    [{ left: first.left, right: joined(first.right) }, second, third, last],
    [first, { left: joined(second.left), right: joined(second.right) }, third, last],
    [first, second, third],
    [first, second, third, last, last],
    [{ left: [...first.left, new Uint8Array(0)], right: first.right }, second, third, last],
  ];
  for (const [at, lie] of lies.entries()) assert.ok(!verifyProof(claim, lie, hash), `${at}`);
  for (const index of [-1, 0.5, 2 ** 32, Number.NaN])
    assert.ok(!verifyProof({ ...claim, index }, proof, hash));
});

test("a proof without levels shows nothing", () => {
  const itemHash = new Uint8Array(32);
  assert.ok(!verifyProof({ index: 0, itemHash, root: merkleLeaf(0, itemHash) }, [], hash));
});

test("a proof of a leaf that does not exist is a fault of the program", () => {
  assert.throws(() => merkleProof(leaves(2), 2, hash), InvariantFault);
  assert.throws(() => merkleProof(leaves(2), -1, hash), InvariantFault);
});

const TOPIC = hashOf(hash(utf8Bytes("Transfer(address,address,uint256)")));
const EMITTER = "0x00112233445566778899aabbccddeeff00112233" as Address;

function mayContain(bloom: Uint8Array, item: Address | Hash): boolean {
  const wanted = logsBloom([{ address: item as Address, topics: [] }], hash);
  return wanted.every((bits, i) => ((bloom[i] ?? 0) & bits) === bits);
}

test("a bloom filter may contain what was logged and surely not what was not", () => {
  const bloom = logsBloom([{ address: EMITTER, topics: [TOPIC] }], hash);
  assert.ok(mayContain(bloom, EMITTER) && mayContain(bloom, TOPIC));
  const other = hashOf(hash(utf8Bytes("Approval(address,address,uint256)"))) as Hash;
  assert.ok(!mayContain(bloom, other));
});

// rules: execution 11
test("an item sets the bits that the first three pairs of its hash name, counted from the end", () => {
  // 0, 2047, and 2049 modulo 2048; what follows the third pair does not count.
  const pairs = Uint8Array.of(0x00, 0x00, 0x07, 0xff, 0x08, 0x01, 0x00, 0x10);
  const bloom = logsBloom([{ address: EMITTER, topics: [] }], () => pairs);
  const expected = new Uint8Array(256);
  expected[255] = 0b11;
  expected[0] = 0b1000_0000;
  assert.deepEqual(bloom, expected);
});

test("no logs have the empty filter", () => {
  assert.deepEqual(logsBloom([], hash), EMPTY_BLOOM);
});

const CREATOR = "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a" as Address;

test("contracts of the worked example have their addresses", () => {
  assert.equal(createAddress(CREATOR, 0, hash), "0xae519fc2ba8e6ffe6473195c092bf1bae986ff90");
  assert.equal(createAddress(CREATOR, 1n, hash), "0x73b647cba2fe75ba05b8e12ef8f8d6327d6367bf");
  const origin = {
    creator: CREATOR,
    salt: fixedUintBytes(7, 32),
    initCode: hexBytes("6001600055"),
  };
  assert.equal(create2Address(origin, hash), "0x817ca7b996bfae28bd8837f5164664c9ad5c7409");
});

for (const count of [1, 2, 15, 16, 17, 127, 128, 129, 255, 256, 257, 4_097, 65_537]) {
  test(`the root of ${count} items is the hash of the top of their tree`, () => {
    const [one = new Uint8Array(0)] = leaves(1);
    const hashes = Array.from({ length: count }, (_, i) => {
      const item = one.slice();
      new DataView(item.buffer).setUint32(0, i);
      return item;
    });
    const [top = new Uint8Array(0)] = merkleTree(hashes, hash).at(-1) ?? [];
    assert.deepEqual(merkleRoot(hashes, hash), hash(top));
  });
}
