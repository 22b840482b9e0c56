/**
 * A sealer that lies: an honest node whose messages are changed on their way out. It signs with its
 * own key only.
 */
import { idBytes } from "../../../core/bytes/hex.ts";
import type { GroupId, Hash, NodeId } from "../../../core/bytes/ids.ts";
import { createSigner } from "../../../core/consensus/pbft/codec.ts";
import type { Message, SignedContent } from "../../../core/consensus/pbft/message.ts";
import { encodeRelayed, openRelayed } from "../../../core/network/relay/header.ts";
import { type Header, headerHash, type Seal } from "../../../core/model/header.ts";
import { signTransaction, type Transaction } from "../../../core/model/transaction.ts";
import {
  readConsensusMessage,
  encodeConsensusMessage,
} from "../../../core/node/consensus/consensus-wire.ts";
import {
  type BlockMessage,
  decodeBlockMessage,
  encodeBlockMessage,
  type CompactProposal,
} from "../../../core/sync/block-exchange.ts";
import { decodeTransactionsMessage, encodeTransactions } from "../../../core/sync/gossip.ts";
import {
  decodeSyncBlock,
  decodeSyncMessage,
  encodeSyncBlock,
  encodeSyncMessage,
  type SyncBlockParts,
  type SyncMessage,
} from "../../../core/sync/sync-message.ts";
import type { Random } from "../random.ts";
import type { Machine } from "./machine.ts";
import type { Act } from "./options.ts";
import { forgedSignature } from "../../../runtimes/shared/theatre/stage/suite.ts";
import type { Leaving, World } from "./world.ts";

/** Messages of others that it remembers, to say them as its own. */
const MEMORY = 64;

/** How far from the truth it says its clock is, at most. */
const LIE_MS = 10 * 3_600_000;

/** Its own transactions have nonces from here on, which no other node has. */
const OWN_NONCES = 10n ** 9n;

/** What changes the messages of a machine. */
export class ByzantineNode {
  readonly machine: Machine;
  /** False once it has turned honest. */
  lies = true;
  readonly #world: World;
  readonly #random: Random;
  readonly #heard: { readonly kind: string; readonly bytes: Uint8Array }[] = [];

  constructor(world: World, machine: Machine) {
    this.#world = world;
    this.#random = world.random;
    this.machine = machine;
  }

