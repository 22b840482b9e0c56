// What two processes with one key say to each other: it counts on the channel that it was reported
// on.
// rules: node-network 1
import assert from "node:assert/strict";
import { test } from "vitest";
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import {
  COPY_VERSIONS,
  type CopyContext,
  copyProtocol,
  copyVersionOf,
  decodeCopyClaim,
  encodeCopyClaim,
} from "../../../core/network/copy-proof.ts";
import { STANDARD_SUITE as SUITE } from "../../support/suites.ts";

const KEY = new Uint8Array(32).fill(9);
const bytes = (fill: number) => new Uint8Array(32).fill(fill);
const CLAIM = { nonce: bytes(1), tag: bytes(2), uptimeMs: 77 };
const CONTEXT: CopyContext = {
  version: 2,
  channel: { dialler: bytes(3), acceptor: bytes(4) },
  suite: SUITE,
  chainId: 7,
  self: nodeIdOf(SUITE.publicKey(KEY)),
  challenge: bytes(5),
  isDialler: true,
};

test("the newest version comes first; another protocol has none", () => {
  const names = COPY_VERSIONS.map(copyProtocol);
  assert.deepEqual(names, ["/chain-node/copy/2", "/chain-node/copy/1"]);
  assert.deepEqual(names.map(copyVersionOf), [2, 1]);
  assert.equal(copyVersionOf("/chain-node/copy/3"), undefined);
});

test("a claim survives the wire in each version", () => {
  for (const version of COPY_VERSIONS) {
    const context = { ...CONTEXT, version };
    assert.deepEqual(decodeCopyClaim(encodeCopyClaim(CLAIM, context, KEY), context), CLAIM);
  }
});

const OTHERS: readonly (readonly [string, Partial<CopyContext>])[] = [
  ["between other ends", { channel: { ...CONTEXT.channel, dialler: bytes(6) } }],
  ["with another end", { channel: { ...CONTEXT.channel, acceptor: bytes(6) } }],
  ["the other way round", { channel: { dialler: bytes(4), acceptor: bytes(3) } }],
  ["in version 1", { version: 1 }],
  ["of another chain", { chainId: 8 }],
  ["for another challenge", { challenge: bytes(6) }],
  ["of the other role", { isDialler: false }],
  ["of another node", { self: nodeIdOf(SUITE.publicKey(bytes(8))) }],
];

for (const [name, other] of OTHERS) {
  test(`a claim proves nothing ${name}`, () => {
    const claim = encodeCopyClaim(CLAIM, CONTEXT, KEY);
    assert.equal(decodeCopyClaim(claim, { ...CONTEXT, ...other }), undefined);
  });
}

test("a claim of version 1 is none of version 2", () => {
  const claim = encodeCopyClaim(CLAIM, { ...CONTEXT, version: 1 }, KEY);
  assert.equal(decodeCopyClaim(claim, CONTEXT), undefined);
});
