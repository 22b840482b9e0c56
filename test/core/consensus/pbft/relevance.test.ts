/**
 * What a message is good for, told before its signatures are examined. The simulator holds every
 * answer against what a step does; here stands what the answer is.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Message } from "../../../../core/consensus/pbft/message.ts";
import { UNVERIFIED } from "../../../../core/consensus/pbft/message.ts";
import { type Relevance, relevanceOf } from "../../../../core/consensus/pbft/relevance.ts";
import { VIEW_WINDOW } from "../../../../core/consensus/pbft/state.ts";
import { nodeId } from "../../../simulation/workload.ts";
import { executedOf, Group, type Node, reportsOf } from "./group.ts";

// rules: pbft 16.1, pbft 16.3.3, pbft 16.3.7, pbft 16.3.9, pbft 16.3.10

const SELF = 1;
const voter = () => new Group(4).node(SELF);
const SIGNED_ENTRY = { index: 0, signature: new Uint8Array(8), signer: UNVERIFIED };

/** The use of a message as it arrives: no node has recovered who signed it. */
function use({ state }: Node, message: Message, from = 3): Relevance {
  const unverified = "signer" in message ? { ...message, signer: UNVERIFIED } : message;
  return relevanceOf(state, unverified, nodeId(from));
}

/** Stands in a view that the others opened without this node. */
function inView(view: number): Node {
  const node = voter();
  const justification = node.group.justification(view, [0, 2, 3]);
  node.hear({ type: "viewCertificate", height: 0, view, justification });
  assert.equal(node.state.view, view);
  return node;
}

function writes(node: Node, height: number): void {
  const written = { type: "written", now: node.now, height, hash: executedOf("aa") } as const;
  node.effects({ ...written, config: node.config() });
}

test("a justification counts while it opens a view that is not given up", () => {
  const node = inView(3);
  const { group } = node;
  const certificate = (view: number, height = 0) => {
    const justification = group.justification(view, [0, 2, 3]);
    return { type: "viewCertificate", height, view, justification } as const;
  };
  assert.deepEqual(
    [2, 3, 4].map((view) => use(node, certificate(view))),
    ["none", "none", "counts"],
  );
  assert.deepEqual(
    [use(node, certificate(4, 1)), use(group.node(5), certificate(4))],
    ["none", "none"],
  );
  node.hearAll([group.viewChange(0, 6), group.viewChange(2, 7)]);
  assert.equal(node.state.toView, 6);
  assert.deepEqual([use(node, certificate(5)), use(node, certificate(6))], ["none", "counts"]);
});

test("nothing of a decided height counts but a view change", () => {
  const node = voter();
  const { group } = node;
  node.hearAll([0, 2, 3].map((index) => group.commit(index, "aa", { view: 0 })));
  assert.ok(node.state.decision);
  const justification = group.justification(1, [0, 2, 3]);
  assert.equal(use(node, group.commit(0, "bb", { view: 0 })), "none");
  assert.equal(use(node, group.sign(0, "aa", { view: 0 })), "none");
  assert.equal(use(node, { type: "viewCertificate", height: 0, view: 1, justification }), "none");
  // The proposal that was decided may be the one that comes late.
  assert.equal(use(node, group.prepare(0, "aa", { view: 0 })), "compact");
});

test("votes count once; another one of the same sealer is evidence, the same one is nothing", () => {
  const node = voter();
  const { group } = node;
  const lock = group.lock("aa", 0, [0, 2, 3]);
  const VOTES: readonly (readonly [Message, Message])[] = [
    [group.sign(0, "aa", { view: 0 }), group.sign(0, "bb", { view: 0 })],
    [group.commit(0, "aa", { view: 0 }), group.commit(0, "bb", { view: 0 })],
    [group.viewChange(2, 1), group.viewChange(2, 1, lock)],
  ];
  for (const [first, second] of VOTES) {
    assert.equal(use(node, first), "counts", first.type);
    node.hear(first);
    assert.deepEqual([use(node, first), use(node, second)], ["none", "evidence"], first.type);
    assert.ok(reportsOf(node.hear(second)).includes("equivocation"), first.type);
  }
});

test("a proposal counts in its view, from its leader, once", () => {
  const node = voter();
  const { group } = node;
  assert.equal(use(node, group.prepare(2, "aa", { view: 0 })), "none");
  assert.equal(use(node, group.prepare(0, "aa", { view: 0 })), "counts");
  node.accept("aa");
  assert.equal(use(node, group.prepare(0, "aa", { view: 0 })), "none");
  assert.equal(use(node, group.prepare(0, "bb", { view: 0 })), "evidence");
  node.tick(3_000);
  // A node that shows that the next view is open may do so, in whatever view this node waits.
  assert.equal(use(node, group.prepare(3, "bb", { view: 1 })), "counts");
  assert.equal(use(inView(3), group.prepare(0, "aa", { view: 0 })), "compact");
});

test("what is too far ahead is nothing, what is near is kept once", () => {
  const node = voter();
  const { group } = node;
  const next = group.sign(2, "aa", { view: 1 });
  const NEAR = [next, group.commit(2, "aa", { view: VIEW_WINDOW, height: 2 })];
  const FAR = [
    group.sign(2, "aa", { view: VIEW_WINDOW + 1 }),
    group.commit(2, "aa", { view: VIEW_WINDOW + 1 }),
    group.viewChange(2, VIEW_WINDOW + 1),
    group.commit(2, "aa", { view: 0, height: 3 }),
  ];
  assert.deepEqual(
    NEAR.map((message) => use(node, message, 2)),
    ["counts", "counts"],
  );
  for (const from of [2, 3])
    assert.deepEqual([...new Set(FAR.map((message) => use(node, message, from)))], ["none"]);
  node.hear(next);
  assert.deepEqual([use(node, next, 2), use(node, next, 3)], ["none", "none"]);
  // The second one of a sealer is not kept: all it can be is a proof.
  const other = group.sign(2, "bb", { view: 1 });
  assert.equal(use(node, other, 2), "evidence");
  assert.deepEqual(reportsOf(node.hear(other)), ["equivocation"]);
  assert.equal(node.state.future.size, 1);
});

