/**
 * The fields of a raw transaction that execution and the ledger need, read in place.
 * Source: tx-block-codec 2.1
 */
import { bigintOfBytes } from "../bytes/bytes.ts";
import { addressOf } from "../bytes/hex.ts";
import type { Address } from "../bytes/ids.ts";
import { RlpReader } from "../bytes/rlp.ts";

/** What execution reads of a transaction. Strict decoding and recovery were done at admission. */
export interface TransactionView {
  readonly from: Address;
  /** Receiver; null for a creation. */
  readonly to: Address | null;
  readonly gasPrice: bigint;
  /** The client's field; it counts only in the refund. Source: execution 5 */
  readonly gas: bigint;
  readonly value: bigint;
  readonly input: Uint8Array;
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
  const gasPrice = uintOf(items.string());
  const gas = uintOf(items.string());
  items.next();
  const to = items.next() ? raw.subarray(items.payloadStart, items.payloadEnd) : undefined;
  const value = uintOf(items.string());
  const input = items.string();
  if (items.failed || to === undefined || (to.length !== 0 && to.length !== ADDRESS_BYTES))
    return undefined;
  return {
    from,
    to: to.length === 0 ? null : addressOf(to),
    gasPrice,
    gas,
    value,
    input,
    nonceRlp,
  };
}

function uintOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : bigintOfBytes(bytes);
}
