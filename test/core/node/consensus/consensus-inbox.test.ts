/** What waits for verification is bounded, and so is the work that one message can ask for. */
// rules: pbft 16.1, pbft 16.3.10
import assert from "node:assert/strict";
import { test } from "vitest";
import { type Hash, type NodeId, NOT_A_SEALER } from "../../../../core/bytes/ids.ts";
import { nodeIdOf } from "../../../../core/bytes/hex.ts";
import { createCodec } from "../../../../core/consensus/pbft/codec.ts";
import type { Message, ViewChange } from "../../../../core/consensus/pbft/message.ts";
import {
  ConsensusInbox,
  INBOX_LIMIT,
  type InboxOptions,
  VERIFIED_AT_A_TIME,
  type VerifiedMessage,
} from "../../../../core/node/consensus/consensus-inbox.ts";
import { encodeConsensusMessage } from "../../../../core/node/consensus/consensus-wire.ts";
import { encodeRelayed } from "../../../../core/network/relay/header.ts";
import type { RecoverItem } from "../../../../core/ports/compute.ts";
import { hashOfNumber, nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { STANDARD_SUITE as suite } from "../../../support/suites.ts";

const codec = createCodec({ chainId: 1, groupId: 1, suite });
const PEER = nodeIdOfNumber(1);
const SIGNATURE = new Uint8Array(suite.signatureBytes).fill(1);
const KEY = new Uint8Array(64).fill(7);
const SIGNER = nodeIdOf(KEY);
const SEALERS = 4;

type Recover = (items: readonly RecoverItem[]) => Promise<readonly (Uint8Array | undefined)[]>;

const allValid: Recover = async (items) => items.map(() => KEY);

function inboxWith(recover: Recover, isOfUse: InboxOptions["isOfUse"] = () => true) {
  const seen: VerifiedMessage[] = [];
  const rejected: string[] = [];
  const errors: unknown[] = [];
  const inbox = new ConsensusInbox({
    codec,
    compute: { recover, close: async () => undefined },
    sealerCount: () => SEALERS,
    isOfUse,
    relay: { look: () => "plain", speakerOf: (from) => from, verified: () => undefined },
    onMessage: (verified) => seen.push(verified),
    onRejected: (_, reason) => rejected.push(reason),
    onError: (cause) => errors.push(cause),
  });
  return { inbox, seen, rejected, errors };
}

function encoded(message: Message): Uint8Array {
  return encodeConsensusMessage({ message, compact: undefined }, codec);
}

function status(view: number, index = 0): Uint8Array {
  const head: Hash = hashOfNumber(1);
  const place = { height: 1, view, index, signature: SIGNATURE, signer: SIGNER };
  return encoded({ type: "status", ...place, head, toView: view });
}

/** A certificate of as many view changes, each with a lock of as many entries. */
function certificate(viewChanges: number, entries: number): Uint8Array {
  const hash = hashOfNumber(1);
  const entry = { index: 0, signature: SIGNATURE, signer: SIGNER };
  const lock = { view: 0, proposal: hash, executed: hash, certificate: Array(entries).fill(entry) };
  const item: ViewChange = {
    type: "viewChange",
    height: 1,
    view: 1,
    index: 0,
    signature: SIGNATURE,
    signer: SIGNER,
    head: hash,
    lock,
  };
  const justification = Array<ViewChange>(viewChanges).fill(item);
  return encoded({ type: "viewCertificate", height: 1, view: 1, justification });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a status without an index that was passed on is its signer's, and no node is blamed", async () => {
  const { inbox, seen } = inboxWith(allValid);
  const payload = status(1, NOT_A_SEALER);
  inbox.receive(PEER, encodeRelayed({ ttl: 1, missing: [] }, payload));
  await settled();
  inbox.receive(PEER, payload);
  await settled();
  const origins = seen.map(({ from, via }) => ({ from, via }));
  assert.deepEqual(origins, [
    { from: SIGNER, via: PEER },
    { from: PEER, via: undefined },
  ]);
});

test("a message with more signatures than the sealers can have made is refused unverified", async () => {
  const asked: number[] = [];
  const { inbox, seen, rejected } = inboxWith(async (items) => {
    asked.push(items.length);
    return items.map(() => KEY);
  });
  inbox.receive(PEER, certificate(100, 50));
  await settled();
  assert.deepEqual([asked, seen, rejected], [[], [], ["consensus: too many claims"]]);
  inbox.receive(PEER, certificate(1, SEALERS));
  await settled();
  assert.deepEqual([asked, seen.length], [[1 + SEALERS], 1]);
});

test("messages of a peer beyond the bound are dropped and counted, and there is room again after", async () => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { inbox, seen } = inboxWith(async (items) => {
    await held;
    return allValid(items);
  });
  for (let view = 0; view < INBOX_LIMIT + 3; view++) inbox.receive(PEER, status(view));
  assert.equal(inbox.dropped, 3);
  release();
  await settled();
  assert.equal(seen.length, INBOX_LIMIT);
  inbox.receive(PEER, status(1));
  await settled();
  assert.deepEqual([seen.length, inbox.dropped], [INBOX_LIMIT + 1, 3]);
});

