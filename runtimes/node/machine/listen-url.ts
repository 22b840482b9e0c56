/** Addresses that listen, as addresses to ask. */
import type { ListenAddress } from "../../formats/config/node-config.ts";

/** An address that listens, as one to connect to. */
export function reachable({ ip, port }: ListenAddress): ListenAddress {
  if (ip === "0.0.0.0") return { ip: "127.0.0.1", port };
  return ip === "::" ? { ip: "::1", port } : { ip, port };
}

/** `http://` in front of a port that listens. */
export function urlOf(address: ListenAddress): string {
  const { ip, port } = reachable(address);
  return `http://${ip.includes(":") ? `[${ip}]` : ip}:${port}`;
}
