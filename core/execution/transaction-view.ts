/**
 * The fields of a raw transaction that execution and the ledger need, read in place.
 * Source: tx-block-codec 2.1
 */
import { bigintOfBytes } from "../bytes/bytes.ts";
import { addressOf } from "../bytes/hex.ts";
import type { Address } from "../bytes/ids.ts";
import { RlpReader } from "../bytes/rlp.ts";
import type { ExecutableTransaction } from "./executive.ts";

/** What execution reads of a transaction. Strict decoding and recovery were done at admission. */
interface TransactionView extends ExecutableTransaction {
  /** RLP of the nonce item, for the list of nonces of a block. */
  readonly nonceRlp: Uint8Array;
}

const ADDRESS_BYTES = 20;

/** Reads a raw transaction; undefined when it is not one. */
export function viewTransaction(raw: Uint8Array, from: Address): TransactionView | undefined {
  const outer = new RlpReader(raw);
  if (!outer.next() || !outer.isList) return undefined;
  const items = new RlpReader(raw, outer.payloadStart, outer.payloadEnd);
  const nonceRlp = items.raw();
  const gasPrice = bigintOfBytes(items.string());
  const gas = bigintOfBytes(items.string());
  items.next();
  const to = items.next() ? raw.subarray(items.payloadStart, items.payloadEnd) : undefined;
  const value = bigintOfBytes(items.string());
  const input = items.string();
  if (items.failed || to === undefined || (to.length !== 0 && to.length !== ADDRESS_BYTES))
    return undefined;
  const receiver = to.length === 0 ? null : addressOf(to);
  return { from, to: receiver, gasPrice, gas, value, input, nonceRlp };
}
