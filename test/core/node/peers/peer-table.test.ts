/** Who is connected, and who of them is a member. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { PeerTable } from "../../../../core/node/peers/peer-table.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";

const [a, b, c] = [nodeIdOfNumber(1), nodeIdOfNumber(2), nodeIdOfNumber(3)];

test("members are those with a session, ordered by node ID", () => {
  const peers = new PeerTable();
  peers.setMembers([c, a]);
  for (const peer of [c, b, a]) peers.up(peer);
  assert.deepEqual(peers.members(), [a, c]);
  peers.down(a);
  assert.deepEqual(peers.members(), [c]);
});

test("whoever joins the group later counts from then on", () => {
  const peers = new PeerTable();
  peers.up(b);
  assert.deepEqual(peers.members(), []);
  assert.equal(peers.isConnected(b), true);
  peers.setMembers([b]);
  assert.deepEqual(peers.members(), [b]);
});
