/** The database that is not of one chain: which chains there are, and the vault of keys. */
import type { DBSchema, IDBPDatabase } from "idb";
import type { TabRecord } from "../tab-record.ts";
import { openDatabase } from "./database.ts";

/** A chain in this browser. */
export interface ChainRecord extends Pick<TabRecord, "name" | "kind" | "created" | "nodeIds"> {
  /** What its runtime needs to start it again; anything that JSON can hold. */
  readonly settings?: unknown;
  /** It is being deleted: the rest of it belongs to no owner. */
  readonly ending?: boolean;
}

/** A vault as it lies in the database; its meaning belongs to `runtimes/browser/keys`. */
export interface StoredVault {
  readonly format: number;
  readonly [field: string]: unknown;
}

interface HomeSchema extends DBSchema {
  chains: { key: string; value: ChainRecord };
  vault: { key: string; value: StoredVault };
  /** Databases that hold something: when one is missing, somebody has deleted it. */
  made: { key: string; value: true };
}

/** Where the vault has the keys of a chain's nodes. */
export function nodeKeysPlace(chain: string): string {
  return `nodes/${chain}`;
}

/** The open database. */
export type Home = IDBPDatabase<HomeSchema>;

/** Its name, and the beginning of the names of all others. */
export const HOME = "chain-node";

/**
 * Opens it; it is made when it is not there.
 *
 * @param onLost called when the browser closes it by itself, as when the site's data are cleared
 * @throws StoreFault
 */
export function openHome(onLost: () => void = () => undefined): Promise<Home> {
  const stores = ["chains", "vault", "made"] as const;
  return openDatabase<HomeSchema>({ name: HOME, version: 2, stores }, onLost);
}
