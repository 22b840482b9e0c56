/**
 * Old messages said again, and messages for rounds to come, cost next to nothing, no matter who
 * says them; and who is behind is helped all the same.
 */
// rules: pbft 16.1, pbft 16.3.9, pbft 16.3.10
import assert from "node:assert/strict";
import { test } from "vitest";
import { encodeCall } from "../../../../core/abi/encode.ts";
import { addressOfNumber } from "../../../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../../../core/bytes/ids.ts";
import { createCodec, createSigner } from "../../../../core/consensus/pbft/codec.ts";
import type {
  CommitContent,
  Message,
  SignedContent,
  ViewCertificate,
  ViewChange,
} from "../../../../core/consensus/pbft/message.ts";
import type { GenesisConfig } from "../../../../core/model/config.ts";
import { headerHash } from "../../../../core/model/header.ts";
import {
  readConsensusMessage,
  encodeConsensusMessage,
} from "../../../../core/node/consensus/consensus-wire.ts";
import { EVIDENCE_A_SECOND, STATUSES_A_SECOND } from "../../../../core/node/consensus/pbft-gate.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { HostileSealer } from "../../../support/world/hostile-sealer.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { hashOfNumber } from "../../../support/world/pool-builders.ts";
import { keyOf } from "../../../support/world/world-parts.ts";

const suite = await createNodeSuite();
const codec = createCodec({ chainId: 1, groupId: 1, suite });
const SENDINGS = 1_000;
/** What three honest nodes report in a second of an idle group, with room to spare. */
const ORDINARY = 400;

/** Three honest nodes on a block, some views into the next height, and a sealer that lies. */
async function arrange(genesis: Partial<GenesisConfig> = {}) {
  const world = new NodeWorld({ suite, genesis });
  const byzantine = new HostileSealer(world, suite, 3);
  for (const { index } of byzantine.honest) await world.start(index);
  await byzantine.connect();
  const [first] = byzantine.honest;
  assert.ok(first);
  const { outcome } = world.submit(first.index);
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  const group = (index: number) => world.group(index);
  const stands = () =>
    byzantine.honest.every(({ index }) => group(index).ledger.head().number === 1);
  await world.until(stands, 60_000, "a block");
  const isFar = () =>
    byzantine.honest.every(({ index }) => {
      const status = group(index).consensusStatus();
      return status.kind === "pbft" && status.currentView >= 4;
    });
  await world.until(isFar, 60_000, "some views");
  const send = (message: Message, to: NodeId) =>
    byzantine.send(to, "consensus", encodeConsensusMessage({ message, compact: undefined }, codec));
  const { head, genesisHash } = heads(world, first.index);
  return { world, byzantine, first, send, head, genesisHash };
}

function heads(world: NodeWorld, index: number) {
  const { ledger } = world.group(index);
  return { head: ledger.head().hash, genesisHash: ledger.genesisHash() };
}

/** Signed by the sealer whose index it names, as it once was. */
function signed<Content extends Exclude<SignedContent, CommitContent | { type: "seal" }>>(
  world: NodeWorld,
  content: Content,
) {
  const signer = world.genesis.sealers[content.index];
  const machine = world.machines.find(({ nodeId }) => nodeId === signer);
  assert.ok(signer && machine);
  const signature = createSigner(codec, suite, machine.privateKey).sign(content);
  return { ...content, signature, signer };
}

/** Of a height that is over: three view changes, each with a lock. */
function oldCertificate(world: NodeWorld, head: ViewChange["head"]): ViewCertificate {
  const claim = { view: 0, proposal: head, executed: head };
  const certificate = [0, 1, 2].map((index) => {
    const content = { type: "sign", height: 1, index, ...claim } as const;
    const { signature, signer } = signed(world, content);
    return { index, signature, signer };
  });
  const lock = { ...claim, certificate };
  const justification = [0, 1, 2].map((index) =>
    signed(world, { type: "viewChange", height: 0, view: 1, index, head, lock } as const),
  );
  return { type: "viewCertificate", height: 0, view: 1, justification };
}

function askedOf({ compute }: NodeWorld): number {
  const { hits, joined, misses } = compute.counts();
  return hits + joined + misses;
}

