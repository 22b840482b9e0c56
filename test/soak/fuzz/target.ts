/**
 * The node that is fuzzed: a real one on a copy of a recorded disk, with real links to its peers
 * and a clock that moves with the messages.
 */
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { RunningNode } from "../../../core/node/create-node.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import type { LogFields, LogLevel } from "../../../core/ports/log.ts";
import type { Network, NetworkEvents } from "../../../core/ports/network.ts";
import { createAgency, createAuthority } from "../../../runtimes/folder/authority.ts";
import { createChainVerifier } from "../../../runtimes/formats/certificates/certificate-chain.ts";
import { issueCertificate } from "../../../runtimes/folder/certificate.ts";
import { createZlibCodec } from "../../../runtimes/node/p2p/p2p-node.ts";
import { jsonGroupFormat } from "../../../runtimes/shared/group-text.ts";
import { createInlineCompute } from "../../../runtimes/shared/inline-compute.ts";
import { newCounters, type P2pCounters } from "../../../runtimes/shared/p2p/counters.ts";
import type { ChainVerdict, VerifyChain } from "../../../runtimes/shared/p2p/p2p-options.ts";
import type {
  Ending,
  LinkHost,
  LinkSettings,
  PeerLink,
} from "../../../runtimes/shared/p2p/peer-link.ts";
import type { WireMessage } from "../../../core/network/part.ts";
import { privateKeyFromRaw } from "@libp2p/crypto/keys";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import type { Random } from "../../simulation/random.ts";
import { createStoreFiles } from "../../support/world/store-files.ts";
import { FuzzClients } from "./clients.ts";
import { FuzzPeer, type PeerIdentity } from "./link.ts";
import { type Recording, storeOf } from "./recording.ts";

const EPOCH_MS = 1_700_000_000_000;
const DAY_MS = 86_400_000;
const CHAIN_ID = 1;
const BUILD = { version: "2.12.0", buildTime: "", buildType: "", gitBranch: "", gitCommit: "" };

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #now = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  #made = 0;

  now(): number {
    return EPOCH_MS + this.#now;
  }

  steady(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const id = this.#made++;
    this.#timers.set(id, { at: this.#now + Math.max(0, delayMs), run });
    return () => void this.#timers.delete(id);
  }

  /** Moves on; whatever is due runs, in the order of time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      let next: readonly [number, { readonly at: number; readonly run: () => void }] | undefined;
      for (const entry of this.#timers) if (!next || entry[1].at < next[1].at) next = entry;
      if (!next || next[1].at > end) break;
      this.#timers.delete(next[0]);
      this.#now = Math.max(this.#now, next[1].at);
      next[1].run();
    }
    this.#now = end;
  }
}

/**
 * Certificates of one chain for the nodes of a recording and one unauthenticated peer among them.
 */
export interface Membership {
  readonly verifyChain: VerifyChain;
  certificatesOf(node: { readonly nodeId: NodeId }): readonly Uint8Array[];
}

/** Makes CA, agency and a certificate for each node. */
export function certify(nodes: readonly { readonly nodeId: NodeId }[], random: Random): Membership {
  const entropy: Entropy = {
    bytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
  };
  const ca = createAuthority({ entropy, now: EPOCH_MS, days: 3_650 });
  const agency = createAgency("fuzz", ca, { entropy, now: EPOCH_MS, days: 3_650 });
  const chains = new Map(
    nodes.map(({ nodeId }, index) => {
      const publicKey = Uint8Array.from(Buffer.from(nodeId, "hex"));
      const validity = { validFrom: EPOCH_MS - DAY_MS, validUntil: EPOCH_MS + 3_000 * DAY_MS };
      const request = { kind: "node", name: `node${index}`, publicKey, ...validity } as const;
      return [nodeId, [issueCertificate(request, agency, entropy), agency.certificate]] as const;
    }),
  );
  return {
    verifyChain: rememberingVerifier(createChainVerifier([ca.certificate])),
    certificatesOf: ({ nodeId }) => chains.get(nodeId) ?? [],
  };
}

/** Chains that were found good are not checked again: thousands of sessions begin with them. */
function rememberingVerifier(verify: VerifyChain): VerifyChain {
  const good = new Map<string, ChainVerdict>();
  return (certificates, now) => {
    const key = certificates.map((one) => Buffer.from(one).toString("latin1")).join();
    const verdict = good.get(key) ?? verify(certificates, now);
    if (verdict.ok) good.set(key, verdict);
    return verdict;
  };
}

/** What the target informs a caller that fuzzes it. */
export interface TargetEvents {
  /** A message passed the framing and is handed to the node. */
  delivered(message: WireMessage): void;
  ended(ending: Ending): void;
  line(level: LogLevel, message: string, fields: LogFields | undefined): void;
  /** The node threw, or one of its groups cannot go on. */
  broken(cause: unknown): void;
}