test("a verification that fails behind one that hangs is told once its turn comes, not thrown at the process", async () => {
  const unhandled: unknown[] = [];
  const note = (cause: unknown) => unhandled.push(cause);
  process.on("unhandledRejection", note);
  let release: () => void = () => {};
  const answers: Promise<readonly Uint8Array[]>[] = [
    new Promise((resolve) => {
      release = () => resolve([KEY]);
    }),
    Promise.reject(new RangeError("no cores")),
  ];
  const { inbox, seen, errors } = inboxWith(() => answers.shift() ?? Promise.resolve([]));
  inbox.receive(PEER, status(1));
  inbox.receive(PEER, status(2));
  await settled();
  await settled();
  assert.deepEqual(errors, []);
  release();
  await settled();
  process.off("unhandledRejection", note);
  assert.deepEqual([seen.length, errors.length, unhandled], [1, 1, []]);
});

test("a flood of one peer leaves room for others: this much of it is examined side by side", async () => {
  const OTHER = nodeIdOfNumber(2);
  const FLOOD = 500;
  const open: { readonly items: readonly RecoverItem[]; readonly answer: () => void }[] = [];
  const { inbox, seen, errors } = inboxWith(
    (items) =>
      new Promise((resolve) => open.push({ items, answer: () => resolve(items.map(() => KEY)) })),
  );
  const signatures = () => open.reduce((sum, { items }) => sum + items.length, 0);
  for (let view = 0; view < FLOOD; view++) inbox.receive(PEER, status(view));
  assert.equal(signatures(), VERIFIED_AT_A_TIME);
  inbox.receive(OTHER, status(FLOOD));
  assert.equal(signatures(), VERIFIED_AT_A_TIME + 1);
  while (open.length > 0) {
    assert.ok(signatures() <= VERIFIED_AT_A_TIME + 1);
    open.shift()?.answer();
    await settled();
  }
  const views = (peer: NodeId) =>
    seen.flatMap(({ from, message }) => (from === peer ? [message.view] : []));
  assert.deepEqual(
    views(PEER),
    Array.from({ length: FLOOD }, (_, view) => view),
  );
  assert.deepEqual([views(OTHER), errors], [[FLOOD], []]);
});

test("a peer that comes back has no more examined than one that stayed", async () => {
  const open: { readonly count: number; readonly answer: () => void }[] = [];
  const { inbox, seen, errors } = inboxWith(
    (items) =>
      new Promise((resolve) =>
        open.push({ count: items.length, answer: () => resolve(items.map(() => KEY)) }),
      ),
  );
  const signatures = () => open.reduce((sum, { count }) => sum + count, 0);
  const views = () => seen.map(({ message }) => message.view);
  for (let visit = 0; visit < 5; visit++) {
    for (let view = 0; view < INBOX_LIMIT - VERIFIED_AT_A_TIME; view++)
      inbox.receive(PEER, status(view));
    assert.equal(signatures(), VERIFIED_AT_A_TIME, `visit ${visit}`);
    inbox.forget(PEER);
  }
  // What went with a visit left its room, and what comes now is examined after what still runs.
  inbox.receive(PEER, status(INBOX_LIMIT));
  assert.deepEqual([signatures(), inbox.dropped], [VERIFIED_AT_A_TIME, 0]);
  while (open.length > 0) {
    assert.ok(signatures() <= VERIFIED_AT_A_TIME);
    open.shift()?.answer();
    await settled();
  }
  const begun = Array.from({ length: VERIFIED_AT_A_TIME }, (_, view) => view);
  assert.deepEqual([views(), errors], [[...begun, INBOX_LIMIT], []]);
});

test("what a peer had waiting goes with it", async () => {
  let asked = 0;
  const { inbox } = inboxWith(async (items) => {
    asked += items.length;
    return allValid(items);
  });
  for (let view = 0; view < 100; view++) inbox.receive(PEER, status(view));
  inbox.forget(PEER);
  await settled();
  assert.equal(asked, VERIFIED_AT_A_TIME);
});

test("what is irrelevant is dropped unverified and counted, in its turn and asked once", async () => {
  const asked: number[] = [];
  let signatures = 0;
  const recover: Recover = async (items) => {
    signatures += items.length;
    return allValid(items);
  };
  const { inbox, seen } = inboxWith(recover, ({ from }, { message }) => {
    assert.equal(from, PEER);
    asked.push(message.view);
    return message.view % 10 === 0;
  });
  for (let view = 0; view < 1_000; view++) inbox.receive(PEER, status(view));
  // The rest waits until it would be examined: by then it may have lost its use.
  assert.ok(asked.length < 1_000, `${asked.length}`);
  await settled();
  assert.deepEqual([signatures, inbox.useless, inbox.dropped], [100, 900, 0]);
  assert.deepEqual(
    asked,
    Array.from({ length: 1_000 }, (_, view) => view),
  );
  assert.deepEqual(
    seen.map(({ message }) => message.view),
    Array.from({ length: 100 }, (_, tenth) => 10 * tenth),
  );
});
