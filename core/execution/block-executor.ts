/**
 * A block: its transactions in order, receipts, roots, executed header.
 * Source: execution 2, 13; tx-block-codec 5, 6
 */
import { hashOf } from "../bytes/hex.ts";
import { type Address, type Hash, ZERO_ADDRESS } from "../bytes/ids.ts";
import { logsBloom } from "../crypto/bloom.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { invariant } from "../fault/invariant.ts";
import { TRANSACTION_STATUS } from "../fault/transaction-status.ts";
import { encodeHeader, type Header } from "../model/header.ts";
import { encodeReceipt, type LogEntry } from "../model/receipt.ts";
import { receiptsRoot } from "../model/roots.ts";
import { version } from "../model/version.ts";
import { familyTable } from "../storage/system-tables.ts";
import { legacyStateHash } from "../crypto/legacy-state-hash.ts";
import { stateRoot } from "../storage/state-root.ts";
import type { BlockScope } from "./block-scope.ts";
import { executeTransaction, type Outcome } from "./executive.ts";
import { viewTransaction } from "./transaction-view.ts";

/** The transactions of a block. */
export interface BlockInput {
  /** Header as proposed. */
  readonly header: Header;
  readonly transactions: readonly Uint8Array[];
  readonly senders: readonly Address[];
}

/** What execution made of a block. */
export interface BlockResult {
  /** With receiptsRoot, stateRoot and dbHash. */
  readonly header: Header;
  /** E, the hash of that header. */
  readonly hash: Hash;
  readonly headerRlp: Uint8Array;
  /** Encoded receipts, in order. */
  readonly receipts: readonly Uint8Array[];
  /** RLP items of the nonces, in order. */
  readonly nonces: readonly Uint8Array[];
  /** Receipts with a status other than 0. */
  readonly failed: number;
}

/** Reports the work of a transaction that is done. */
export type WorkReport = (index: number, work: number) => void;

/** A block being executed, one transaction at a time. */
export interface BlockRun {
  /** Index of the next transaction. */
  readonly position: number;
  /** Bytes of memory kept until the block is done, by estimate: the same on every node. */
  held(): number;
  /**
   * Executes the next transaction.
   *
   * @returns false when the bytes are not a transaction
   * @throws Cancelled when the scope says so
   */
  step(): boolean;
  /** All transactions are done: receipts, roots and the executed header. */
  finish(): BlockResult;
}

/** From here on a receipt reports its own gas. Source: execution 2.8 */
const OWN_GAS_FROM = version(2, 9, 0);
/** From here on tables are hashed with the chain hash. Source: storage 5 */
const CHAIN_HASH_FROM = version(2, 4, 1);
/** Different blooms remembered while a block is sealed. */
const MAX_KNOWN_BLOOMS = 256;
/** Bytes of an outcome next to its output, which is kept as it is and encoded; logs are counted. */
const OUTCOME_BYTES = 1_000;
const OUTPUT_COPIES = 2;
const UINT256 = (1n << 256n) - 1n;

/** Begins a block. */
export function startBlock(scope: BlockScope, input: BlockInput, report?: WorkReport): BlockRun {
  const outcomes: Outcome[] = [];
  const nonces: Uint8Array[] = [];
  let outcomeBytes = 0;
  openParallelTables(scope, input);
  return {
    get position() {
      return outcomes.length;
    },
    held: () => scope.overlay.held + outcomeBytes,
    step() {
      const index = outcomes.length;
      const raw = input.transactions[index];
      const sender = input.senders[index];
      invariant(raw !== undefined && sender !== undefined, "there is a transaction left");
      const transaction = viewTransaction(raw, sender);
      if (transaction === undefined) return false;
      const outcome = executeTransaction(scope, transaction);
      outcomes.push(outcome);
      outcomeBytes += OUTCOME_BYTES + OUTPUT_COPIES * outcome.output.length;
      nonces.push(transaction.nonceRlp);
      report?.(index, outcome.work);
      return true;
    },
    finish() {
      invariant(outcomes.length === input.transactions.length, "every transaction was executed");
      return { ...sealBlock(scope, input.header, outcomes), nonces };
    },
  };
}

/**
 * Before 2.5.0 a table counts in the state root once it is open, and the reference looks up what
 * each called contract registered for parallel execution before anything runs.
 * Source: architecture/execution "Rules that recorded ledgers showed"; execution 12
 */
function openParallelTables({ overlay, find }: BlockScope, input: BlockInput): void {
  if (overlay.since(2, 5, 0)) return;
  for (const [index, raw] of input.transactions.entries()) {
    const to = viewTransaction(raw, input.senders[index] ?? ZERO_ADDRESS)?.to ?? undefined;
    if (to === undefined || find(to) !== undefined) continue;
    overlay.open(familyTable("parallel", to.slice(2), overlay.options.version));
  }
}

function sealBlock(
  scope: BlockScope,
  proposed: Header,
  outcomes: readonly Outcome[],
): Omit<BlockResult, "nonces"> {
  const { rules } = scope;
  const root = hashOf(rootOf(scope));
  const receipts = encodeReceipts(scope, root, outcomes);
  const items = receipts.map((raw) => ({ raw, hash: hashOf(rules.suite.hash(raw)) }));
  const header = {
    ...proposed,
    stateRoot: root,
    dbHash: root,
    receiptsRoot: receiptsRoot(items, rules),
  };
  const headerRlp = encodeHeader(header);
  const failed = outcomes.filter(({ status }) => status !== TRANSACTION_STATUS.None).length;
  return { header, hash: hashOf(rules.suite.hash(headerRlp)), headerRlp, receipts, failed };
}

/** The root over what the block changed, 32 bytes. Source: storage 5 */
function rootOf({ overlay, rules }: BlockScope): Uint8Array {
  const { suite, version: chainVersion } = rules;
  const hash = chainVersion >= CHAIN_HASH_FROM ? suite.hash : legacyStateHash(suite);
  const hashed = overlay.tables().filter(({ schema }) => schema.hashed);
  const tables = hashed.map(({ schema, touched, dirtyRows, newRows }) => ({
    name: schema.name,
    keyField: schema.keyField,
    touched,
    dirty: [...dirtyRows.values()],
    inserted: newRows.filter((row) => !row.withdrawn),
  }));
  return stateRoot(tables, { version: chainVersion, hash });
}

function encodeReceipts(scope: BlockScope, root: Hash, outcomes: readonly Outcome[]): Uint8Array[] {
  const { suite, version: chainVersion } = scope.rules;
  const bloomOf = createBlooms(suite);
  let cumulative = 0n;
  return outcomes.map((outcome) => {
    cumulative = (cumulative + outcome.gasUsed) & UINT256;
    const { contractAddress, status, output, remainGas, logs } = outcome;
    const gasUsed = chainVersion >= OWN_GAS_FROM ? outcome.gasUsed : cumulative;
    const bloom = bloomOf(logs);
    return encodeReceipt(
      { root, gasUsed, contractAddress, logsBloom: bloom, status, output, remainGas, logs },
      chainVersion,
    );
  });
}

/** Blooms of a block: transactions of one kind log the same addresses and topics. */
function createBlooms(suite: CryptoSuite): (logs: readonly LogEntry[]) => Uint8Array {
  const known = new Map<string, Uint8Array>();
  return (logs) => {
    if (logs.length !== 1) return logsBloom(logs, suite.hash);
    const key = logs.map(({ address, topics }) => address + topics.join("")).join("");
    const bloom = known.get(key) ?? logsBloom(logs, suite.hash);
    if (known.size < MAX_KNOWN_BLOOMS) known.set(key, bloom);
    return bloom;
  };
}
