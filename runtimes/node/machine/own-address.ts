/** Which addresses are those of this host. */
import { networkInterfaces } from "node:os";

/** Whether this host has an address; false also where the system does not tell. */
export function isOwnAddress(address: string): boolean {
  try {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    return own.some((each) => each.address === address);
  } catch {
    return false;
  }
}

/**
 * Whether the other end of a connection is on this host: by loopback, or by another address of its
 * own. A port for both families names addresses of the older one in its own way, and addresses of
 * one link with their interface.
 */
export function isOfThisHost(remoteAddress = ""): boolean {
  const address = remoteAddress.replace(/^::ffff:/i, "").replace(/%.*$/, "");
  return address.startsWith("127.") || isOwnAddress(address);
}
