/** What a runtime supplies to a node: types only. */
import type { GroupId } from "../../bytes/ids.ts";
import type { TransactionHashes } from "../../model/transaction.ts";
import type { GenesisConfig, GroupTuning } from "../../model/config.ts";
import type { Clock } from "../../ports/clock.ts";
import type { CopyGuard } from "../../ports/copy-guard.ts";
import type { Compute } from "../../ports/compute.ts";
import type { Entropy } from "../../ports/entropy.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Files } from "../../ports/files.ts";
import type { Log } from "../../ports/log.ts";
import type { Network } from "../../ports/network.ts";
import type { Store } from "../../ports/store.ts";

/** What is known of a very long transaction that was examined elsewhere. */
export interface ExaminedTransaction {
  /** Its canonical bytes; as they came where they are no transaction. */
  readonly raw: Uint8Array;
  readonly hashes: TransactionHashes | undefined;
}

/** Examines a transaction; @param raw is handed over with all of its buffer */
export type ExamineLong = (raw: Uint8Array) => Promise<ExaminedTransaction>;

/** A second ledger of a group, next to one that is damaged. Source: decision 30 */
export interface LedgerRepair {
  /**
   * Notes durably that the ledger is damaged, so that {@link NodePorts.openStore} refuses it from
   * now on, also after a restart; nothing when there is no ledger any more.
   */
  begin(groupId: GroupId, cause: string): Promise<void>;
  /** Opens the store of the second ledger: made when it is not there, else gone on with. */
  openStore(groupId: GroupId): Promise<Store>;
  /** As {@link NodePorts.openExecutor}, over the second ledger. */
  readonly openExecutor: NodePorts["openExecutor"];
  /** Removes the second ledger, which is closed. */
  discard(groupId: GroupId): Promise<void>;
  /**
   * Puts the second ledger, which is closed, in the place of the damaged one, which is kept.
   * @returns where the damaged one is; undefined when there was none
   */
  adopt(groupId: GroupId): Promise<string | undefined>;
}

/** What a runtime supplies. */
export interface NodePorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly network: Network;
  readonly compute: Compute;
  /** Configuration and status words of the groups. */
  readonly files: Files;
  /** Absent where nobody copies stores: all nodes of a dev chain are in one process. */
  readonly copyGuard?: CopyGuard;
  /** The suite's hash of very long bytes, computed elsewhere; here when absent. */
  readonly hashLong?: (bytes: Uint8Array) => Promise<Uint8Array>;
  /** Hashes very long transactions elsewhere; here when absent. */
  readonly examineLong?: ExamineLong;
  /** Opens a group's store, which is made when it is not there; closed when the group stops. */
  openStore(groupId: GroupId): Promise<Store>;
  /**
   * Opens the one writer of a group, whose store is open and has its genesis block; closed before
   * the store. `onDeath` is called when it ends before it was closed: the group cannot go on then.
   */
  openExecutor(
    genesis: GenesisConfig,
    onDeath: (cause: unknown) => void,
    tuning?: Pick<GroupTuning, "reconfirmCommittee">,
  ): Promise<Executor>;
  /**
   * Opens a store whose disk is full, to be read only. Absent where that is no other than opening.
   * @throws StoreFault when it cannot be read so, either
   */
  openElsewhere?(groupId: GroupId): Promise<Store>;
  /** Absent where nothing is repaired. */
  readonly repair?: LedgerRepair;
}
