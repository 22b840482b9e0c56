/** What a message says, read from its bytes by the codecs that the nodes use. */
import { createCodec, type PbftCodec } from "../../../core/consensus/pbft/codec.ts";
import type { Message as PbftMessage } from "../../../core/consensus/pbft/message.ts";
import { decodeMessage, encodeMessage } from "../../../core/consensus/raft/codec.ts";
import type { Message as RaftMessage } from "../../../core/consensus/raft/message.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { headerHash } from "../../../core/model/header.ts";
import { readConsensusMessage } from "../../../core/node/consensus/consensus-wire.ts";
import type { MessageClass } from "../../../core/ports/network.ts";
import {
  type BlockMessage,
  decodeBlockMessage,
  type CompactProposal,
} from "../../../core/sync/block-exchange.ts";
import { decodeTransactionsMessage } from "../../../core/sync/gossip.ts";
import {
  decodeSyncBlock,
  decodeSyncMessage,
  isSyncMessage,
  type SyncMessage,
} from "../../../core/sync/sync-message.ts";
import type { Flight } from "./frame.ts";

/** The part of a flight that its bytes tell. */
export type MessageView = Pick<Flight, "kind" | "height" | "view" | "hash" | "details">;

type Details = Record<string, string | number | boolean>;

/** Reads messages of one chain. */
export interface MessageReader {
  read(message: {
    readonly groupId: number;
    readonly kind: MessageClass;
    readonly bytes: Uint8Array;
  }): MessageView;
}

interface ReaderOptions {
  readonly suite: CryptoSuite;
  readonly chainId: number;
  readonly protocolOf: (groupId: number) => "pbft" | "raft";
}

const RAFT_CODEC = { encode: encodeMessage, decode: decodeMessage };

/** What a message says that is not read. */
export const NOTHING = { height: undefined, view: undefined, hash: undefined, details: {} };
const UNREADABLE: MessageView = { kind: "unreadable", ...NOTHING };

/** Makes the reader of a chain. */
export function createMessageReader(options: ReaderOptions): MessageReader {
  const codecs = new Map<number, PbftCodec>();
  const codecOf = (groupId: number): PbftCodec => {
    const { suite, chainId } = options;
    const codec = codecs.get(groupId) ?? createCodec({ suite, chainId, groupId });
    codecs.set(groupId, codec);
    return codec;
  };
  return {
    read({ groupId, kind, bytes }) {
      switch (kind) {
        case "consensus":
          return options.protocolOf(groupId) === "raft"
            ? raftView(bytes)
            : pbftView(bytes, codecOf(groupId));
        case "blocks":
          return blocksView(bytes, options.suite);
        case "transactions":
          return transactionsView(bytes);
        case "topics":
          return { kind: "topics", ...NOTHING };
      }
    },
  };
}

/** The digits of a hash. */
export function bare(hash: string): string {
  return hash.startsWith("0x") ? hash.slice(2) : hash;
}

function pbftView(bytes: Uint8Array, codec: PbftCodec): MessageView {
  const decoded = readConsensusMessage<PbftMessage>(bytes, codec);
  if (!decoded) return UNREADABLE;
  const { message, compact } = decoded;
  const { height, view } = message;
  const details: Details = message.type === "viewCertificate" ? {} : { index: message.index };
  const place = { kind: message.type, height, view, hash: undefined, details };
  switch (message.type) {
    case "prepare":
      addCompact(details, compact);
      details["justified"] = message.justification.length;
      return { ...place, hash: bare(message.proposal) };
    case "sign":
    case "commit":
      details["proposal"] = bare(message.proposal);
      return { ...place, hash: bare(message.executed) };
    case "viewChange": {
      const { lock } = message;
      details["locked"] = lock !== undefined;
      if (lock) Object.assign(details, { lockView: lock.view, lockProposal: bare(lock.proposal) });
      return { ...place, hash: bare(message.head) };
    }
    case "status":
      details["toView"] = message.toView;
      return { ...place, hash: bare(message.head) };
    case "viewCertificate":
      details["justified"] = message.justification.length;
      return place;
  }
}

function addCompact(details: Details, compact: CompactProposal | undefined): void {
  if (!compact) return;
  details["transactions"] = compact.hashes.length;
  details["sealer"] = compact.header.sealer;
}

function raftView(bytes: Uint8Array): MessageView {
  const decoded = readConsensusMessage<RaftMessage>(bytes, RAFT_CODEC);
  if (!decoded) return UNREADABLE;
  const { message, compact } = decoded;
  const { height, term, head } = message;
  const details: Details = { head: bare(head) };
  const place = { kind: message.type, height, view: term, hash: bare(head), details };
  switch (message.type) {
    case "preVote":
    case "vote":
      details["entryTerm"] = message.entryTerm;
      return place;
    case "preVoteReply":
    case "voteReply":
      details["granted"] = message.granted;
      return place;
    case "append":
      addCompact(details, compact);
      details["entry"] = message.entry !== undefined;
      return { ...place, hash: bare(message.entry ?? head) };
    case "acknowledgement":
      details["stored"] = message.stored !== undefined;
      if (message.stored) details["storedTerm"] = message.stored.term;
      return { ...place, hash: bare(message.stored?.proposal ?? head) };
  }
}

function blocksView(bytes: Uint8Array, suite: CryptoSuite): MessageView {
  if (isSyncMessage(bytes)) {
    const message = decodeSyncMessage(bytes);
    return message ? syncView(message, suite) : UNREADABLE;
  }
  const message = decodeBlockMessage(bytes);
  return message ? bodyView(message, suite) : UNREADABLE;
}

function syncView(message: SyncMessage, suite: CryptoSuite): MessageView {
  switch (message.type) {
    case "status": {
      const { number, latestHash } = message;
      return { kind: "chainStatus", ...NOTHING, height: number, hash: bare(latestHash) };
    }
    case "requestRange": {
      const { from, count } = message;
      return { kind: "requestRange", ...NOTHING, height: from, details: { from, count } };
    }
    case "blocks": {
      const [first] = message.blocks;
      const header = first && decodeSyncBlock(first)?.header;
      if (!header) return UNREADABLE;
      const { number } = header;
      const details = { from: number, count: message.blocks.length };
      const hash = bare(headerHash(header, suite));
      return { kind: "blocks", ...NOTHING, height: number, hash, details };
    }
  }
}

function bodyView(message: BlockMessage, suite: CryptoSuite): MessageView {
  if (message.type === "requestBody")
    return { kind: "requestBody", ...NOTHING, hash: bare(message.proposal) };
  const { header, transactions } = message;
  const hash = bare(headerHash(header, suite));
  const details = { transactions: transactions.length };
  return { kind: "body", ...NOTHING, height: header.number, hash, details };
}

function transactionsView(bytes: Uint8Array): MessageView {
  const decoded = decodeTransactionsMessage(bytes);
  if (!decoded.ok) return UNREADABLE;
  const { message } = decoded;
  const [list, hash] =
    "hashes" in message ? [message.hashes, message.hashes[0]] : [message.transactions];
  return {
    kind: message.type === "passOn" ? "push" : message.type,
    ...NOTHING,
    hash: hash && bare(hash),
    details: { count: list.length },
  };
}
