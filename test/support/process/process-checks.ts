/** What tests ask of nodes that run as processes: receipts, one chain, progress. */
import assert from "node:assert/strict";
import { ask, growingPauses, request, waitForReceipt } from "./dev-process.ts";
import { type NodeProcess, untilEqual } from "./node-processes.ts";
import { type Call, createSender } from "../sender.ts";
import { NATIONAL_SUITE, STANDARD_SUITE } from "../suites.ts";

/** What agrees on blocks in a group. */
export type Consensus = "pbft" | "raft";

const LIMIT_MS = 240_000;

const signStandard = createSender(STANDARD_SUITE);
const signNational = createSender(NATIONAL_SUITE);

/** Sends a transaction through a node, which takes it; gives its hash. */
export async function send(through: NodeProcess, call: Omit<Call, "head"> = {}): Promise<string> {
  const { groupId = 1 } = call;
  const sign = through.sm ? signNational : signStandard;
  const { raw, hash } = sign({ ...call, head: await through.blockNumber(groupId) });
  const { error } = await ask(through.url, "sendRawTransaction", [groupId, raw]);
  assert.equal(error, undefined, `${through.url} takes a transaction: ${error?.message}`);
  return hash;
}

/** Waits until nodes have the receipts of transactions, each in the same block. */
export async function requireReceipts(
  hashes: readonly string[],
  seenBy: readonly NodeProcess[],
  groupId = 1,
): Promise<void> {
  for (const hash of hashes) {
    const found = await Promise.all(
      seenBy.map(({ url }) => waitForReceipt(url, hash, LIMIT_MS, groupId)),
    );
    assert.equal(new Set(found.map(({ blockHash }) => blockHash)).size, 1, `one block of ${hash}`);
  }
}

/** Sends through a node and waits until the given nodes have the receipt in the same block. */
export async function sendAndSee(
  through: NodeProcess,
  seenBy: readonly NodeProcess[],
): Promise<void> {
  await requireReceipts([await send(through)], seenBy);
}

/** A block as far as nodes must agree about it. */
async function factsOf({ url }: NodeProcess, number: number): Promise<string> {
  const block = await request(url, "getBlockByNumber", [1, `${number}`, false]);
  const { hash, stateRoot } = block as { hash: string; stateRoot: string };
  return `${hash} ${stateRoot}`;
}

/** All nodes have the same hash and state root at every height from one to another. */
export async function requireSameBlocks(
  nodes: readonly NodeProcess[],
  from: number,
  to: number,
): Promise<void> {
  for (let number = from; number <= to; number++) {
    const facts = await Promise.all(nodes.map((node) => factsOf(node, number)));
    assert.equal(new Set(facts).size, 1, `block ${number}:\n${facts.join("\n")}`);
  }
}

/** Waits until nodes have one head, at or above a number, and are one chain down to genesis. */
export async function requireSameChain(
  nodes: readonly NodeProcess[],
  least: number,
): Promise<number> {
  const number = await untilEqual(nodes, least, LIMIT_MS);
  await requireSameBlocks(nodes, 0, number);
  return number;
}

/** The node IDs that a node has sessions with. */
export async function peersOf({ url }: NodeProcess): Promise<readonly string[]> {
  const peers = (await request(url, "getPeers", [1])) as readonly { readonly NodeID: string }[];
  return peers.map(({ NodeID }) => NodeID);
}

/** Waits until each node has a session with all others. */
export async function untilConnected(nodes: readonly NodeProcess[]): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (const pause = growingPauses(); ; await pause()) {
    const counts = await Promise.all(nodes.map(async (node) => (await peersOf(node)).length));
    if (counts.every((count) => count >= nodes.length - 1)) return;
    assert.ok(performance.now() < end, `sessions: ${counts.join(" ")}`);
  }
}

/** A node whose absence hurts most: the leader of a Raft group; with PBFT they take turns. */
export async function specialIndex(nodes: readonly NodeProcess[]): Promise<number> {
  const end = performance.now() + LIMIT_MS;
  for (const pause = growingPauses(); ; await pause()) {
    const told = await Promise.all(
      nodes.map(({ url }) => request(url, "getConsensusStatus", [1]) as Promise<Leading>),
    );
    if (told.every(([{ leaderId }]) => leaderId === undefined)) return nodes.length - 1;
    const leaders = new Set(told.map(([{ leaderId }]) => leaderId));
    const index = nodes.findIndex(({ nodeId }) => leaders.size === 1 && leaders.has(nodeId));
    if (index >= 0) return index;
    assert.ok(performance.now() < end, `one leader: ${[...leaders].join(" ")}`);
  }
}

const NO_LEADER = "get leader ID failed";
/**
 * Messages of a node that looks for a leader, with Raft: each time one to every peer that it has a
 * session with, and an answer to each that looks too. More than one whole election takes.
 */
const VAIN_MESSAGES = 9;

/**
 * Waits until a group without its quorum has tried in vain: with PBFT the time of each of these
 * nodes is up and the view that it asks for has not come (none asks for more than the next one),
 * with Raft each goes on looking for a leader and none knows one.
 */
export async function untilInVain(nodes: readonly NodeProcess[]): Promise<void> {
  const look = async (node: NodeProcess): Promise<Look> => {
    const [status] = (await request(node.url, "getConsensusStatus", [1])) as Leading;
    const { leaderId, currentView = 0, toView = 0, leaderFailed = false } = status;
    if (leaderId === undefined)
      return { isVain: leaderFailed && toView > currentView, sent: 0, enough: 0 };
    const sent = await node.consensusSent();
    return { isVain: leaderId === NO_LEADER, sent, enough: VAIN_MESSAGES };
  };
  let before = await Promise.all(nodes.map(look));
  const end = performance.now() + LIMIT_MS;
  for (const pause = growingPauses(); ; await pause()) {
    const now = await Promise.all(nodes.map(look));
    // A leader sends too: what counts begins when there is none.
    if (now.some(({ isVain }) => !isVain)) before = now;
    const isInVain = now.every(
      ({ isVain, sent, enough }, index) => isVain && sent >= (before[index]?.sent ?? 0) + enough,
    );
    if (isInVain) return;
    assert.ok(performance.now() < end, JSON.stringify(now));
  }
}

/** How far a node has tried. */
interface Look {
  readonly isVain: boolean;
  /** Messages. */
  readonly sent: number;
  readonly enough: number;
}

/** What is examined in the status of consensus. */
type Leading = readonly [
  {
    readonly leaderId?: string;
    readonly currentView?: number;
    readonly toView?: number;
    readonly leaderFailed?: boolean;
  },
];