test("a thousand old justifications and votes have next to no signature examined", async () => {
  const { world, byzantine, send, head, genesisHash } = await arrange();
  const old = oldCertificate(world, genesisHash);
  const justification = [0, 1, 2].map((index) =>
    signed(world, {
      type: "viewChange",
      height: 1,
      view: 2,
      index,
      head,
      lock: undefined,
    } as const),
  );
  const facts = { proposal: head, executed: head };
  const WORDS: readonly Message[] = [
    old,
    { type: "viewCertificate", height: 1, view: 2, justification },
    ...old.justification.slice(0, 1),
    ...justification.slice(0, 1),
    signed(world, { type: "sign", height: 1, view: 0, index: 0, ...facts } as const),
    signed(world, { type: "sign", height: 2, view: 1, index: 2, ...facts } as const),
  ];
  const before = askedOf(world);
  for (let sending = 0; sending < SENDINGS; sending++)
    for (const { nodeId } of byzantine.honest) for (const words of WORDS) send(words, nodeId);
  await world.advance(1_000);
  const asked = askedOf(world) - before;
  assert.ok(asked < ORDINARY, `${asked} signatures for ${3 * SENDINGS * WORDS.length} messages`);
  assert.deepEqual(world.failures, []);
  await world.stopAll();
});

test("statuses and proofs of a fault are examined now and then, however many come", async () => {
  const { world, byzantine, send, head } = await arrange();
  const [{ nodeId }] = byzantine.honest as [(typeof byzantine.honest)[number]];
  const place = { index: byzantine.index, height: 1, view: 4, head };
  const status = signed(world, { type: "status", ...place, toView: 4 } as const);
  const first = world.genesis.sealers.indexOf(nodeId);
  const facts = { proposal: head, executed: head };
  const twin = { type: "sign", height: 2, view: 1_000, index: first, ...facts } as const;
  for (const [words, most] of [
    [status, STATUSES_A_SECOND],
    [signed(world, twin), EVIDENCE_A_SECOND],
  ] as const) {
    await world.advance(2_000);
    const before = askedOf(world);
    for (let sending = 0; sending < SENDINGS; sending++) send(words, nodeId);
    await world.advance(900);
    const asked = askedOf(world) - before;
    assert.ok(asked >= most && asked < most + ORDINARY, `${asked}`);
  }
  await world.stopAll();
});

test("a sealer that is behind and says so with an old vote is sent the way forward", async () => {
  const { world, byzantine, first, send, head } = await arrange();
  const heard: string[] = [];
  byzantine.onMessage = ({ from, kind, bytes }) => {
    if (from !== first.nodeId || kind !== "consensus") return;
    const type = readConsensusMessage(bytes, codec)?.message.type;
    if (type === "viewCertificate") heard.push(type);
  };
  const place = { index: byzantine.index, height: 1, view: 0, head };
  send(signed(world, { type: "status", ...place, toView: 1 } as const), first.nodeId);
  await world.advance(300);
  assert.ok(heard.length > 0, "an answer to a status");
  heard.length = 0;
  const old = { type: "viewChange", ...place, view: 1, lock: undefined } as const;
  for (let sending = 0; sending < SENDINGS; sending++) send(signed(world, old), first.nodeId);
  await world.advance(900);
  assert.ok(heard.length >= 1 && heard.length <= 5, `${heard.length} answers`);
  await world.stopAll();
});

test("a proposal with another one's compact form is refused unverified, and its sender blamed", async () => {
  const { world, byzantine, first } = await arrange();
  const before = askedOf(world);
  const { ledger } = world.group(first.index);
  const proposal = headerHash(byzantine.compact(ledger.head(), []).header, suite);
  const compact = byzantine.compact(ledger.head(), [], { timestamp: 1n });
  const content = {
    type: "prepare",
    height: 2,
    view: 1_001,
    index: byzantine.index,
    proposal,
  } as const;
  const message: Message = { ...signed(world, content), justification: [] };
  const torn = encodeConsensusMessage({ message, compact }, codec);
  for (let sending = 0; sending < SENDINGS; sending++)
    byzantine.send(first.nodeId, "consensus", torn);
  await world.advance(100);
  assert.ok(askedOf(world) - before < ORDINARY);
  const blocked = world.log.filter(({ fields }) => /another proposal/.test(JSON.stringify(fields)));
  assert.ok(blocked.length >= SENDINGS, `${blocked.length}`);
  await world.stopAll();
});

/** A member that is no sealer, and lies: block 1 makes it an observer of four honest sealers. */
async function arrangeObserver() {
  const sealers = [0, 1, 2, 3].map((index) => keyOf(suite, index).nodeId).sort();
  const world = new NodeWorld({ suite, nodes: 5, genesis: { sealers } });
  for (const index of sealers.keys()) await world.start(index);
  const { nodeId, network } = world.machine(4);
  const ignore = () => undefined;
  await network.start({ message: ignore, peerUp: ignore, peerDown: ignore });
  const input = encodeCall("addObserver(string)", [nodeId], suite.hash);
  const { outcome } = world.submit(0, { to: addressOfNumber(0x1003), input });
  assert.equal((await world.settle(outcome, "admission")).ok, true);
  const stands = () => world.group(0).ledger.head().number === 1;
  await world.until(stands, 60_000, "a block");
  const victim = world.machine(0);
  const send = (message: Message) => {
    const bytes = encodeConsensusMessage({ message, compact: undefined }, codec);
    network.send(victim.nodeId, { groupId: 1, kind: "consensus", bytes });
  };
  return { world, send, head: heads(world, 0).head };
}

