/** Malformed messages between nodes by the million. */
import assert from "node:assert/strict";
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";
import { record } from "./fuzz/recording.ts";
import { fuzzMessages } from "./fuzz/run.ts";
import { numberOption, type Soak } from "./soak.ts";

const MESSAGES = 1_000_000;
/** Share of messages that must pass the framing and reach a handler. */
const LEAST_DELIVERED = 0.3;
const MOST_GROWTH_MIB = 50;

/** `npm run soak -- fuzz-p2p [--messages N] [--seed S]`. */
export const fuzzP2pSoak: Soak = {
  about: `malformed messages between nodes: [--messages ${MESSAGES}] [--seed 1]`,
  async run(args, say) {
    const suite = await createNodeSuite();
    const recordings = [await record(suite, "pbft"), await record(suite, "raft")];
    const messages = numberOption(args, "messages", MESSAGES);
    const seed = numberOption(args, "seed", 1);
    const sights = await fuzzMessages({ suite, recordings, messages, seed, say });
    say("messages that reached a handler, by class and type:");
    for (const line of sights.types.lines()) say(line);
    say("refusals and what was reported:");
    for (const line of sights.refusals.lines()) say(line);
    const share = sights.delivered / messages;
    say(`${messages} messages over ${sights.sessions} connections, none broke the node`);
    say(`${(100 * share).toFixed(1)} % reached a handler`);
    say(`resident memory: ${sights.grownMiB.toFixed(1)} MiB more after than before`);
    assert.ok(share >= LEAST_DELIVERED, "too few messages reached a handler");
    assert.ok(sights.grownMiB < MOST_GROWTH_MIB, "the memory has grown");
  },
};
