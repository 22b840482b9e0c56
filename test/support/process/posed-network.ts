/** A network that poses as a node of a chain of processes: with its key and its certificate. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../../core/ports/log.ts";
import { createChainVerifier } from "../../../runtimes/formats/certificates/certificate-chain.ts";
import { readNodeConfig } from "../../../runtimes/formats/config/node-config.ts";
import { createNodeSuite } from "../../../runtimes/node/machine/backends.ts";
import { readIdentity } from "../../../runtimes/folder/node-identity.ts";
import { createNodeP2pNetwork } from "../../../runtimes/node/p2p/p2p-node.ts";
import type { P2pNetwork } from "../../../runtimes/shared/p2p/p2p-options.ts";
import type { NodeProcess } from "./node-processes.ts";

const SILENT: Log = { write: () => undefined };

/** Key and certificates of a node, from its folder. */
export function identityOf({ folder }: NodeProcess) {
  const conf = (name: string) => join(folder, "conf", name);
  const paths = { key: conf("node.key"), cert: conf("node.crt"), caCert: conf("ca.crt") };
  return readIdentity({ ...paths, caPath: undefined }, Date.now());
}

/** Dials one node as another, once it is started. */
export async function posedNetwork(
  as: NodeProcess,
  to: NodeProcess,
  log: Log = SILENT,
): Promise<P2pNetwork> {
  const path = join(to.folder, "config.ini");
  const { port } = readNodeConfig(await readFile(path, "utf8"), path).value.p2p.listen;
  const identity = await identityOf(as);
  return createNodeP2pNetwork({
    chainId: 1,
    suite: await createNodeSuite(),
    privateKey: identity.key.privateKey,
    certificates: identity.certificates,
    verifyChain: createChainVerifier(identity.authorities),
    listen: { host: "127.0.0.1" },
    peers: [`127.0.0.1:${port}`],
    log,
  });
}