test("what others than the listed sealer say under its index for later is doubtful", () => {
  const node = voter();
  const { group } = node;
  const LATER = [
    group.sign(2, "aa", { view: 1 }),
    group.commit(2, "aa", { view: 0, height: 2 }),
    { ...group.viewChange(2, 1), height: 1 },
    group.prepare(2, "aa", { view: 1, height: 2 }),
  ];
  for (const message of LATER) {
    const of = (from: number) => use(node, message, from);
    // One that the next block lists may have this index then: so may an observer, or a sealer.
    assert.deepEqual([of(2), of(3), of(5)], ["counts", "doubtful", "doubtful"], message.type);
    const unlisted = { ...message, index: 4 };
    assert.deepEqual([use(node, unlisted, 2), use(node, unlisted, 5)], ["doubtful", "doubtful"]);
  }
});

test("once a proposal of its leader was refused, others of the view are doubtful", () => {
  const node = voter();
  const { group } = node;
  const prepare = group.prepare(0, "aa", { view: 0 });
  const refused = node.hear(prepare, group.proposal("aa", { parentHash: executedOf("cc") }));
  assert.deepEqual(reportsOf(refused), ["wrongParent"]);
  assert.equal(use(node, prepare), "doubtful");
  node.accept("bb");
  assert.equal(node.state.round.prepare?.proposal, group.proposal("bb").hash);
  node.tick(3_000);
  node.hear({
    type: "viewCertificate",
    height: 0,
    view: 4,
    justification: group.justification(4, [0, 2, 3]),
  });
  assert.equal(use(node, group.prepare(0, "aa", { view: 4 })), "counts");
});

test("what is long over is answered, not read, where who sends it may be behind", () => {
  const node = inView(3);
  const { group } = node;
  assert.equal(use(node, group.viewChange(2, 3)), "behind");
  assert.deepEqual(
    [group.sign(2, "aa", { view: 2 }), group.viewChange(2, 4)].map((one) => use(node, one)),
    ["none", "counts"],
  );
  writes(node, 1);
  assert.equal(use(node, group.viewChange(2, 9)), "behind");
  assert.equal(use(node, group.prepare(0, "aa", { view: 0 })), "behind");
  assert.equal(use(node, group.commit(0, "aa", { view: 0 })), "none");
});

test("a view change that no node can count is nothing", () => {
  const node = voter();
  const { group } = node;
  const entries = (count: number) => ({
    ...group.lock("aa", 0, []),
    certificate: Array.from({ length: count }, () => SIGNED_ENTRY),
  });
  assert.deepEqual(
    [0, 2, 3, 4, 5].map((count) => use(node, group.viewChange(2, 1, entries(count)))),
    ["none", "none", "counts", "counts", "none"],
  );
  assert.equal(use(node, group.viewChange(2, 1, { ...entries(3), view: 1 })), "none");
  assert.equal(use(node, { ...group.viewChange(2, 1), head: executedOf("aa") }), "none");
  assert.equal(use(node, { ...group.viewChange(2, 1), index: 4 }), "none");
});

test("messages under the own index are examined when the record knows nothing of them", () => {
  const node = voter();
  node.signs("aa");
  const { group, state } = node;
  assert.ok(state.ownSign);
  assert.equal(use(node, state.ownSign), "none");
  assert.equal(use(node, group.sign(SELF, "bb", { view: 0 })), "evidence");
  assert.equal(use(node, group.viewChange(SELF, 1)), "evidence");
  const justification = group.justification(2, [0, SELF, 2]);
  const certificate = { type: "viewCertificate", height: 0, view: 2, justification } as const;
  assert.equal(use(node, certificate), "counts");
});

test("own messages that were lost are examined in what is irrelevant otherwise", () => {
  const node = voter();
  const { group } = node;
  // No node opens a view at a height that is decided.
  node.hearAll([0, 2, 3].map((index) => group.commit(index, "aa", { view: 0 })));
  const lost = group.justification(2, [0, SELF, 2]);
  const locked = group.justification(2, [0, 2, 3], group.lock("bb", 1, [0, SELF, 2]));
  for (const justification of [lost, locked])
    assert.equal(
      use(node, { type: "viewCertificate", height: 0, view: 2, justification }),
      "evidence",
    );
  const others = group.justification(2, [0, 2, 3]);
  const certificate = { type: "viewCertificate", height: 0, view: 2 } as const;
  assert.equal(use(node, { ...certificate, justification: others }), "none");
  // It is another height's abstention that this would break.
  writes(node, 1);
  assert.equal(use(node, { ...certificate, justification: lost }), "none");
});

test("an observer wants proposals that are near, and nothing else", () => {
  const node = new Group(4).node(5);
  const { group } = node;
  const ALL = [
    group.prepare(0, "aa", { view: 0 }),
    group.prepare(0, "aa", { view: 0, height: 3 }),
    group.sign(0, "aa", { view: 0 }),
    group.viewChange(0, 1),
  ];
  assert.deepEqual(
    ALL.map((message) => use(node, message)),
    ["compact", "none", "none", "none"],
  );
  node.state.phase = "stopped";
  assert.equal(use(node, group.prepare(0, "aa", { view: 0 })), "none");
});
