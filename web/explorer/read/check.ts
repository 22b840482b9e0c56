/**
 * Shows in the page that what a node reported is what the sealers agreed on. The checks are made of
 * the very objects that the page shows, and of nothing that the node reports twice. Each step is a
 * check of its own, so that a lie is seen where it is.
 *
 * Source: tx-block-codec 5-8
 */
import { fromHex, toPrefixedHex } from "../../../core/bytes/hex.ts";
import { ProofFault } from "../../../core/client/client-fault.ts";
import type { BlockOf } from "../../../core/client/rpc-methods.ts";
import type { BlockHeader, Proof, Receipt, Transaction } from "../../../core/client/rpc-objects.ts";
import { toldHeader, type ProofRules } from "../../../core/client/told-objects.ts";
import {
  signersOf,
  verifyHeader,
  verifyHeaderHash,
  verifyReceiptProof,
  verifyTransaction,
  verifyTransactionProof,
} from "../../../core/client/verify-proof.ts";
import { merkleRoot } from "../../../core/crypto/merkle.ts";
import { MERKLE_FROM } from "../../../core/model/roots.ts";

/** How a check ended; `warn`: it could not be made, or shows less than it should. */
type Verdict = "good" | "bad" | "warn";
/** What is checked. */
export type CheckName =
  | "header"
  | "first"
  | "seals"
  | "sealers"
  | "transaction"
  | "transactions"
  | "receipt";

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

/** The sealers of a header whose signatures verify, by their numbers. */
export function signedBy(header: BlockHeader, { suite }: ProofRules): ReadonlySet<number> {
  const signers = signersOf(toldHeader(header), suite);
  return new Set(header.sealerList.flatMap((id, index) => (signers.has(id) ? [index] : [])));
}

/** What the page shows of a transaction, and what a node adds to prove it. */
export interface Told {
  readonly transaction: Transaction;
  readonly receipt: Receipt;
  readonly txProof: Proof;
  readonly receiptProof: Proof;
  /** With its signatures. */
  readonly header: BlockHeader;
}

/** Checks a transaction and its receipt down to the seals of their block. */
export async function checkTransaction(
  told: Told,
  certify: Certify,
  rules: ProofRules,
): Promise<readonly Check[]> {
  const { header, txProof, receiptProof, receipt: transactionReceipt } = told;
  const transaction = { transaction: told.transaction, txProof };
  const receipt = { transactionReceipt, receiptProof, transaction };
  return [
    await attempt("transaction", () => verifyTransactionProof(transaction, header, rules)),
    await attempt("receipt", () => verifyReceiptProof(receipt, header, rules)),
    ...(await checkHeader(header, certify, rules)),
  ];
}

/** A block as the header that it shows: its number is reported as a quantity. */
export function headerOf(block: BlockOf<true>): BlockHeader {
  const { transactions: _, ...header } = block;
  return { ...header, number: Number(block.number) };
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
