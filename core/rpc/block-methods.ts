/**
 * Operations that come twice: for the block of a hash, and for that of a number.
 * Source: rpc-semantics 5, 6, 13
 */
import type { Hash } from "../bytes/ids.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import type { LedgerApi } from "../ports/ledger.ts";
import { BATCH_RESULT, batchReceipts, COMPRESS } from "./batch-receipts.ts";
import { blocksMethod, memberMethod, type Method } from "./method.ts";
import {
  BLOCK_HASH,
  BLOCK_NUMBER,
  blockNumberArgument,
  flagParam,
  FROM_INDEX,
  hashArgument,
  indexArgument,
  RECEIPT_COUNT,
  TRANSACTION_INDEX,
} from "./params.ts";
import { presentFarBlock, presentHeader, presentTransaction } from "./present.ts";
import { reference } from "./schema.ts";

/** The ways of naming a block; the hash of one that is named by it may be unknown. */
const BY = {
  hash: {
    param: BLOCK_HASH,
    unknown: "blockHashUnknown",
    hashOf: (_: LedgerApi, raw: string) => hashArgument(raw),
  },
  number: { param: BLOCK_NUMBER, unknown: "blockNumberUnknown", hashOf: hashOfNumber },
} as const;

/** How a block is named. */
type Key = keyof typeof BY;

/**
 * Hash of the block at a number given as text. @throws RpcFault -32603; -40004 above the latest
 * block
 */
export async function hashOfNumber(ledger: LedgerApi, rawNumber: string): Promise<Hash> {
  const number = blockNumberArgument(rawNumber);
  const hash = number <= ledger.head().number ? await ledger.hashOf(number) : undefined;
  if (hash === undefined) throw new RpcFault("blockNumberUnknown");
  return hash;
}

/** @throws RpcFault -40003 or -40004 for an unknown block */
async function sealedHeader(ledger: LedgerApi, key: Key, raw: string) {
  const sealed = await ledger.header(await BY[key].hashOf(ledger, raw));
  if (sealed === undefined) throw new RpcFault(BY[key].unknown);
  return sealed;
}

/** A block. Source: rpc-semantics 6.1 */
export function blockMethod(name: string, key: Key): Method {
  return blocksMethod({
    name,
    summary: `Block of a ${key}`,
    params: [BY[key].param, flagParam("includeTransactions", "Whole transactions, not hashes")],
    result: { name: "block", schema: reference("Block") },
    errors: [BY[key].unknown],
    run: async (ledger, [raw, includeTransactions]) =>
      presentFarBlock(ledger, await sealedHeader(ledger, key, raw), includeTransactions),
  });
}

/** A block header. Source: rpc-semantics 6.2 */
export function headerMethod(name: string, key: Key): Method {
  return blocksMethod({
    name,
    summary: `Block header of a ${key}`,
    params: [BY[key].param, flagParam("includeSignatures", "With the signature list")],
    result: { name: "header", schema: reference("BlockHeader") },
    errors: [BY[key].unknown],
    run: async (ledger, [raw, includeSignatures]) =>
      presentHeader(await sealedHeader(ledger, key, raw), includeSignatures),
  });
}

/** A transaction by its place; the block is looked up before the index is read. */
export function transactionAtMethod(name: string, key: Key): Method {
  return blocksMethod({
    name,
    summary: `Transaction at a position of the block of a ${key}`,
    params: [BY[key].param, TRANSACTION_INDEX],
    result: { name: "transaction", schema: reference("Transaction") },
    errors: [BY[key].unknown, "transactionIndexOutOfRange"],
    run: async (ledger, [raw, rawIndex]) => {
      // A number has a hash only where there is a block.
      const hash =
        key === "hash"
          ? (await sealedHeader(ledger, key, raw)).hash
          : await hashOfNumber(ledger, raw);
      const located = await ledger.transactionAt(hash, indexArgument(rawIndex));
      if (located === undefined) throw new RpcFault("transactionIndexOutOfRange");
      return presentTransaction(located);
    },
  });
}

/** Receipts from an index on; an unknown block is -40004 by either. Source: rpc-semantics 13 */
export function receiptsMethod(name: string, key: Key): Method {
  return memberMethod({
    name,
    summary: "Receipts of a block from an index on, in short form",
    params: [BY[key].param, FROM_INDEX, RECEIPT_COUNT, COMPRESS],
    result: { name: "receipts", schema: BATCH_RESULT },
    errors: ["blockNumberUnknown", "receiptIndexOutOfRange"],
    isLong: true,
    run: async ({ ledger }, [raw, from, count, compress], { pace }) => {
      const block = await ledger.block(await BY[key].hashOf(ledger, raw));
      if (block === undefined) throw new RpcFault("blockNumberUnknown");
      return await batchReceipts(block, { from, count, compress }, pace);
    },
  });
}
