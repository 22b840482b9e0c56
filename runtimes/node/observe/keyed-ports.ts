/** The ports of a node by the keys of config.ini that set them. */
import { createServer } from "node:net";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import type { ListenFault } from "../machine/listen-fault.ts";
import { type ListenAddress, listenFault } from "../server/http-server.ts";

/** A port of a node and the keys that set it. */
export interface KeyedPort extends ListenAddress {
  readonly section: string;
  readonly portKey: string;
  readonly ipKey: string;
}

/** All ports that config.ini opens. */
export function portsOf({ rpc, p2p, metrics }: NodeConfig): readonly KeyedPort[] {
  const rows = [
    ["rpc", "jsonrpc_listen", rpc.jsonrpc],
    ["rpc", "channel_listen", rpc.channel],
    ["p2p", "listen", p2p.listen],
    ["p2p", "ws_listen", p2p.webSocket],
    ["metrics", "listen", metrics],
  ] as const;
  return rows.flatMap(([section, key, place]) => {
    if (!place) return [];
    const keys = { section, portKey: `${key}_port`, ipKey: `${key}_ip` };
    return [{ host: place.ip, port: place.port, ...keys }];
  });
}

/** Why a port cannot be listened on; it is free again afterwards. */
export function tryPort(address: ListenAddress): Promise<ListenFault | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (cause) => resolve(listenFault(address, cause)));
    server.listen(address.port, address.host, () => server.close(() => resolve(undefined)));
  });
}
