/** What a run of fuzzing reached: types of messages, reasons of refusal, and their counts. */
import { createCodec } from "../../../core/consensus/pbft/codec.ts";
import { decodeMessage, encodeMessage } from "../../../core/consensus/raft/codec.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { decodePeerMessage } from "../../../core/channel/amop/peer-message.ts";
import type { NetworkClass } from "../../../core/network/classes.ts";
import { readConsensusMessage } from "../../../core/node/consensus/consensus-wire.ts";
import { decodeBlockMessage } from "../../../core/sync/block-exchange.ts";
import { decodeTransactionsMessage } from "../../../core/sync/gossip.ts";
import { decodeSyncMessage } from "../../../core/sync/sync-message.ts";

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Lines `name  count`, by name. */
  lines(): string[] {
    const entries = [...this.#counts].sort(([left], [right]) => (left < right ? -1 : 1));
    return entries.map(([name, count]) => `  ${name.padEnd(52)} ${String(count).padStart(9)}`);
  }
}

type TypeOf = (bytes: Uint8Array) => string;

const RAFT = { encode: encodeMessage, decode: decodeMessage };

/** Names what a message is for the codec of its class; `undecodable` when it is nothing. */
export function typeNames(
  suite: CryptoSuite,
  group: { readonly groupId: number; readonly consensusType: string },
): (kind: NetworkClass, bytes: Uint8Array) => string {
  const codec = createCodec({ suite, chainId: 1, groupId: group.groupId });
  const isRaft = group.consensusType === "raft";
  const pbftType: TypeOf = (bytes) =>
    readConsensusMessage(bytes, codec)?.message.type ?? "undecodable";
  const raftType: TypeOf = (bytes) =>
    readConsensusMessage(bytes, RAFT)?.message.type ?? "undecodable";
  const types: Record<NetworkClass, TypeOf> = {
    consensus: isRaft ? raftType : pbftType,
    transactions: (bytes) => {
      const decoded = decodeTransactionsMessage(bytes);
      return decoded.ok ? decoded.message.type : "undecodable";
    },
    blocks: (bytes) =>
      (decodeBlockMessage(bytes) ?? decodeSyncMessage(bytes))?.type ?? "undecodable",
    topics: (bytes) => {
      const read = decodePeerMessage(bytes);
      return typeof read === "string" ? read : read.type;
    },
  };
  const protocol = isRaft ? "raft" : "pbft";
  return (kind, bytes) => `${kind === "consensus" ? protocol : kind} ${types[kind](bytes)}`;
}
