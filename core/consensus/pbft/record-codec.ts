/** The durable record as bytes, without the keys, which the list gives. Source: pbft 16.2 */
import { idBytes } from "../../bytes/hex.ts";
import type { NodeId } from "../../bytes/ids.ts";
import { encodeRlp, openRlpList, type RlpInput, type RlpReader } from "../../bytes/rlp.ts";
import { justificationItems, lockItems, readJustification, readLock } from "./codec.ts";
import {
  type Commit,
  type Lock,
  type Prepare,
  type Sign,
  UNVERIFIED,
  type ViewChange,
} from "./message.ts";
import { StoreFault } from "../../fault/store-fault.ts";
import type { PbftRecord } from "./record.ts";

/** First item of every record; another number is another format. */
const FORMAT = 1;

/** What gives a record its names back. */
export interface RecordContext {
  readonly self: NodeId;
  /** Sealers in force at the record's height, ascending. */
  readonly sealers: readonly NodeId[];
  readonly signatureBytes: number;
}

/** Encodes a record. Source: pbft 16.2 */
export function encodeRecord(record: PbftRecord): Uint8Array {
  const { height, view, toView, head, prepare, sign, commit, viewChange } = record;
  return encodeRlp([
    FORMAT,
    height,
    view,
    toView,
    idBytes(head),
    justificationItems(record.justification),
    // Only the proposal of the current view is ever sent again.
    prepare?.view === view ? [idBytes(prepare.proposal), prepare.signature] : [],
    sign ? voteItems(sign) : [],
    lockItems(record.lock),
    commit ? [...voteItems(commit), commit.seal] : [],
    // Its lock is the lock: none is taken between the vote for a view and its beginning.
    viewChange ? [viewChange.signature] : [],
  ]);
}

function voteItems(vote: Sign | Commit): RlpInput[] {
  return [vote.view, idBytes(vote.proposal), idBytes(vote.executed), vote.signature];
}

/** Whose messages are read, and where they belong. */
interface Reading extends RecordContext {
  readonly index: number;
  readonly height: number;
}

/** The height a record is for; undefined when the bytes are none of this format. */
function recordHeight(bytes: Uint8Array): number | undefined {
  const items = openRlpList(bytes);
  if (!items || items.safe() !== FORMAT) return undefined;
  const height = items.safe();
  return items.failed ? undefined : height;
}

/**
 * The record that a sealer continues from: what the store holds, if it is for the height being
 * decided. To begin without one that is damaged would mean to vote twice, so that is a fault.
 * @param height c, the height being decided
 * @throws StoreFault `corrupt` when the bytes are not a record
 * Source: pbft 16.2
 */
export function readRecord(
  bytes: Uint8Array,
  context: RecordContext,
  height: number,
): PbftRecord | undefined {
  const found = recordHeight(bytes);
  if (found !== undefined && found !== height) return undefined;
  if (!context.sealers.includes(context.self)) return undefined;
  const record = decodeRecord(bytes, context);
  if (!record) throw new StoreFault("corrupt", "the consensus record cannot be read");
  return record;
}

/** Decodes a record; undefined when damaged or this node is not listed. Source: pbft 16.2 */
export function decodeRecord(bytes: Uint8Array, context: RecordContext): PbftRecord | undefined {
  const items = openRlpList(bytes);
  const index = context.sealers.indexOf(context.self);
  if (!items || index < 0 || items.safe() !== FORMAT) return undefined;
  const height = items.safe();
  const view = items.safe();
  const toView = items.safe();
  const head = items.hash();
  if (height === 0) return undefined;
  const { signatureBytes, sealers } = context;
  const place = { height: height - 1, view, signatureBytes };
  const justification = readJustification(items, place).map((item) => named(item, sealers));
  const reading = { ...context, index, height };
  const prepare = readPrepare(items, { ...reading, view, justification });
  const sign = readSign(items, reading);
  const unnamed = readLock(items, signatureBytes);
  const lock = unnamed && namedLock(unnamed, sealers);
  const commit = readCommit(items, reading);
  const viewChange = readViewChange(items, { ...reading, head, toView, lock });
  if (!items.complete()) return undefined;
  return { height, view, toView, head, justification, prepare, sign, lock, commit, viewChange };
}

function named(item: ViewChange, sealers: readonly NodeId[]): ViewChange {
  const signer = sealers[item.index] ?? UNVERIFIED;
  return { ...item, signer, lock: item.lock && namedLock(item.lock, sealers) };
}

function namedLock(lock: Lock, sealers: readonly NodeId[]): Lock {
  const certificate = lock.certificate.map((entry) => ({
    ...entry,
    signer: sealers[entry.index] ?? UNVERIFIED,
  }));
  return { ...lock, certificate };
}

function readPrepare(
  items: RlpReader,
  reading: Reading & Pick<Prepare, "view" | "justification">,
): Prepare | undefined {
  const { index, height, view, self, signatureBytes, justification } = reading;
  return items.optional((parts) => {
    const proposal = parts.hash();
    const signature = parts.fixed(signatureBytes);
    const place = { type: "prepare", height, view, index } as const;
    return { ...place, proposal, signature, signer: self, justification };
  });
}

function readSign(items: RlpReader, reading: Reading): Sign | undefined {
  return items.optional((parts) => ({ type: "sign", ...readVote(parts, reading) }) as const);
}

function readCommit(items: RlpReader, reading: Reading): Commit | undefined {
  return items.optional((parts) => {
    const vote = readVote(parts, reading);
    const seal = parts.fixed(reading.signatureBytes);
    return { type: "commit", ...vote, seal, sealSigner: reading.self } as const;
  });
}

function readVote(parts: RlpReader, reading: Reading): Omit<Sign, "type"> {
  const { index, height, self, signatureBytes } = reading;
  const view = parts.safe();
  const proposal = parts.hash();
  const executed = parts.hash();
  const signature = parts.fixed(signatureBytes);
  return { height, view, index, proposal, executed, signature, signer: self };
}

function readViewChange(
  items: RlpReader,
  reading: Reading & Pick<ViewChange, "head" | "lock"> & { readonly toView: number },
): ViewChange | undefined {
  const { index, height, self, signatureBytes, head, lock, toView } = reading;
  return items.optional((parts) => {
    const signature = parts.fixed(signatureBytes);
    const place = { type: "viewChange", height: height - 1, view: toView, index } as const;
    return { ...place, head, lock, signature, signer: self };
  });
}
