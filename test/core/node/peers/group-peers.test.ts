/** Who is connected, who of them is a member, and who is not listened to any more. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createActor, createMachine } from "xstate";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { REJECTIONS_BEFORE_BLOCK } from "../../../../core/actors/session.machine.ts";
import { GroupPeers } from "../../../../core/node/peers/group-peers.ts";
import type { NetworkEvents } from "../../../../core/ports/network.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { genesisOf, GroupMachine, identityOf } from "../../../support/world/group-machine.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";

const PEER = nodeIdOfNumber(1);
const [a, b, c] = [nodeIdOfNumber(1), nodeIdOfNumber(2), nodeIdOfNumber(3)];

type Options = ConstructorParameters<typeof GroupPeers>[0];

function place(
  members: readonly NodeId[],
  blocked: string[] = [],
  parent?: Options["parent"],
): GroupPeers {
  const options = {
    groupId: 1,
    log: { write: () => undefined },
    inspect: undefined,
    parent,
    onError: (cause: unknown) => assert.fail(String(cause)),
    onBlocked: (peer: NodeId, reason: string) => void blocked.push(`${peer === PEER}: ${reason}`),
    versionOf: () => 3,
  };
  return new GroupPeers(options, members);
}

function table(blocked?: string[]): GroupPeers {
  const peers = place([], blocked);
  peers.up(PEER);
  return peers;
}

test("members are those with a session, ordered by node ID", () => {
  const peers = place([c, a]);
  for (const peer of [c, b, a]) peers.up(peer);
  assert.deepEqual(peers.members(), [a, c]);
  peers.down(a);
  assert.deepEqual(peers.members(), [c]);
});

test("a peer that comes when the group has ended is turned away", () => {
  const parent = createActor(createMachine({})).start();
  parent.stop();
  const peers = place([a], [], parent as unknown as Options["parent"]);
  assert.equal(peers.up(a), false);
  assert.equal(peers.isConnected(a), false);
});

test("a node that joins the group later counts from then on", () => {
  const peers = place([]);
  peers.up(b);
  assert.deepEqual(peers.members(), []);
  assert.equal(peers.isConnected(b), true);
  peers.setMembers([b]);
  assert.deepEqual(peers.members(), [b]);
});

test("a peer that keeps sending nonsense is ignored until it connects again", () => {
  const blocked: string[] = [];
  const sessions = table(blocked);
  for (let i = 1; i < REJECTIONS_BEFORE_BLOCK; i++) sessions.reject(PEER, "nonsense");
  assert.equal(sessions.admits({ from: PEER }), true);
  assert.deepEqual(blocked, []);
  sessions.reject(PEER, "nonsense");
  assert.equal(sessions.admits({ from: PEER }), false);
  // The network is told, once.
  sessions.reject(PEER, "more of it");
  assert.deepEqual(blocked, ["true: too many rejected messages in group 1, the last: nonsense"]);
  sessions.down(PEER);
  sessions.up(PEER);
  assert.equal(sessions.admits({ from: PEER }), true);
});

test("a rejection now and then never adds up to being ignored", () => {
  const sessions = table();
  for (let i = 0; i < 3 * REJECTIONS_BEFORE_BLOCK; i++) {
    sessions.reject(PEER, "an accident");
    sessions.cleanUp();
  }
  assert.equal(sessions.admits({ from: PEER }), true);
});

test("a node has its network cut off a peer whose messages a group rejects", async () => {
  const suite = await createNodeSuite();
  const { nodeId } = identityOf(suite, 0);
  const penalised: string[] = [];
  const heard: NetworkEvents[] = [];
  const network = {
    self: nodeId,
    peers: () => [],
    start: async (events: NetworkEvents) => void heard.push(events),
    send: () => undefined,
    stop: async () => undefined,
    penalise: (peer: string, reason: string) => void penalised.push(`${peer} ${reason}`),
  };
  const fixed = [genesisOf(1, [nodeId, PEER])];
  const machine = new GroupMachine({ suite, fixed, ports: { network } });
  await machine.start();
  const [events] = heard;
  assert.ok(events);
  events.peerUp(PEER);
  const bytes = Uint8Array.of(255, 255, 255);
  const message = { from: PEER, groupId: 1, kind: "transactions", bytes } as const;
  for (let i = 0; i < REJECTIONS_BEFORE_BLOCK + 5; i++) events.message(message);
  assert.equal(penalised.length, 1);
  assert.match(penalised[0] ?? "", new RegExp(`^${PEER} too many rejected messages in group 1`));
  await machine.stop();
});
