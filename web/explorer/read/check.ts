/**
 * Shows in the page that what a node said of a transaction is what the sealers agreed on. Each step
 * is a check of its own, so that a lie is seen where it is.
 *
 * Source: tx-block-codec 5-8
 */
import type {
  ReceiptWithProof,
  TransactionWithProof,
  ProofRules,
} from "../../../core/client/told-terms.ts";
import { fromHex, toPrefixedHex } from "../../../core/bytes/hex.ts";
import { ProofFault } from "../../../core/client/client-fault.ts";
import type { BlockOf } from "../../../core/client/rpc-methods.ts";
import type { BlockHeader, Receipt } from "../../../core/client/rpc-objects.ts";
import {
  verifyHeader,
  verifyHeaderHash,
  verifyReceiptProof,
  verifyTransaction,
  verifyTransactionProof,
} from "../../../core/client/verify-proof.ts";
import { merkleRoot } from "../../../core/crypto/merkle.ts";
import { transactionStatusName } from "../../../core/fault/transaction-status.ts";
import { MERKLE_FROM } from "../../../core/model/roots.ts";

/** How a check ended; `warn`: it could not be made, or shows less than it should. */
export type Verdict = "good" | "bad" | "warn";
/** What is checked. */
export type CheckName =
  | "header"
  | "first"
  | "seals"
  | "sealers"
  | "transaction"
  | "transactions"
  | "receipt"
  | "shown";

/** One check; `why` is a sentence of the verifier. */
export interface Check {
  readonly name: CheckName;
  readonly verdict: Verdict;
  readonly why: string | undefined;
}

/** Has a check made; what only cannot be shown is told from what contradicts. */
async function attempt(name: CheckName, work: () => unknown): Promise<Check> {
  try {
    return { name, verdict: (await work()) === "warn" ? "warn" : "good", why: undefined };
  } catch (cause) {
    if (!(cause instanceof ProofFault)) throw cause;
    return { name, verdict: cause.reason === "change" ? "warn" : "bad", why: cause.message };
  }
}

/** Shows that a header is of the chain that is trusted. @throws ProofFault */
export type Certify = (header: BlockHeader) => Promise<void>;

/**
 * Checks a header: its hash, that a quorum of the sealers that it names signed it, and that those
 * are the ones that are trusted, or are reached from them.
 */
export async function checkHeader(
  header: BlockHeader,
  certify: Certify,
  { suite }: ProofRules,
): Promise<readonly Check[]> {
  const hash = await attempt("header", () => verifyHeaderHash(header, suite));
  if (hash.verdict === "bad") return [hash];
  if (header.number === 0) return [hash, await attempt("first", () => certify(header))];
  // Blocks of Raft groups carry no seals.
  if ((header.signatureList ?? []).length === 0) {
    return [hash, { name: "seals", verdict: "warn", why: undefined }];
  }
  const seals = await attempt("seals", () => verifyHeader(header, header.sealerList, suite));
  if (seals.verdict === "bad") return [hash, seals];
  return [hash, seals, await attempt("sealers", () => certify(header))];
}

/** What a node answered about one transaction. */
export interface Told {
  readonly header: BlockHeader;
  readonly transaction: TransactionWithProof;
  readonly receipt: ReceiptWithProof;
}

/**
 * A receipt of a proof with what only the plain receipt tells: the gas that remained, which its
 * hash covers, and the name of its status.
 *
 * @param shown the plain receipt
 */
export function completeReceipt(
  told: ReceiptWithProof,
  shown: Receipt | null,
): Told["receipt"] & { readonly transactionReceipt: Receipt } {
  const { transactionReceipt: receipt } = told;
  const remainGas = shown?.remainGas ?? "0x0";
  // Whatever a node answers in its place is looked at by the checks.
  const statusMsg = transactionStatusName(Number(receipt?.status));
  return { ...told, transactionReceipt: { remainGas, statusMsg, ...receipt } };
}

