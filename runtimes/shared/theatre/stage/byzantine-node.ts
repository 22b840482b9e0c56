/**
 * A sealer that lies: the production node, whose words to other sealers are changed on their way
 * out. It signs with its own key only.
 */
import { idBytes } from "../../../../core/bytes/hex.ts";
import type { Hash } from "../../../../core/bytes/ids.ts";
import {
  createCodec,
  createSigner,
  type PbftCodec,
} from "../../../../core/consensus/pbft/codec.ts";
import type { Message, SignedContent } from "../../../../core/consensus/pbft/message.ts";
import { headerHash } from "../../../../core/model/header.ts";
import {
  readConsensusMessage,
  encodeConsensusMessage,
} from "../../../../core/node/consensus/consensus-wire.ts";
import type { CompactProposal } from "../../../../core/sync/block-exchange.ts";
import type { Lie } from "../scenario.ts";
import type { StageSuite } from "./suite.ts";
import type { Leaving, Sending } from "./wire.ts";

/** Who lies, and to whom. */
export interface ByzantineNodeOptions {
  readonly suite: StageSuite;
  readonly chainId: number;
  readonly number: number;
  readonly privateKey: Uint8Array;
  /** Numbers of the sealers, in the order of their list. */
  readonly sealers: readonly number[];
}

/** Changes what a node reports. */
export class ByzantineNode {
  readonly #with: ByzantineNodeOptions;

  constructor(options: ByzantineNodeOptions) {
    this.#with = options;
  }

  /** What leaves in the place of a message. */
  leaving(lie: Lie, to: number, message: Sending): readonly Leaving[] {
    const honest = [{ bytes: message.bytes, lie: false }];
    if (message.kind !== "consensus") return honest;
    if (lie === "silent") return [];
    const codec = createCodec({ ...this.#with, groupId: message.groupId });
    const decoded = readConsensusMessage<Message>(message.bytes, codec);
    if (!decoded) return honest;
    if (lie === "forge") {
      const forged = this.#forged(decoded.message, codec);
      return forged ? [...honest, { bytes: forged, lie: true }] : honest;
    }
    // The larger half of the others is told another story.
    const others = this.#others();
    const position = others.indexOf(to);
    if (position < Math.floor(others.length / 2)) return honest;
    const other = this.#otherStory(decoded, codec);
    return other ? [{ bytes: other, lie: true }] : honest;
  }

  /** Another proposal, and votes for something else. */
  #otherStory(
    {
      message,
      compact,
    }: { readonly message: Message; readonly compact?: CompactProposal | undefined },
    codec: PbftCodec,
  ): Uint8Array | undefined {
    const { suite, privateKey } = this.#with;
    switch (message.type) {
      case "prepare": {
        if (!compact) return undefined;
        const header = { ...compact.header, timestamp: compact.header.timestamp + 1n };
        const proposal = headerHash(header, suite);
        return this.#signed({ ...message, proposal }, codec, { ...compact, header });
      }
      case "sign":
        return this.#signed({ ...message, executed: otherHash(message.executed) }, codec);
      case "commit": {
        const executed = otherHash(message.executed);
        const seal = suite.sign(idBytes(executed), privateKey);
        return this.#signed({ ...message, executed, seal }, codec);
      }
      case "viewChange":
        return message.lock ? this.#signed({ ...message, lock: undefined }, codec) : undefined;
      default:
        return undefined;
    }
  }

  #signed(
    changed: Exclude<Message, { type: "viewCertificate" }>,
    codec: PbftCodec,
    compact?: CompactProposal,
  ): Uint8Array {
    const { suite, privateKey } = this.#with;
    const signature = createSigner(codec, suite, privateKey).sign(changed as SignedContent);
    return encodeConsensusMessage({ message: { ...changed, signature }, compact }, codec);
  }

  /** The same vote in the name of another sealer. */
  #forged(message: Message, codec: PbftCodec): Uint8Array | undefined {
    const isVote =
      message.type === "sign" || message.type === "commit" || message.type === "viewChange";
    const [victim] = this.#others();
    if (!isVote || victim === undefined) return undefined;
    const signature = this.#with.suite.forged(victim);
    const forged = { ...message, index: this.#with.sealers.indexOf(victim), signature };
    return encodeConsensusMessage({ message: forged, compact: undefined }, codec);
  }

  #others(): number[] {
    return this.#with.sealers.filter((sealer) => sealer !== this.#with.number);
  }
}

function otherHash(hash: Hash): Hash {
  const last = hash.at(-1) === "0" ? "1" : "0";
  return `${hash.slice(0, -1)}${last}` as Hash;
}
