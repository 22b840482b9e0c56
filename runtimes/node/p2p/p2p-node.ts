/** The libp2p network of a Node process: TCP between servers, WebSocket for browsers and edge. */
import "../../shared/p2p/polyfills.ts";
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";

import { webSockets } from "@libp2p/websockets";
import { count } from "../../shared/p2p/counters.ts";
import { compressOnce, type MessageCodec } from "../../shared/p2p/message-codec.ts";
import { createP2pNetwork, DEFAULT_TIMING } from "../../shared/p2p/p2p-network.ts";
import type {
  P2pNetwork,
  P2pOptions,
  P2pTransports,
  WebSocketFiles,
} from "../../shared/p2p/p2p-options.ts";
import { createNodeClock } from "../machine/clock.ts";
import { createNodeEntropy } from "../machine/entropy.ts";
import { PeerPorts } from "./peer-ports.ts";
import { tls } from "./tls-channel.ts";

/** What a node process chooses; the rest follows from the platform. */
export interface NodeP2pOptions
  extends Omit<P2pOptions, "transports" | "codec" | "clock" | "entropy" | "schedule" | "inbound">,
    Partial<Pick<P2pOptions, "transports" | "clock" | "entropy">> {
  /** `p2p.enable_compress`. Source: node-network 3 */
  readonly compress?: boolean;
}

/** Raw deflate at its fastest level: the main thread pays for it. */
export function createZlibCodec(): MessageCodec {
  return {
    compress: (bytes) => deflateRawSync(bytes, { level: constants.Z_BEST_SPEED }),
    expand(bytes, limitBytes) {
      try {
        const expanded = inflateRawSync(bytes, { maxOutputLength: limitBytes });
        return new Uint8Array(expanded.buffer, expanded.byteOffset, expanded.length);
      } catch {
        // zlib throws for malformed input and for an output above the limit.
        return undefined;
      }
    },
  };
}

/**
 * What a WebSocket holds before it counts as full: many times that in memory when it is answers of
 * some bytes each. A longer message goes whole.
 */
const WEB_SOCKET_BUFFER_BYTES = 1024 * 1024;

/** TCP and WebSocket, with files wss; TLS where both ends have it, noise with browsers. */
export function nodeTransports(webSocket?: WebSocketFiles): P2pTransports {
  const https = webSocket && { https: { ...webSocket } };
  const sockets = webSockets({ maxBufferedAmount: WEB_SOCKET_BUFFER_BYTES, ...https });
  return { transports: [tcp(), sockets], connectionEncrypters: [tls(), noise()] };
}

/** A network over this machine's sockets. */
export function createNodeP2pNetwork(options: NodeP2pOptions): P2pNetwork {
  const { compress = true, transports = nodeTransports(), ...rest } = options;
  const { clock = createNodeClock(), timing, log } = rest;
  const { handshakeMs } = { ...DEFAULT_TIMING, ...timing };
  const onMalformed = () => count(network.counters().rejected, "malformed");
  const inbound = new PeerPorts({ log, clock, handshakeMs, onMalformed });
  const network: P2pNetwork = createP2pNetwork({
    entropy: createNodeEntropy(),
    ...rest,
    clock,
    inbound,
    transports: inbound.before(transports),
    codec: compress ? compressOnce(createZlibCodec()) : undefined,
    schedule: (run) => setImmediate(run),
  });
  return network;
}
