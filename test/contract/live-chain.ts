/** A chain that runs somewhere, as suites see it that every runtime runs. */

/** The chain. */
export interface LiveChain {
  /** The JSON-RPC endpoint of each node; of a browser, a port that hands bodies through. */
  readonly urls: readonly string[];
  readonly accounts: readonly { readonly address: string; readonly privateKey: string }[];
  close(): Promise<void>;
}
