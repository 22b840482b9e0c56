/** The ports of a node before they are used: which keys of config.ini name busy ones. */
import { createServer } from "node:net";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { type ListenAddress, listenFault } from "../server/http-server.ts";
import { ListenFault, type ListenProblem } from "../machine/listen-fault.ts";
import { askPort, type ExpectedNode, nodeText, type PortUser } from "../observe/port-user.ts";
import { portHolder, processText } from "../machine/processes.ts";

/** A port of a node and the keys that set it. */
export interface KeyedPort extends ListenAddress {
  readonly section: string;
  readonly portKey: string;
  readonly ipKey: string;
}

const JSON_RPC_KEY = "jsonrpc_listen_port";

/** All ports that config.ini opens. */
export function portsOf({ rpc, p2p, metrics }: NodeConfig): readonly KeyedPort[] {
  const ports: KeyedPort[] = [
    {
      host: rpc.jsonrpc.ip,
      port: rpc.jsonrpc.port,
      section: "rpc",
      portKey: JSON_RPC_KEY,
      ipKey: "jsonrpc_listen_ip",
    },
    {
      host: rpc.channel.ip,
      port: rpc.channel.port,
      section: "rpc",
      portKey: "channel_listen_port",
      ipKey: "channel_listen_ip",
    },
    {
      host: p2p.listen.ip,
      port: p2p.listen.port,
      section: "p2p",
      portKey: "listen_port",
      ipKey: "listen_ip",
    },
  ];
  if (p2p.webSocket) {
    const { ip, port } = p2p.webSocket;
    const keys = { section: "p2p", portKey: "ws_listen_port", ipKey: "ws_listen_ip" };
    ports.push({ host: ip, port, ...keys });
  }
  if (metrics) {
    const keys = { section: "metrics", portKey: "listen_port", ipKey: "listen_ip" };
    ports.push({ host: metrics.ip, port: metrics.port, ...keys });
  }
  return ports;
}

function nextStep(
  problem: Exclude<ListenProblem, "inUse">,
  { section, portKey, ipKey }: KeyedPort,
): string {
  const port = `[${section}] ${portKey}`;
  switch (problem) {
    case "notAllowed":
      return `Set another ${port}`;
    case "noSuchAddress":
      return `Set an address of this machine as [${section}] ${ipKey}`;
    case "failed":
      return `Look at [${section}] ${ipKey} and ${portKey}`;
  }
}

/** Why a port cannot be listened on; it is free again afterwards. */
export function tryPort(address: ListenAddress): Promise<ListenFault | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (cause) => resolve(listenFault(address, cause)));
    server.listen(address.port, address.host, () => server.close(() => resolve(undefined)));
  });
}

/** Only there a node says who it is. */
function isJsonRpc({ portKey }: KeyedPort): boolean {
  return portKey === JSON_RPC_KEY;
}

/** Who holds a busy port, and what to do about it. */
async function busyText(port: KeyedPort, user: PortUser, path: string): Promise<string> {
  const holder = await portHolder(port.port);
  const node = "health" in user ? user : undefined;
  const isNode = isJsonRpc(port) || holder?.pid === node?.health.pid;
  const place = `cannot listen on ${endpointText(port)}`;
  const another = `set another [${port.section}] ${port.portKey} in ${path}`;
  if (node && isNode) {
    const who = nodeText(node.health);
    if (node.kind === "otherNode")
      return `${place}: another chain-node has the port (${who}). Stop it, or ${another}.`;
    const next = "Never run two nodes with one key, they would vote twice: stop that one first";
    return `${place}: a node with this node's key runs already (${who}). ${next}.`;
  }
  const who = holder ? processText(holder) : "another program";
  const which = holder ? "" : " (as root, ss -ltnp tells which one)";
  return `${place}: ${who} has the port${which}. Stop it, or ${another}.`;
}

/**
 * Tries every port.
 *
 * @param path config.ini, for the message
 * @throws ListenFault with one line for each port that cannot be used: who has it, what to do
 */
export async function requireFreePorts(
  ports: readonly KeyedPort[],
  path: string,
  expected: ExpectedNode,
): Promise<void> {
  const faults = await Promise.all(
    ports.map(async (port) => {
      const fault = await tryPort(port);
      return fault && { fault, port };
    }),
  );
  const found = faults.filter((fault) => fault !== undefined);
  const [first] = found;
  if (!first) return;
  const rpc = found.find(({ port }) => isJsonRpc(port))?.port;
  const user: PortUser = rpc
    ? await askPort({ ip: rpc.host, port: rpc.port }, expected)
    : { kind: "silent", reason: "" };
  const lines = await Promise.all(
    found.map(({ fault, port }) =>
      fault.problem === "inUse"
        ? busyText(port, user, path)
        : `${fault.message}. ${nextStep(fault.problem, port)} in ${path}.`,
    ),
  );
  throw new ListenFault(first.fault.problem, lines.join("\n"), { cause: first.fault });
}
