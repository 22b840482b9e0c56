/** What the benchmark drives: a chain under test, ours or a peer's, behind one shape. */

/**
 * One pre-signed submission: the request body to post and the hash that will show up in a block.
 */
export interface Submission {
  readonly body: string;
  readonly hash: string;
}

/** A block as the watcher sees it. */
export interface SeenBlock {
  readonly number: number;
  readonly hashes: readonly string[];
}

/** A running chain. */
export interface Target {
  readonly name: string;
  /** Its processes. */
  readonly pids: readonly number[];
  /** Nodes that run in them. */
  readonly nodes: number;
  /** RPC URLs; connection i uses URL i modulo the count. */
  readonly urls: readonly string[];
  /**
   * Signs `count` HelloWorld set() calls; element i belongs to connection i modulo `connections`.
   */
  prepare(count: number, connections: number): Promise<readonly Submission[]>;
  blockNumber(): Promise<number>;
  block(number: number): Promise<SeenBlock>;
  /** Throws unless the transaction succeeded. */
  requireSuccess(hash: string): Promise<void>;
  stop(): Promise<void>;
}
