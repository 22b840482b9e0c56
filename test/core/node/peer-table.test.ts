/** Who is connected and where they stand. */
// rules: sync 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { PeerTable } from "../../../core/node/peer-table.ts";
import { hashOfNumber, nodeIdOfNumber } from "../../support/pool-builders.ts";

const GENESIS = hashOfNumber(0);
const [a, b, c] = [nodeIdOfNumber(1), nodeIdOfNumber(2), nodeIdOfNumber(3)];

function table(): PeerTable {
  const peers = new PeerTable(GENESIS);
  peers.setMembers([c, a]);
  return peers;
}

test("a peer shows block 0 until its first status", () => {
  const peers = table();
  peers.up(a);
  assert.deepEqual(peers.statuses(), [{ nodeId: a, number: 0, latestHash: GENESIS }]);
});

test("statuses are those of connected members, ordered by node ID", () => {
  const peers = table();
  for (const peer of [c, b, a]) peers.up(peer);
  peers.note(c, { number: 7, latestHash: hashOfNumber(7) });
  peers.note(b, { number: 9, latestHash: hashOfNumber(9) });
  assert.deepEqual(peers.members(), [a, c]);
  assert.deepEqual(
    peers.statuses().map(({ number }) => number),
    [0, 7],
  );
});

test("a node that is not a member is never the highest", () => {
  const peers = table();
  peers.up(b);
  peers.note(b, { number: 1_000, latestHash: hashOfNumber(1) });
  assert.equal(peers.highestAbove(0), undefined);
  peers.setMembers([b]);
  assert.equal(peers.highestAbove(0)?.number, 1_000);
});

test("a status of a node without a session is not kept", () => {
  const peers = table();
  peers.note(a, { number: 5, latestHash: hashOfNumber(5) });
  assert.deepEqual(peers.statuses(), []);
  peers.up(a);
  peers.note(a, { number: 5, latestHash: hashOfNumber(5) });
  peers.down(a);
  peers.up(a);
  assert.equal(peers.statuses()[0]?.number, 0, "a new session begins anew");
});

test("the highest is above the height asked about, and none at or below it", () => {
  const peers = table();
  for (const [peer, number] of [
    [a, 4],
    [c, 6],
  ] as const) {
    peers.up(peer);
    peers.note(peer, { number, latestHash: hashOfNumber(number) });
  }
  assert.equal(peers.highestAbove(5)?.number, 6);
  assert.equal(peers.highestAbove(6), undefined);
});
