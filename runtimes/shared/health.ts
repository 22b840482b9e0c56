/**
 * How a node is: what `/readyz` answers, and what status, doctor and metrics are made of. Read when
 * it is asked for, from what the node keeps anyway.
 */
import { CLOCK_WARN_MS } from "../../core/network/clock-skew.ts";
import type { NodeId } from "../../core/bytes/ids.ts";
import type { AbstentionView } from "../../core/consensus/abstention.ts";
import { formatVersion } from "../../core/model/version.ts";
import type { PeerInfo } from "../../core/ports/network.ts";
import { maxFaulty } from "../../core/consensus/quorum.ts";
import type { GroupApi, GroupStatus, NodeApi } from "../../core/api/node-api.ts";
import {
  abstaining,
  abstentionText,
  type SealerVote,
  votesText,
  votingCount,
} from "./sealer-votes.ts";
import { voteRemedy } from "./vote-remedy.ts";
import { reachSealers, shortage, shortNames, type Stall, stallText } from "./progress.ts";

/** Blocks that a group may be behind others and still count as ready. */
export const READY_LAG_BLOCKS = 10;

/** The kind of a fault before its sentence; operators need the sentence only. */
const KIND = /^\w+(?:Fault|Error): /;

/** Members report every five seconds where they stand. Source: sync 3 */
const QUIET_MS = 30_000;

/** One group of which the node has files. */
export interface GroupHealth {
  /** Null when not even the number of the group could be read. */
  readonly group: number | null;
  readonly status: GroupStatus;
  readonly running: boolean;
  /** Why it does not run although it should. */
  readonly failure?: string;
  /** Absent while it does not run, as all that follows. */
  readonly consensus?: "pbft" | "raft";
  readonly role?: "sealer" | "observer" | "none";
  readonly height?: number;
  /** The height that others believably stand at, own one included. */
  readonly highest?: number;
  readonly behind?: number;
  readonly syncing?: boolean;
  readonly pending?: number;
  readonly sealers?: number;
  /** Sealers with a session, the node itself included when it is one. */
  readonly connectedSealers?: number;
  /** This many of them decide. */
  readonly quorum?: number;
  /** Whether each votes, as far as this node knows, and how many do. Source: decision 34 */
  readonly sealerVotes?: readonly SealerVote[];
  readonly votingSealers?: number;
  readonly missingSealers?: readonly NodeId[];
  /** Connected nodes that say that the group has another genesis block. */
  readonly otherGenesis?: readonly NodeId[];
  /** Why and how long this sealer does not vote. Source: decision 25 */
  readonly silence?: AbstentionView;
  /** For how long connected members have not said where they stand; absent while they do. */
  readonly quietSeconds?: number;
  /** Why it cannot write blocks, and for how many seconds; absent while it can. */
  readonly stall?: Stall;
  /** What mends it where sealers are missing or do not vote: commands, and where. */
  readonly remedy?: string;
  /** Other members that have a session. */
  readonly connected?: number;
  /** PBFT: the view; Raft: the term. */
  readonly view?: number;
  /** The newest block against the clocks. */
  readonly blockTime?: BlockTime;
}

/** Milliseconds by which the newest block's time is ahead of a clock; an old block is behind. */
export interface BlockTime {
  readonly aheadOfClockMs: number;
  /** Of the median of the peers' clocks; absent while too few have told theirs. */
  readonly aheadOfPeersMs?: number;
  /** Both are ahead by more than sealers vote for. Source: decision 27 */
  readonly isAhead: boolean;
}

/** One connected peer. */
export interface PeerHealth {
  readonly nodeId: NodeId;
  readonly node: string;
  readonly agency: string;
  readonly endpoint: string;
  readonly rttMs?: number;
  /** How far its clock is ahead. */
  readonly clockSkewMs?: number;
}

/**
 * The whole node. Ready is a node that answers reads with what the chain agreed on, no matter who
 * else is there: were a node that waits for others not ready, a chain could not be brought up one
 * by one, and a chain without a quorum would not even be readable. Whether transactions are valid
 * is another question: `writable`.
 */
export interface NodeHealth {
  readonly ready: boolean;
  /** Why it is not ready, one sentence each. */
  readonly reasons: readonly string[];
  /** Whether it is ready and each of its groups can write blocks. */
  readonly writable: boolean;
  /** What is wrong although it is ready, one sentence each. */
  readonly warnings: readonly string[];
  readonly nodeId: NodeId;
  readonly version: string;
  readonly supportedVersion: string;
  readonly chainId: number;
  readonly groups: readonly GroupHealth[];
  readonly peers: readonly PeerHealth[];
}

