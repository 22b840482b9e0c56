/** Two live nodes with one identity. Source: decision 25 */

/** What is known of the other node with this node's key. */
export interface OtherCopy {
  /** Where it was met. */
  readonly endpoint: string;
  /** How long it has run. */
  readonly uptimeMs: number;
  /** Whether this node is the one that gives way, because it was started later. */
  readonly isLater: boolean;
}

/** This node must not go on: an older one with the same key runs. */
export class CopyFault extends Error {
  override readonly name = "CopyFault";
  readonly copy: OtherCopy;

  constructor(copy: OtherCopy) {
    const seconds = Math.round(copy.uptimeMs / 1_000);
    super(
      `another node with this node's key has run for ${seconds} s at ${copy.endpoint}. Two of ` +
        "them would vote twice: this one, started later, gives way. Stop one of them for good, " +
        "or give one a key and a certificate of its own with chain-node cert issue.",
    );
    this.copy = copy;
  }
}
