/** A node on the threads of its process, with files on the disk, and a post to watch it from. */
import { type NodeOptions, RunningNode } from "../../../core/node/create-node.ts";
import type { NodePorts } from "../../../core/node/options/node-ports.ts";
import type { Network } from "../../../core/ports/network.ts";
import { createDiskFiles } from "../../folder/disk-files.ts";
import { createWatchPost, type WatchPost } from "../../shared/theatre/live/watch-post.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { createNodeClock } from "../machine/clock.ts";
import { type LedgerPlaces, ledgerPorts } from "./ledger-ports.ts";

interface NodePlaces extends Omit<LedgerPlaces, "version"> {
  /** Its folder. */
  readonly home: string;
  readonly network: Network;
  /** Puts something around the ports, or next to them; as they are when absent. */
  readonly adapt?: (ports: NodePorts) => NodePorts;
}

/** A node that does not run yet, and where it is watched from. */
export interface WatchedNode {
  readonly node: RunningNode;
  readonly post: WatchPost;
}

/** Makes a node. */
export function createWatchedNode(
  places: NodePlaces,
  options: Omit<NodeOptions, "build" | "suite" | "inspect">,
): WatchedNode {
  const { machinery, home, log, network, adapt = (ports) => ports } = places;
  const { suite, entropy, compute } = machinery;
  const { chainId, supportedVersion: version } = options;
  const clock = createNodeClock();
  const post = createWatchPost({ suite, chainId, clock });
  const ports = { clock, entropy, log, compute, network: post.tap(network) };
  const files = createDiskFiles(home);
  const node = new RunningNode(
    { ...options, build: BUILD_INFO, suite, inspect: post.gallery },
    adapt({ ...ports, files, ...ledgerPorts({ ...places, version }) }),
  );
  post.attach(node);
  return { node, post };
}
