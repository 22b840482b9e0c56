/**
 * Read-only calls on committed state, in any thread that has the store.
 * Source: execution 1 (RPC call)
 */
import { invariant } from "../fault/invariant.ts";
import { hashOf } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";
import { openBlockScope, type BlockPosition } from "./block-scope.ts";
import type { ChainRules } from "./chain-rules.ts";
import { executeTransaction } from "./executive.ts";
import type { Header } from "../model/header.ts";
import type { CallOutcome, CallRequest } from "../ports/executor.ts";
import type { Store } from "../ports/store.ts";
import { storeRows } from "../storage/row-cache.ts";
import type { RowSource } from "../storage/table.ts";
import { headerKey, numberKey } from "../ledger/keys.ts";
import { corrupt, decodeHeaderRecord } from "../ledger/records.ts";
import { currentNumber, gasLimit } from "../ledger/state-rows.ts";

/** What a call runs on. */
export interface CallOptions {
  readonly rules: ChainRules;
  /** A cache in front of the store; without it rows are read from the store. */
  readonly rows?: RowSource;
  /** The newest block of the store. */
  readonly latest: LatestHeader;
  /** Asked now and then: true ends the call with Cancelled. */
  cancelled?(): boolean;
}

/** The newest block. */
export interface LatestHeader {
  readonly header: Header;
  readonly hash: Hash;
}

/** Gas field of a call. Source: execution 1 (RPC call) */
const CALL_GAS = 0x7fff_ffff_ffff_ffffn;
/** GASPRICE of a call, as a recorded one shows; the specification says 0. */
const CALL_GAS_PRICE = 1n;
/** Bytes that a call may keep: the threads of calls are small. */
const CALL_HELD_LIMIT = 40_000_000;

/**
 * Runs a call on the latest block of the store, or of a snapshot of it; nothing is stored.
 *
 * @throws Cancelled when the options say so
 */
export function runCall(
  store: Pick<Store, "get">,
  options: CallOptions,
  request: CallRequest,
): CallOutcome {
  const rows = options.rows ?? storeRows(store);
  const { header, hash } = options.latest;
  const { number, timestamp } = header;
  const position: BlockPosition = {
    source: rows,
    parentNumber: number,
    parentHash: hash,
    number,
    timestamp,
    gasLimit: gasLimit(rows, number),
    charging: false,
    heldLimit: CALL_HELD_LIMIT,
    blockHash: (wanted) => store.get(numberKey(wanted)),
    ...(options.cancelled === undefined ? {} : { cancelled: options.cancelled }),
  };
  const { from, to, value, data: input } = request;
  const call = { from, to, value, input, gasPrice: CALL_GAS_PRICE, gas: CALL_GAS };
  const { status, output } = executeTransaction(openBlockScope(options.rules, position), call);
  return { number, status, output };
}

/**
 * Number and hash of the newest block.
 *
 * @throws StoreFault when its hash is missing
 */
export function latestBlock(store: Pick<Store, "get">, rows: RowSource) {
  const number = currentNumber(rows);
  invariant(number !== undefined, "the store holds the genesis block");
  const hash = store.get(numberKey(number));
  if (hash === undefined) throw corrupt("block hash");
  return { number, hash: hashOf(hash) };
}

/**
 * The header of the newest block.
 *
 * @throws StoreFault when a record of it is missing or damaged
 */
export async function latestHeader(
  store: Pick<Store, "get" | "load">,
  rows: RowSource = storeRows(store),
): Promise<LatestHeader> {
  const { hash } = latestBlock(store, rows);
  const record = await store.load(headerKey(hash));
  if (record === undefined) throw corrupt("header record");
  return { header: decodeHeaderRecord(record).header, hash };
}
