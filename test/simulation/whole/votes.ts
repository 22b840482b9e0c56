/**
 * What honest sealers have said: every word is on the speaker's disk before it leaves, and
 * contradicts no earlier one, also over crashes. Source: pbft 16.2
 */
import { createCodec, type PbftCodec } from "../../../core/consensus/pbft/codec.ts";
import type { Message } from "../../../core/consensus/pbft/message.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { decodeConsensusMessage } from "../../../core/node/consensus-wire.ts";
import { Violation } from "../checkers.ts";
import type { Saying, Speaker, Words } from "./words.ts";

/** The key of the record in the store. */
const RECORD_KEY = "c";

/** Remembers every vote of every node in one group. */
export class Votes implements Words {
  readonly codec: PbftCodec;
  readonly #said = new Map<string, string>();
  readonly #checked = new WeakSet<Uint8Array>();

  readonly #durable: boolean;

  /** @param durable false: votes need not be on disk (the disks lie, a mutation) */
  constructor(groupId: number, suite: CryptoSuite, durable: boolean) {
    this.#durable = durable;
    this.codec = createCodec({ chainId: 1, groupId, suite });
  }

  check({ speaker, bytes }: Saying): void {
    if (this.#checked.has(bytes)) return;
    this.#checked.add(bytes);
    const { number } = speaker;
    const message = decodeConsensusMessage(bytes, this.codec)?.message;
    if (!message) throw new Violation(`node ${number} sends a malformed message`);
    if (message.type === "status" || message.type === "viewCertificate") return;
    const place = `node ${number} ${message.type} ${message.height}/${message.view}`;
    const words = wordsOf(message);
    const before = this.#said.get(place);
    if (before !== undefined && before !== words)
      throw new Violation(`${place} twice: ${before}, then ${words}`);
    this.#said.set(place, words);
    if (!this.#durable || message.type === "viewChange") return;
    if (!isRecorded(speaker, message.signature))
      throw new Violation(`${place} leaves before it is on disk`);
  }
}

/** Whether the record on disk holds a signature: nothing else has these bytes. */
function isRecorded({ durable }: Speaker, signature: Uint8Array): boolean {
  const record = durable.get(RECORD_KEY);
  if (!record) return false;
  return bufferOf(record).includes(bufferOf(signature));
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

function wordsOf(message: Message): string {
  switch (message.type) {
    case "prepare":
      return message.proposal;
    case "sign":
    case "commit":
      return `${message.proposal}/${message.executed}`;
    case "viewChange": {
      const { lock } = message;
      return lock ? `${lock.view}/${lock.proposal}/${lock.executed}` : "none";
    }
    default:
      return "";
  }
}
