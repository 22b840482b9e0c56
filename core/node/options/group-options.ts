/** What a group is made with and works through, and how its actors are started. */
import { type Inspector, type Parent, startSupervised } from "../../actors/supervise.ts";
import type { NodeId } from "../../bytes/ids.ts";
import type { AbstentionRecord } from "../../consensus/abstention.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import type { Ledger } from "../../ledger/ledger-view.ts";
import type { GenesisConfig, GroupTuning } from "../../model/config.ts";
import type { Version } from "../../model/version.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Log } from "../../ports/log.ts";
import type { Head } from "../../ports/ledger.ts";
import type { Store } from "../../ports/store.ts";
import type { TokenBucket } from "../../limits/token-bucket.ts";
import type { TxPool } from "../../txpool/state.ts";
import type { NodePorts } from "./node-ports.ts";

/** The block that a proposal stands on. */
export interface ParentBlock extends Head {
  readonly timestamp: bigint;
}

/** A block that this node wrote, as listeners see it. */
export interface WrittenBlock extends Head {
  readonly groupId: number;
  readonly transactions: number;
  readonly failed: number;
  readonly sealer: number;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}

/** How long a sealer of a Raft group waits for a leader. Source: raft 3 */
export interface RaftTimes {
  readonly minElectMs: number;
  readonly maxElectMs: number;
}

/** What a group is made with. */
export interface GroupOptions {
  readonly groupId: number;
  /** Election times of a Raft group; absent: PBFT. */
  readonly raft?: RaftTimes | undefined;
  readonly eventLimits?: GenesisConfig["eventFilter"] | undefined;
  readonly chainId: number;
  readonly self: NodeId;
  readonly privateKey: Uint8Array;
  readonly suite: CryptoSuite;
  readonly version: Version;
  readonly tuning: GroupTuning;
  /** Limiter of what the node sends, shared by its groups; absent: unlimited. Source: sync 10 */
  readonly bandwidth?: TokenBucket | undefined;
  readonly inspect?: Inspector | undefined;
  /** Whose children the actors of the group are. */
  readonly parent: Parent;
  /** Whether the node keeps quiet as a sealer for now. */
  readonly isAbstaining?: (() => boolean) | undefined;
  /** How many empty rounds in a row share a record; 1 when absent. Source: pbft 16.2 */
  readonly roundsPerRecord?: number | undefined;
  readonly onWritten: (block: WrittenBlock) => void;
  readonly onFailure: (cause: unknown) => void;
}

/** What a group works through. */
export interface GroupPorts
  extends Pick<
    NodePorts,
    "clock" | "entropy" | "log" | "network" | "compute" | "examineLong" | "copyGuard"
  > {
  readonly store: Store;
  readonly executor: Executor;
  readonly ledger: Ledger;
}

/** What is read from the store before the group runs. */
export interface GroupStart {
  /** An abstention that goes on, or begins with this start. Source: decision 25 */
  readonly abstention: AbstentionRecord | undefined;
  readonly pool: TxPool;
  readonly parent: ParentBlock;
  readonly failed: bigint;
}

type AnyLogic = Parameters<typeof startSupervised>[0];

/** Starts an actor of the group; what it fails with ends the group. */
export function startInGroup<Logic extends AnyLogic>(
  logic: Logic,
  actor: { readonly name: string; readonly input: unknown },
  { group, log }: { readonly group: GroupOptions; readonly log: Log },
) {
  const { groupId, inspect, parent, onFailure } = group;
  return startSupervised(logic, {
    id: `g${groupId}.${actor.name}`,
    input: actor.input as never,
    log,
    inspect,
    parent,
    onError: onFailure,
  });
}
