/**
 * Relays: browser tabs cannot be dialled, so they reserve a place with a peer that can, and others
 * reach them through it. A relayed connection is a connection like any other: it has its own
 * encryption and its own certificate exchange, end to end. Only nodes that have proved their
 * certificates get a place, or a way through. Source: node-network 1, 5
 */
import {
  type CircuitRelayServerComponents,
  type CircuitRelayService,
  circuitRelayServer,
  circuitRelayTransport,
} from "@libp2p/circuit-relay-v2";
import {
  type Connection,
  type Libp2p,
  type PeerId,
  type Stream,
  type StreamHandler,
  type StreamHandlerOptions,
  serviceCapabilities,
} from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import type { Libp2pOptions } from "libp2p";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { pauseMs } from "../../../core/network/admission.ts";
import {
  decodeRelayList,
  encodeRelayList,
  MAX_RELAY_LIST_BYTES,
  MAX_RELAYED,
  RELAY_LIST_PROTOCOL,
  type Relayed,
} from "../../../core/network/relay-list.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import { inFrontOf } from "./in-front.ts";
import type { RelayRoles } from "./p2p-options.ts";
import type { PeerLink } from "./peer-link.ts";

/** The network that the relay part belongs to. */
export interface RelayHost {
  readonly self: NodeId;
  /** The session of a peer that has proved its certificate; by its identity in the channel. */
  certified(peerId: PeerId): PeerLink | undefined;
  activeLinks(): readonly PeerLink[];
  /** Whether a session with a node is missing and admitted. */
  wants(nodeId: NodeId): boolean;
  /** Dials and waits for the session; never rejects. Gives whether it came to one. */
  dial(address: string): Promise<boolean>;
}

interface RelayManagerOptions {
  readonly roles: RelayRoles;
  readonly clock: Clock;
  readonly log: Log;
}

/** Nodes that could not be reached of which it is remembered. */
const MOST_MISSED = 4 * MAX_RELAYED;
/** How long one question to a relay may take. */
const LIMIT_MS = 10_000;

/** The part of libp2p's relay transport that makes reservations. */
interface Reservations {
  hasReservation(peer: PeerId): boolean;
  addRelay(peer: PeerId, type: "configured"): Promise<unknown>;
}

function reservationsOf(transport: object): Reservations | undefined {
  if (!("reservationStore" in transport)) return undefined;
  return transport.reservationStore as Reservations;
}

/** A node that could not be reached through a relay. */
interface Missed {
  failures: number;
  /** Steady time of the next attempt. */
  nextAt: number;
}

/** One per network; a class because it owns reservations. */
export class RelayManager {
  readonly #options: RelayManagerOptions;
  readonly #host: RelayHost;
  readonly #missed = new Map<NodeId, Missed>();
  readonly #asking = new Set<PeerLink>();
  #server: CircuitRelayService | undefined;
  #reservations: Reservations | undefined;

  constructor(options: RelayManagerOptions, host: RelayHost) {
    this.#options = options;
    this.#host = host;
  }

  /** Streams that a connection may have besides the one of the session. */
  get streams(): number {
    return MAX_RELAYED;
  }

