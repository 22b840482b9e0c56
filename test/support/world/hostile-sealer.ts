/** A sealer that lies: the key and the network of one machine of a world, and no honest node. */
import { createCodec, createSigner, type PbftCodec } from "../../../core/consensus/pbft/codec.ts";
import type { Prepare } from "../../../core/consensus/pbft/message.ts";
import type { Signer } from "../../../core/consensus/pbft/state.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { type Hash, type NodeId, ZERO_HASH } from "../../../core/bytes/ids.ts";
import { type Header, headerHash } from "../../../core/model/header.ts";
import { transactionsRoot } from "../../../core/model/roots.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { encodeConsensusMessage } from "../../../core/node/consensus/consensus-wire.ts";
import type { Incoming, MessageClass } from "../../../core/ports/network.ts";
import type { Machine, NodeWorld } from "./node-world.ts";

const NO_BYTES = new Uint8Array(0);

/** A proposal as it travels: a header and the hashes it claims to hold. */
export interface Compact {
  readonly header: Header;
  readonly hashes: readonly Hash[];
}

/** Speaks for one sealer of a world whose machine is not started. */
export class HostileSealer {
  readonly machine: Machine;
  readonly index: number;
  /** Called with what honest nodes send to it. */
  onMessage: (message: Incoming) => void = () => {};
  readonly #world: NodeWorld;
  readonly #suite: CryptoSuite;
  readonly #codec: PbftCodec;
  readonly #signer: Signer;

  constructor(world: NodeWorld, suite: CryptoSuite, index: number) {
    const self = world.genesis.sealers[index];
    const machine = world.machines.find(({ nodeId }) => nodeId === self);
    if (!machine) throw new RangeError(`no sealer ${index}`);
    this.#world = world;
    this.#suite = suite;
    this.index = index;
    this.machine = machine;
    this.#codec = createCodec({ chainId: 1, groupId: world.genesis.groupId, suite });
    this.#signer = createSigner(this.#codec, suite, machine.privateKey);
  }

  /** The machines that run honest nodes. */
  get honest(): readonly Machine[] {
    return this.#world.machines.filter((machine) => machine !== this.machine);
  }

  async connect(): Promise<void> {
    await this.machine.network.start({
      message: (message) => this.onMessage(message),
      peerUp: () => undefined,
      peerDown: () => undefined,
    });
  }

  /** A proposal on top of a block, right in everything that is not overridden. */
  compact(
    parent: { readonly number: number; readonly hash: Hash },
    hashes: readonly Hash[],
    change: Partial<Header> = {},
  ): Compact {
    const rules = { suite: this.#suite, version: NEWEST_VERSION };
    const items = hashes.map((hash) => ({ hash, raw: NO_BYTES }));
    const header: Header = {
      parentHash: parent.hash,
      stateRoot: ZERO_HASH,
      transactionsRoot: transactionsRoot(items, rules),
      receiptsRoot: ZERO_HASH,
      dbHash: ZERO_HASH,
      logsBloom: new Uint8Array(256),
      number: parent.number + 1,
      gasLimit: 0n,
      gasUsed: 0n,
      // Later than any block so far.
      timestamp: this.#world.genesis.timestamp + BigInt(Math.ceil(this.#world.now)) + 1_000n,
      extraData: [],
      sealer: this.index,
      sealerList: [...this.#world.genesis.sealers],
      ...change,
    };
    return { header, hashes };
  }

  /** Sends a signed prepare with its compact proposal to an honest node. */
  propose(compact: Compact, to: NodeId, place: { height?: number; view?: number } = {}): void {
    const { height = compact.header.number, view = 0 } = place;
    const proposal = headerHash(compact.header, this.#suite);
    const content = { type: "prepare", height, view, index: this.index, proposal } as const;
    const signature = this.#signer.sign(content);
    const signer = this.machine.nodeId;
    const message: Prepare = { ...content, signature, signer, justification: [] };
    this.send(to, "consensus", encodeConsensusMessage({ message, compact }, this.#codec));
  }

  /** Sends a signed status that claims a height. */
  claimHeight(height: number, to: NodeId): void {
    const content = {
      type: "status",
      height,
      view: 0,
      index: this.index,
      head: ZERO_HASH,
      toView: 0,
    } as const;
    const signature = this.#signer.sign(content);
    const message = { ...content, signature, signer: this.machine.nodeId };
    const bytes = encodeConsensusMessage({ message, compact: undefined }, this.#codec);
    this.send(to, "consensus", bytes);
  }

  send(to: NodeId, kind: MessageClass, bytes: Uint8Array): void {
    this.machine.network.send(to, { groupId: this.#world.genesis.groupId, kind, bytes });
  }
}
