/**
 * Dials the configured peers with the key of a node that does not run, to see who accepts it. No
 * group takes part, nothing listens, and the sessions end at once.
 */
import { lookup } from "node:dns/promises";
import { createChainVerifier } from "../../formats/certificates/certificate-chain.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import type { NodeIdentity } from "../../folder/node-identity.ts";
import { healthOfPeers } from "../../shared/health.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { isOfThisHost } from "../machine/own-address.ts";
import { createNodeP2pNetwork } from "../p2p/p2p-node.ts";

const PATIENCE_MS = 6_000;
const POLL_MS = 50;

/** Whether a host is this one. */
async function isHere(host: string): Promise<boolean> {
  const found = await lookup(host).catch(() => undefined);
  return isOfThisHost(found?.address);
}

/** The configured peers without the node itself, which does not listen now. */
async function othersOf({ p2p }: NodeConfig): Promise<readonly string[]> {
  const { port } = p2p.listen;
  const isSelf = await Promise.all(
    p2p.peers.map(async (peer) => peer.port === port && (await isHere(peer.host))),
  );
  return p2p.peers.filter((_, index) => !isSelf[index]).map(endpointText);
}

const pause = () => new Promise<void>((resume) => void setTimeout(resume, POLL_MS));

/** Tries for a few seconds. */
export async function tryPeers(config: NodeConfig, identity: NodeIdentity) {
  const { p2p, chain } = config;
  const network = createNodeP2pNetwork({
    chainId: chain.chainId,
    suite: await createChainSuite(config.identity.suite),
    privateKey: identity.key.privateKey,
    certificates: identity.certificates,
    verifyChain: createChainVerifier(identity.authorities),
    listen: { host: p2p.listen.ip },
    peers: await othersOf(config),
    compress: p2p.compress,
    log: { write: () => undefined },
  });
  const ignore = () => undefined;
  await network.start({ message: ignore, peerUp: ignore, peerDown: ignore });
  try {
    const end = performance.now() + PATIENCE_MS;
    const isOpen = () =>
      network.endpointStates().some(({ state, reason }) => state === "waiting" && !reason) ||
      network.peers().some(({ nodeId }) => network.rttMs(nodeId) === undefined);
    while (isOpen() && performance.now() < end) await pause();
    return { endpoints: network.endpointStates(), peers: healthOfPeers(network.peers(), network) };
  } finally {
    await network.stop();
  }
}