/** Checks a transaction and its receipt down to the seals of their block. */
export async function checkTransaction(
  { header, transaction, receipt }: Told,
  certify: Certify,
  rules: ProofRules,
): Promise<readonly Check[]> {
  return [
    await attempt("transaction", () => verifyTransactionProof(transaction, header, rules)),
    await attempt("receipt", () => verifyReceiptProof({ ...receipt, transaction }, header, rules)),
    ...(await checkHeader(header, certify, rules)),
  ];
}

/** Whether two answers say the same, whatever order their members are in. */
function isSame(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object") return left === right;
  if (left === null || right === null) return left === right;
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) =>
    isSame(
      (left as Readonly<Record<string, unknown>>)[name],
      (right as Readonly<Record<string, unknown>>)[name],
    ),
  );
}

/** Checks that what the page shows is what was proved, and not another answer of the node. */
export function checkShown(shown: readonly unknown[], proved: readonly unknown[]): Check {
  const verdict = isSame(shown, proved) ? "good" : "bad";
  return { name: "shown", verdict, why: undefined };
}

/** Members of a block that its header has too; numbers are compared as such. */
const HEADER_TEXTS = [
  "hash",
  "parentHash",
  "stateRoot",
  "transactionsRoot",
  "receiptsRoot",
  "dbHash",
  "logsBloom",
  "extraData",
  "sealerList",
] as const;
const HEADER_NUMBERS = ["number", "timestamp", "gasUsed", "gasLimit", "sealer"] as const;

/** Checks that a block is shown with the header that was checked, in every member. */
export function checkShownBlock(block: BlockOf<true>, header: BlockHeader): Check {
  const texts = HEADER_TEXTS.every((name) => isSame(block[name], header[name]));
  const numbers = HEADER_NUMBERS.every((name) => isSame(BigInt(block[name]), BigInt(header[name])));
  return { name: "shown", verdict: texts && numbers ? "good" : "bad", why: undefined };
}

/** The signatures of more transactions would keep the page busy for seconds. */
const MOST_VERIFIED = 100;
/** How long it works before others have a turn. */
const SLICE_MS = 30;

function requirePlace(block: BlockOf<true>): void {
  for (const [index, told] of block.transactions.entries()) {
    const isHere =
      told.blockHash === block.hash &&
      BigInt(told.blockNumber) === BigInt(block.number) &&
      Number(told.transactionIndex) === index;
    if (!isHere) throw new ProofFault("mismatch", `transaction ${index} is of another place`);
  }
}

/**
 * Checks that the transactions of a block are those that its header commits to. Of a long list
 * the hashes only: each transaction is verified on its own page.
 */
export function checkTransactions(
  block: BlockOf<true>,
  { suite, version }: ProofRules,
  pause: () => Promise<void>,
): Promise<Check> {
  return attempt("transactions", async () => {
    const { transactions } = block;
    if (transactions.length === 0 && Number(block.number) === 0) return undefined;
    if (version < MERKLE_FROM) return "warn";
    requirePlace(block);
    const hashes = transactions.map(({ hash }) => fromHex(hash) ?? new Uint8Array());
    if (toPrefixedHex(merkleRoot(hashes, suite.hash)) !== block.transactionsRoot) {
      throw new ProofFault("proof", "their hashes do not give the root of the header");
    }
    if (transactions.length > MOST_VERIFIED) return "warn";
    let began = performance.now();
    for (const told of transactions) {
      verifyTransaction(told, suite);
      if (performance.now() - began < SLICE_MS) continue;
      await pause();
      began = performance.now();
    }
    return undefined;
  });
}

/** The worst of the verdicts. */
export function worst(checks: readonly Check[]): Verdict {
  if (checks.some(({ verdict }) => verdict === "bad")) return "bad";
  return checks.some(({ verdict }) => verdict === "warn") ? "warn" : "good";
}
