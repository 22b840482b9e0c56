/** How the libp2p network of a node is made, and what it offers beyond the port. */
import type { Libp2pOptions } from "libp2p";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { PeerVersion } from "../../../core/network/handshake.ts";
import type { OutboxBounds } from "../../../core/network/outbox.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Entropy } from "../../../core/ports/entropy.ts";
import type { Log, LogLevel } from "../../../core/ports/log.ts";
import type { Network } from "../../../core/ports/network.ts";
import type { OtherCopy } from "./copy-fault.ts";
import type { P2pCounters } from "./counters.ts";
import type { MessageCodec } from "./message-codec.ts";
import type { EndpointState } from "./static-peers.ts";

/** Time limits of sessions. Source: node-network 2 */
export interface P2pTiming {
  /** From the connection to the session. */
  readonly handshakeMs: number;
  readonly heartbeatMs: number;
  /** A session from which nothing came for this long is closed. */
  readonly idleMs: number;
  /** A start waits that long at most for the first dial to each configured peer. */
  readonly firstRoundMs: number;
}

/** What a certificate chain says, or why it says nothing. */
export type ChainVerdict =
  | { readonly ok: true; readonly nodeId: NodeId; readonly agency: string; readonly node: string }
  | { readonly ok: false; readonly reason: string };

/** Checks a certificate chain, node certificate first, at a moment of the wall clock. */
export type VerifyChain = (chain: readonly Uint8Array[], nowMs: number) => ChainVerdict;

interface P2pListen {
  readonly host: string;
  /** TCP; absent for a node that only dials. */
  readonly port?: number | undefined;
  /** WebSocket, for browsers and edge functions; absent when there is none. */
  readonly webSocketPort?: number | undefined;
  /** Its address, where it is another one. */
  readonly webSocketHost?: string | undefined;
  /** Whether it is wss; the transport then has a certificate. */
  readonly isSecure?: boolean | undefined;
}

/** What wss is served with, as PEM. */
export interface WebSocketFiles {
  readonly cert: string;
  readonly key: string;
}

/** Transports and encryption of a runtime, in the order of preference. */
export type P2pTransports = Required<Pick<Libp2pOptions, "transports" | "connectionEncrypters">>;

/** Where unauthenticated peers stand until they have proved their certificates. */
export interface InboundLimits {
  /** The other end at an endpoint is a member. */
  admit(endpoint: string): void;
  /** Whether an endpoint is a port of this process for certain; false where it cannot tell. */
  leadsHere(endpoint: string): Promise<boolean>;
}

/** What a node does with relays; every node can dial through one. */
export interface RelayRoles {
  /** Carries others: a node with a WebSocket port. */
  readonly serves: boolean;
  /** Wants to be reached through its peers: a browser tab. */
  readonly listens: boolean;
}

/** How a network is made. */
export interface P2pOptions {
  readonly chainId: number;
  readonly suite: CryptoSuite;
  /** The node's key, 32 bytes. */
  readonly privateKey: Uint8Array;
  /** Own certificate chain as DER, node certificate first. */
  readonly certificates: readonly Uint8Array[];
  readonly verifyChain: VerifyChain;
  readonly listen: P2pListen;
  /** `host:port`, `[v6]:port` or multiaddrs. */
  readonly peers: readonly string[];
  readonly blacklist?: readonly string[];
  readonly whitelist?: readonly string[];
  readonly transports: P2pTransports;
  /** Absent where nobody can dial in. */
  readonly inbound?: InboundLimits;
  /** Absent: compression is off. */
  readonly codec?: MessageCodec | undefined;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  /** Level of failed handshakes; absent: warnings. Source: groups 8 (connection_warning) */
  readonly handshakeLevel?: LogLevel | undefined;
  /** Runs a function in a later turn (setImmediate on Node). */
  readonly schedule: (run: () => void) => void;
  /** Another node with this node's key was met. Source: decision 25 */
  readonly onCopy?: (copy: OtherCopy) => void;
  readonly versions?: readonly PeerVersion[];
  readonly bounds?: OutboxBounds;
  readonly timing?: Partial<P2pTiming>;
  readonly maxPeers?: number;
  /** Absent: nothing is relayed, and nobody is reached through a relay. */
  readonly relay?: RelayRoles | undefined;
}

/** The network with what only this implementation has. */
export interface P2pNetwork extends Network {
  /** Configured endpoints. */
  endpoints(): readonly string[];
  /** How each of them stands, for operators. */
  endpointStates(): readonly EndpointState[];
  /** Adds static endpoints at run time; how many were new. Malformed ones are left out. */
  addPeers(endpoints: readonly string[]): number;
  /** Removes static endpoints; how many were known. Sessions stay. */
  erasePeers(endpoints: readonly string[]): number;
  /** Replaces the whitelist and closes sessions outside it. Empty: everybody. */
  setWhitelist(whitelist: readonly string[]): void;
  /** Ends the session of a peer and keeps it out for {@link BAN_MS}. */
  penalise(peer: NodeId, reason: string): void;
  /** Round trip to a peer, from the last heartbeat. */
  rttMs(peer: NodeId): number | undefined;
  /** How far the clock of a peer is ahead; undefined when it does not tell. */
  clockSkewMs(peer: NodeId): number | undefined;
  /** Where it listens, as multiaddrs; empty before the start. */
  addresses(): readonly string[];
  /** A new certificate and key (PEM) for the WebSocket port; connections that are open stay. */
  renewWebSocket(files: WebSocketFiles): void;
  counters(): P2pCounters;
}
