/** The fault of the platform below the store port. */

/** What went wrong with the data folder or database; `full`: its disk has no space left. */
export type StoreFaultKind =
  | "io"
  | "full"
  | "corrupt"
  | "foreign"
  | "locked"
  | "version"
  | "unwritable";

/** A storage failure: the machine above has a transition for it. Source: storage 13 */
export class StoreFault extends Error {
  override readonly name = "StoreFault";
  readonly kind: StoreFaultKind;

  constructor(kind: StoreFaultKind, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}
