/** What is kept for later: a copy that somebody else passed on never stands in the way. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Proposal } from "../../../../core/consensus/exchange.ts";
import type { Message, ViewChange } from "../../../../core/consensus/pbft/message.ts";
import { relevanceOf } from "../../../../core/consensus/pbft/relevance.ts";
import { nodeId } from "../../../simulation/workload.ts";
import { blockOf, executedOf, Group, type Node, reportsOf, shapesOf } from "./group.ts";

// rules: pbft 16.1, pbft 16.3.7, pbft 16.3.9, pbft 16.3.10

const voter = () => new Group(4).node(1);
const RELAY = nodeId(3);
const HEAD = executedOf("aa");

/** A member that is not the signer passes a message on. */
function relayed(node: Node, message: Message, proposal?: Proposal) {
  const input = { type: "message", now: node.now, from: RELAY, message } as const;
  return node.effects(proposal ? { ...input, proposal } : input);
}

function writes(node: Node) {
  const written = { type: "written", now: node.now, height: 1, hash: HEAD } as const;
  return node.effects({ ...written, config: node.config() });
}

/** The proposal of height 2, which the sealer after the first leads. */
function nextProposal({ group }: Node) {
  const prepare = group.prepare(2, "bb", { view: 1, height: 2 });
  const proposal = group.proposal("bb", { number: 2, parentHash: HEAD, sealer: 2 });
  return { prepare, proposal };
}

/** A sealer's view change to view 1 of height 2, with a lock of view 0. */
function nextViewChange({ group }: Node, certified: boolean): ViewChange {
  const certificate = [0, 2, 3].map((index) => {
    const { signature, signer } = group.sign(index, "bb", { view: 0, height: 2 });
    return { index, signature, signer };
  });
  const claim = { view: 0, proposal: blockOf("bb"), executed: executedOf("bb") };
  const lock = { ...claim, certificate: certified ? certificate : [] };
  const content = { type: "viewChange", height: 1, view: 1, index: 2, head: HEAD, lock } as const;
  const signature = group.signatures.signerFor(nodeId(2)).sign(content);
  return { ...content, signature, signer: nodeId(2) };
}

/** What is reported of a sign vote for the next height that a member sends. */
function saidOfNext(node: Node, vote: { index: number; signer: number; from: number }) {
  const { group } = node;
  const content = { ...group.sign(vote.index, "bb", { view: 0, height: 2 }) };
  const signer = nodeId(vote.signer);
  const message = {
    ...content,
    signer,
    signature: group.signatures.signerFor(signer).sign(content),
  };
  const from = nodeId(vote.from);
  return reportsOf(node.effects({ type: "message", now: node.now, from, message }));
}

test("who names its own index and did not sign lies, at whatever height", () => {
  const node = voter();
  for (const signer of [0, 7])
    assert.deepEqual(saidOfNext(node, { index: 2, signer, from: 2 }), ["otherSigner"]);
  assert.equal(node.state.future.size, 0);
});

test("who sends what no node known has signed lies, a sealer that is yet to be listed does not", () => {
  const node = voter();
  for (const index of [0, 9])
    assert.deepEqual(saidOfNext(node, { index, signer: 7, from: 3 }), ["otherSigner"]);
  for (const index of [0, 9])
    assert.deepEqual(saidOfNext(node, { index, signer: 7, from: 7 }), ["notSealer"]);
  assert.equal(node.state.future.size, 0);
});

test("a sealer that has another place in the next list is heard under it", () => {
  const node = voter();
  assert.deepEqual(saidOfNext(node, { index: 0, signer: 2, from: 2 }), []);
  // The one whose index that is here speaks for itself, and its messages stand next to the others.
  assert.deepEqual(saidOfNext(node, { index: 0, signer: 0, from: 0 }), []);
  assert.equal(node.state.future.size, 2);
});

