/**
 * Malformed messages at a node's real links and handlers: a small share of what
 * `npm run soak -- fuzz-p2p` sends by the million.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { record } from "../../../soak/fuzz/recording.ts";
import { fuzzMessages } from "../../../soak/fuzz/run.ts";

const MESSAGES = 1_000;
/** Share of messages that must pass the framing and reach a handler. */
const LEAST_DELIVERED = 0.3;

/** What a run of this length always reaches, by class. */
const COMMON = [
  ...["push", "request", "answer", "announce", "undecodable"].map((type) => `transactions ${type}`),
  ...["requestBody", "body", "status", "requestRange", "blocks", "undecodable"].map(
    (type) => `blocks ${type}`,
  ),
  ...["topics", "topicSeq", "ask", "request", "answer", "multicast", "malformed"].map(
    (type) => `topics ${type}`,
  ),
];
const VOTES = {
  pbft: ["prepare", "sign", "commit", "viewChange", "status", "viewCertificate", "undecodable"],
  raft: [
    ...["preVote", "preVoteReply", "vote", "voteReply", "append", "acknowledgement"],
    "undecodable",
  ],
};
const TYPES = {
  pbft: [...VOTES.pbft.map((type) => `pbft ${type}`), ...COMMON],
  raft: [...VOTES.raft.map((type) => `raft ${type}`), ...COMMON],
};
const UNSIGNED = "message: consensus: invalid signature";
const REFUSED = [
  "frame: malformed",
  "frame: oversize",
  "frame: replayed",
  "message: consensus: malformed",
  "message: transactions: malformed",
  "message: transactions: one is invalid",
  "message: blocks: malformed",
  "message: sync: malformed",
  "session: malformed frame",
  "session: malformed handshake (hello)",
];

for (const protocol of ["pbft", "raft"] as const) {
  test(`${MESSAGES} malformed messages of every class do not break a ${protocol} node`, async () => {
    const suite = await createNodeSuite();
    const sights = await fuzzMessages({
      suite,
      recordings: [await record(suite, protocol)],
      messages: MESSAGES,
      seed: Number(process.env["FUZZ_SEED"] ?? 20_261_121),
      say: () => undefined,
    });
    const { delivered, types, refusals } = sights;
    assert.ok(delivered >= MESSAGES * LEAST_DELIVERED, `${delivered} reached a handler`);
    for (const name of TYPES[protocol]) assert.ok(types.has(name), `nothing came to: ${name}`);
    const refused = protocol === "pbft" ? [...REFUSED, UNSIGNED] : REFUSED;
    for (const name of refused) assert.ok(refusals.has(name), `nothing came to: ${name}`);
  });
}
