/** The network of a node with files of its own. Source: node-network 1, 2 */
import { LogOnce } from "../../../core/limits/log-throttle.ts";
import type { Log } from "../../../core/ports/log.ts";
import { createChainVerifier } from "../../formats/certificates/certificate-chain.ts";
import type { NodeIdentity } from "../../folder/node-identity.ts";
import type { OtherCopy } from "../../shared/p2p/copy-fault.ts";
import type { P2pNetwork, VerifyChain } from "../../shared/p2p/p2p-options.ts";
import { createNodeClock } from "../machine/clock.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import type { Undo } from "../machine/undo.ts";
import { createNodeP2pNetwork, nodeTransports } from "../p2p/p2p-node.ts";
import {
  readWebSocketFiles,
  watchWebSocketFiles,
  webSocketPaths,
} from "../p2p/web-socket-files.ts";
import type { Machinery } from "../threads/machinery.ts";
import type { OpenFolder } from "./open-folder.ts";

/** Who joins, and who is notified of a copy. */
export interface NetworkParts {
  readonly folder: OpenFolder;
  readonly identity: NodeIdentity;
  readonly machinery: Machinery;
  readonly onCopy: (copy: OtherCopy) => void;
}

/** Certificates without a role are accepted, and each is reported once. Source: decision 29 */
export function chainVerifier(
  { authorities }: Pick<NodeIdentity, "authorities">,
  log: Log,
): VerifyChain {
  const verify = createChainVerifier(authorities);
  const gate = new LogOnce<string>();
  return (chain, now) => {
    const verdict = verify(chain, now);
    if (verdict.ok && verdict.role === "none" && gate.allows(verdict.nodeId))
      log.write("warning", "a peer's certificate does not say what it is for: renew it", {
        node: verdict.node,
        agency: verdict.agency,
        nodeId: verdict.nodeId,
      });
    return verdict;
  };
}

/** Makes the network, which begins with its node. @throws FolderFault of the files for wss */
export async function openNetwork(parts: NetworkParts, undo: Undo): Promise<P2pNetwork> {
  const { folder, identity, machinery, onCopy } = parts;
  const { p2p, chain, blacklist, whitelist } = folder.config;
  const { log } = folder.lines;
  const paths = webSocketPaths(folder.home, p2p.webSocket);
  const webSocket = paths && (await readWebSocketFiles(paths));
  const network = createNodeP2pNetwork({
    transports: nodeTransports(webSocket),
    chainId: chain.chainId,
    suite: machinery.suite,
    privateKey: identity.key.privateKey,
    certificates: identity.certificates,
    verifyChain: chainVerifier(identity, log),
    listen: {
      host: p2p.listen.ip,
      port: p2p.listen.port,
      webSocketPort: p2p.webSocket?.port,
      webSocketHost: p2p.webSocket?.ip,
      isSecure: webSocket !== undefined,
    },
    relay: { serves: p2p.webSocket !== undefined, listens: false },
    peers: p2p.peers.map(endpointText),
    blacklist,
    whitelist,
    compress: p2p.compress,
    handshakeLevel: p2p.connectionWarning ? "warning" : "info",
    onCopy,
    log,
  });
  if (paths && webSocket) {
    const renew = network.renewWebSocket;
    const watch = { paths, files: webSocket, clock: createNodeClock(), log, renew };
    const end = watchWebSocketFiles(watch);
    undo.add(async () => end());
  }
  return network;
}
