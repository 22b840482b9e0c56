/**
 * Messages between the main thread and an executor thread. A block's transactions travel in one
 * buffer.
 */
import type { Address, Hash } from "../../../core/bytes/ids.ts";
import { InvariantFault, invariant } from "../../../core/fault/invariant.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { StoreFaultKind } from "../../../core/fault/store-fault.ts";
import type { Header, Seal } from "../../../core/model/header.ts";
import type {
  ExecuteOutcome,
  ExecuteRequest,
  HeavyTransaction,
} from "../../../core/ports/executor.ts";

const LENGTH_BYTES = 4;
const HASH_BYTES = 32;
const ADDRESS_BYTES = 20;
/** Bytes per transaction next to its own: length, hash, sender. */
const ENTRY_BYTES = LENGTH_BYTES + HASH_BYTES + ADDRESS_BYTES;

/** A request to execute, as it travels. */
interface ExecuteFrame {
  readonly header: Header;
  readonly undecided: boolean;
  readonly count: number;
  /** Lengths, hashes, senders, then the transactions; transferred. */
  readonly buffer: ArrayBuffer;
}

/** To the executor thread. `execution` numbers executions, for {@link CancelFlag}. */
export type ExecutorRequest = { readonly id: number } & (
  | { readonly type: "execute"; readonly execution: number; readonly frame: ExecuteFrame }
  | { readonly type: "write"; readonly hash: Hash; readonly seals: readonly Seal[] }
  | { readonly type: "close" }
);

/** From the executor thread: that it is ready, or the result of a request. */
export type ExecutorReply =
  | { readonly type: "ready" }
  /** While it executes. */
  | { readonly type: "heavy"; readonly id: number; readonly heavy: HeavyTransaction }
  | { readonly type: "executed"; readonly id: number; readonly outcome: ExecuteOutcome }
  | { readonly type: "done"; readonly id: number }
  | { readonly type: "fault"; readonly id: number; readonly fault: FaultFrame };

/** A fault as it travels: classes do not survive the way between threads. */
export interface FaultFrame {
  readonly storeKind: StoreFaultKind | undefined;
  readonly message: string;
  readonly stack: string;
}

/** Describes what was thrown. */
export function packFault(thrown: unknown): FaultFrame {
  return {
    storeKind: thrown instanceof StoreFault ? thrown.kind : undefined,
    message: thrown instanceof Error ? thrown.message : String(thrown),
    stack: thrown instanceof Error ? (thrown.stack ?? "") : "",
  };
}

/** The fault again: a StoreFault, or an InvariantFault that carries the thread's stack as cause. */
export function unpackFault(frame: FaultFrame): StoreFault | InvariantFault {
  const options = { cause: frame.stack };
  if (frame.storeKind) return new StoreFault(frame.storeKind, frame.message, options);
  const fault = new InvariantFault(frame.message);
  fault.cause = frame.stack;
  return fault;
}

/** Copies of exact size: a view would take the whole buffer behind it along. */
export function exactHeader(header: Header): Header {
  return {
    ...header,
    logsBloom: new Uint8Array(header.logsBloom),
    extraData: header.extraData.map((part) => new Uint8Array(part)),
  };
}

/** Seals with signatures of exact size. */
export function exactSeals(seals: readonly Seal[]): Seal[] {
  return seals.map(({ index, signature }) => ({ index, signature: new Uint8Array(signature) }));
}

/** Packs a request into one transferable buffer. */
export function packExecute(request: ExecuteRequest): ExecuteFrame {
  const { transactions, hashes, senders } = request;
  const count = transactions.length;
  invariant(hashes.length === count && senders.length === count, "one hash and sender each");
  const bodyBytes = transactions.reduce((sum, raw) => sum + raw.length, 0);
  const buffer = new ArrayBuffer(count * ENTRY_BYTES + bodyBytes);
  const bytes = Buffer.from(buffer);
  const hashesAt = count * LENGTH_BYTES;
  const sendersAt = hashesAt + count * HASH_BYTES;
  let at = count * ENTRY_BYTES;
  for (const [index, raw] of transactions.entries()) {
    bytes.writeUInt32LE(raw.length, index * LENGTH_BYTES);
    bytes.write(digits(hashes[index]), hashesAt + index * HASH_BYTES, "hex");
    bytes.write(digits(senders[index]), sendersAt + index * ADDRESS_BYTES, "hex");
    bytes.set(raw, at);
    at += raw.length;
  }
  const undecided = request.undecided === true;
  return { header: exactHeader(request.header), undecided, count, buffer };
}

/** The digits of an identifier after its `0x`. */
function digits(id: Hash | Address | undefined): string {
  invariant(id !== undefined, "one hash and sender each");
  return id.slice(2);
}

/** The request again; transactions are views of the buffer. */
export function unpackExecute(frame: ExecuteFrame): ExecuteRequest {
  const { header, undecided, count, buffer } = frame;
  const bytes = Buffer.from(buffer);
  const hashesAt = count * LENGTH_BYTES;
  const sendersAt = hashesAt + count * HASH_BYTES;
  const transactions: Uint8Array[] = [];
  const hashes: Hash[] = [];
  const senders: Address[] = [];
  let at = count * ENTRY_BYTES;
  for (let index = 0; index < count; index++) {
    const length = bytes.readUInt32LE(index * LENGTH_BYTES);
    transactions.push(new Uint8Array(buffer, at, length));
    at += length;
    const hashAt = hashesAt + index * HASH_BYTES;
    hashes.push(`0x${bytes.toString("hex", hashAt, hashAt + HASH_BYTES)}` as Hash);
    const senderAt = sendersAt + index * ADDRESS_BYTES;
    senders.push(`0x${bytes.toString("hex", senderAt, senderAt + ADDRESS_BYTES)}` as Address);
  }
  return { header, undecided, transactions, hashes, senders };
}

/** Shared by both threads: executions numbered below the value in it are cancelled. */
export interface CancelFlag {
  readonly shared: SharedArrayBuffer;
  /** Cancels all executions numbered below. */
  cancelBelow(execution: number): void;
  isCancelled(execution: number): boolean;
}

/** A flag over shared memory; without an argument over new memory. */
export function cancelFlag(
  shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
): CancelFlag {
  const cell = new Int32Array(shared);
  return {
    shared,
    cancelBelow: (execution) => void Atomics.store(cell, 0, execution),
    isCancelled: (execution) => execution < Atomics.load(cell, 0),
  };
}
