/** The ports of a node before they are used: which keys of config.ini name busy ones. */
import { createServer } from "node:net";
import type { NodeConfig } from "../folder/node-config.ts";
import { type ListenAddress, ListenFault, listenFault, type ListenProblem } from "./http-server.ts";

/** A port of a node and the keys that set it. */
export interface KeyedPort extends ListenAddress {
  readonly section: string;
  readonly portKey: string;
  readonly ipKey: string;
}

/** All ports that config.ini opens. */
export function portsOf({ rpc, p2p, metrics }: NodeConfig): readonly KeyedPort[] {
  const ports: KeyedPort[] = [
    {
      host: rpc.jsonrpc.ip,
      port: rpc.jsonrpc.port,
      section: "rpc",
      portKey: "jsonrpc_listen_port",
      ipKey: "jsonrpc_listen_ip",
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

function nextStep(problem: ListenProblem, { section, portKey, ipKey }: KeyedPort): string {
  const port = `[${section}] ${portKey}`;
  switch (problem) {
    case "inUse":
      return `Stop that program, or set another ${port}`;
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

/**
 * Tries every port.
 *
 * @param path config.ini, for the message
 * @throws ListenFault with one sentence for each port that cannot be used, and the key to change
 */
export async function requireFreePorts(ports: readonly KeyedPort[], path: string): Promise<void> {
  const faults = await Promise.all(
    ports.map(async (port) => {
      const fault = await tryPort(port);
      return fault && { fault, text: `${fault.message}. ${nextStep(fault.problem, port)}` };
    }),
  );
  const found = faults.filter((fault) => fault !== undefined);
  const [first] = found;
  if (!first) return;
  const text = found.map((each) => `${each.text} in ${path}.`).join("\n");
  throw new ListenFault(first.fault.problem, text, { cause: first.fault });
}
