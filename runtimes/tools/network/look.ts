/** `chain-node network status` and `inspect`: how a network is, and everything there is to it. */
import { join } from "node:path";
import { sdkFolder } from "../../folder/authority.ts";
import { colours, isColourful } from "../../node/log/terminal.ts";
import { openNetwork, type LiveNetwork } from "./live-network.ts";
import { readNetwork } from "./classic-files.ts";
import { membersOf } from "./network-spec.ts";
import { isWell, type NetworkState, readState, stateScreen } from "./network-state.ts";
import { networkText } from "./network-text.ts";

/** Prints how a network is; the exit code is 0 when all that runs here can write. */
export async function runStatus(
  file: string,
  { json }: { readonly json: boolean },
): Promise<number> {
  const state = await readState(await openNetwork(await readNetwork(file)));
  process.stdout.write(json ? `${JSON.stringify(state)}\n` : stateScreen(state, isColourful()));
  return isWell(state) ? 0 : 1;
}

interface InspectedNode {
  readonly name: string;
  readonly agency: string;
  readonly folder: string;
  readonly nodeId: string;
  readonly pid: number | undefined;
  readonly rpc: string;
  readonly channel: string;
  readonly p2p: string;
  readonly ws: string | undefined;
  readonly groups: readonly number[];
}

function nodesOf({ spec, nodes }: LiveNetwork, state: NetworkState): readonly InspectedNode[] {
  return nodes.map(({ spec: node, found, folder, url }): InspectedNode => {
    const { name, agency, host } = node;
    const { channel, p2p, ws } = found.ports;
    const at = (port: number) => `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const mine = spec.groups.filter((group) => membersOf(group).includes(name));
    return {
      name,
      agency,
      folder: folder.path,
      nodeId: found.nodeId,
      pid: state.nodes.find((each) => each.name === name)?.pid,
      rpc: url,
      channel: at(channel),
      p2p: at(p2p),
      ws: ws === undefined ? undefined : at(ws),
      groups: mine.map(({ id }) => id),
    };
  });
}

function inspectScreen(network: LiveNetwork, state: NetworkState, isTerminal: boolean): string {
  const { bold } = colours(isTerminal);
  const { name, suite, folder, file, agencies, management } = network.spec;
  const row = (key: string, value: string) => `  ${key.padEnd(8)} ${value}`;
  const nodes = nodesOf(network, state).flatMap((node) => [
    "",
    bold(`${node.name} of ${node.agency}`),
    row("state", node.pid === undefined ? "stopped" : `process ${node.pid}`),
    row("rpc", node.rpc),
    row("page", `${node.rpc}/`),
    row("channel", node.channel),
    row("p2p", node.p2p),
    ...(node.ws === undefined ? [] : [row("ws", node.ws)]),
    row("groups", node.groups.join(" ") || "none"),
    row("folder", node.folder),
    row("id", node.nodeId),
  ]);
  const sdks = agencies.map((agency) => row(agency, join(folder, agency, sdkFolder(suite))));
  const head = [
    bold(name),
    row("file", file),
    row("folder", folder),
    row("suite", suite),
    row("managers", management === "token" ? "holders of the token" : "callers of a node's host"),
  ];
  const tables = stateScreen({ ...state, nodes: [] }, isTerminal);
  return [...head, ...nodes, "", bold("SDKs"), ...sdks, "", tables].join("\n");
}

/** Prints everything there is to a network: as text, as JSON, or as a file for `network up`. */
export async function runInspect(
  file: string,
  { json, yaml }: { readonly json: boolean; readonly yaml: boolean },
): Promise<void> {
  const network = await openNetwork(await readNetwork(file));
  if (yaml) {
    process.stdout.write(networkText(network));
    return;
  }
  const state = await readState(network);
  const { suite, agencies, folder } = network.spec;
  const sdks = agencies.map((agency) => ({
    agency,
    folder: join(folder, agency, sdkFolder(suite)),
  }));
  const { nodes: _, ...rest } = state;
  const all = { ...rest, suite, nodes: nodesOf(network, state), sdks };
  const screen = json ? `${JSON.stringify(all)}\n` : inspectScreen(network, state, isColourful());
  process.stdout.write(screen);
}
