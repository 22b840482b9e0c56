/** Who asks for what is scarce. */

/** A connection that asks: it has its turns among those of its address. */
export interface Asker {
  readonly address: string;
  /** No caller waits for its answers any more. */
  readonly isGone: boolean;
  /** Calls back once it has gone, at once if it has. @returns takes that back */
  whenGone(callback: () => void): () => void;
}
