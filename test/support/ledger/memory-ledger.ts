/** A ledger held as data, for tests of what reads ledgers. */
import { EMPTY_BYTES } from "../../../core/bytes/bytes.ts";
import type { Address, Hash, NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { Block } from "../../../core/model/block.ts";
import type { Seal } from "../../../core/model/header.ts";
import { receiptHash } from "../../../core/model/receipt.ts";
import { itemProof } from "../codecs/proofs.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import type { LedgerApi, LocatedReceipt } from "../../../core/ports/ledger.ts";

/** What a ledger holds. */
export interface LedgerData {
  readonly suite: CryptoSuite;
  /** By number, from the genesis block on. */
  readonly blocks: readonly Block[];
  readonly sealers?: readonly NodeId[];
  readonly observers?: readonly NodeId[];
  readonly systemConfig?: ReadonlyMap<string, string>;
  readonly codes?: ReadonlyMap<Address, Uint8Array>;
}

/** A ledger whose head can be moved among the blocks it was made from. */
export interface MemoryLedger extends LedgerApi {
  moveHead(number: number): void;
  /** Replaces the seals of a block: every node keeps the quorum that it saw. */
  setSeals(hash: Hash, seals: readonly Seal[]): void;
}

/** The ledger of these blocks; its head is the last one. */
export function memoryLedger(data: LedgerData): MemoryLedger {
  const { suite, blocks } = data;
  let head = blocks.length - 1;
  const byHash = new Map<Hash, Block>(blocks.map((block) => [block.hash, block]));
  const seals = new Map<Hash, readonly Seal[]>();
  const places = placesIn(blocks);
  const visible = (block: Block | undefined): Block | undefined =>
    block !== undefined && block.header.number <= head ? block : undefined;
  const sealed = (hash: Hash): Block | undefined => {
    const block = visible(byHash.get(hash));
    return block === undefined ? undefined : { ...block, seals: seals.get(hash) ?? block.seals };
  };
  const located = (hash: Hash): LocatedReceipt | undefined => {
    const place = places.get(hash);
    return place !== undefined && place.blockNumber <= head ? place : undefined;
  };
  const blockAt = (number: number): Block => {
    const block = blocks[number];
    if (block === undefined) throw new Error(`no block ${number}`);
    return block;
  };
  const proof = (hashes: readonly Hash[], index: number) => itemProof(hashes, index, suite);
  return {
    moveHead: (number) => {
      head = number;
    },
    head: () => ({ number: head, hash: blockAt(head).hash }),
    genesisHash: () => blockAt(0).hash,
    hashOf: async (number) => visible(blocks[number])?.hash,
    setSeals: (hash, replacement) => {
      seals.set(hash, replacement);
    },
    header: async (hash) => sealed(hash),
    block: async (hash) => sealed(hash),
    transactionAt: async (hash, index) => {
      const transaction = visible(byHash.get(hash))?.transactions[index];
      return transaction === undefined ? undefined : located(transaction.hash);
    },
    transaction: async (hash) => located(hash),
    receipt: async (hash) => located(hash),
    transactionProof: async (hash, index) =>
      proof(
        (byHash.get(hash)?.transactions ?? []).map((it) => it.hash),
        index,
      ),
    receiptProof: async (hash, index) => {
      const receipts = byHash.get(hash)?.receipts ?? [];
      return proof(
        receipts.map((it) => receiptHash(it, NEWEST_VERSION, suite)),
        index,
      );
    },
    totals: async () => {
      const receipts = blocks.slice(0, head + 1).flatMap((block) => block.receipts);
      const failed = receipts.filter((receipt) => receipt.status !== 0).length;
      return { number: head, transactions: BigInt(receipts.length), failed: BigInt(failed) };
    },
    systemConfig: async (key) => data.systemConfig?.get(key),
    code: async (address) => data.codes?.get(address) ?? EMPTY_BYTES,
    sealers: async () => data.sealers ?? [],
    observers: async () => data.observers ?? [],
  };
}

function placesIn(blocks: readonly Block[]): ReadonlyMap<Hash, LocatedReceipt> {
  const places = new Map<Hash, LocatedReceipt>();
  for (const block of blocks) {
    for (const [index, transaction] of block.transactions.entries()) {
      const receipt = block.receipts[index];
      if (receipt === undefined) throw new Error(`block ${block.header.number} lacks a receipt`);
      const blockNumber = block.header.number;
      const place = { transaction, receipt, blockHash: block.hash, blockNumber, index };
      places.set(transaction.hash, place);
    }
  }
  return places;
}