/** What the network measures of a peer. */
export interface PeerGauge {
  rttMs(peer: NodeId): number | undefined;
  clockSkewMs(peer: NodeId): number | undefined;
}

/** The middle one; of an even number the lower of the two. */
export function median(values: readonly number[]): number | undefined {
  const ascending = [...values].sort((left, right) => left - right);
  return ascending[Math.floor((ascending.length - 1) / 2)];
}

/**
 * How far the clocks of most peers are ahead; undefined with a single one, of which it is not known
 * who is wrong. Where two halves differ, the half that is nearer to the own clock counts.
 */
export function peersSkew(peers: readonly PeerHealth[]): number | undefined {
  const told = peers.flatMap(({ clockSkewMs }) => clockSkewMs ?? []);
  if (told.length < 2) return undefined;
  told.sort((left, right) => left - right);
  const upper = told[Math.floor(told.length / 2)] ?? 0;
  const lower = told[Math.floor((told.length - 1) / 2)] ?? 0;
  return Math.abs(lower) < Math.abs(upper) ? lower : upper;
}

/** A number of a consensus status under one of these names, whichever protocol it is of. */
export function figureOf(status: object, ...names: readonly string[]): number | undefined {
  const fields = status as Readonly<Record<string, unknown>>;
  const found = names.map((name) => fields[name]).find((value) => typeof value === "number");
  return typeof found === "number" ? found : undefined;
}

/**
 * The height that others believably stand at: of f sealers any claim may be a lie; in a Raft group
 * nobody lies.
 */
export function believableHighest(group: GroupApi): number {
  const head = group.ledger.head().number;
  const status = group.consensusStatus();
  const sealers = new Set<NodeId>(status.sealers);
  const byzantine = group.consensusType === "pbft" ? (figureOf(status, "maxFaulty") ?? 0) : 0;
  const claims = group.syncStatus().peers.filter(({ nodeId }) => sealers.has(nodeId));
  const heights = claims.map(({ number }) => number).sort((left, right) => right - left);
  return Math.max(head, heights[byzantine] ?? 0);
}

function roleOf(group: GroupApi): "sealer" | "observer" | "none" {
  if (!group.isMember()) return "none";
  return figureOf(group.consensusStatus(), "accountType") === 1 ? "sealer" : "observer";
}

type StallOf = (groupId: number) => Stall | undefined;

/** Without a watch the sessions of this moment tell. */
function stallNow(node: NodeApi): StallOf {
  return (groupId) => {
    const group = node.group(groupId);
    const cause = group?.isMember() ? shortage(reachSealers(node, group)) : undefined;
    return cause === undefined ? undefined : { cause, seconds: undefined };
  };
}

/** What groups are examined with. */
interface Look {
  readonly node: NodeApi;
  readonly peers: readonly PeerHealth[];
  readonly stallOf: StallOf;
  /** This node's clock. */
  readonly now: number;
  /** How far most peers' clocks are ahead of it. */
  readonly skewMs: number | undefined;
}

function blockTimeOf(group: GroupApi, { now, skewMs }: Look): BlockTime | undefined {
  const time = group.chainTime?.();
  if (!time) return undefined;
  const aheadOfClockMs = Math.round(time.timestamp - now);
  const aheadOfPeersMs = skewMs === undefined ? undefined : aheadOfClockMs - skewMs;
  const isAhead = (aheadOfPeersMs ?? aheadOfClockMs) > time.maxFutureMs;
  return { aheadOfClockMs, ...(aheadOfPeersMs === undefined ? {} : { aheadOfPeersMs }), isAhead };
}

