/** What leaves with a header, and what of that which came with one is examined. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { openRelayed, type RelayHeader } from "../../../../core/network/relay/header.ts";
import { MESSAGES_A_SECOND } from "../../../../core/network/relay/state.ts";
import { RelayService } from "../../../../core/node/consensus/relay-service.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

// rules: pbft 11

const [SELF, ONE, TWO, THREE] = [0, 1, 2, 3].map(nodeIdOfNumber) as [
  NodeId,
  NodeId,
  NodeId,
  NodeId,
];
const OBSERVER = nodeIdOfNumber(9);
const WORD = Uint8Array.of(1, 2, 3);

/** The relay service of a sealer of four that has sessions with some. */
function relayWith(members: readonly NodeId[], passesOn: (peer: NodeId) => boolean = () => true) {
  const sent: { readonly to: NodeId; readonly missing: readonly NodeId[] | undefined }[] = [];
  const network = {
    self: SELF,
    peers: () => [],
    start: async () => undefined,
    stop: async () => undefined,
    send: (to: NodeId, { bytes }: { readonly bytes: Uint8Array }) => {
      const opened = openRelayed(bytes);
      assert.deepEqual(opened?.payload, WORD);
      sent.push({ to, missing: opened.header?.missing });
    },
  };
  const relay = new RelayService({
    groupId: 1,
    self: SELF,
    network,
    clock: createHandClock(),
    hash: STANDARD_SUITE.hash,
    tuning: { ttl: 2, byList: true },
  });
  relay.refresh([SELF, ONE, TWO, THREE], members, passesOn);
  return { relay, sent };
}

const withHeader = (
  ...missing: readonly NodeId[]
): { header: RelayHeader; payload: Uint8Array } => ({
  header: { ttl: 1, missing },
  payload: WORD,
});

test("where all are connected nothing has a header", () => {
  const { relay, sent } = relayWith([ONE, TWO, THREE, OBSERVER]);
  assert.equal(relay.send(WORD).size, 0);
  assert.deepEqual(sent, []);
});

test("own messages name those that they do not reach, to sealers that pass on", () => {
  const { relay, sent } = relayWith([ONE, TWO, OBSERVER], (peer) => peer !== ONE);
  assert.deepEqual([...relay.send(WORD)], [TWO]);
  assert.deepEqual(sent, [{ to: TWO, missing: [THREE] }]);
  assert.ok(relay.isDistant(THREE));
  assert.ok(!relay.isDistant(ONE) && !relay.isDistant(OBSERVER) && !relay.isDistant(SELF));
});

test("messages for one distant sealer go out once in a while, no matter who they are for", () => {
  const { relay, sent } = relayWith([ONE]);
  for (let times = 0; times < 5; times++) relay.send(WORD, true);
  assert.deepEqual(sent, [{ to: ONE, missing: [TWO, THREE] }]);
});

test("a copy for others waits until it is verified, and goes on once", () => {
  const { relay, sent } = relayWith([ONE, TWO]);
  const copy = withHeader(TWO, THREE);
  const named = relay.look(copy, { from: ONE, speaker: ONE });
  assert.ok(typeof named === "object");
  assert.deepEqual(sent, []);
  assert.equal(relay.look(copy, { from: ONE, speaker: ONE }), "known");
  relay.verified(named, ONE);
  assert.deepEqual(sent, [{ to: TWO, missing: [THREE] }]);
  assert.equal(relay.look(copy, { from: ONE, speaker: ONE }), "known");
  assert.equal(sent.length, 1);
});

test("what its author says, and no other node is to get from here, is plain", () => {
  const { relay } = relayWith([ONE, TWO]);
  assert.equal(relay.look(withHeader(THREE), { from: ONE, speaker: ONE }), "plain");
  assert.equal(relay.look(withHeader(TWO), { from: ONE, speaker: SELF }), "plain");
  assert.equal(typeof relay.look(withHeader(), { from: ONE, speaker: THREE }), "object");
});

test("beyond its share an author is heard, and what it says of others is dropped", () => {
  const { relay } = relayWith([ONE, TWO]);
  const copyOf = (at: number) => ({
    ...withHeader(TWO),
    payload: Uint8Array.of(at >> 8, at & 255),
  });
  for (const speaker of [ONE, THREE])
    for (let at = 0; at < MESSAGES_A_SECOND; at++) {
      const copy = copyOf(speaker === ONE ? at : at + 1_000);
      assert.equal(typeof relay.look(copy, { from: ONE, speaker }), "object");
    }
  assert.equal(relay.look(copyOf(5_000), { from: ONE, speaker: ONE }), "plain");
  assert.equal(relay.look(copyOf(5_001), { from: ONE, speaker: THREE }), "known");
});
