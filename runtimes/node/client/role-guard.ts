/**
 * Whether a change of a role leaves a group that can write blocks: examined before a transaction is
 * sent that cannot be taken back once nobody writes. Source: decision 34; pbft 1; raft 1
 */
import { setTimeout as sleep } from "node:timers/promises";
import { majority, quorum } from "../../../core/consensus/quorum.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { type GroupHealth, type NodeHealth, READY_LAG_BLOCKS } from "../../shared/health.ts";
import { stallText } from "../../shared/progress.ts";
import { abstentionText, type SealerVote, votingCount } from "../../shared/sealer-votes.ts";
import { ask, RequestFault } from "./json-rpc.ts";

/** What a node can be in a group. */
export type Role = "sealer" | "observer" | "free";

/** A change that is about to be sent. */
export interface PlannedChange {
  readonly url: string;
  readonly group: number;
  readonly nodeId: NodeId;
  readonly before: Role;
  readonly after: Role;
}

/** Longest wait for an answer. */
const PATIENCE_MS = 10_000;
/** A member reports every five seconds where it stands. Source: sync 3 */
const HEARD_WITHIN_MS = 7_000;
const POLL_MS = 250;

/** What the node reports of the group; undefined where it is not one of this program. */
async function standingOf({ url, group }: PlannedChange): Promise<GroupHealth | undefined> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(new URL("/readyz", url), { signal });
    const health = (await response.json()) as Partial<NodeHealth>;
    return health.groups?.find((each) => each.group === group);
  } catch {
    return undefined;
  }
}

/** How many blocks the node lacks; undefined while it has not said so. */
async function lagOf({ url, group, nodeId }: PlannedChange): Promise<number | undefined> {
  const status = (await ask(url, "getSyncStatus", [group])) as {
    readonly blockNumber: number;
    readonly peers: readonly { readonly nodeId: string; readonly blockNumber: number }[];
  };
  const peer = status.peers.find((each) => each.nodeId === nodeId);
  return peer && Math.max(0, status.blockNumber - peer.blockNumber);
}

/** A member that has just become one, or has just come, says it within some seconds. */
async function heardLag(change: PlannedChange): Promise<number | undefined> {
  const end = performance.now() + HEARD_WITHIN_MS;
  for (;;) {
    const lag = await lagOf(change);
    if (lag !== undefined || change.before === "free" || performance.now() > end) return lag;
    await sleep(POLL_MS);
  }
}

/** Why the node should not be a sealer yet. */
async function lateness(change: PlannedChange): Promise<string | undefined> {
  const lag = await heardLag(change);
  const who = `node ${change.nodeId.slice(0, 8)}...`;
  const why = "a sealer that lags counts for the quorum and does not help to reach it";
  if (lag !== undefined)
    return lag > READY_LAG_BLOCKS ? `${who} is ${lag} blocks behind: ${why}` : undefined;
  const head = Number(await ask(change.url, "getBlockNumber", [change.group]));
  if (head <= READY_LAG_BLOCKS) return undefined;
  const next =
    change.before === "free" ? "make it an observer first (--as observer)" : "look at its status";
  return `${who} has not said which blocks it has, ${next}: ${why}`;
}

/** The votes of the sealers that there are after the change. */
function votesAfter({ before, after, nodeId }: PlannedChange, votes: readonly SealerVote[]) {
  const others = votes.filter((vote) => vote.nodeId !== nodeId);
  if (after === "sealer") return [...others, { nodeId, voting: "votes" } as const];
  return before === "sealer" ? others : votes;
}

function shortageAfter(change: PlannedChange, health: GroupHealth): string | undefined {
  const votes = votesAfter(change, health.sealerVotes ?? []);
  const wanted = health.consensus === "raft" ? majority(votes.length) : quorum(votes.length);
  const count = votingCount(votes);
  // The chain itself refuses to be without a sealer.
  if (votes.length === 0 || count >= wanted) return undefined;
  const missing = votes.filter(({ voting }) => voting === "missing");
  const lack = [
    ...missing.map(({ nodeId }) => `${nodeId.slice(0, 8)} is missing`),
    ...(count + missing.length < votes.length ? [abstentionText(votes)] : []),
  ];
  const said = `${count} of then ${votes.length} sealers would vote, ${wanted} are needed`;
  return `${said}: no block would be written any more (${lack.join(", ")})`;
}

/**
 * Why a change should not be sent: the group stands still already, or would afterwards.
 * @returns undefined when nothing speaks against it
 */
export async function obstacleTo(change: PlannedChange): Promise<string | undefined> {
  const health = await standingOf(change);
  if (health?.stall) {
    const { stall, remedy, pending = 0 } = health;
    const first = remedy === undefined ? "" : `. First: ${remedy}`;
    const waiting = pending === 0 ? "" : `; ${pending} transactions wait already`;
    return `group ${change.group} ${stallText(stall)}${waiting}${first}`;
  }
  const late = change.after === "sealer" ? await lateness(change) : undefined;
  return late ?? (health && shortageAfter(change, health));
}

/** Refuses what should not be sent. @throws RequestFault */
export async function requireSound(change: PlannedChange): Promise<void> {
  const obstacle = await obstacleTo(change);
  if (obstacle === undefined) return;
  throw new RequestFault(`${obstacle}. Nothing was sent; --force sends it all the same.`);
}
