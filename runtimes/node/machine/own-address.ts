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

/** Addresses that only one link of this host knows: on another one they are somebody else's. */
const OF_ONE_LINK = /^fe[89ab]/i;
const LOOPBACK = /^(127\.|::1$)/;

/**
 * Whether the other end of a connection is on this host: by loopback, or by another address of its
 * own. A port for both families names addresses of the older one in its own way.
 */
export function isOfThisHost(remoteAddress = ""): boolean {
  const address = remoteAddress.replace(/^::ffff:/i, "");
  if (OF_ONE_LINK.test(address)) return false;
  return LOOPBACK.test(address) || isOwnAddress(address);
}
