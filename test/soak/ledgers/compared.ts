/** Ledgers of the oracle through the executor that nodes run. */
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { parseVersion } from "../../../core/model/version.ts";
import { openMemoryStore } from "../../../core/storage/memory-store.ts";
import { readGenesisFile } from "../../../runtimes/formats/config/genesis-file.ts";
import type { Difference } from "../../../runtimes/shared/ledger-file/differences.ts";
import { LedgerReplay } from "../../../runtimes/shared/ledger-file/ledger-replay.ts";
import {
  readRecordedBlock,
  recordOf,
} from "../../../runtimes/shared/ledger-file/recorded-block.ts";

/** A ledger and what it is of. */
export interface LedgerText {
  readonly version: string;
  readonly genesis: string;
  readonly lines: readonly string[];
}

/** What a replay gave. */
export interface Compared {
  readonly transactions: number;
  readonly differences: readonly Difference[];
  /** State root of each block, as computed. */
  readonly roots: readonly string[];
}

/**
 * Replays up to the first block that differs: what follows only repeats it. An executor that throws
 * differs too.
 */
export async function compareLedger(ledger: LedgerText, suite: CryptoSuite): Promise<Compared> {
  const { replay, close } = await openReplay(ledger, suite);
  let transactions = 0;
  const roots: string[] = [];
  try {
    for (const [index, text] of ledger.lines.entries()) {
      const block = readRecordedBlock(text, index + 1);
      const replayed = await replay.next(block).catch((cause: unknown) => thrown(index, cause));
      transactions += replayed.transactions;
      if (replayed.differences.length > 0)
        return { transactions, differences: replayed.differences, roots };
      roots.push(await rootOf(replay, replayed.number));
    }
    return { transactions, differences: [], roots };
  } finally {
    await close();
  }
}

function thrown(number: number, cause: unknown) {
  const computed = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  const differences = [{ block: number, field: "thrown", recorded: "", computed }];
  return { number, transactions: 0, differences };
}

async function openReplay({ version: text, genesis: file }: LedgerText, suite: CryptoSuite) {
  const version = parseVersion(text);
  if (version === undefined) throw new RangeError(`${text} is no version`);
  const store = openMemoryStore();
  const { genesis } = readGenesisFile(file, "genesis of the oracle").value;
  const replay = await LedgerReplay.open({ store, suite, version, genesis });
  return { replay, close: () => store.close() };
}

async function blockOf({ ledger }: LedgerReplay, number: number) {
  const hash = await ledger.hashOf(number);
  const block = hash && (await ledger.block(hash));
  if (!block) throw new RangeError(`block ${number} is not there`);
  return block;
}

async function rootOf(replay: LedgerReplay, number: number): Promise<string> {
  return (await blockOf(replay, number)).header.stateRoot;
}

/** Replays, then exports what was computed, as a node does. */
export async function exportLedger(
  ledger: LedgerText,
  suite: CryptoSuite,
): Promise<readonly string[]> {
  const { replay, close } = await openReplay(ledger, suite);
  try {
    const lines: string[] = [];
    for (const [index, text] of ledger.lines.entries()) {
      const { number, stuck } = await replay.next(readRecordedBlock(text, index + 1));
      if (stuck) return lines;
      lines.push(recordOf(await blockOf(replay, number)));
    }
    return lines;
  } finally {
    await close();
  }
}
