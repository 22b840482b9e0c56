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
  const { self, sealers, signatureBytes } = context;
  const items = openRlpList(bytes);
  const index = sealers.indexOf(self);
  if (!items || index < 0 || items.safe() !== FORMAT) return undefined;
  const height = items.safe();
  const view = items.safe();
  const toView = items.safe();
  const head = items.hash();
  if (height === 0) return undefined;
  const below = { height: height - 1, view, signatureBytes };
  const justification = readJustification(items, below).map((item) => named(item, sealers));
  // Items of a list are read in the order in which they are named here.
  const own = { height, index, signer: self };
  const signatureIn = (parts: RlpReader) => parts.fixed(signatureBytes);
  const voteIn = (parts: RlpReader) => {
    const content = { view: parts.safe(), proposal: parts.hash(), executed: parts.hash() };
    return { ...own, ...content, signature: signatureIn(parts) };
  };
  const prepare = items.optional((parts): Prepare => {
    const content = { type: "prepare", view, justification, proposal: parts.hash() } as const;
    return { ...own, ...content, signature: signatureIn(parts) };
  });
  const sign = items.optional((parts): Sign => ({ type: "sign", ...voteIn(parts) }));
  const unnamed = readLock(items, signatureBytes);
  const lock = unnamed && namedLock(unnamed, sealers);
  const commit = items.optional((parts): Commit => {
    return { type: "commit", ...voteIn(parts), seal: signatureIn(parts), sealSigner: self };
  });
  const viewChange = items.optional((parts): ViewChange => {
    const place = { type: "viewChange", height: height - 1, view: toView } as const;
    return { ...own, ...place, head, lock, signature: signatureIn(parts) };
  });
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