function runningHealth(look: Look, group: GroupApi) {
  const { node, stallOf } = look;
  const blockTime = blockTimeOf(group, look);
  const status = group.consensusStatus();
  const sync = group.syncStatus();
  const height = group.ledger.head().number;
  const highest = believableHighest(group);
  const view = figureOf(status, "currentView", "term");
  const { connected, quorum, missing, votes } = reachSealers(node, group);
  const { otherGenesis = [], quietMs = 0 } = sync;
  const isQuiet = sync.peers.length > 0 && quietMs >= QUIET_MS;
  const stall = stallOf(group.groupId);
  const silence = group.abstention?.();
  const { peers } = look;
  const question = { group: group.groupId, votes, own: node.nodeId, peers };
  const remedy = stall && voteRemedy(question);
  return {
    consensus: group.consensusType,
    role: roleOf(group),
    height,
    highest,
    behind: highest - height,
    syncing: sync.isSyncing,
    pending: group.pendingCount(),
    sealers: status.sealers.length,
    connectedSealers: connected,
    quorum,
    sealerVotes: votes,
    votingSealers: votingCount(votes),
    missingSealers: missing,
    ...(otherGenesis.length === 0 ? {} : { otherGenesis }),
    ...(isQuiet ? { quietSeconds: Math.floor(quietMs / 1_000) } : {}),
    ...(stall ? { stall } : {}),
    ...(remedy === undefined ? {} : { remedy }),
    ...(silence ? { silence } : {}),
    connected: sync.peers.length,
    ...(view === undefined ? {} : { view }),
    ...(blockTime ? { blockTime } : {}),
  };
}

/** The groups of a node, ascending. */
function groupsOf(look: Look): readonly GroupHealth[] {
  const { node } = look;
  const known = node.groups?.() ?? [];
  return known.map(({ groupId, status, isRunning, failure }): GroupHealth => {
    const running = groupId === undefined ? undefined : node.group(groupId);
    return {
      group: groupId ?? null,
      status,
      running: isRunning,
      ...(isRunning || failure === undefined ? {} : { failure: failure.replace(KIND, "") }),
      ...(running ? runningHealth(look, running) : {}),
    };
  });
}

/** What a node reports whose group began otherwise than that of others. */
function genesisText({ group, otherGenesis = [] }: GroupHealth): string {
  const who = otherGenesis.length === 1 ? "a peer has" : `${otherGenesis.length} peers have`;
  const next = `compare conf/group.${group}.genesis with theirs (${shortNames(otherGenesis)})`;
  return `group ${group}: ${who} another genesis block, ${next}`;
}

/**
 * Whether this node may be the one that began otherwise, and shows its clients a chain of its own:
 * more say so than may lie, and no more sealers are seen on its side.
 */
function isOfOwn({ otherGenesis = [], sealers = 0, connectedSealers = 0 }: GroupHealth): boolean {
  const { length } = otherGenesis;
  return length > maxFaulty(sealers) && length >= connectedSealers;
}

function reasonsOf(groups: readonly GroupHealth[]): string[] {
  return groups.flatMap((health) => {
    const name = health.group === null ? "a group" : `group ${health.group}`;
    const shouldRun = health.status === "RUNNING" || health.status === "UNKNOWN";
    if (!health.running && shouldRun) {
      return [`${name} does not run: ${health.failure ?? "it starts"}`];
    }
    if (isOfOwn(health)) return [genesisText(health)];
    const behind = health.behind ?? 0;
    return behind > READY_LAG_BLOCKS ? [`${name} is ${behind} blocks behind`] : [];
  });
}

const ABSTENTION_CAUSES: Readonly<Record<AbstentionView["cause"], string>> = {
  copied: "its data is a copy or was restored",
  lostVotes: "its data is older than its votes",
  twin: "another node seals blocks with its key",
};

/** What ends an abstention. Source: decision 25 */
function abstentionEnd({ until, answered, wanted, needsOperator }: AbstentionView): string {
  const confirm = "chain-node confirm, once no other copy runs";
  if (needsOperator) return `until ${confirm}`;
  if (until !== undefined) return `until it stands at block ${until}, or ${confirm}`;
  const asked = `${wanted} other sealers have reported where they stand (${answered} have)`;
  return `until ${asked}, and some blocks more, or ${confirm}`;
}

/** Says that a sealer is a silent observer, without the name of the group. */
export function abstentionSentence(silence: AbstentionView): string {
  const cause = ABSTENTION_CAUSES[silence.cause];
  return `follows as a silent observer, ${cause}: ${abstentionEnd(silence)}`;
}

/** What is reported of a group of which no member reports anything, without its name. */
export function quietText(seconds: number): string {
  return (
    `has learned of no member for ${seconds} s where it stands: this node was removed from the ` +
    "group, or the group does not run on the others"
  );
}

/** Says that others do not vote although a quorum does, without the name of the group. */
export function votesWarning(health: GroupHealth, own: NodeId | undefined): string | undefined {
  const { stall, quorum = 0, sealerVotes = [] } = health;
  const others = sealerVotes.filter(({ nodeId }) => nodeId !== own);
  if (stall || abstaining(others).length === 0) return undefined;
  return `${votesText(sealerVotes, quorum)}; not voting: ${abstentionText(others)}`;
}

