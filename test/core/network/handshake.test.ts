// The certificate exchange: its codecs, what is signed, lists, duplicates, pauses.
// rules: node-network 1, node-network 2, node-network 9
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { toHex } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { PeerLists, pauseMs, takesOver } from "../../../core/network/admission.ts";
import {
  decodeHello,
  decodeProof,
  decodeRefusal,
  encodeHello,
  encodeProof,
  encodeRefusal,
  PEER_VERSIONS,
  peerDigest,
  peerProtocol,
  REFUSALS,
  refusalTime,
  versionOf,
} from "../../../core/network/handshake.ts";
import { STANDARD_SUITE as SUITE } from "../../support/suites.ts";

const id = (digit: string) => digit.repeat(128) as NodeId;
const nonce = (fill: number) => new Uint8Array(32).fill(fill);

test("a hello survives the wire", () => {
  const certificates = fc.array(fc.uint8Array({ maxLength: 4_096 }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.maxSafeNat(), certificates, fc.nat({ max: 255 }), (chainId, list, features) => {
      const hello = { chainId, nonce: nonce(3), certificates: list, features };
      assert.deepEqual(decodeHello(encodeHello(hello)), hello);
    }),
    { numRuns: 50 },
  );
});

test("a hello cut short, of too many certificates or of too long ones is malformed", () => {
  const hello = { chainId: 1, nonce: nonce(1), certificates: [new Uint8Array(3)], features: 1 };
  assert.equal(decodeHello(encodeHello(hello).subarray(0, -1)), undefined);
  const many = { ...hello, certificates: Array.from({ length: 9 }, () => new Uint8Array(1)) };
  assert.equal(decodeHello(encodeHello(many)), undefined);
  const long = { ...hello, certificates: [new Uint8Array(4_097)] };
  assert.equal(decodeHello(encodeHello(long)), undefined);
});

test("proofs and refusals survive the wire, and protocols name their version", () => {
  const signature = new Uint8Array(65).fill(9);
  assert.deepEqual(decodeProof(encodeProof(signature)), signature);
  assert.equal(decodeProof(new Uint8Array([0, 0, 0, 9])), undefined);
  for (const reason of REFUSALS) assert.equal(decodeRefusal(encodeRefusal(reason)), reason);
  assert.equal(decodeRefusal(new Uint8Array([200])), "unknown reason");
  assert.equal(decodeRefusal(new Uint8Array()), "unknown reason");
  const timed = encodeRefusal("no valid certificate", 1_700_000_000_000.7);
  assert.deepEqual(
    [decodeRefusal(timed), refusalTime(timed)],
    ["no valid certificate", 1_700_000_000_000],
  );
  for (const other of [encodeRefusal("self"), timed.subarray(0, 5), new Uint8Array(12)])
    assert.equal(refusalTime(other), undefined);
  assert.equal(refusalTime(new Uint8Array(9).fill(255)), undefined);
  assert.deepEqual(PEER_VERSIONS.map(peerProtocol), ["/chain-node/peer/3", "/chain-node/peer/2"]);
  assert.equal(versionOf("/chain-node/peer/2"), 2);
  assert.equal(versionOf("/chain-node/peer/1"), undefined);
});

test("the signed digest depends on chain, both identities, both nonces, and who dialled", () => {
  const end = (fill: number, nonceFill: number) => ({
    peerId: new Uint8Array(37).fill(fill),
    nonce: nonce(nonceFill),
  });
  const digests = [
    peerDigest(SUITE, 1, end(1, 1), end(2, 2)),
    peerDigest(SUITE, 2, end(1, 1), end(2, 2)),
    peerDigest(SUITE, 1, end(3, 1), end(2, 2)),
    peerDigest(SUITE, 1, end(1, 1), end(3, 2)),
    peerDigest(SUITE, 1, end(1, 3), end(2, 2)),
    peerDigest(SUITE, 1, end(1, 1), end(2, 3)),
    peerDigest(SUITE, 1, end(2, 2), end(1, 1)),
  ];
  assert.equal(new Set(digests.map((digest) => toHex(digest))).size, digests.length);
});

test("the blacklist wins over the whitelist, and letters compare without case", () => {
  const lists = new PeerLists([id("A")], [id("a"), `0x${id("B")}`]);
  assert.equal(lists.refusal(id("a")), "blacklisted");
  assert.equal(lists.refusal(id("b")), undefined);
  assert.equal(lists.refusal(id("c")), "not on the whitelist");
  lists.setWhitelist([]);
  assert.equal(lists.refusal(id("c")), undefined);
  assert.equal(lists.refusal(id("a")), "blacklisted");
});

test("of two simultaneous dials both ends keep the one of the smaller ID", () => {
  const [small, large] = [id("1"), id("2")];
  for (const active of [true, false]) {
    const own = { active, dialledBySelf: true, ageMs: 10 };
    const fresh = { dialledBySelf: false };
    assert.equal(takesOver(own, { self: small, peer: large, ...fresh }, 10_000), false);
    assert.equal(takesOver(own, { self: large, peer: small, ...fresh }, 10_000), true);
  }
});

test("a dialler keeps what it has; a peer that dials anew has lost what this node thinks it has", () => {
  const [self, peer] = [id("1"), id("2")];
  for (const dialledBySelf of [true, false]) {
    const known = { active: true, dialledBySelf, ageMs: 60_000 };
    assert.equal(takesOver(known, { self, peer, dialledBySelf: true }, 10_000), false);
    assert.equal(takesOver(known, { self, peer, dialledBySelf: false }, 10_000), true);
  }
});

test("pauses double from one second to thirty, less up to half of it", () => {
  const whole = [0, 1, 2, 3, 4, 5, 6, 60].map((failures) => pauseMs(failures, 0));
  assert.deepEqual(whole, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(pauseMs(0, 1), 500);
  assert.equal(pauseMs(9, 1), 15_000);
});
