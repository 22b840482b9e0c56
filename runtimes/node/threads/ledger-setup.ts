/** How the threads of a node open its ledger. */
import type { GenesisConfig } from "../../../core/model/config.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { OpenedTables } from "../store/level-files/opened-tables.ts";
import type { Version } from "../../../core/model/version.ts";

/** Describes a ledger to a thread; survives structured cloning. */
export interface LedgerSetup {
  /** The store's folder, open in the main thread and prepared with the genesis block. */
  readonly folder: string;
  /** Its tables as the main thread has opened them. */
  readonly opened?: OpenedTables | undefined;
  readonly version: Version;
  /** Name of the chain's suite: a suite itself does not travel. The standard one when absent. */
  readonly suite?: CryptoSuite["name"];
  readonly genesis: GenesisConfig;
  /** `storage.enable_reconfirm_committee`. */
  readonly reconfirmCommittee?: boolean;
  /** Bound of the executor's cache of committed rows; 8 MiB when absent. */
  readonly rowCacheBytes?: number;
}
