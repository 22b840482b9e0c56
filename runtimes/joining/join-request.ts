/** What a node needs of its user to join a network: types only, for pages too. */

/** Certificates and addresses. */
export interface JoinRequest {
  readonly chainId: number;
  /** Compatibility version of the chain, as `2.11.0`; the newest when absent. */
  readonly supportedVersion?: string;
  /** PEM of the node's certificate and of those between it and the chain's. */
  readonly certificate: string;
  /** PEM of the chain's certificate. */
  readonly authority: string;
  /** Addresses of peers: `wss://host:port`, `ws://host:port`, `host:port`, or multiaddresses. */
  readonly peers: readonly string[];
  /** The genesis file of each group. */
  readonly groups: readonly string[];
  /** Hash of each group's block 0, where it is known from elsewhere; by group. */
  readonly genesisHashes?: Readonly<Record<number, string>>;
}
