import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { toHex } from "../../../../core/bytes/hex.ts";
import type { Hash } from "../../../../core/bytes/ids.ts";
import {
  createCodec,
  createSigner,
  MAX_MESSAGE_BYTES,
  type PbftCodec,
} from "../../../../core/consensus/pbft/codec.ts";
import {
  claimsOf,
  type Message,
  type SignedContent,
  UNVERIFIED,
  withSigners,
} from "../../../../core/consensus/pbft/message.ts";
import { recordOf } from "../../../../core/consensus/pbft/state.ts";
import {
  decodeRecord,
  encodeRecord,
  readRecord,
} from "../../../../core/consensus/pbft/record-codec.ts";
import { SIGNATURE_BYTES } from "../../../simulation/signatures.ts";
import { GENESIS, nodeId } from "../../../simulation/workload.ts";
import { blockOf, executedOf, Group } from "./group.ts";
import { cases } from "../../../support/runner/cases.ts";
import { STANDARD_SUITE as suite } from "../../../support/suites.ts";

// rules: pbft 2, pbft 16.1, pbft 16.2

const codecOf = (chainId = 1, groupId = 1, signatureBytes = SIGNATURE_BYTES): PbftCodec =>
  createCodec({ suite: { hash: suite.hash, signatureBytes }, chainId, groupId });
const codec = codecOf();

const group = new Group(4);
const lock = group.lock("aa", 3, [0, 2, 3]);
const MESSAGES: readonly Message[] = [
  group.prepare(0, "aa", { view: 0 }),
  group.prepare(1, "aa", { view: 5, J: group.justification(5, [0, 2, 3], lock) }),
  group.sign(2, "aa", { view: 2 ** 40 }),
  group.commit(3, "aa", { view: 1 }),
  group.viewChange(1, 4),
  group.viewChange(1, 4, lock),
  group.status(2, { height: 0, view: 7, toView: 8 }),
  { type: "viewCertificate", height: 0, view: 5, justification: group.justification(5, [0, 1, 2]) },
];

/** The shell's part: signers as recovered. */
function verified(message: Message): Message | undefined {
  return withSigners(
    message,
    claimsOf(message).map(({ content, signature }) => group.signatures.recover(content, signature)),
  );
}

for (const message of MESSAGES) {
  test(`a ${message.type} of view ${message.view} survives encoding, then verification`, () => {
    const decoded = codec.decode(codec.encode(message));
    assert.ok(decoded);
    assert.deepEqual(verified(decoded), message);
  });
}

test("a decoded message has no signer yet", () => {
  const decoded = codec.decode(codec.encode(group.sign(2, "aa", { view: 0 })));
  assert.ok(decoded && decoded.type === "sign");
  assert.equal(decoded.signer, UNVERIFIED);
});

test("one invalid signature anywhere in a message spoils it", () => {
  for (const message of MESSAGES) {
    const claims = claimsOf(message);
    claims.forEach((_, bad) => {
      const signers = claims.map((__, i) => (i === bad ? undefined : nodeId(0)));
      assert.equal(withSigners(message, signers), undefined);
    });
    assert.equal(withSigners(message, [...claims.map(() => nodeId(0)), nodeId(1)]), undefined);
  }
});

test("no prefix of a message is a message, nor is one with a byte behind it", () => {
  for (const message of MESSAGES) {
    const bytes = codec.encode(message);
    for (let length = 0; length < bytes.length; length++) {
      assert.equal(codec.decode(bytes.subarray(0, length)), undefined);
    }
    assert.equal(codec.decode(Uint8Array.from([...bytes, 0])), undefined);
  }
});

test("random bytes and changed messages decode to a message that encodes the same, or to none", () => {
  const changed = fc
    .tuple(fc.constantFrom(...MESSAGES), fc.nat(2_000), fc.nat(255))
    .map(([message, at, value]) => {
      const bytes = Uint8Array.from(codec.encode(message));
      bytes[at % bytes.length] = value;
      return bytes;
    });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), changed), (bytes) => {
      const message = codec.decode(bytes);
      if (message) assert.deepEqual(toHex(codec.encode(message)), toHex(bytes));
    }),
    { numRuns: cases(3_000) },
  );
});

test("a message beyond the size limit is not read", () => {
  assert.equal(codec.decode(new Uint8Array(MAX_MESSAGE_BYTES + 1)), undefined);
});

