/** Hosts in files of the tool: addresses and names, and what this host makes of them. */
import type { Endpoint } from "../../../formats/config/config-kinds.ts";
import { ipVersion } from "../../../formats/config/ip-text.ts";

/** Whether an address means all addresses of a host: it can be listened on and not dialled. */
export function isAnyAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** Whether an address is of the own machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}

/** Whether it is an address, not a name. */
export function isAddress(host: string): boolean {
  return ipVersion(host) !== 0;
}

/**
 * What a node is called in names of files: `<ip>_<port>`. The colons of an IPv6 address become
 * dashes, because certificates and some file systems admit none. Source: generator 3
 */
export function nodeLabel({ host, port }: Endpoint): string {
  return `${host.replaceAll(":", "-")}_${port}`;
}

/** Equal for addresses that are of one host: ports of these must differ. */
export function hostKey(host: string): string {
  return isLoopback(host) ? "127.0.0.1" : host.toLowerCase();
}
