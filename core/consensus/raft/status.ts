/** What getConsensusStatus reports of the core. Source: raft 9 */
import type { NodeId } from "../../bytes/ids.ts";
import { isSealer, type RaftState, type Role, roleOf } from "./state.ts";

/** Raft status. Source: interface 2.6; raft 9 */
export interface RaftStatus {
  readonly kind: "raft";
  readonly accountType: 0 | 1;
  readonly cfgErr: boolean;
  readonly consensusedBlockNumber: number;
  readonly highestblockHash: RaftState["head"];
  readonly highestblockNumber: number;
  /** Undefined: reported as "get leader ID failed" and "NULL". */
  readonly leader: { readonly nodeId: NodeId; readonly index: number } | undefined;
  readonly maxFaultyLeader: number;
  /** Reported as `node_index` and as `node index`. */
  readonly nodeIndex: number;
  /** Ascending node IDs. */
  readonly sealers: readonly NodeId[];
  /** For metrics; not reported. */
  readonly term: number;
  /** For metrics; not reported. */
  readonly role: Role;
}

/** Projects the state. Source: raft 9 */
export function raftStatus(state: RaftState): RaftStatus {
  const { leader, indexes, height, head, maxFaulty, config, term } = state;
  const index = leader === undefined ? undefined : indexes.get(leader);
  return {
    kind: "raft",
    accountType: isSealer(state) ? 1 : 0,
    cfgErr: !isSealer(state),
    consensusedBlockNumber: height + 1,
    highestblockHash: head,
    highestblockNumber: height,
    leader: leader === undefined || index === undefined ? undefined : { nodeId: leader, index },
    maxFaultyLeader: maxFaulty,
    nodeIndex: state.index,
    sealers: config.sealers,
    term,
    role: roleOf(state),
  };
}

/** Where the block above the head stands. */
export type BlockPhase = "none" | "fetching" | "executing" | "replicating" | "writing";

const PHASES = {
  assembling: "fetching",
  fetching: "fetching",
  assembled: "fetching",
  executing: "executing",
  executed: "replicating",
  refused: "replicating",
} as const;

/** Reads the phase off the core's state. */
export function blockPhase({ decision, work }: RaftState): BlockPhase {
  return decision?.writing ? "writing" : work ? PHASES[work.stage] : "none";
}
