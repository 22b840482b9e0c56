// Which messages of which senders a node hears, and which are charged to their senders.
// rules: sync 1, node-network 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { encodeCall } from "../../../../core/abi/encode.ts";
import type { Address, NodeId } from "../../../../core/bytes/ids.ts";
import {
  admissionAmong,
  type AdmittingGroup,
  admissionOfNonMember,
} from "../../../../core/node/peers/admission-policy.ts";
import type { PeerAdmission, Incoming, NetworkEvents } from "../../../../core/ports/network.ts";
import { encodeBlockMessage } from "../../../../core/sync/block-exchange.ts";
import { encodeTransactions } from "../../../../core/sync/gossip.ts";
import {
  encodeSyncMessage,
  isBlocksMessage,
  isSyncMessage,
} from "../../../../core/sync/sync-message.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { genesisOf, GroupMachine, identityOf } from "../../../support/world/group-machine.ts";
import { NodeWorld, type Outgoing } from "../../../support/world/node-world.ts";
import { hashOfNumber, nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { keyOf } from "../../../support/world/world-parts.ts";

const suite = await createNodeSuite();
const MEMBER = nodeIdOfNumber(1);
const OUTSIDER = nodeIdOfNumber(2);
const EIGHTH = 1 / 8;
const CONSENSUS = `0x${"1003".padStart(40, "0")}` as Address;

const hash = hashOfNumber(5);
const status = { type: "status", number: 9, genesisHash: hash, latestHash: hash } as const;
const MESSAGES = {
  vote: { kind: "consensus", bytes: Uint8Array.of(0xc1, 0x01) },
  push: { kind: "transactions", bytes: encodeTransactions("push", []) },
  body: { kind: "blocks", bytes: encodeBlockMessage({ type: "requestBody", proposal: hash }) },
  status: { kind: "blocks", bytes: encodeSyncMessage(status) },
  range: { kind: "blocks", bytes: encodeSyncMessage({ type: "requestRange", from: 1, count: 1 }) },
  blocks: {
    kind: "blocks",
    bytes: encodeSyncMessage({ type: "blocks", blocks: [Uint8Array.of(0xc0)] }),
  },
  topics: { kind: "topics", bytes: Uint8Array.of(1) },
} as const;
type Name = keyof typeof MESSAGES;

const message = (name: Name, from: NodeId = OUTSIDER, groupId = 1): Incoming => ({
  from,
  groupId,
  ...MESSAGES[name],
});
const heard = (charge: number): PeerAdmission => ({ isAdmitted: true, charge });
const unheard = (charge: number): PeerAdmission => ({ isAdmitted: false, charge });

/** Whether blocks of the sender are awaited, or were: an answer is late. */
type Asked = "awaited" | "late" | "";

const ROWS: readonly (readonly [Name, Asked, number, PeerAdmission])[] = [
  ["vote", "", 10, unheard(1)],
  ["push", "", 10, unheard(1)],
  ["body", "", 10, unheard(1)],
  ["status", "", 10, heard(1)],
  ["range", "", 10, heard(1)],
  ["blocks", "", 10, unheard(1)],
  ["blocks", "awaited", 10, heard(0)],
  ["blocks", "awaited", 11, heard(0)],
  ["blocks", "late", 10, heard(1)],
  ["blocks", "late", 11, heard(EIGHTH)],
  // Sealers report that there are newer blocks: the sender may be of the group since one of them.
  ["vote", "", 11, unheard(EIGHTH)],
  ["push", "", 11, unheard(EIGHTH)],
  ["blocks", "", 11, unheard(EIGHTH)],
  ["status", "", 11, heard(1)],
];

for (const [name, asked, highest, expected] of ROWS) {
  const place = `at block 10 of ${highest}`;
  const verdict = `${expected.isAdmitted ? "heard" : "not heard"}, charged ${expected.charge}`;
  test(`${asked}${asked && " "}${name} of a non-member ${place} is ${verdict}`, () => {
    const view = {
      expectsBlocks: () => asked !== "",
      awaitsBlocks: () => asked === "awaited",
      believableHeight: () => highest,
    };
    assert.deepEqual(admissionOfNonMember(message(name), view, 10), expected);
  });
}

/** A group with one member, that thinks the same of everything non-members say. */
function groupThat(admission: PeerAdmission): { admitting(): AdmittingGroup } {
  const group = {
    admission: ({ from }: Incoming) => (from === MEMBER ? heard(0) : admission),
    hasMember: (node: NodeId) => node === MEMBER,
  };
  return { admitting: () => group };
}

test("a member of one group is not charged for what it says in others", () => {
  const none = { admitting: () => undefined };
  const hosts = new Map<number, { admitting(): AdmittingGroup | undefined }>([
    [1, groupThat(unheard(1))],
    [2, { admitting: () => ({ admission: () => unheard(1), hasMember: () => false }) }],
    [3, none],
  ]);
  const verdicts = (from: NodeId) =>
    [1, 2, 3, 4].map((groupId) => admissionAmong(hosts, message("vote", from, groupId)));
  assert.deepEqual(verdicts(MEMBER), [heard(0), unheard(0), heard(0), unheard(0)]);
  // A group that does not run here may run where the non-member is; of group 4 there is nothing.
  assert.deepEqual(verdicts(OUTSIDER), [unheard(1), unheard(1), heard(EIGHTH), unheard(1)]);
});

test("a node asks its groups once they are there, and learns of topics from everybody", async () => {
  const { nodeId } = identityOf(suite, 0);
  const told: NetworkEvents[] = [];
  const early: (PeerAdmission | undefined)[] = [];
  const network = {
    self: nodeId,
    peers: () => [],
    start: async (events: NetworkEvents) => {
      told.push(events);
      early.push(events.admission?.(message("vote")));
    },
    send: () => undefined,
    stop: async () => undefined,
  };
  const fixed = [genesisOf(1, [nodeId, MEMBER])];
  const machine = new GroupMachine({ suite, fixed, ports: { network } });
  await machine.start();
  const [events] = told;
  assert.ok(events);
  const verdict = (name: Name, from?: NodeId, groupId?: number) =>
    events.admission?.(message(name, from, groupId));
  assert.deepEqual(early, [heard(EIGHTH)]);
  assert.deepEqual(verdict("vote", MEMBER), heard(0));
  assert.deepEqual(verdict("vote"), unheard(1));
  assert.deepEqual(verdict("status"), heard(1));
  assert.deepEqual(verdict("vote", OUTSIDER, 2), unheard(1));
  assert.deepEqual(verdict("topics", OUTSIDER, 0), heard(0));
  await machine.stop();
});

const isBlocks = ({ kind, bytes }: Outgoing) =>
  kind === "blocks" && isSyncMessage(bytes) && isBlocksMessage(bytes);

test("roles in flight: who is added is early to a node that is behind, who is removed is late", async () => {
  const four = [0, 1, 2, 3].map((index) => keyOf(suite, index).nodeId);
  const LAGGARD = 3;
  let isWithheld = true;
  const world = new NodeWorld({
    suite,
    seed: 3,
    nodes: 5,
    genesis: { sealers: [...four].sort() },
    tamper: (_, to, outgoing) =>
      isWithheld && to === four[LAGGARD] && isBlocks(outgoing) ? undefined : outgoing.bytes,
  });
  const events = new Map<number, NetworkEvents>();
  for (const { index, network } of world.machines) {
    const { start } = network;
    const listen: typeof start = (own) => {
      events.set(index, own);
      return start(own);
    };
    Object.assign(network, { start: listen });
  }
  await world.startAll();
  const newcomer = world.machine(4).nodeId;
  const voteAt = (index: number) => events.get(index)?.admission?.(message("vote", newcomer));
  const change = async (what: "addObserver" | "remove", nodes: readonly number[]) => {
    const input = encodeCall(`${what}(string)`, [newcomer], suite.hash);
    const number = world.group(0).ledger.head().number;
    world.submit(0, { to: CONSENSUS, input }).outcome.catch(() => undefined);
    const heads = () => nodes.map((index) => world.group(index).ledger.head().number);
    await world.until(() => heads().every((head) => head > number), 60_000, what);
  };
  assert.deepEqual(voteAt(0), unheard(1));
  world.crash(world.machine(LAGGARD));
  await change("addObserver", [0, 1, 2]);
  assert.deepEqual(voteAt(0), heard(0));
  await world.start(LAGGARD);
  await world.advance(10_000);
  assert.equal(world.group(LAGGARD).ledger.head().number, 0);
  assert.deepEqual(voteAt(LAGGARD), unheard(EIGHTH));
  isWithheld = false;
  const caughtUp = () => world.group(LAGGARD).ledger.head().number >= 1;
  await world.until(caughtUp, 120_000, "catching up");
  assert.deepEqual(voteAt(LAGGARD), heard(0));
  await change("remove", [0, 1, 2, LAGGARD]);
  assert.deepEqual(voteAt(0), unheard(1));
  await world.stopAll();
});
