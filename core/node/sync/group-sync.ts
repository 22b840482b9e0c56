/** Block sync of a group: its planner, its actor and its shell. Source: sync 2-4, 9 */
import { syncMachine } from "../../actors/sync.machine.ts";
import type { Clock } from "../../ports/clock.ts";
import { VotingReports } from "../../sync/voting-reports.ts";
import { createSync } from "../../sync/planner/state.ts";
import { createBandwidthBucket, type TokenBucket } from "../../limits/token-bucket.ts";
import { type GroupOptions, type GroupPorts, startInGroup } from "../options/group-options.ts";
import type { SenderRecovery } from "../txpool/sender-recovery.ts";
import { SyncService, type SyncServiceOptions } from "./sync-service.ts";
import { SyncVerifier } from "./sync-verifier.ts";

/** What block sync is made with. */
export interface GroupSyncOptions
  extends Omit<
    SyncServiceOptions,
    keyof GroupPorts | "groupId" | "suite" | "actor" | "votes" | "verifier"
  > {
  readonly options: GroupOptions;
  readonly ports: GroupPorts;
  readonly recovery: SenderRecovery;
  /** Limits of what this node serves. */
  readonly buckets: readonly TokenBucket[];
}

/** Makes block sync; it does nothing before `begin`. */
export function makeGroupSync(made: GroupSyncOptions): SyncService {
  const { options, ports, recovery, buckets, config } = made;
  const { suite, groupId, tuning } = options;
  const { ledger, compute, log, entropy } = ports;
  const { number, hash } = ledger.head();
  const first = config();
  const sync = createSync({
    // The tree of sealers is PBFT's. Source: sync 3
    tuning: { ...tuning.sync, statusByTree: tuning.sync.statusByTree && first.certified },
    config: first,
    genesis: ledger.genesisHash(),
    height: number,
    head: hash,
    seed: new DataView(entropy.bytes(4).slice().buffer).getInt32(0),
    buckets,
  });
  const actor = { name: "sync", input: { sync } };
  return new SyncService({
    ...ports,
    ...made,
    groupId,
    suite,
    actor: startInGroup(syncMachine, actor, { group: options, log }),
    votes: new VotingReports(),
    verifier: new SyncVerifier({ rules: options, recovery, compute }),
  });
}

/** The clock with what the sealers agree on added to it. Source: sync 6 */
export function alignedClock(clock: Clock, offset: () => number): Clock {
  return {
    now: () => clock.now() + offset(),
    steady: () => clock.steady(),
    after: (delayMs, callback) => clock.after(delayMs, callback),
  };
}

/** The limiters of a group: the node's, and its own. Source: sync 4 (serving), 10 */
export function bandwidthOf({ bandwidth, tuning }: GroupOptions, now: number): TokenBucket[] {
  const own = tuning.outgoingMbit;
  return [
    ...(bandwidth ? [bandwidth] : []),
    ...(own === undefined ? [] : [createBandwidthBucket(own, now)]),
  ];
}
