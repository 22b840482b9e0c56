/**
 * The fault of a benchmark: a sentence for a caller that runs it, and what it does to the exit
 * code.
 */

/**
 * `usage`: command line or a file; `engine`: the tool or the chain; `module`: a workload or custom
 * controller of the user. Source: benchmark 1 (exit status)
 */
export type BenchmarkFaultKind = "usage" | "engine" | "module";

/** What keeps a benchmark from going on; the message is for people. */
export class BenchmarkFault extends Error {
  override readonly name = "BenchmarkFault";
  readonly kind: BenchmarkFaultKind;

  /** A fault; `options.cause` is what was thrown first. */
  constructor(kind: BenchmarkFaultKind, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

/** What was thrown, in words. */
export function faultText(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
