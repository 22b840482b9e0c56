/** One block as one atomic batch of the store. Source: storage 7, 13 */
import type { ByteString } from "../bytes/byte-string.ts";
import { idBytes } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";
import type { Seal } from "../model/header.ts";
import { encodeOffsetTable } from "../model/offset-table.ts";
import type { StoreWrite } from "../ports/store.ts";
import type { Overlay } from "../storage/overlay.ts";
import { CURRENT_STATE_TABLE } from "../storage/system-tables.ts";
import { blockStoreRows, collectChanges, initialIdCounter, type RowChange } from "./changes.ts";
import { bodyKey, headerKey, noncesKey, numberKey, receiptsKey, transactionKey } from "./keys.ts";
import { encodeBody, encodeHeaderRecord, encodeNonces, encodePlace, type Body } from "./records.ts";
import { stateCounter, STATE_KEY } from "./state-rows.ts";

/** An executed block with everything that is stored of it. */
interface BlockToWrite {
  readonly number: number;
  /** E, hash of the executed header. */
  readonly hash: Hash;
  readonly headerRlp: Uint8Array;
  /** R, hash of the header as proposed. */
  readonly unexecuted: Hash;
  readonly seals: readonly Seal[];
  readonly body: Body;
  /** Hash of each transaction, in order. */
  readonly hashes: readonly Hash[];
  /** Encoded receipts, in order. */
  readonly receipts: readonly Uint8Array[];
  /** RLP items of the nonces, in order. */
  readonly nonces: readonly Uint8Array[];
  /** Receipts with a status other than 0. */
  readonly failed: number;
  /** The state after execution. */
  readonly overlay: Overlay;
  /** The body lies under R already, from the consensus record. */
  readonly bodyIsStored: boolean;
}

/** A batch and what it puts in place of cached rows. */
interface BlockBatch {
  readonly writes: readonly StoreWrite[];
  readonly changes: readonly RowChange[];
}

/** Makes the batch of a block; nothing is written yet. Source: storage 7 */
export function blockBatch(block: BlockToWrite): BlockBatch {
  countBlock(block);
  const isGenesis = block.number === 0;
  const { options } = block.overlay;
  const changes = collectChanges(block.overlay, block.number, {
    counter: Number(
      stateCounter(options.source, STATE_KEY.id) ?? initialIdCounter(options.version),
    ),
    blockRows: blockStoreRows(block.hashes.length, isGenesis),
  });
  const writes = [...changes.map((change) => change.write), ...blockRecords(block)];
  return { writes, changes };
}

/** All that is stored of a block besides rows. */
export function blockRecords(block: Omit<BlockToWrite, "failed" | "overlay">): StoreWrite[] {
  const writes: StoreWrite[] = [];
  const { number, hash, hashes } = block;
  const put = (key: ByteString, value: Uint8Array): void => {
    writes.push({ key, value });
  };
  put(numberKey(number), idBytes(hash));
  put(headerKey(hash), encodeHeaderRecord({ ...block, transactionCount: hashes.length }));
  put(noncesKey(number), encodeNonces(block.nonces));
  if (hashes.length === 0) return writes;
  if (!block.bodyIsStored) put(bodyKey(block.unexecuted), encodeBody(block.body));
  put(receiptsKey(hash), encodeOffsetTable(block.receipts));
  for (const [index, transaction] of hashes.entries()) {
    put(transactionKey(transaction), encodePlace({ number, index }));
  }
  return writes;
}

/** Writes the counters, outside the state root, which is computed before. Source: storage 7.5 */
function countBlock(block: BlockToWrite): void {
  const { overlay, hashes, failed } = block;
  setCounter(overlay, STATE_KEY.number, () => BigInt(block.number));
  if (block.number === 0) return;
  setCounter(overlay, STATE_KEY.transactions, (total) => total + BigInt(hashes.length));
  setCounter(overlay, STATE_KEY.failed, (total) => total + BigInt(failed));
}

function setCounter(overlay: Overlay, key: string, next: (value: bigint) => bigint): void {
  const before = stateCounter(overlay.options.source, key);
  const value = String(next(before ?? 0n));
  const table = overlay.systemTable(CURRENT_STATE_TABLE);
  if (before === undefined) table.insert(key, [["value", value]]);
  else table.update(key, [["value", value]]);
}
