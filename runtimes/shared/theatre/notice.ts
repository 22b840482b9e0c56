/** What happened to a node between two steps, in events that a page has words for. */
import type { NodeView, PbftView, RaftView, TheatreEvent, TheatreEventId } from "./frame.ts";

/** An event without its place. */
export type Notice = Pick<TheatreEvent, "id" | "node" | "values">;

type Values = Notice["values"];
type Add = (id: TheatreEventId, values?: Values) => void;

/** Events that tell two views of one node apart. */
export function noticesOf(before: NodeView | undefined, after: NodeView): Notice[] {
  if (before === after || !before) return [];
  const notices: Notice[] = [];
  const add: Add = (id, values = {}) => void notices.push({ id, node: after.node, values });
  // One that was switched off reports nothing: that it is off says it all.
  const isOff = after.power === "off";
  if (!isOff) addPeers(before, after, add);
  if (before.consensus?.kind === "pbft" && after.consensus?.kind === "pbft")
    addPbft(before.consensus, after.consensus, after.node, add);
  if (before.consensus?.kind === "raft" && after.consensus?.kind === "raft")
    addRaft(before.consensus, after.consensus, add);
  if (after.height > before.height)
    add("blockWritten", { height: after.height, hash: after.head ?? "" });
  addSync(before, after, add);
  if (!isOff && before.role !== after.role) add("roleChanged", { role: after.role });
  for (const { group, status } of after.groups) {
    const earlier = before.groups.find((one) => one.group === group)?.status;
    if (earlier !== status) add("groupStatus", { group, status });
  }
  return notices;
}

function addPeers(before: NodeView, after: NodeView, add: Add): void {
  for (const peer of after.peers) if (!before.peers.includes(peer)) add("peerUp", { peer });
  for (const peer of before.peers) if (!after.peers.includes(peer)) add("peerDown", { peer });
}

function addPbft(before: PbftView, after: PbftView, node: number, add: Add): void {
  const { height, view, toView } = after;
  const place = { height, view };
  const isSameHeight = before.height === height;
  if (isSameHeight && view > before.view) add("viewEntered", place);
  const { proposal, ownSign, lock, ownCommit } = after;
  if (proposal !== undefined && proposal !== before.proposal) {
    const transactions = after.transactions ?? 0;
    const id = after.leader === node ? "proposed" : "accepted";
    add(id, { ...place, hash: proposal, transactions });
  }
  if (ownSign !== undefined && (ownSign !== before.ownSign || view > before.view))
    if (after.signs.voters.includes(node)) add("signed", { ...place, hash: ownSign });
  if (lock && lock.view !== before.lock?.view)
    add("locked", { height, view: lock.view, hash: lock.executed, votes: lock.voters.length });
  if (ownCommit !== undefined && ownCommit !== before.ownCommit)
    add("committed", { ...place, hash: ownCommit });
  const wanted = isSameHeight ? Math.max(before.toView, view) : view;
  const isIdle = proposal !== undefined && after.transactions === 0;
  if (toView > wanted) add(isIdle ? "viewLeft" : "timedOut", { ...place, toView });
}

const ROLES = {
  follower: "becameFollower",
  preCandidate: "becamePreCandidate",
  candidate: "becameCandidate",
  leader: "becameLeader",
  suspended: undefined,
} as const satisfies Record<RaftView["role"], TheatreEventId | undefined>;

function addRaft(before: RaftView, after: RaftView, add: Add): void {
  const { term, vote, entry } = after;
  if (term > before.term) add("termRaised", { term });
  const role = after.role === before.role ? undefined : ROLES[after.role];
  if (role) add(role, { term });
  if (vote !== undefined && (vote !== before.vote || term > before.term))
    add("voted", { term, candidate: vote });
  const isNew = entry?.proposal !== before.entry?.proposal || entry?.term !== before.entry?.term;
  if (entry && isNew)
    add("entryStored", { term: entry.term, height: entry.height, hash: entry.proposal });
}

function addSync(before: NodeView, after: NodeView, add: Add): void {
  const was = before.sync?.downloading ?? false;
  const is = after.sync?.downloading ?? false;
  if (is && !was) add("syncBegan", { height: after.height, to: after.sync?.knownHighest ?? 0 });
  if (was && !is) add("syncEnded", { height: after.height });
}