test("two things that a sealer reports of one later round are a proof, two that others list are not", () => {
  const node = voter();
  const { group } = node;
  const proposal = group.proposal("bb", { number: 2, parentHash: HEAD, sealer: 2 });
  const lock = nextViewChange(node, true);
  const signs = (index: number, name: string) => group.sign(index, name, { view: 0, height: 2 });
  const PAIRS: readonly (readonly [Message, Message])[] = [
    [signs(2, "aa"), signs(2, "bb")],
    [group.commit(2, "aa", { view: 0, height: 2 }), group.commit(2, "bb", { view: 0, height: 2 })],
    [lock, { ...lock, lock: undefined }],
    [
      group.prepare(2, "aa", { view: 1, height: 2 }),
      group.prepare(2, "bb", { view: 1, height: 2 }),
    ],
  ];
  for (const [first, second] of PAIRS) {
    const reports = [first, first, second].map((one) => reportsOf(node.hear(one, proposal)));
    assert.deepEqual(reports, [[], [], ["equivocation"]], first.type);
  }
  assert.equal(node.state.future.size, PAIRS.length);
  // By the list of the next height index 0 may be its own: here it names somebody else.
  saidOfNext(node, { index: 0, signer: 3, from: 3 });
  const moved = { ...signs(0, "cc"), signer: nodeId(3) };
  assert.deepEqual(reportsOf(node.hear(moved)), []);
});

test("a proposal that was passed on without its header does not keep out the whole one", () => {
  const node = new Group(4).node(2);
  const prepare = node.group.prepare(1, "bb", { view: 0, height: 2 });
  assert.deepEqual(reportsOf(relayed(node, prepare)), ["missingHeader"]);
  assert.equal(node.state.future.size, 0);
  node.hear(prepare, node.group.proposal("bb", { number: 2, parentHash: HEAD, sealer: 1 }));
  assert.deepEqual(shapesOf(writes(node)), ["assemble"]);
  assert.equal(node.state.round.proposal, blockOf("bb"));
});

test("of two copies of a proposal the one from its signer is kept, whichever comes first", () => {
  for (const relayedFirst of [true, false]) {
    const node = voter();
    const { prepare, proposal } = nextProposal(node);
    // Its justification was taken off; what the signature covers is the same.
    const J = [0, 2, 3].map((index) => ({ ...node.group.viewChange(index, 1), height: 1 }));
    const whole = { ...prepare, justification: J };
    if (relayedFirst) relayed(node, prepare, proposal);
    node.hear(whole, proposal);
    if (!relayedFirst) relayed(node, prepare, proposal);
    const [kept] = node.state.future.values();
    assert.deepEqual([node.state.future.size, kept?.message], [1, whole]);
  }
});

test("the signer's own copy is worth verifying while somebody else's is kept", () => {
  const node = voter();
  const { prepare, proposal } = nextProposal(node);
  relayed(node, prepare, proposal);
  assert.equal(relevanceOf(node.state, prepare, RELAY), "none");
  assert.equal(relevanceOf(node.state, prepare, nodeId(2)), "counts");
  node.hear(prepare, proposal);
  assert.equal(relevanceOf(node.state, prepare, nodeId(2)), "none");
});

test("a view change whose lock lost its certificate on the way is not kept", () => {
  const node = voter();
  assert.deepEqual(reportsOf(relayed(node, nextViewChange(node, false))), ["badLock"]);
  assert.equal(node.state.future.size, 0);
  node.hear(nextViewChange(node, true));
  writes(node);
  assert.equal(node.state.viewChanges.get(1)?.get(2)?.lock?.certificate.length, 3);
});

test("who replays a view change is answered, not the sealer who made it", () => {
  const node = voter();
  const justification = node.group.justification(3, [0, 2, 3]);
  node.hear({ type: "viewCertificate", height: 0, view: 3, justification });
  const connected = [nodeId(2), RELAY];
  node.effects({ type: "peersChanged", now: 0, connected });
  const sent = (effects: ReturnType<typeof relayed>) =>
    effects.flatMap((effect) => (effect.type === "send" ? [effect.to] : []));
  assert.deepEqual(sent(relayed(node, node.group.viewChange(2, 2))), [RELAY]);
});

test("a peer whose message is too old to be verified is helped all the same, not each time", () => {
  const node = voter();
  const justification = node.group.justification(3, [0, 2, 3]);
  node.hear({ type: "viewCertificate", height: 0, view: 3, justification });
  node.effects({ type: "peersChanged", now: 0, connected: [RELAY] });
  const stale = () => node.effects({ type: "stale", now: node.now, from: RELAY });
  assert.deepEqual(shapesOf(stale()), ["send viewCertificate"]);
  assert.deepEqual(shapesOf(stale()), []);
  node.tick(1_000);
  assert.deepEqual(shapesOf(stale()), ["send viewCertificate"]);
  const observer = node.group.node(5);
  observer.effects({ type: "peersChanged", now: 0, connected: [RELAY] });
  assert.deepEqual(shapesOf(observer.effects({ type: "stale", now: 0, from: RELAY })), []);
});
