/**
 * What a node shows of itself: readiness on the RPC port, and metrics on a port of their own when
 * one is configured.
 */
import type { RunningNode } from "../../../core/node/create-node.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import type { NodeIdentity } from "../../folder/node-identity.ts";
import { healthOf, type NodeHealth } from "../../shared/health.ts";
import type { HttpAppOptions } from "../../shared/http-app.ts";
import { ProgressWatch } from "../../shared/progress.ts";
import type { P2pNetwork } from "../../shared/p2p/p2p-options.ts";
import type { ChannelPort } from "../server/channel-port.ts";
import type { WebSockets } from "../server/websocket.ts";
import type { DiskWatch } from "./disk-watch.ts";
import { certificateDaysLeft } from "./own-certificates.ts";
import { folderNumber, type ProcessHealth } from "./port-user.ts";
import { TurnWatch } from "./turn-watch.ts";
import type { Undo } from "../machine/undo.ts";

interface ObservedNode {
  readonly node: RunningNode;
  readonly network: P2pNetwork;
  readonly config: NodeConfig;
  readonly identity: NodeIdentity;
  /** The folder of the node, absolute. */
  readonly home: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly disk: DiskWatch;
}

async function startMetrics(
  observed: ObservedNode,
  { health, turns }: { readonly health: () => NodeHealth; readonly turns: TurnWatch },
  undo: Undo,
) {
  const { node, network, config, identity, home, clock, log } = observed;
  if (!config.metrics) return undefined;
  // Loaded when it is asked for: who has no such port pays nothing.
  const { NodeMetrics } = await import("./metrics.ts");
  const { serveMetrics } = await import("./metrics-server.ts");
  const metrics = new NodeMetrics({
    node: node.api,
    health,
    turns,
    disk: observed.disk,
    counters: () => network.counters(),
    endpoints: () => network.endpointStates(),
    certificateDaysLeft: () => certificateDaysLeft(identity, clock.now()),
    membership: { node: identity.membership.node, agency: identity.membership.agency },
    dataFolder: home,
  });
  undo.add(async () => metrics.close());
  node.onBlock((block) => metrics.onBlock(block));
  const { ip: host, port } = config.metrics;
  const { allowedHosts, allowedOrigins } = config.rpc;
  const lists = { allowedHosts, allowedOrigins };
  const server = await serveMetrics(metrics, { host, port, lists });
  undo.add(() => server.close());
  log.write("info", "metrics are served", { url: `${server.url}/metrics` });
  return metrics;
}

/** What a node is shown through. */
export interface ShownNode extends Pick<HttpAppOptions, "health" | "observe"> {
  /** The port of SDKs listens; undefined when there is none. */
  channelOpened(port: ChannelPort | undefined): void;
  /** The RPC port takes WebSockets. */
  webSocketsOpened(end: WebSockets): void;
}

/**
 * Begins to show a node; works before the node serves.
 * @returns what the RPC port needs
 * @throws ListenFault when the metrics port cannot be listened on
 */
export async function observeNode(observed: ObservedNode, undo: Undo): Promise<ShownNode> {
  const { node, network, identity, home, clock, log } = observed;
  const place = await folderNumber(home);
  const progress = new ProgressWatch({ node: node.api, clock, log });
  const endWatch = progress.begin();
  undo.add(async () => endWatch());
  let port: ChannelPort | undefined;
  const health = (): ProcessHealth => ({
    ...healthOf(node.api, network, (groupId) => progress.stall(groupId), clock.now()),
    pid: process.pid,
    folderNumber: place,
    uptimeSeconds: Math.floor(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
    certificateDaysLeft: certificateDaysLeft(identity, clock.now()),
    ...(port ? { sdks: port.service.counters().sessions } : {}),
    endpoints: network.endpointStates(),
  });
  const turns = new TurnWatch(log, clock);
  undo.add(async () => turns.close());
  const metrics = await startMetrics(observed, { health, turns }, undo);
  const channelOpened: ShownNode["channelOpened"] = (opened) => {
    port = opened;
    if (opened) metrics?.showChannel(() => ({ ...opened.service.counters(), ...opened.figures() }));
  };
  const webSocketsOpened: ShownNode["webSocketsOpened"] = (end) =>
    metrics?.showWebSockets(() => end.counters());
  return {
    health,
    observe: turns.observing(metrics?.observeCall),
    channelOpened,
    webSocketsOpened,
  };
}
