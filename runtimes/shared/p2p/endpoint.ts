/** Peer addresses: as operators write them, as libp2p reads them. Source: node-network 5 */
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";

const MAX_PORT = 65_535;
const ENDPOINT = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):([0-9]{1,5})$/;
const IP4 = /^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$/;
/** Endpoint of a peer that has no IP address. Source: node-network 5 */
const NO_ADDRESS = "0.0.0.0:0";

/** What stands behind the port of an address. */
const SUFFIX = { tcp: "", ws: "/ws", wss: "/tls/ws" } as const;
/** A way to transport; `wss` is WebSocket over TLS. */
type EndpointTransport = keyof typeof SUFFIX;
const WEB_SOCKET = /^(wss?):\/\/([^/]+)\/?$/i;

/** A listening address of libp2p. */
export function listenAddress(host: string, port: number, transport: EndpointTransport): string {
  const family = host.includes(":") ? "ip6" : "ip4";
  return `/${family}/${host}/tcp/${port}${SUFFIX[transport]}`;
}

/**
 * The address of `host:port` or `[v6]:port`, of a WebSocket (`ws://host:port`, `wss://host:port`),
 * or of a multiaddr; undefined when malformed.
 */
export function parseEndpoint(text: string): Multiaddr | undefined {
  try {
    if (text.startsWith("/")) return multiaddr(text);
    const [, scheme, rest = ""] = WEB_SOCKET.exec(text) ?? [];
    const suffix = scheme === undefined ? "" : SUFFIX[/^wss$/i.test(scheme) ? "wss" : "ws"];
    const [, v6, host = "", digits = ""] = ENDPOINT.exec(scheme === undefined ? text : rest) ?? [];
    const port = Number(digits);
    if (port < 1 || port > MAX_PORT) return undefined;
    if (v6 !== undefined) return multiaddr(`/ip6/${v6}/tcp/${port}${suffix}`);
    return multiaddr(`/${IP4.test(host) ? "ip4" : "dns"}/${host}/tcp/${port}${suffix}`);
  } catch {
    return undefined;
  }
}

/** `ip:port` of an address, IPv6 in brackets. */
export function endpointOf(address: Multiaddr): string {
  let host: string | undefined;
  let port: string | undefined;
  for (const { name, value } of address.getComponents()) {
    if (name === "ip6") host = `[${value}]`;
    else if (name === "ip4" || name.startsWith("dns")) host = value;
    else if (name === "tcp") port = value;
  }
  return host !== undefined && port !== undefined ? `${host}:${port}` : NO_ADDRESS;
}
