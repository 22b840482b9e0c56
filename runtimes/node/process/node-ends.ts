/** Where clients reach a node with files of its own: the RPC port and the port of SDKs. */
import { resolve } from "node:path";
import type { NodeApi } from "../../../core/api/node-api.ts";
import { DEFAULT_MAX_BODY_BYTES } from "../../shared/http-app.ts";
import { limitRequests } from "../../shared/rate-limit.ts";
import { createNodeClock } from "../machine/clock.ts";
import type { Undo } from "../machine/undo.ts";
import type { ShownNode } from "../observe/observation.ts";
import type { ChannelPort } from "../server/channel-port.ts";
import { nodePage, openRpcEnd } from "../server/rpc-end.ts";
import type { WatchedNode } from "../threads/watched-node.ts";
import { readManagement } from "../machine/node-management.ts";
import { openNodeChannel, readAccessRules, readingRules } from "./node-channel.ts";
import type { OpenFolder } from "./open-folder.ts";

interface NodeEndsParts extends WatchedNode {
  readonly folder: OpenFolder;
  /** What requests are answered by. */
  readonly api: NodeApi;
  readonly shown: ShownNode;
  readonly onFailure: ((cause: unknown) => void) | undefined;
}

/**
 * Opens the ports; `undo` closes that of SDKs, stops the node and closes the RPC port.
 * @throws ListenFault, FolderFault, ConfigFault
 */
export async function openEnds(parts: NodeEndsParts, undo: Undo) {
  const { node, post, folder, shown, onFailure } = parts;
  const { path, home, config } = folder;
  const { log } = folder.lines;
  const { jsonrpc, liveView: access, httpRequestsPerSecond: rate } = config.rpc;
  const { observe, health } = shown;
  const rules = { path, folder: resolve(home, config.groups.configPath), log };
  let channel: ChannelPort | undefined;
  const api = readingRules(parts.api, rules, () => channel);
  const rpc = {
    node: api,
    maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
    page: config.rpc.page ? nodePage({ dev: false }) : undefined,
    // Off unless it is set. Source: node-network 6
    admit: rate === undefined ? undefined : limitRequests(rate, createNodeClock()),
    log,
    observe,
    health,
  };
  const { allowedHosts, allowedOrigins } = config.rpc;
  const management = await readManagement(home, config.rpc.management);
  const lists = { allowedHosts, allowedOrigins, management };
  const address = { host: jsonrpc.ip, port: jsonrpc.port, lists };
  const live = { post, access };
  const { server, webSockets } = await openRpcEnd({ node, address, rpc, live }, undo);
  shown.webSocketsOpened(webSockets);
  if (onFailure) node.onFailure((cause, groupId) => groupId === undefined && onFailure(cause));
  undo.add(() => node.stop());
  channel = await openNodeChannel({ node, api, rules, home, config, observe, log }, undo);
  shown.channelOpened(channel);
  /** Reads lists and limits of SDKs again and has the port follow them. */
  const replaceRules = async () =>
    channel?.replaceRules(await readAccessRules(rules, channel.rules()));
  return { server, channel, replaceRules };
}
