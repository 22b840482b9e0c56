/**
 * A tab or an object of an edge platform in a real network: what a `RunningNode` needs to be a
 * member of a chain of other machines. A page loads it on demand: a chain that lies in the tab
 * alone has no use for libp2p. Source: node-network 1, 2
 */
import { noise } from "@libp2p/noise";
import { webSockets } from "@libp2p/websockets";
import type { NodeId } from "../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import type { GenesisConfig } from "../../core/model/config.ts";
import type { Version } from "../../core/model/version.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Entropy } from "../../core/ports/entropy.ts";
import type { Log } from "../../core/ports/log.ts";
import type { PeerInfo } from "../../core/ports/network.ts";
import { createChainVerifier } from "../formats/certificates/certificate-chain.ts";
import type { OtherCopy } from "../shared/p2p/copy-fault.ts";
import { createP2pNetwork } from "../shared/p2p/p2p-network.ts";
import type { P2pNetwork } from "../shared/p2p/p2p-options.ts";
import { laterTurn } from "../shared/platform/web-platform.ts";
import { checkBundle } from "./join-bundle.ts";
import type { JoinRequest } from "./join-request.ts";

/** What a joining node works with. */
export interface JoinPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly suite: CryptoSuite;
  /** The node's key, 32 bytes. */
  readonly privateKey: Uint8Array;
  /** Whether the page came over https; what the worker's own address says when absent. */
  readonly isSecurePage?: boolean;
  /** Runs a function in a later turn; a timer when absent, which browsers slow down. */
  readonly schedule?: (run: () => void) => void;
  /** Another node with this node's key was met. Source: decision 25 */
  readonly onCopy?: (copy: OtherCopy) => void;
}

/** What joining adds to a node. */
export interface Joined {
  readonly nodeId: NodeId;
  readonly chainId: number;
  readonly supportedVersion: Version;
  readonly network: P2pNetwork;
  readonly genesis: readonly GenesisConfig[];
  /** What getNodeInfo says: it listens nowhere. */
  readonly listen: Omit<PeerInfo, "nodeId">;
}

/** Endpoint of a node that no address leads to. Source: node-network 5 */
const NO_ADDRESS = "0.0.0.0:0";

/**
 * Prepares a node for a network; nothing is dialled before the network starts.
 * @throws JoinFault for what does not fit together
 */
export async function prepareJoin(request: JoinRequest, ports: JoinPorts): Promise<Joined> {
  const { clock, entropy, log, suite, privateKey } = ports;
  const { isSecurePage = location.protocol === "https:" } = ports;
  const context = { suite, privateKey, now: clock.now(), isSecurePage };
  const bundle = checkBundle(request, context);
  const { nodeId, membership, genesis, supportedVersion } = bundle;
  const network = createP2pNetwork({
    chainId: request.chainId,
    suite,
    privateKey,
    certificates: bundle.certificates,
    verifyChain: createChainVerifier(bundle.authorities),
    listen: { host: "0.0.0.0" },
    peers: bundle.peers,
    transports: { transports: [webSockets()], connectionEncrypters: [noise()] },
    // The compressor of browsers answers later, the codec at once: messages come as they are.
    codec: undefined,
    relay: { serves: false, listens: true },
    clock,
    entropy,
    log,
    schedule: ports.schedule ?? laterTurn,
    ...(ports.onCopy ? { onCopy: ports.onCopy } : {}),
  });
  const { agency, node } = membership;
  const listen = { endpoint: NO_ADDRESS, agency, node, topics: [] };
  return { nodeId, chainId: request.chainId, supportedVersion, network, genesis, listen };
}