  /** What libp2p is made with for it. */
  parts(): Required<Pick<Libp2pOptions, "transports" | "connectionGater" | "services">> {
    const { serves } = this.#options.roles;
    const isMember = (peer: PeerId) => this.#host.certified(peer) !== undefined;
    return {
      transports: [
        (components) => {
          const make = circuitRelayTransport({ maxInboundStopStreams: MAX_RELAYED });
          const transport = make(this.#behindExchange(components));
          this.#reservations = reservationsOf(transport);
          return transport;
        },
      ],
      connectionGater: {
        // Browsers would refuse addresses of this machine and of private networks.
        denyDialMultiaddr: () => false,
        denyInboundRelayReservation: (source) => !isMember(source),
        denyOutboundRelayedConnection: (source, target) => !isMember(source) || !isMember(target),
        denyInboundRelayedConnection: (relay) => !isMember(relay),
      },
      services: {
        // Relays are known by the certificate exchange; the protocol that would ask unknown peers
        // for their addresses is not spoken.
        known: () => ({ [serviceCapabilities]: ["@libp2p/identify"] }),
        ...(serves ? { relay: (components) => this.#serve(components) } : {}),
      },
    };
  }

  /** Answers members that ask who can be reached here. */
  async begin(libp2p: Libp2p): Promise<void> {
    if (!this.#options.roles.serves) return;
    const options = { maxInboundStreams: 1 };
    await libp2p.handle(
      RELAY_LIST_PROTOCOL,
      this.#forMembers((stream) => this.#tell(stream)),
      options,
    );
  }

  /** Reservations keep no process alive, and none outlives its network. */
  end(): void {
    for (const { signal } of this.#server?.reservations.values() ?? []) signal.clear();
    this.#server?.reservations.clear();
    this.#missed.clear();
  }

  /** Asks the relays among the peers, as often as the heart beats. */
  beat(): void {
    for (const link of this.#host.activeLinks()) this.linkUp(link);
  }

  /** A session with a peer has begun. */
  linkUp(link: PeerLink): void {
    if (link.relays && !isRelayed(link.connection)) void this.#ask(link);
  }

  /** A session is over: its place is free. */
  linkDown({ connection: { remotePeer } }: PeerLink): void {
    const { reservations } = this.#server ?? {};
    reservations?.get(remotePeer)?.signal.clear();
    reservations?.delete(remotePeer);
  }

  #serve(components: CircuitRelayServerComponents): CircuitRelayService {
    const make = circuitRelayServer({
      hopTimeout: LIMIT_MS,
      maxInboundHopStreams: MAX_RELAYED,
      maxOutboundStopStreams: MAX_RELAYED,
      // Blocks are downloaded through it: how long and how much is the session's business.
      reservations: { maxReservations: MAX_RELAYED, applyDefaultLimit: false },
    });
    this.#server = make(this.#behindExchange(components));
    return this.#server;
  }

  /** Parts of libp2p whose protocols are answered to members only. Source: node-network 1 */
  #behindExchange<T extends Pick<CircuitRelayServerComponents, "registrar">>(components: T): T {
    const handle = (protocol: string, handler: StreamHandler, options?: StreamHandlerOptions) =>
      components.registrar.handle(protocol, this.#forMembers(handler), options);
    const own = {
      get registrar() {
        return inFrontOf(components.registrar, { handle });
      },
    };
    return inFrontOf(components, own as Partial<T>);
  }

  #forMembers(handler: StreamHandler): StreamHandler {
    return async (stream, connection) => {
      if (this.#host.certified(connection.remotePeer)?.connection === connection) {
        await handler(stream, connection);
        return;
      }
      stream.abort(new DOMException("no certificate was shown", "NotAllowedError"));
    };
  }

  async #tell(stream: Stream): Promise<void> {
    const list: Relayed[] = [];
    for (const peerId of this.#server?.reservations.keys() ?? []) {
      const nodeId = this.#host.certified(peerId)?.peer?.nodeId;
      if (nodeId !== undefined) list.push({ nodeId, peerId: peerId.toString() });
    }
    const signal = AbortSignal.timeout(LIMIT_MS);
    await lpStream(stream).write(encodeRelayList(list), { signal });
    await stream.close({ signal });
  }

  async #ask(link: PeerLink): Promise<void> {
    if (this.#asking.has(link)) return;
    this.#asking.add(link);
    const { connection } = link;
    try {
      await this.#reserve(connection);
      for (const other of await listOf(connection)) await this.#consider(link, other);
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause);
      this.#options.log.write("debug", "a relay did not answer", { cause: text });
    } finally {
      this.#asking.delete(link);
    }
  }

  async #reserve({ remotePeer }: Connection): Promise<void> {
    const { roles, log } = this.#options;
    if (!roles.listens || this.#reservations?.hasReservation(remotePeer) !== false) return;
    await this.#reservations.addRelay(remotePeer, "configured");
    const node = this.#host.certified(remotePeer)?.peer?.node;
    log.write("info", "this node can be reached through a peer", { node });
  }

  /** Dials a node that no other way leads to. */
  async #consider(link: PeerLink, { nodeId, peerId }: Relayed): Promise<void> {
    const { clock, roles } = this.#options;
    if (nodeId === this.#host.self || !this.#host.wants(nodeId)) {
      this.#missed.delete(nodeId);
      return;
    }
    const missed = this.#missed.get(nodeId);
    const now = clock.steady();
    if (missed && missed.nextAt > now) return;
    // Of two that see each other in the list one dials; the other one if that comes to nothing.
    const waits = roles.listens && nodeId < this.#host.self && !missed;
    const relay = connectionAddress(link.connection);
    const done = !waits && (await this.#host.dial(`${relay}/p2p-circuit/p2p/${peerId}`));
    if (done) {
      this.#missed.delete(nodeId);
      return;
    }
    const failures = missed ? missed.failures + 1 : 0;
    // The newest come last: what a relay invents does not stay for ever.
    this.#missed.delete(nodeId);
    this.#missed.set(nodeId, { failures, nextAt: now + pauseMs(failures, 0) });
    for (const oldest of this.#missed.keys()) {
      if (this.#missed.size <= MOST_MISSED) break;
      this.#missed.delete(oldest);
    }
  }
}

function isRelayed({ remoteAddr }: Connection): boolean {
  return remoteAddr.toString().includes("/p2p-circuit");
}

/** The address of a connection with the identity of its other end. */
function connectionAddress({ remoteAddr, remotePeer }: Connection): string {
  return `${remoteAddr.toString().replace(/\/p2p\/.*$/, "")}/p2p/${remotePeer.toString()}`;
}

async function listOf(connection: Connection): Promise<readonly Relayed[]> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const stream = await connection.newStream(RELAY_LIST_PROTOCOL, { signal });
  const answer = await lpStream(stream, { maxDataLength: MAX_RELAY_LIST_BYTES }).read({ signal });
  await stream.close({ signal });
  return decodeRelayList(answer.slice()) ?? [];
}
