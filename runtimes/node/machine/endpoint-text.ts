/** Addresses as operators write them. Source: node-network 5 */

/** `host:port`, IPv6 in brackets. */
export function endpointText(endpoint: { readonly host: string; readonly port: number }): string {
  const { host, port } = endpoint;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
