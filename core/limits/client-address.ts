/** Which addresses are those of one client. */

/** How a port for both families names the older ones. */
const MAPPED = /^::ffff:(?=\d+\.)/i;
/** Each host of a link has one of these, and all have the same network. */
const OF_ONE_LINK = /^fe[89ab]/i;
const GROUPS = 8;
const NETWORK_GROUPS = 4;

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":");
}

/**
 * Whose an address is: of an IPv6 address its network of 64 bits, in which a host may take as many
 * as it likes.
 *
 * @param address as the system names it, in brackets or not
 */
export function clientOf(address: string): string {
  const plain = address.replace(/^\[|\]$/g, "").replace(MAPPED, "");
  if (!plain.includes(":") || OF_ONE_LINK.test(plain)) return plain;
  const [front = "", back] = plain.split("::");
  const [before, after] = [groupsOf(front), groupsOf(back ?? "")];
  const gap = back === undefined ? 0 : Math.max(0, GROUPS - before.length - after.length);
  const groups = [...before, ...Array<string>(gap).fill("0"), ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
