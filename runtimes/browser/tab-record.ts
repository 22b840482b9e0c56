/** What a browser remembers of the chain that it keeps. */
import type { Files } from "../../core/ports/files.ts";
import type { Store, StoreKey } from "../../core/ports/store.ts";
import type { JoinWish } from "./link/api.ts";

/** A chain that is kept. */
export interface TabRecord {
  /** Names its databases. */
  readonly name: string;
  readonly kind: "chain" | "join";
  readonly chainId: number;
  readonly sm: boolean;
  readonly consensus: "pbft" | "raft";
  /** Milliseconds since the epoch; the time of the genesis block of a chain in the tab. */
  readonly created: number;
  /** In the order of the nodes. */
  readonly nodeIds: readonly string[];
  /** How a network was joined, without the key. */
  readonly join?: Omit<JoinWish, "privateKey" | "passphrase">;
  /** Whether the key was made elsewhere, and may have been used there. */
  readonly isKeyBrought?: boolean;
  /** False once it was stopped by its user: it does not begin by itself. */
  readonly isWanted: boolean;
}

/** A store that tells whether a key is there without reading its value. */
export interface KeptStore extends Store {
  has(key: StoreKey): Promise<boolean>;
}

/** A store that somebody else may write to meanwhile. */
export interface BorrowedStore {
  /** As it is now; it does not change. */
  readonly store: Store;
  done(): Promise<void>;
}

/** Where the data of a tab are; one chain at a time. */
export interface TabShelf {
  /** Undefined when nothing is kept. */
  record(): Promise<TabRecord | undefined>;
  /** Durable when it resolves; `keys` are those of the nodes, when the chain is new. */
  keep(record: TabRecord, keys?: KeptKeys): Promise<void>;
  /** The keys of the nodes, in their order. @throws KeysLocked */
  keys(record: TabRecord, passphrase: string | undefined): Promise<readonly Uint8Array[]>;
  openStore(record: TabRecord, node: number, groupId: number): Promise<KeptStore>;
  openFiles(record: TabRecord, node: number): Promise<Files>;
  /** A view of a store, whether its group runs or not. */
  borrowStore(record: TabRecord, node: number, groupId: number): Promise<BorrowedStore>;
  /** Closes the files of all nodes. */
  closeFiles(): Promise<void>;
  /** Removes everything of a chain. */
  remove(record: Pick<TabRecord, "name">): Promise<void>;
  /** Removes all chains, whatever state their records are in. */
  removeAll(): Promise<void>;
  /** Removes what an attempt that was cut short has left under a new chain's name. */
  clear(record: Pick<TabRecord, "name">): Promise<void>;
}

/** Keys that are to be kept. */
export interface KeptKeys {
  readonly keys: readonly Uint8Array[];
  /** Encrypts them; absent: whoever uses this browser can use them. */
  readonly passphrase: string | undefined;
}

/** The keys wait for their passphrase, or got a wrong one. */
export class KeysLocked extends Error {
  override readonly name = "KeysLocked";
}
