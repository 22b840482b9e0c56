/** What nodes have reported: every word is on the speaker's disk and contradicts no earlier one. */
import type { NodeId } from "../../../core/bytes/ids.ts";
import { createCodec, type PbftCodec } from "../../../core/consensus/pbft/codec.ts";
import type { Message } from "../../../core/consensus/pbft/message.ts";
import { decodeRecord } from "../../../core/consensus/pbft/record-codec.ts";
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { readConsensusMessage } from "../../../core/node/consensus/consensus-wire.ts";
import type { FaultyDisk } from "./faulty-store.ts";

/** The key of the record in the store. */
export const RECORD_KEY = "c";

/** Who speaks. */
export interface Speaker {
  readonly index: number;
  readonly nodeId: NodeId;
  readonly disk: FaultyDisk;
}

/** Remembers every vote of every node, also over restarts. Source: pbft 16.2 */
export class SaidWords {
  readonly #suite: CryptoSuite;
  readonly #sealers: readonly NodeId[];
  readonly #codec: PbftCodec;
  readonly #words = new Map<string, string>();
  readonly #checked = new WeakSet<Uint8Array>();

  constructor(genesis: GenesisConfig, suite: CryptoSuite) {
    this.#suite = suite;
    this.#sealers = [...genesis.sealers].sort();
    this.#codec = createCodec({ chainId: 1, groupId: genesis.groupId, suite });
  }

  /** What is wrong with a message that leaves now. */
  check(speaker: Speaker, bytes: Uint8Array): string[] {
    if (this.#checked.has(bytes)) return [];
    this.#checked.add(bytes);
    const { index, nodeId } = speaker;
    const message = readConsensusMessage(bytes, this.#codec)?.message;
    if (!message) return [`${index} sent a malformed message`];
    if (message.type === "status" || message.type === "viewCertificate") return [];
    // What others reported is passed on; who signed it is told by its signature. Source: pbft 11
    const signer = this.#suite.recover(this.#codec.digestOf(message), message.signature);
    if (signer && nodeIdOf(signer) !== nodeId) return [];
    if (this.#sealers[message.index] !== nodeId) return [`${index} sent for another`];
    const wrong: string[] = [];
    const place = `${index} ${message.type} ${message.height} ${message.view}`;
    const word = JSON.stringify(contentOf(message));
    const before = this.#words.get(place);
    if (before !== undefined && before !== word) wrong.push(`${place}: ${before}, then ${word}`);
    this.#words.set(place, word);
    if (!this.#isRecorded(speaker, message)) wrong.push(`${place} left before it was on disk`);
    return wrong;
  }

  #isRecorded({ disk, nodeId }: Speaker, message: Message): boolean {
    const bytes = disk.durable.get(RECORD_KEY);
    const { signatureBytes } = this.#suite;
    const context = { self: nodeId, sealers: this.#sealers, signatureBytes };
    const record = bytes && decodeRecord(bytes, context);
    if (!record) return false;
    const said = { prepare: record.prepare, sign: record.sign, commit: record.commit };
    switch (message.type) {
      case "prepare":
      case "sign":
      case "commit": {
        const own = said[message.type];
        if (own && sameBytes(own.signature, message.signature)) return true;
        // A view that is given up on disk: nothing else is ever proposed there.
        const isPast = record.height === message.height && record.toView > message.view;
        return message.type === "prepare" && isPast;
      }
      case "viewChange":
        if (record.height !== message.height + 1) return false;
        // A vote for a lower view is covered: the record gives up more than it.
        return record.viewChange && record.toView === message.view
          ? sameBytes(record.viewChange.signature, message.signature)
          : record.toView >= message.view;
      default:
        return true;
    }
  }
}

function contentOf(message: Message): unknown {
  switch (message.type) {
    case "prepare":
      return [message.proposal];
    case "sign":
    case "commit":
      return [message.proposal, message.executed];
    case "viewChange": {
      const { lock } = message;
      return [message.head, lock && [lock.view, lock.proposal, lock.executed]];
    }
    default:
      return [];
  }
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}
