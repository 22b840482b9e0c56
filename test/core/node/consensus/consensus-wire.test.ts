/** To whom messages of consensus go, and what goes with them. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Hash, NodeId } from "../../../../core/bytes/ids.ts";
import type { Audience } from "../../../../core/consensus/exchange.ts";
import { decodeMessage, encodeMessage } from "../../../../core/consensus/raft/codec.ts";
import type { Append, Message } from "../../../../core/consensus/raft/message.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import {
  ConsensusSender,
  decodeConsensusMessage,
  encodeConsensusMessage,
} from "../../../../core/node/consensus/consensus-wire.ts";
import { ProposalCache } from "../../../../core/node/proposals/proposal-cache.ts";
import {
  buildTransaction,
  hashOfNumber,
  nodeIdOfNumber,
} from "../../../support/world/pool-builders.ts";
import { PROPOSAL_RULES, proposalHeader } from "../../../support/world/proposals.ts";

const CODEC = { encode: encodeMessage, decode: decodeMessage };
const MEMBERS = [1, 2, 3, 4].map(nodeIdOfNumber);
const SEALERS = MEMBERS.slice(0, 2);

function senderOver(cache: ProposalCache, bare: boolean) {
  const sent: { readonly to: NodeId; readonly bytes: Uint8Array }[] = [];
  const sender = new ConsensusSender<Message>({
    groupId: 7,
    network: {
      self: nodeIdOfNumber(9),
      peers: () => [],
      start: async () => undefined,
      stop: async () => undefined,
      send: (to, { bytes, groupId, kind }) => {
        assert.deepEqual([groupId, kind], [7, "consensus"]);
        sent.push({ to, bytes });
      },
    },
    codec: CODEC,
    cache,
    members: () => MEMBERS,
    sealers: () => SEALERS,
    relay: undefined,
    withoutProposal: (message) =>
      bare && message.type === "append" ? { ...message, entry: undefined } : undefined,
  });
  return { sender, sent };
}

function appendOf(entry: Hash | undefined): Append {
  return { type: "append", term: 3, height: 0, head: hashOfNumber(1), entry };
}

for (const [audience, expected] of [
  ["sealers", SEALERS],
  ["observers", MEMBERS.slice(2)],
  ["members", MEMBERS],
] as const satisfies readonly (readonly [Audience, readonly NodeId[]])[]) {
  test(`a broadcast for ${audience} goes to them`, () => {
    const { sender, sent } = senderOver(new ProposalCache(PROPOSAL_RULES), true);
    sender.broadcast(appendOf(undefined), audience);
    assert.deepEqual(
      sent.map(({ to }) => to),
      expected,
    );
  });
}

test("the compact form of the proposal goes with a message that names it", () => {
  const cache = new ProposalCache(PROPOSAL_RULES);
  const transactions = [buildTransaction(1)];
  const header = proposalHeader({
    transactionsRoot: transactionsRoot(transactions, PROPOSAL_RULES),
  });
  const hashes = transactions.map(({ hash }) => hash);
  const entry = cache.add({ header, hashes }, () => undefined);
  assert.ok(entry);
  const { sender, sent } = senderOver(cache, true);
  sender.send(appendOf(entry.proposal), nodeIdOfNumber(1));
  const decoded = decodeConsensusMessage(sent[0]?.bytes ?? new Uint8Array(0), CODEC);
  assert.deepEqual(decoded, { message: appendOf(entry.proposal), compact: { header, hashes } });
});

test("while the proposal is not at hand a heartbeat goes without it, other messages do not go", () => {
  const cache = new ProposalCache(PROPOSAL_RULES);
  const { sender, sent } = senderOver(cache, true);
  sender.send(appendOf(hashOfNumber(5)), nodeIdOfNumber(1));
  const decoded = decodeConsensusMessage(sent[0]?.bytes ?? new Uint8Array(0), CODEC);
  assert.deepEqual(decoded, { message: appendOf(undefined), compact: undefined });
  const silent = senderOver(cache, false);
  silent.sender.send(appendOf(hashOfNumber(5)), nodeIdOfNumber(1));
  silent.sender.broadcast(appendOf(hashOfNumber(5)), "members");
  assert.deepEqual(silent.sent, []);
});

test("what names a proposal and comes without it is malformed, and the other way round", () => {
  const compact = { header: proposalHeader(), hashes: [] };
  const decode = (entry: Hash | undefined, carried: typeof compact | undefined) =>
    decodeConsensusMessage(
      encodeConsensusMessage({ message: appendOf(entry), compact: carried }, CODEC),
      CODEC,
    );
  assert.equal(decode(hashOfNumber(5), undefined), undefined);
  assert.equal(decode(undefined, compact), undefined);
  assert.ok(decode(undefined, undefined) && decode(hashOfNumber(5), compact));
});