const UNKNOWN = keyOf(suite, 99);

/** For the next height, with a lock of the view before; no signature is by a key that is known. */
function nextViewChange(head: Hash, place: { index: number; view: number }): ViewChange {
  const claim = { view: place.view - 1, proposal: head, executed: head };
  const content = { type: "viewChange", height: 2, ...place, head, lock: claim } as const;
  const signature = createSigner(codec, suite, UNKNOWN.privateKey).sign(content);
  const entry = { signature, signer: UNKNOWN.nodeId };
  const certificate = [0, 1, 2].map((index) => ({ index, ...entry }));
  return { ...content, ...entry, lock: { ...claim, certificate } };
}

/** How many signatures were examined in the second of a flood; the chain goes on behind it. */
async function askedInFlood(world: NodeWorld, send: (sending: number) => void): Promise<number> {
  const before = askedOf(world);
  for (let sending = 0; sending < SENDINGS; sending++) send(sending);
  await world.advance(1_000);
  const asked = askedOf(world) - before;
  const running = world.machines.filter(({ life }) => life !== undefined);
  const at = running[0]?.index ?? assert.fail();
  assert.equal((await world.settle(world.submit(at).outcome, "admission")).ok, true);
  const stand = () => running.every(({ index }) => world.group(index).ledger.head().number >= 2);
  await world.until(stand, 60_000, "a block behind the flood");
  assert.deepEqual(world.failures, []);
  await world.stopAll();
  return asked;
}

for (const views of [1, 64])
  for (const under of ["its own name", "another one's"])
    test(`a sealer's thousand made-up view changes for ${views} views to come, under ${under}`, async () => {
      const { world, byzantine, first, send, head } = await arrange();
      const own = byzantine.index;
      const index = under === "its own name" ? own : (own + 1) % 4;
      const request = (view: number) => nextViewChange(head, { index, view });
      const requests = Array.from({ length: views }, (_, view) => request(1 + view));
      const asked = await askedInFlood(world, (sending) => {
        send(requests[sending % views] ?? assert.fail(), first.nodeId);
      });
      assert.ok(asked < ORDINARY, `${asked}`);
      const isBlamed = world.log.some(
        ({ fields }) => fields?.["reason"] === "consensus: otherSigner",
      );
      assert.equal(isBlamed, true);
    });

for (const views of [1, 64])
  test(`an observer's thousand made-up view changes for ${views} views to come`, async () => {
    const { world, send, head } = await arrangeObserver();
    const requests = Array.from({ length: views }, (_, view) =>
      nextViewChange(head, { index: view % 4, view: 1 + view }),
    );
    const asked = await askedInFlood(world, (sending) =>
      send(requests[sending % views] ?? assert.fail()),
    );
    assert.ok(asked < ORDINARY, `${asked}`);
  });

test("a sealer's thousand different votes for one view to come are examined like a proof", async () => {
  const { world, byzantine, first, send, head } = await arrange();
  const place = { height: 2, view: 40, index: byzantine.index, proposal: head };
  const asked = await askedInFlood(world, (sending) => {
    const executed = hashOfNumber(sending);
    send(signed(world, { type: "sign", ...place, executed } as const), first.nodeId);
  });
  assert.ok(asked < ORDINARY, `${asked}`);
  const told = world.log.filter(({ message }) => message === "a sealer contradicted itself");
  assert.deepEqual(
    told.map(({ fields }) => fields),
    [{ index: byzantine.index, type: "sign", group: 1 }],
  );
});

for (const { what, number, hashes, header = {} } of [
  { what: "about another height", number: 2, hashes: 0 },
  { what: "with more transactions than a block holds", number: 3, hashes: 3 },
  {
    what: "that name a state already",
    number: 3,
    hashes: 0,
    header: { stateRoot: hashOfNumber(1) },
  },
])
  test(`a thousand proposals to come ${what} are not kept, and next to none examined`, async () => {
    const { world, byzantine, first } = await arrange({ maxTransactions: 2 });
    const { hash } = world.group(first.index).ledger.head();
    const names = Array.from({ length: hashes }, (_, name) => hashOfNumber(name + 1));
    const compact = byzantine.compact({ number: number - 1, hash }, names, header);
    const asked = await askedInFlood(world, () =>
      byzantine.propose(compact, first.nodeId, { height: 3 }),
    );
    assert.ok(asked < ORDINARY, `${asked}`);
  });
