/** A node with files of its own, before it runs. Source: groups 8 */
import { resolve } from "node:path";
import { warningText } from "../../formats/config/config-fault.ts";
import { iniGroupFormat } from "../../formats/config/group-ini-format.ts";
import type { NodeIdentity } from "../../folder/node-identity.ts";
import type { P2pNetwork } from "../../shared/p2p/p2p-options.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import type { Undo } from "../machine/undo.ts";
import { DiskWatch } from "../observe/disk-watch.ts";
import { startTelemetry } from "../observe/telemetry.ts";
import type { Telemetry } from "../observe/telemetry-terms.ts";
import { createPeerList } from "../p2p/peer-list.ts";
import { createCopyGuard } from "../store/copy-guard.ts";
import { ledgerFolder } from "../store/node-folder.ts";
import type { Machinery } from "../threads/machinery.ts";
import { createWatchedNode, type WatchedNode } from "../threads/watched-node.ts";
import type { OpenFolder } from "./open-folder.ts";

interface NodeParts {
  readonly folder: OpenFolder;
  readonly identity: NodeIdentity;
  readonly machinery: Machinery;
  readonly network: P2pNetwork;
  /** Undefined when no spans are wanted. */
  readonly telemetry: Telemetry | undefined;
}

/** Spans of transactions, when the variables of the process ask for them. */
export async function telemetryOf(
  { config, lines: { log } }: OpenFolder,
  { membership: { nodeId, node, agency } }: NodeIdentity,
  undo: Undo,
): Promise<Telemetry | undefined> {
  const { chainId } = config.chain;
  const facts = { version: BUILD_INFO.version, nodeId, node, agency, chainId };
  const telemetry = await startTelemetry({ env: process.env, facts, log });
  if (telemetry) undo.add(() => telemetry.close());
  return telemetry;
}

/** Makes the node, and what its writes are timed by. */
export function makeNode(parts: NodeParts): WatchedNode & { readonly disk: DiskWatch } {
  const disk = new DiskWatch();
  const { folder, identity, machinery, network, telemetry } = parts;
  const { path, home, config } = folder;
  const { log } = folder.lines;
  const { chain, groups, p2p, rpc } = config;
  const { peersParamLimit: paramLimit, maxNodesLimit: totalLimit } = p2p;
  const { agency, node } = identity.membership;
  const version = chain.supportedVersion;
  const folderOf = (id: number) => ledgerFolder(resolve(home, groups.dataPath), id);
  const watched = createWatchedNode(
    {
      machinery,
      home,
      log,
      network,
      folderOf,
      adapt: (ports) => ({
        ...ports,
        openStore: async (groupId) => disk.watch(groupId, await ports.openStore(groupId)),
        compute: telemetry?.compute(ports.compute) ?? ports.compute,
        openExecutor: telemetry?.openExecutor(ports.openExecutor) ?? ports.openExecutor,
        copyGuard: createCopyGuard(folderOf, machinery.entropy),
      }),
    },
    {
      chainId: chain.chainId,
      supportedVersion: version,
      privateKey: identity.key.privateKey,
      dynamicGroupDisabled: rpc.disableDynamicGroup,
      actAsGroupMember: rpc.actAsGroupMember,
      maxCallOutputBytes: rpc.maxCallOutputBytes,
      outgoingMbit: config.flowControl.outgoingMbit,
      listen: {
        endpoint: endpointText({ host: p2p.listen.ip, port: p2p.listen.port }),
        agency,
        node,
        topics: [],
      },
      peerList: createPeerList({ path, network, paramLimit, totalLimit, log }),
      groups: {
        folders: { config: groups.configPath, data: groups.dataPath },
        format: iniGroupFormat(
          (warning) => log.write(warning.level, warningText(warning)),
          version,
        ),
      },
    },
  );
  return { ...watched, disk };
}
