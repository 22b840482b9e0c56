/** Which web pages may manage groups. Source: spec README decision 24 */

/** Where a request says it comes from: its headers. */
export interface Sender {
  /** `Origin`: browsers send it, other clients do not. */
  readonly origin: string | undefined;
  /** `Host`: name and port the request was sent to. */
  readonly host: string | undefined;
}

/**
 * True for requests of no page, of the node's own page, and of listed origins.
 *
 * Source: spec README decision 24
 */
export function isOriginAllowed(sender: Sender, allowedOrigins: readonly string[]): boolean {
  const { origin, host } = sender;
  if (origin === undefined || allowedOrigins.includes(origin)) return true;
  return host !== undefined && isOwnOrigin(origin, host);
}

/**
 * A host name that the DNS decides about is not proof of the own page: a foreign site can point its
 * name at this machine. Addresses and localhost cannot be pointed elsewhere; other names are
 * listed.
 */
function isOwnOrigin(origin: string, host: string): boolean {
  if (origin !== `http://${host}` && origin !== `https://${host}`) return false;
  return /^(localhost|[0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9a-f:.]+\])(:[0-9]+)?$/i.test(host);
}
