/** What libp2p is made with: addresses, transports and bounds. Source: node-network 2 */
import type { Libp2p, PeerId, PrivateKey } from "@libp2p/interface";
import { yamux } from "@libp2p/yamux";
import type { Libp2pOptions } from "libp2p";
import type { CertificateBus } from "./certificate-bus.ts";
import type { ConnectionWatch } from "./connection-watch.ts";
import { listenAddress } from "./endpoint.ts";
import type { P2pOptions } from "./p2p-options.ts";
import type { RelayManager } from "./relay.ts";

/** Sessions and connections under way at most. */
export const DEFAULT_MAX_PEERS = 256;
/** Unauthenticated peers that the node keeps at the two ports; they take no place of a member. */
export const UNAUTHENTICATED = 2 * 256;
/** Connections of one host in a second: a whole chain may share a host. */
const CONNECTIONS_PER_SECOND = 64;
/** Streams that a peer may open at once; it needs one. */
export const MAX_STREAMS = 4;
/** What a stream may hold while this node is busy. */
const READ_BUFFER_BYTES = 16 * 1024 * 1024;

interface Libp2pParts {
  readonly key: PrivateKey;
  readonly handshakeMs: number;
  readonly relay: RelayManager | undefined;
  readonly certificates: CertificateBus;
  readonly watch: ConnectionWatch;
}

function addressesOf({ listen }: P2pOptions): string[] {
  const { host, port, webSocketPort, webSocketHost = host, isSecure = false } = listen;
  const addresses: string[] = [];
  if (port !== undefined) addresses.push(listenAddress(host, port, "tcp"));
  if (webSocketPort !== undefined)
    addresses.push(listenAddress(webSocketHost, webSocketPort, isSecure ? "wss" : "ws"));
  return addresses;
}

/** The options of a node that is not started. */
export function libp2pOptionsOf(options: P2pOptions, parts: Libp2pParts): Libp2pOptions {
  const { transports, maxPeers = DEFAULT_MAX_PEERS } = options;
  const { key, handshakeMs, relay, certificates, watch } = parts;
  const streams = MAX_STREAMS + (relay?.streams ?? 0);
  const streamOptions = { maxReadBufferLength: READ_BUFFER_BYTES };
  const limits = { maxInboundStreams: streams, maxOutboundStreams: streams };
  const extra = relay?.parts();
  return {
    ...extra,
    ...transports,
    transports: watch.over([...transports.transports, ...(extra?.transports ?? [])]),
    services: { ...extra?.services, certificates: certificates.service },
    start: false,
    privateKey: key,
    addresses: { listen: addressesOf(options) },
    streamMuxers: [watch.muxer(yamux({ ...limits, streamOptions }))],
    connectionMonitor: { enabled: false },
    connectionManager: {
      maxConnections: 2 * maxPeers + UNAUTHENTICATED,
      inboundConnectionThreshold: CONNECTIONS_PER_SECOND,
      // One number for all addresses would let one of them keep out the others. The port counts
      // them by address; what comes through a relay is counted by its streams.
      maxIncomingPendingConnections: Infinity,
      inboundUpgradeTimeout: handshakeMs,
      dialTimeout: handshakeMs,
      reconnectRetries: 0,
    },
  };
}

/**
 * Keeps the notes to peers that are connected. libp2p notes every peer that opens a stream or is
 * dialled, and forgets none: each unauthenticated peer with a new key would leave an entry for
 * ever. Nothing here asks for these notes, so they go with the last connection of the peer.
 */
export function forgetPeers(libp2p: Libp2p): void {
  const forget = (peer: PeerId) => {
    if (libp2p.getConnections(peer).length > 0) return;
    // A store that is closing forgets everything anyway.
    libp2p.peerStore.delete(peer).catch(() => {});
  };
  libp2p.addEventListener("peer:disconnect", ({ detail }) => forget(detail));
  // A note may be written after the connection has ended: its stream was being opened.
  libp2p.addEventListener("peer:update", ({ detail }) => forget(detail.peer.id));
}
