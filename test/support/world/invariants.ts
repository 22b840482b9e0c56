/** What must hold of each core after every step. Source: pbft 15; raft 10; sync 4, 9 */
import { isSealer as isPbftSealer, type PbftState } from "../../../core/consensus/pbft/state.ts";
import { isOtherWanted, isWorkIdle } from "../../../core/consensus/raft/execution.ts";
import { isSealer, type RaftState } from "../../../core/consensus/raft/state.ts";
import { invariant } from "../../../core/fault/invariant.ts";
import { memoryBytes, type SyncState } from "../../../core/sync/planner/state.ts";
import { QUEUE_LIMIT, SHARDS_PER_TURN } from "../../../core/sync/planner/tuning.ts";

/** What must hold after every step of the PBFT core. Source: pbft 15 */
export function checkPbftInvariants(state: PbftState): void {
  const { view, toView, lock, ownSign, ownCommit, phase } = state;
  invariant(phase === "stopped" || isPhaseOf(state), `${phase} is where it stands`);
  invariant(toView >= view, "toView is never below the view");
  invariant(view === 0 || state.justification.length > 0, "a view above 0 is justified");
  invariant(!lock || lock.view <= view, "a lock is of this view or an earlier one");
  invariant(!ownCommit || ownCommit.view === lock?.view, "a commit vote stands on the lock");
  invariant(!ownSign || ownSign.view <= view, "a sign vote is of this view or an earlier one");
  invariant(
    !isPbftSealer(state) || toView === view || state.ownViewChange?.view === toView,
    "a sealer between views has reported so",
  );
  invariant(
    !state.decision?.writing || state.work?.stage === "executed",
    "only executed blocks are written",
  );
}

/** Whether a phase is what the votes, the proposal and the lock of a state say. */
function isPhaseOf(state: PbftState): boolean {
  const { phase, view, toView, lock, round, decision } = state;
  switch (phase) {
    case "committed":
      return decision !== undefined && (decision.view > 0 || state.commits.size > 0);
    case "catchingUp":
      return decision?.view === 0;
    case "observer":
      return !decision && !isPbftSealer(state);
    case "viewChanging":
      return !decision && isPbftSealer(state) && toView > view;
    default: {
      if (decision || !isPbftSealer(state) || toView > view) return false;
      if (round.proposal === undefined) return phase === "idle";
      return phase === (lock?.view === view ? "prepared" : "prePrepared");
    }
  }
}

/** What must hold after every step of the Raft core. Source: raft 10 */
export function checkRaftInvariants(state: RaftState): void {
  const { role, entry, term, height, config, rules } = state;
  invariant(!entry || entry.term <= term, "an entry is of this term or an earlier one");
  invariant(!entry || entry.height === height + 1, "an entry is for the height above the head");
  invariant(role !== "leader" || state.leader === config.self, "a leader knows itself");
  invariant(role === "leader" || state.fresh === undefined, "only a leader proposes");
  const isIssued = role !== "leader" || !entry || entry.term === term || !rules.ownTermCounts;
  invariant(isIssued, "a leader issues under its term");
  const isSuspended = role === "suspended";
  const isApart = state.syncing || !isSealer(state);
  invariant(role === "stopped" || isSuspended === isApart, "who takes part is no accident");
  invariant(
    !state.decision?.writing || state.work?.stage === "executed",
    "only executed blocks are written",
  );
  invariant(state.standBackFor === undefined, "a role that must end has ended");
  const isWanted = !isWorkIdle(state) && !isOtherWanted(state);
  invariant(isWanted || state.role === "stopped", "the block that is called for is worked on");
  invariant(
    state.answeredAt.size <= config.sealers.length && state.stored.size <= config.sealers.length,
    "one acknowledgement for each sealer",
  );
}

/** What must hold after every step of the sync planner. Source: sync 4, 9 */
export function checkSyncInvariants(state: SyncState): void {
  const { queue, shards, height, tuning } = state;
  let bytes = 0;
  for (const [number, { block, stage }] of queue) {
    bytes += block.bytes.length;
    invariant(number === block.number && number > height, "only blocks above the head wait");
    invariant(stage !== "verified" || number <= state.provenHighest, "verified means proven");
  }
  invariant(bytes === state.queueBytes, "the bytes that wait are counted");
  invariant(queue.size <= QUEUE_LIMIT, "the queue is bounded");
  invariant(
    memoryBytes(state) <= tuning.maxMemoryBytes || queue.size === 1,
    "memory is bounded, but for a single block",
  );
  invariant(shards.length <= SHARDS_PER_TURN, "requests are bounded");
  const waiting = shards.flatMap((shard) => [...shard.waiting]);
  invariant(new Set(waiting).size === waiting.length, "nothing is asked for twice at a time");
  invariant(
    waiting.every((number) => !queue.has(number)),
    "nothing is asked for that is here",
  );
  invariant(state.downloading || shards.length === 0, "an idle node has no request under way");
  invariant(state.downloading || queue.size === 0, "an idle node has no blocks waiting");
  const { phase } = state;
  invariant(phase !== "requesting" || shards.length === 0, "requesting: nothing is under way");
  invariant(phase !== "downloading" || shards.length > 0, "downloading: requests are under way");
  const isImporting = state.importing !== undefined;
  invariant((phase === "importing") === isImporting, "importing: the shell works on a run");
}
