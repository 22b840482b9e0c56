/** The fault of work on node folders: a sentence for the operator, with the file it is about. */

/** What the operator did or has: decides nothing but tests and exit codes. */
export type FolderFaultKind = "exists" | "missing" | "unusable" | "mismatch" | "argument";

/** Something in a folder, or asked of it, that cannot be done; the message is for people. */
export class FolderFault extends Error {
  override readonly name = "FolderFault";
  readonly kind: FolderFaultKind;

  constructor(kind: FolderFaultKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

/** What was thrown, in words. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