  /** It learns what others report. */
  hears(kind: string, bytes: Uint8Array): void {
    if (!this.lies || !this.#world.options.acts.has("relayedVotes")) return;
    this.#heard.push({ kind, bytes });
    if (this.#heard.length > MEMORY) this.#heard.shift();
  }

  /** What leaves in the place of a message. */
  leaving(to: NodeId, message: Leaving): readonly Uint8Array[] {
    if (this.#does("silence", 0.3)) return [];
    if (this.#does("noise", 0.05)) return [message.bytes, this.#noise(message.bytes)];
    if (this.#does("relayedVotes", 0.1)) return [message.bytes, ...this.#relayed(message.kind)];
    return [this.#changed(to, message) ?? message.bytes];
  }

  #does(act: Act, chance: number): boolean {
    if (!this.#world.options.acts.has(act) || !this.#random.chance(chance)) return false;
    this.#world.sights.add(act);
    return true;
  }

  #noise(bytes: Uint8Array): Uint8Array {
    const noise = bytes.slice(0, this.#random.chance(0.5) ? bytes.length : undefined);
    for (let count = 1 + this.#random.below(4); count > 0; count--)
      noise[this.#random.below(noise.length)] = this.#random.below(256);
    return noise;
  }

  #relayed(kind: string): Uint8Array[] {
    const said = this.#heard.filter((one) => one.kind === kind);
    return said.length > 0 ? [this.#random.pick(said).bytes] : [];
  }

  #changed(to: NodeId, message: Leaving): Uint8Array | undefined {
    switch (message.kind) {
      case "consensus": {
        // It passes on as it was asked to.
        const header = openRelayed(message.bytes)?.header;
        const changed = this.#changedWord(to, message);
        return changed && header ? encodeRelayed(header, changed) : changed;
      }
      case "blocks":
        return this.#changedBlocks(message);
      case "transactions":
        return this.#changedTransactions(message.bytes);
      // No node has clients here.
      case "topics":
        return undefined;
    }
  }

  // --- consensus

  #changedWord(to: NodeId, message: Leaving): Uint8Array | undefined {
    const decoded = this.#decoded(message);
    if (!decoded) return undefined;
    const { type } = decoded.message;
    const isOther = to > this.machine.nodeId;
    if (type === "status") return this.#does("lyingStatus", 0.3) ? this.#ahead(message) : undefined;
    if (type === "prepare" && isOther && this.#does("twoProposals", 0.8))
      return this.#otherProposal(message);
    const isVote = type === "sign" || type === "commit" || type === "viewChange";
    return isVote && isOther && this.#does("doubleVote", 0.8)
      ? this.contradicted(message)
      : undefined;
  }

  #decoded(message: Leaving) {
    const codec = this.#world.votes.get(message.groupId)?.codec;
    return codec && readConsensusMessage(message.bytes, codec);
  }

  #signed(message: Leaving, changed: Message, compact?: CompactProposal): Uint8Array {
    const codec = this.#world.votes.get(message.groupId)?.codec;
    if (!codec || changed.type === "viewCertificate") return message.bytes;
    const signer = createSigner(codec, this.#world.suite, this.machine.privateKey);
    const signature = signer.sign(changed as SignedContent);
    return encodeConsensusMessage({ message: { ...changed, signature }, compact }, codec);
  }

  /** The same vote for something else; undefined for what is no vote. */
  contradicted(leaving: Leaving): Uint8Array | undefined {
    const message = this.#decoded(leaving)?.message;
    if (message?.type === "sign") {
      return this.#signed(leaving, { ...message, executed: otherHash(message.executed) });
    }
    if (message?.type === "viewChange" && message.lock)
      return this.#signed(leaving, { ...message, lock: undefined });
    if (message?.type !== "commit") return undefined;
    const executed = otherHash(message.executed);
    const seal = this.#world.suite.sign(idBytes(executed), this.machine.privateKey);
    return this.#signed(leaving, { ...message, executed, seal });
  }

  #otherProposal(leaving: Leaving): Uint8Array | undefined {
    const { message, compact } = this.#decoded(leaving) ?? {};
    if (message?.type !== "prepare" || !compact) return undefined;
    const header = { ...compact.header, timestamp: compact.header.timestamp + 1n };
    const proposal = headerHash(header, this.#world.suite);
    return this.#signed(leaving, { ...message, proposal }, { ...compact, header });
  }

  #ahead(leaving: Leaving): Uint8Array | undefined {
    const message = this.#decoded(leaving)?.message;
    if (message?.type !== "status") return undefined;
    const height = message.height + 1 + this.#random.below(1_000);
    return this.#signed(leaving, { ...message, height, head: otherHash(message.head) });
  }

  // --- blocks

  #changedBlocks({ bytes, groupId }: Leaving): Uint8Array | undefined {
    const message = decodeBlockMessage(bytes);
    if (message) {
      const changed = this.#changedBody(message);
      return changed && encodeBlockMessage(changed);
    }
    const sync = decodeSyncMessage(bytes);
    const changed = sync && this.#changedSync(sync, groupId);
    return changed && encodeSyncMessage(changed);
  }

  #changedBody(message: BlockMessage): BlockMessage | undefined {
    if (message.type !== "body" || !this.#does("lyingBlocks", 0.7)) return undefined;
    return { ...message, transactions: message.transactions.slice(1) };
  }

  #changedSync(message: SyncMessage, groupId: GroupId): SyncMessage | undefined {
    if (message.type === "status" && this.#does("lyingStatus", 0.5)) {
      const number = message.number + 1 + this.#random.below(1_000);
      return { ...message, number, latestHash: otherHash(message.latestHash) };
    }
    if (message.type === "status" && message.time !== undefined && this.#does("lyingClock", 0.7))
      return { ...message, time: Math.round(message.time + this.#random.between(-LIE_MS, LIE_MS)) };
    if (message.type !== "blocks") return undefined;
    if (!this.#does("lyingBlocks", 0.8)) return this.#otherBodies(message.blocks, groupId);
    const ownList = this.#does("ownList", 0.5);
    const blocks = message.blocks.map((block) => {
      const parts = decodeSyncBlock(block);
      if (!parts) return block;
      return encodeSyncBlock(ownList ? this.#ownListed(parts) : this.#lyingBlock(parts));
    });
    return { type: "blocks", blocks };
  }

  /** True headers and seals, each with a transaction that no node has put in a block. */
  #otherBodies(blocks: readonly Uint8Array[], groupId: GroupId): SyncMessage | undefined {
    if (!this.#does("otherBodies", 0.8)) return undefined;
    return {
      type: "blocks",
      blocks: blocks.map((block) => {
        const parts = decodeSyncBlock(block);
        if (!parts) return block;
        const { raw, hash } = this.#ownTransaction(parts.header, groupId);
        this.#world.madeUp.add(hash);
        return encodeSyncBlock({ ...parts, transactions: [raw] });
      }),
    };
  }

  /** One that its signature and fields would let into that block. */
  #ownTransaction({ number }: Header, groupId: GroupId): Transaction {
    const fields = {
      nonce: OWN_NONCES + BigInt(this.#world.madeUp.size),
      gasPrice: 1n,
      gas: 300_000_000n,
      blockLimit: BigInt(number + 10),
      to: null,
      value: 0n,
      input: new Uint8Array(0),
      chainId: 1n,
      groupId: BigInt(groupId),
      extraData: new Uint8Array(0),
    };
    return signTransaction(fields, this.machine.privateKey, this.#world.suite);
  }

  /** A block that no node decided, with the names of those who would have to. */
  #lyingBlock(parts: SyncBlockParts): SyncBlockParts {
    const { header, seals, transactions } = parts;
    switch (this.#random.below(4)) {
      case 0:
        return { header, seals: seals.slice(1), transactions };
      case 1:
        return { header, seals: seals.map((seal) => this.#ownSeal(seal)), transactions };
      case 2:
        return { header, seals, transactions: transactions.slice(1) };
      default:
        return {
          header: { ...header, timestamp: header.timestamp + 1n },
          seals: this.#forgedSeals(header),
          transactions,
        };
    }
  }

  /** A block that names the Byzantine node as its only sealer, and is sealed by all of them. */
  #ownListed({ header, transactions }: SyncBlockParts): SyncBlockParts {
    const { suite } = this.#world;
    const own = { ...header, sealer: 0, sealerList: [this.machine.nodeId] };
    const signature = suite.sign(idBytes(headerHash(own, suite)), this.machine.privateKey);
    return { header: own, seals: [{ index: 0, signature }], transactions };
  }

  #ownSeal({ index, signature }: Seal): Seal {
    return {
      index,
      signature: this.#world.suite.sign(signature.slice(0, 32), this.machine.privateKey),
    };
  }

  #forgedSeals({ sealerList }: Header): Seal[] {
    return sealerList.map((nodeId, index) => {
      const owner = this.#world.machines.find((machine) => machine.nodeId === nodeId);
      return { index, signature: forgedSignature(owner?.number ?? 0) };
    });
  }

  // --- transactions

  /** Somebody else's transaction with another signature. */
  #changedTransactions(bytes: Uint8Array): Uint8Array | undefined {
    if (!this.#world.options.acts.has("wrongSender")) return undefined;
    const decoded = decodeTransactionsMessage(bytes);
    if (!decoded.ok || "hashes" in decoded.message) return undefined;
    if (!this.#does("wrongSender", 0.5)) return undefined;
    const changed = decoded.message.transactions.map((raw) => {
      const other = raw.slice();
      // The tag stands in the last bytes.
      other[other.length - 2] = (other[other.length - 2] ?? 0) ^ 1;
      return other;
    });
    return encodeTransactions("push", changed);
  }
}

function otherHash(hash: Hash): Hash {
  const last = hash.at(-1) === "0" ? "1" : "0";
  return `${hash.slice(0, -1)}${last}` as Hash;
}
