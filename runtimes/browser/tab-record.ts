/** What a browser remembers of the chain that it keeps. */
import type { JoinStartRequest, TabChain } from "./link/api.ts";

/**
 * A chain that is kept; `created` is also the time of the genesis block of a chain in the tab, and
 * `nodeIds` are in the order of the nodes.
 */
export interface TabRecord extends Omit<TabChain, "accounts"> {
  /** How a network was joined, without the key. */
  readonly join?: Omit<JoinStartRequest, "privateKey" | "passphrase">;
  /** Whether the key was made elsewhere, and may have been used there. */
  readonly isKeyBrought?: boolean;
  /** False once it was stopped by its user: it does not begin by itself. */
  readonly isWanted: boolean;
}

/** Keys that are to be kept. */
export interface KeptKeys {
  readonly keys: readonly Uint8Array[];
  /** Encrypts them; absent: everybody who uses this browser can use them. */
  readonly passphrase: string | undefined;
}

/** The keys wait for their passphrase, or got a wrong one. */
export class KeysLocked extends Error {
  override readonly name = "KeysLocked";
}
