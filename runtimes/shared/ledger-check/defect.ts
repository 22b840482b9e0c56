/** What a check of a ledger finds. */

/** Which kind of data is wrong. */
export type DefectKind =
  /** The ledger may be whole: what it is compared with is another. */
  | "genesis"
  | "number"
  | "header"
  | "seals"
  | "transactions"
  | "senders"
  | "receipts"
  | "index"
  | "nonces"
  | "counter"
  | "row"
  | "orphan"
  | "store"
  | "file";

/** One place that is wrong. */
export interface Defect {
  /** The block it belongs to; undefined where none can be told. */
  readonly block: number | undefined;
  readonly kind: DefectKind;
  /** What was examined, for people. */
  readonly what: string;
  readonly stored: string;
  readonly expected: string;
}

/** Takes each defect as it is found. */
export type Report = (defect: Defect) => void;

/** Stands for a value that is not there. */
export const ABSENT = "(absent)";
