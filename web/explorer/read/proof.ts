/**
 * From checks to what the pages say: one model for all of them. A page is proven when all its
 * checks hold, a value when all that it rests on do. Nothing else decides, least of all the node.
 */
import type { Proof } from "../../parts/proof-mark.tsx";
import type { Check, CheckName } from "./check.ts";
import type { Read } from "./use-read.ts";

/** What the values of a page belong to. */
export type Subject = "header" | "transactions" | "transaction" | "receipt";

/** What each of them needs besides a header that is proven. */
const NEEDED: Readonly<Record<Subject, readonly CheckName[]>> = {
  header: [],
  transactions: ["transactions"],
  transaction: ["transaction"],
  // The position of the transaction ties its receipt to it.
  receipt: ["transaction", "receipt"],
};
/** Of block 0, and of all others. */
const HEADERS: readonly (readonly CheckName[])[] = [
  ["header", "first"],
  ["header", "seals", "sealers"],
];

/** What each check is about. */
export const SUBJECT_OF: Readonly<Record<CheckName, Subject>> = {
  header: "header",
  first: "header",
  seals: "header",
  sealers: "header",
  transaction: "transaction",
  transactions: "transactions",
  receipt: "receipt",
};

/** What checks show of a page. */
export function proofOfPage(checks: readonly Check[]): Proof {
  if (checks.some(({ verdict }) => verdict === "bad")) return "contradicted";
  const isProven = checks.length > 0 && checks.every(({ verdict }) => verdict === "good");
  return isProven ? "proven" : "unproven";
}

/** What checks show of the values of a subject: a check that was not made shows nothing. */
export function proofOfSubject(subject: Subject, checks: readonly Check[]): Proof {
  const verdicts = new Map(checks.map(({ name, verdict }) => [name, verdict]));
  const isGood = (name: CheckName) => verdicts.get(name) === "good";
  const isProven = HEADERS.some((names) => [...names, ...NEEDED[subject]].every(isGood));
  if (isProven) return "proven";
  const isBad = NEEDED[subject].some((name) => verdicts.get(name) === "bad");
  return isBad || verdicts.get("header") === "bad" ? "contradicted" : "unproven";
}

/** Checks as they stand: being made, made, or failed on the way. */
type Checking = Pick<Read<{ readonly checks: readonly Check[] }>, "value" | "failure" | "isLie">;

/** What the page says of itself, and of the values of each subject. */
export interface Proofs {
  readonly page: Proof;
  of(subject: Subject): Proof;
}

/** The proofs of a page. Where the checks could not be made nothing is proven. */
export function proofsOf({ value, failure, isLie }: Checking): Proofs {
  if (value !== undefined) {
    const { checks } = value;
    return { page: proofOfPage(checks), of: (subject) => proofOfSubject(subject, checks) };
  }
  const page = isLie ? "contradicted" : failure === undefined ? "pending" : "unproven";
  return { page, of: () => (page === "pending" ? "pending" : "unproven") };
}