/**
 * Says that the newest block is ahead of the clocks, without the name of the group. An old one is
 * nothing: idle chains have no other.
 *
 * Source: decision 27
 */
export function blockTimeText({ aheadOfClockMs, aheadOfPeersMs }: BlockTime): string {
  const ahead = Math.round((aheadOfPeersMs ?? aheadOfClockMs) / 1_000);
  const whose = aheadOfPeersMs === undefined ? "this host's clock" : "the clocks of most peers";
  return (
    `has a newest block that is ${ahead} s ahead of ${whose}: until they reach its time each ` +
    "block is 1 ms after the one before"
  );
}

/** What does not concern reads. */
function warningsOf(groups: readonly GroupHealth[], own: NodeId): string[] {
  return groups.flatMap((health) => {
    const { group, stall, remedy, silence, quietSeconds, otherGenesis, blockTime } = health;
    if (group === null) return [];
    const other = otherGenesis !== undefined && !isOfOwn(health);
    const votes = votesWarning(health, own);
    return [
      ...(silence ? [`group ${group} ${abstentionSentence(silence)}`] : []),
      ...(stall ? [`group ${group} ${stallText(stall)}`] : []),
      ...(remedy === undefined ? [] : [`to mend group ${group}: ${remedy}`]),
      ...(quietSeconds ? [`group ${group} ${quietText(quietSeconds)}`] : []),
      ...(votes === undefined ? [] : [`group ${group}: ${votes}`]),
      ...(blockTime?.isAhead ? [`group ${group} ${blockTimeText(blockTime)}`] : []),
      ...(other ? [genesisText(health)] : []),
    ];
  });
}

/**
 * What clocks say that are far apart: of the own one when most peers differ, else of each.
 *
 * Source: decision 27
 */
export function clockWarnings(peers: readonly PeerHealth[]): readonly string[] {
  const told = peers.filter(({ clockSkewMs }) => clockSkewMs !== undefined);
  const seconds = (ms: number) => `${Math.abs(Math.round(ms / 1_000))} s`;
  const middle = peersSkew(peers) ?? 0;
  if (Math.abs(middle) > CLOCK_WARN_MS) {
    const direction = middle > 0 ? "behind" : "ahead of";
    return [
      `this host's clock is ${seconds(middle)} ${direction} that of most peers: set it by NTP`,
    ];
  }
  return told.flatMap(({ node, clockSkewMs = 0 }) => {
    if (Math.abs(clockSkewMs) <= CLOCK_WARN_MS) return [];
    const direction = clockSkewMs > 0 ? "ahead of" : "behind";
    return [`the clock of ${node} is ${seconds(clockSkewMs)} ${direction} ours: set both by NTP`];
  });
}

/** Connected peers with what the network measures of them. */
export function healthOfPeers(peers: readonly PeerInfo[], gauge?: PeerGauge): PeerHealth[] {
  return peers.map(({ nodeId, node, agency, endpoint }) => {
    const rttMs = gauge?.rttMs(nodeId);
    const clockSkewMs = gauge?.clockSkewMs(nodeId);
    return {
      nodeId,
      node,
      agency,
      endpoint,
      ...(rttMs === undefined ? {} : { rttMs: Math.round(rttMs * 100) / 100 }),
      ...(clockSkewMs === undefined ? {} : { clockSkewMs }),
    };
  });
}

/**
 * How the node is now. The groups' stalls are dated where a watch is given.
 *
 * @param now this node's clock
 */
export function healthOf(
  node: NodeApi,
  gauge?: PeerGauge,
  stallOf = stallNow(node),
  now = Date.now(),
): NodeHealth {
  const peers = healthOfPeers(node.peers(), gauge);
  const groups = groupsOf({ node, peers, stallOf, now, skewMs: peersSkew(peers) });
  const serves = node.isReady();
  const reasons = serves ? reasonsOf(groups) : ["the node is starting or stopping"];
  const ready = reasons.length === 0;
  return {
    ready,
    reasons,
    writable: ready && groups.every(({ stall, silence }) => !stall && !silence?.needsOperator),
    warnings: [...warningsOf(groups, node.nodeId), ...clockWarnings(peers)],
    nodeId: node.nodeId,
    version: node.build.version,
    supportedVersion: formatVersion(node.supportedVersion),
    chainId: node.chainId,
    groups,
    peers,
  };
}
