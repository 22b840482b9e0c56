/** What commands ask of certificates before one is made: their names, how long they are valid. */

/**
 * Certificates of nodes and SDKs are renewed; those of chain and agencies outlive them by far,
 * because a certificate ends with its issuer's.
 */
export const LEAF_DAYS = 3650;
const MAX_NAME_LENGTH = 64;

/** Names of chains, agencies and nodes. Source: generator 5 */
export function isCertificateName(name: string): boolean {
  return /^[a-zA-Z0-9._-]+$/.test(name) && name.length <= MAX_NAME_LENGTH && !/^\.+$/.test(name);
}
