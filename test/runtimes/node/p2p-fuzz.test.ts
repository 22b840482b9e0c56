/**
 * Malformed messages at a node's real links and handlers: a small share of what
 * `npm run soak -- fuzz-p2p` sends by the million.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createNodeSuite } from "../../../runtimes/node/backends.ts";
import { record } from "../../soak/fuzz/recording.ts";
import { fuzzMessages } from "../../soak/fuzz/run.ts";

const MESSAGES = 2_000;
/** Share of messages that must pass the framing and reach a handler. */
const LEAST_DELIVERED = 0.3;

/** What a run of this length always reaches, by class. */
const REACHED = [
  ...["prepare", "sign", "commit", "viewChange", "status", "viewCertificate", "undecodable"].map(
    (type) => `pbft ${type}`,
  ),
  ...["push", "request", "answer", "undecodable"].map((type) => `transactions ${type}`),
  ...["requestBody", "body", "status", "requestRange", "blocks", "undecodable"].map(
    (type) => `blocks ${type}`,
  ),
  "topics any",
];
const REFUSED = [
  "frame: malformed",
  "frame: oversize",
  "frame: replayed",
  "message: consensus: malformed",
  "message: consensus: invalid signature",
  "message: transactions: malformed",
  "message: transactions: one is invalid",
  "message: blocks: malformed",
  "message: sync: malformed",
  "session: malformed frame",
  "session: malformed handshake (hello)",
];

test(`${MESSAGES} malformed messages of every class do not break a node`, async () => {
  const suite = await createNodeSuite();
  const recordings = [await record(suite, "pbft")];
  const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
  const sights = await fuzzMessages({
    suite,
    recordings,
    messages: MESSAGES,
    seed,
    say: () => undefined,
  });
  assert.ok(
    sights.delivered >= MESSAGES * LEAST_DELIVERED,
    `${sights.delivered} reached a handler`,
  );
  for (const name of REACHED) assert.ok(sights.types.has(name), `nothing came to: ${name}`);
  for (const name of REFUSED) assert.ok(sights.refusals.has(name), `nothing came to: ${name}`);
});
