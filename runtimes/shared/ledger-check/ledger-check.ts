/** A whole ledger: every block from the first on, then rows and what belongs to no block. */
import { equalBytes } from "../../../core/bytes/bytes.ts";
import { hashOf, toHex } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import {
  FORMAT_RECORD,
  genesisBlock,
  type GenesisOptions,
  prepareGenesis,
  STORE_FORMAT,
} from "../../../core/ledger/genesis-block.ts";
import { headerKey, numberKey } from "../../../core/ledger/keys.ts";
import { openLedger } from "../../../core/ledger/ledger.ts";
import { currentNumber } from "../../../core/ledger/state-rows.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import type { Version } from "../../../core/model/version.ts";
import type { Store } from "../../../core/ports/store.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { storedRows } from "../../../core/storage/row-cache.ts";
import { entriesOf } from "../store-pages.ts";
import { checkBlock, type CheckedBlock } from "./block-check.ts";
import { ABSENT, type Defect, type Report } from "./defect.ts";
import { type BlockSums, checkRows } from "./row-check.ts";

interface LedgerCheckOptions {
  readonly store: Store;
  readonly suite: CryptoSuite;
  readonly version: Version;
  /** Undefined where its file is not there: then block 0 is compared with nothing. */
  readonly genesis: GenesisConfig | undefined;
  /** First block; above 0 only blocks are examined, above the head none. */
  readonly from: number;
  readonly report: Report;
  /** Called now and then with what is being examined. */
  readonly progress: (place: string) => void;
}

/** What was examined. */
export interface LedgerCheck {
  readonly head: number;
  readonly blocks: number;
  /** 0 where blocks could not be read. */
  readonly transactions: number;
  /** Keys with rows and records besides the blocks; 0 where only blocks were examined. */
  readonly keys: number;
}

/** The newest block: what its counter says, or the last one that has a number. */
async function headOf({ store, report }: LedgerCheckOptions): Promise<number> {
  try {
    const rows = { rows: (table: string, key: string) => storedRows(store, table, key) };
    const number = currentNumber(rows);
    // One number next to it decides which of the two is wrong.
    const above = number !== undefined && store.get(numberKey(number + 1)) !== undefined;
    if (number !== undefined && !above && store.get(numberKey(number))) return number;
  } catch (cause) {
    if (!(cause instanceof StoreFault)) throw cause;
  }
  let count = 0;
  for await (const _ of entriesOf(store, ["n", "o"])) count += 1;
  if (count > 0) return count - 1;
  const what = "newest block";
  report({ block: undefined, kind: "number", what, stored: ABSENT, expected: "block 0 at least" });
  return -1;
}

/** Block 0 and the form of the store against the genesis file. */
function checkGenesis(options: LedgerCheckOptions): void {
  const { store, genesis, report } = options;
  const format = store.get(FORMAT_RECORD.key);
  if (!format || !equalBytes(format, FORMAT_RECORD.value)) {
    const stored = format ? `0x${toHex(format)}` : ABSENT;
    report({ block: 0, kind: "header", what: "form of the store", stored, expected: STORE_FORMAT });
  }
  const bytes = store.get(numberKey(0));
  if (!genesis || bytes?.length !== 32) return;
  const stored = hashOf(bytes);
  const made = genesisBlock({ ...options, genesis }).hash;
  if (made === stored) return;
  const what = "hash of block 0";
  // A header lies under its own hash: where there is one, the ledger was begun with it.
  if (store.get(headerKey(stored)))
    report({ block: 0, kind: "genesis", what, stored: made, expected: stored });
  else report({ block: 0, kind: "header", what, stored, expected: made });
}

/** The sealers of block 1, by the genesis file; headers have them ascending. Source: pbft 1 */
export async function firstSealers(options: GenesisOptions): Promise<readonly NodeId[]> {
  const store = openMemoryStore();
  await prepareGenesis(store, options);
  return [...openLedger({ ...options, store }).groupConfig().sealers].sort();
}

type Sums = { -readonly [Name in keyof BlockSums]: BlockSums[Name] };

/** A sum with an unknown part is unknown. */
function added(sum: number | undefined, part: number | undefined): number | undefined {
  return sum === undefined || part === undefined ? undefined : sum + part;
}

/** Checks a ledger; all defects are reported, block by block. */
export async function checkLedger(options: LedgerCheckOptions): Promise<LedgerCheck> {
  const { store, genesis, from, report, progress } = options;
  const head = await headOf(options);
  if (head < 0) return { head, blocks: 0, transactions: 0, keys: 0 };
  checkGenesis(options);
  if (from > head) return { head, blocks: 0, transactions: 0, keys: 0 };
  const certified = genesis?.consensusType !== "raft";
  const rules = { ...options, certified };
  const sealerList = genesis && (await firstSealers({ ...options, genesis }));
  let before: CheckedBlock | undefined;
  const sums: Sums = { transactions: 0, failed: 0, filled: 0 };
  for (let number = from; number <= head; number++) {
    progress(`block ${number} of ${head}`);
    const block = await checkBlock(rules, number, before);
    // Block 0 names nobody: those of the genesis file seal block 1.
    before = number === 0 ? { ...block, sealerList } : block;
    sums.transactions = added(sums.transactions, block.transactions);
    sums.failed = added(sums.failed, block.failed);
    sums.filled = added(sums.filled, block.transactions && 1);
  }
  const blocks = head - from + 1;
  const transactions = sums.transactions ?? 0;
  if (from > 0) return { head, blocks, transactions, keys: 0 };
  const shown = (count: number) => progress(`${count} records`);
  const keys = await readable(report, () =>
    checkRows({ store, report, head, sums, progress: shown }),
  );
  return { head, blocks, transactions, keys: keys ?? 0 };
}

/** A walk that the store breaks off is a defect, not the end of the check. */
async function readable<Value>(report: Report, walk: () => Promise<Value>) {
  try {
    return await walk();
  } catch (cause) {
    if (!(cause instanceof StoreFault)) throw cause;
    const defect: Omit<Defect, "stored"> = {
      block: undefined,
      kind: "store",
      what: "rows and records",
      expected: "readable data",
    };
    report({ ...defect, stored: cause.message });
    return undefined;
  }
}