const base: SignedContent = {
  type: "sign",
  height: 4,
  view: 2,
  index: 1,
  proposal: blockOf("aa"),
  executed: executedOf("aa"),
};
const VARIANTS: readonly { name: string; content: SignedContent; codec?: PbftCodec }[] = [
  { name: "height", content: { ...base, height: 5 } },
  { name: "view", content: { ...base, view: 3 } },
  { name: "index", content: { ...base, index: 2 } },
  { name: "proposal", content: { ...base, proposal: blockOf("bb") } },
  { name: "executed block", content: { ...base, executed: executedOf("bb") } },
  { name: "type", content: { ...base, type: "commit", seal: new Uint8Array(SIGNATURE_BYTES) } },
  { name: "chain", content: base, codec: codecOf(2) },
  { name: "group", content: base, codec: codecOf(1, 2) },
];
for (const variant of VARIANTS) {
  test(`the signed digest changes with the ${variant.name}`, () => {
    const other = (variant.codec ?? codec).digestOf(variant.content);
    assert.notEqual(toHex(other), toHex(codec.digestOf(base)));
  });
}

test("the votes of a view change are bound to its lock, but not to the certificate", () => {
  const place = { type: "viewChange", height: 0, view: 4, index: 1, head: GENESIS } as const;
  const digest = (value: SignedContent) => toHex(codec.digestOf(value));
  const stripped = { ...lock, certificate: [] };
  assert.equal(digest({ ...place, lock }), digest({ ...place, lock: stripped }));
  assert.notEqual(digest({ ...place, lock }), digest({ ...place, lock: undefined }));
  assert.notEqual(digest({ ...place, lock }), digest({ ...place, lock: { ...lock, view: 2 } }));
});

test("a seal signs the bare block hash, and an old sign vote never verifies as one", () => {
  const key = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
  const signer = createSigner(codecOf(1, 1, suite.signatureBytes), suite, key);
  const seal = signer.sign({ type: "seal", executed: base.executed as Hash });
  const digest = codec.digestOf({ type: "seal", executed: base.executed as Hash });
  assert.equal(toHex(digest), (base.executed as string).slice(2));
  const own = toHex(suite.publicKey(key));
  assert.equal(toHex(suite.recover(digest, seal) ?? new Uint8Array()), own);
  const vote = signer.sign(base);
  assert.notEqual(toHex(suite.recover(digest, vote) ?? new Uint8Array()), own);
});

test("a record survives encoding and holds no public key", () => {
  const node = group.node(1);
  node.signs("aa");
  node.hearAll([0, 3].map((index) => group.sign(index, "aa", { view: 0 })));
  node.tick(3_000);
  const justification = group.justification(4, [0, 2, 3], group.lock("aa", 0, [0, 2, 3]));
  node.hear({ type: "viewCertificate", height: 0, view: 4, justification });
  node.tick(60_000);
  const record = recordOf(node.state);
  assert.ok(record.lock && record.sign && record.commit && record.viewChange);
  const bytes = encodeRecord(record);
  const context = { self: nodeId(1), sealers: group.sealers, signatureBytes: SIGNATURE_BYTES };
  assert.deepEqual(decodeRecord(bytes, context), record);
  assert.deepEqual(readRecord(bytes, context, 1), record);
  for (const id of group.sealers) assert.equal(toHex(bytes).includes(id), false);
});

test("the record of an idle round is small: a year of them does not fill a disk", () => {
  const node = group.node(1);
  node.hear({
    type: "viewCertificate",
    height: 0,
    view: 100_000,
    justification: group.justification(100_000, [0, 2, 3]),
  });
  node.tick(3_000);
  const real = 65 - SIGNATURE_BYTES;
  const bytes = encodeRecord(recordOf(node.state)).length + 4 * real;
  // Four nodes, 3600 views an hour, and at most 20 MB of them.
  assert.ok(bytes * 4 * 3_600 < 10_000_000, `${bytes} bytes`);
});

test("a record of another height is none, a damaged one stops the node", () => {
  const node = group.node(1);
  node.signs("aa");
  const bytes = encodeRecord(recordOf(node.state));
  const context = { self: nodeId(1), sealers: group.sealers, signatureBytes: SIGNATURE_BYTES };
  assert.equal(readRecord(bytes, context, 2), undefined);
  assert.equal(readRecord(bytes, { ...context, self: nodeId(9) }, 1), undefined);
  for (const damaged of [bytes.subarray(1), bytes.subarray(0, -1), new Uint8Array(0)]) {
    assert.throws(() => readRecord(damaged, context, 1), { name: "StoreFault", kind: "corrupt" });
  }
});

test("damaged records are refused, not misread", () => {
  const node = group.node(1);
  node.signs("aa");
  const bytes = encodeRecord(recordOf(node.state));
  const context = { self: nodeId(1), sealers: group.sealers, signatureBytes: SIGNATURE_BYTES };
  for (let length = 0; length < bytes.length; length++) {
    assert.equal(decodeRecord(bytes.subarray(0, length), context), undefined);
  }
  assert.equal(decodeRecord(bytes, { ...context, self: nodeId(9) }), undefined);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
      assert.equal(decodeRecord(random, context), undefined);
    }),
  );
});
