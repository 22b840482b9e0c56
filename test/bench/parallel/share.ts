/**
 * What a thread does with its share of the independent transactions of a block: it executes them on
 * the committed rows and hands back outcomes and changed rows.
 */
import type { Address } from "../../../core/bytes/ids.ts";
import { type BlockPosition, openBlockScope } from "../../../core/execution/block-scope.ts";
import { type ChainRules, createChainRules } from "../../../core/execution/chain-rules.ts";
import { executeTransaction, type Outcome } from "../../../core/execution/executive.ts";
import { viewTransaction } from "../../../core/execution/transaction-view.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { createRowCache, type RowCache } from "../../../core/storage/row-cache.ts";
import { createChainSuite } from "../../../runtimes/node/machine/chain-suite.ts";
import { openLevelStore } from "../../../runtimes/node/store/store.ts";

/** The transactions of a thread, and where their block stands. */
export interface Share {
  readonly transactions: readonly Uint8Array[];
  readonly senders: readonly Address[];
  readonly position: Pick<
    BlockPosition,
    "parentNumber" | "parentHash" | "number" | "timestamp" | "gasLimit"
  >;
}

/** The columns of a changed row as they are sent to the thread that seals the block. */
export type ShippedRow = ReadonlyMap<string, string>;

/** What came of a share. */
export interface ShareResult {
  readonly outcomes: readonly Outcome[];
  readonly rows: readonly { readonly table: string; readonly changed: readonly ShippedRow[] }[];
}

/** A thread's rules and committed rows, which stay from block to block. */
export interface Bench {
  readonly rules: ChainRules;
  readonly rows: RowCache;
  close(): Promise<void>;
}

/** Opens the ledger of a folder; several threads may. */
export async function openBench(folder: string): Promise<Bench> {
  const suite = await createChainSuite("standard");
  const store = await openLevelStore(folder, { create: false });
  const rules = createChainRules({
    suite,
    version: NEWEST_VERSION,
    freeStorage: false,
    reconfirmCommittee: false,
  });
  return { rules, rows: createRowCache(store), close: () => store.close() };
}

/** Executes a share in order. */
export function executeShare({ rules, rows }: Bench, share: Share): ShareResult {
  const { transactions, senders, position } = share;
  const scope = openBlockScope(rules, {
    ...position,
    source: rows,
    charging: false,
    blockHash: () => undefined,
  });
  const outcomes = transactions.map((raw, index) => {
    const sender = senders[index];
    const transaction = sender === undefined ? undefined : viewTransaction(raw, sender);
    if (transaction === undefined) throw new RangeError("the benchmark's transactions are whole");
    return executeTransaction(scope, transaction);
  });
  const touched = scope.overlay.tables().filter((table) => table.touched);
  const changed = touched.map((table) => ({
    table: table.schema.name,
    changed: [...table.dirtyRows.values(), ...table.newRows].map(({ columns }) => columns),
  }));
  return { outcomes, rows: changed };
}
