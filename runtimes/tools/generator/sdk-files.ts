/** The files of an SDK folder besides its certificates. Source: generator 6.4 */
import type { FileToWrite } from "../../folder/whole-files.ts";
import { ENDPOINT, type Endpoint } from "../../formats/config/config-kinds.ts";
import type { DeployedNode } from "./input/deployment-ini.ts";
import { isAnyAddress, isLoopback } from "./input/hosts.ts";
import { fillTemplate, type SdkTarget, type ToolTemplates } from "./tool-templates.ts";

/** Where an SDK reaches a port that is listened on at an address. */
function dialled(listening: string, node: DeployedNode, port: number): Endpoint {
  return { host: isAnyAddress(listening) ? node.endpoint.host : listening, port };
}

/** Where the channel port of a node is dialled: the reference pairs it with rpc_ip. */
function channelOf(node: DeployedNode): Endpoint {
  const { channelIp, rpcIp, endpoint, ports } = node;
  if (!isAnyAddress(channelIp)) return { host: channelIp, port: ports.channel };
  // From another host the loopback address leads nowhere.
  const isApart = isLoopback(rpcIp) && !isLoopback(endpoint.host);
  return dialled(isApart ? channelIp : rpcIp, node, ports.channel);
}

/** What an SDK of an agency connects to. */
export function sdkTarget(
  nodes: readonly DeployedNode[],
  known: Pick<SdkTarget, "groupId" | "agency" | "isNational">,
): SdkTarget {
  const channels = nodes.map(channelOf);
  const rpcs = nodes.map((node) => dialled(node.rpcIp, node, node.ports.rpc));
  return { ...known, channels, rpcs };
}

/** connection.json: what the SDK in TypeScript connects with. */
function connectionText({ groupId, isNational, channels, rpcs }: SdkTarget): string {
  const connection = {
    groupId,
    suite: isNational ? "national" : "standard",
    channels: channels.map(ENDPOINT.write),
    rpc: rpcs.map((each) => `http://${ENDPOINT.write(each)}`),
    ca: "ca.crt",
    cert: "sdk.crt",
    key: "sdk.key",
  };
  return `${JSON.stringify(connection, undefined, 2)}\n`;
}

/** applicationContext.xml, config.toml and connection.json. Source: generator 6.4 */
export function connectionFiles(target: SdkTarget, { tool }: ToolTemplates): FileToWrite[] {
  const filled = (path: "applicationContext.xml" | "config.toml"): FileToWrite => ({
    path,
    text: fillTemplate(tool[path], target),
    use: "text",
  });
  return [
    filled("applicationContext.xml"),
    filled("config.toml"),
    { path: "connection.json", text: connectionText(target), use: "text" },
  ];
}