/** How a target is made. */
export interface TargetOptions {
  readonly suite: CryptoSuite;
  readonly recording: Recording;
  readonly membership: Membership;
  readonly random: Random;
  readonly counters: P2pCounters;
  readonly events: TargetEvents;
}

/** One life of the node. */
export class FuzzTarget implements LinkHost {
  readonly clock = new ManualClock();
  readonly node: RunningNode;
  readonly self: NodeId;
  readonly #options: TargetOptions;
  readonly #links = new Map<NodeId, PeerLink>();
  readonly #settings: LinkSettings;
  readonly #clients: FuzzClients;
  #network: NetworkEvents | undefined;

  constructor(options: TargetOptions) {
    this.#options = options;
    const [own] = options.recording.nodes;
    if (!own) throw new RangeError("a recording has nodes");
    this.self = own.nodeId;
    this.#settings = this.#linkSettings(own);
    this.node = this.#createNode(own.privateKey);
    this.node.onFailure((cause) => options.events.broken(cause));
    const { clock, node } = this;
    this.#clients = new FuzzClients(node, { clock, entropy: this.#entropy() });
  }

  /** A connection of a peer; the exchange has not begun. */
  connect(identity: PeerIdentity): FuzzPeer {
    return new FuzzPeer(identity, this.#settings, this);
  }

  refusal(): undefined {
    return undefined;
  }

  proven(link: PeerLink): "duplicate" | undefined {
    const peer = link.peer?.nodeId;
    if (peer === undefined) return "duplicate";
    this.#links.get(peer)?.end({ reason: "replaced by a newer connection" });
    this.#links.set(peer, link);
    return undefined;
  }

  active(link: PeerLink): void {
    const peer = link.peer?.nodeId;
    if (peer !== undefined) this.#guard(() => this.#network?.peerUp(peer));
  }

  message(link: PeerLink, message: WireMessage): void {
    const from = link.peer?.nodeId;
    if (from === undefined) return;
    this.#options.events.delivered(message);
    const { kind, groupId, bytes } = message;
    this.#guard(() => {
      this.#network?.message({ from, kind, groupId, bytes });
      if (kind === "topics") this.#clients.speak();
    });
  }

  /** Clocks of peers are not what is fuzzed; reading their frames is. */
  clockNews(): void {}

  ended(link: PeerLink, ending: Ending): void {
    this.#options.events.ended(ending);
    const peer = link.peer?.nodeId;
    if (peer === undefined || this.#links.get(peer) !== link) return;
    this.#links.delete(peer);
    if (link.activeSince !== undefined) this.#guard(() => this.#network?.peerDown(peer));
  }

  /** The network catches what its owner throws; here that is what is looked for. */
  #guard(call: () => void): void {
    try {
      call();
    } catch (cause) {
      this.#options.events.broken(cause);
    }
  }

  #linkSettings({ nodeId, privateKey }: Recording["nodes"][number]): LinkSettings {
    const { suite, membership, counters } = this.#options;
    return {
      chainId: CHAIN_ID,
      suite,
      privateKey,
      certificates: membership.certificatesOf({ nodeId }),
      verifyChain: membership.verifyChain,
      peerId: peerIdFromPrivateKey(privateKeyFromRaw(privateKey)).toMultihash().bytes,
      relays: false,
      codec: createZlibCodec(),
      clock: this.clock,
      entropy: this.#entropy(),
      counters,
      handshakeMs: 10_000,
      idleMs: 20_000,
      schedule: (run) => void setImmediate(run),
    };
  }

  #entropy(): Entropy {
    const { random } = this.#options;
    return { bytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)) };
  }

  #createNode(privateKey: Uint8Array): RunningNode {
    const { suite, recording, events } = this.#options;
    const { genesis } = recording;
    const store = storeOf(recording.disk);
    return new RunningNode(
      {
        build: BUILD,
        chainId: CHAIN_ID,
        supportedVersion: NEWEST_VERSION,
        suite,
        privateKey,
        groups: {
          folders: { config: "conf/", data: "data/" },
          format: jsonGroupFormat({ minBlockGenerationTimeMs: 50 }),
          fixed: [genesis],
        },
      },
      {
        clock: this.clock,
        entropy: this.#entropy(),
        log: { write: (level, message, fields) => events.line(level, message, fields) },
        compute: createInlineCompute(suite),
        network: this.#networkPort(),
        files: createStoreFiles(store),
        openStore: async () => ({ ...store, close: async () => undefined }),
        openExecutor: async () =>
          createBlockProcessor({ suite, version: NEWEST_VERSION, genesis, store }),
      },
    );
  }

  #networkPort(): Network {
    return {
      self: this.self,
      peers: () => [],
      start: async (events) => {
        this.#network = events;
      },
      send: (to, message) => this.#links.get(to)?.send(message),
      stop: async () => {
        this.#network = undefined;
        for (const link of [...this.#links.values()]) link.end({ reason: "this node stops" });
      },
    };
  }
}

/** Fresh counters of the network. */
export const targetCounters = newCounters;
