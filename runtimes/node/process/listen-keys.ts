/** The ports of a node before they are used: which keys of config.ini name busy ones. */
import type { NodeConfig } from "../../formats/config/node-config.ts";
import { endpointText } from "../machine/endpoint-text.ts";
import { ListenFault, type ListenProblem } from "../machine/listen-fault.ts";
import { type KeyedPort, portsOf, tryPort } from "../observe/keyed-ports.ts";
import { askPort, type ExpectedNode, nodeText, type PortUser } from "../observe/port-user.ts";
import { portHolder, processText } from "../machine/processes.ts";

const JSON_RPC_KEY = "jsonrpc_listen_port";

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

/** Only there a node reports who it is. */
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
 * Tries every port that config.ini opens.
 * @param path of config.ini, for the message
 * @throws ListenFault with one line for each port that cannot be used: who has it, what to do
 */
export async function requireFreePorts(
  config: NodeConfig,
  path: string,
  expected: ExpectedNode,
): Promise<void> {
  const faults = await Promise.all(
    portsOf(config).map(async (port) => {
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
