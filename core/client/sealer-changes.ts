/**
 * What a block did to the list of sealers, shown by its transactions and receipts. Nothing here
 * asks anybody.
 *
 * Calls of the consensus contract count with their receipts, and every one of them needs its own:
 * who could leave some out would choose which of the changes count. What other contracts did inside
 * is not seen. So where a block calls other contracts too, the list that its direct calls give is
 * only shown while it keeps a quorum of the n sealers before, and every quorum of it has more than
 * (n - 1) / 3 of them: one at least who is honest, and knows what the contracts did.
 *
 * Source: precompiles 7; tx-block-codec 8
 */
import type { ReceiptWithProof, ProofRules } from "./told-objects.ts";
import { decodeAbi } from "../abi/decode.ts";
import { SELECTOR_BYTES, selectorOf } from "../abi/encode.ts";
import { parseAbiTypes } from "../abi/type.ts";
import { fromHex, toHex } from "../bytes/hex.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { ProofFault } from "./client-fault.ts";
import type { BlockHeader, Transaction } from "./rpc-objects.ts";
import { verifyTransactionsRoot } from "./verify-block.ts";
import { quorum, verifyReceiptProof, verifyTransaction } from "./verify-proof.ts";

/** The contract that changes the list. Source: precompiles 7 */
export const CONSENSUS_ADDRESS: string = `0x${"1003".padStart(40, "0")}`;

interface ChangingBlock {
  /** Of a header that is trusted; only its fields are used. */
  readonly header: BlockHeader;
  /** All transactions, in the order of the block. */
  readonly transactions: readonly Transaction[];
  /** Receipts with their proofs, by the hashes of their transactions. */
  readonly receipts: ReadonlyMap<string, ReceiptWithProof>;
}

/** What a block did to a list. */
export interface SealerChange {
  /** The members after its calls of the consensus contract. */
  readonly sealers: ReadonlySet<string>;
  /** Whether nothing else in the block could change the list: no contract was called. */
  readonly isComplete: boolean;
}

type Effect = (sealers: Set<string>, id: string) => void;

const EFFECTS: readonly (readonly [signature: string, effect: Effect])[] = [
  ["addSealer(string)", (sealers, id) => void sealers.add(id)],
  ["addObserver(string)", (sealers, id) => void sealers.delete(id)],
  ["remove(string)", (sealers, id) => void sealers.delete(id)],
];
const ARGUMENTS = parseAbiTypes(["string"]) ?? [];
const RESULTS = parseAbiTypes(["int256"]) ?? [];

/** Whether a transaction is a call of the contract that changes the list. */
export function callsConsensus({ to }: Transaction): boolean {
  return to === CONSENSUS_ADDRESS;
}

/**
 * What a call would do, and to whom: undefined without a target, an ID for whom the input names.
 */
function effectOf({ hash }: CryptoSuite, input: Uint8Array) {
  const selector = toHex(input.subarray(0, SELECTOR_BYTES));
  const found = EFFECTS.find(([signature]) => toHex(selectorOf(signature, hash)) === selector);
  if (found === undefined) return undefined;
  const decoded = decodeAbi(ARGUMENTS, input.subarray(SELECTOR_BYTES));
  const id = decoded.ok ? decoded.values[0] : undefined;
  return { effect: found[1], id: typeof id === "string" ? id.toLowerCase() : undefined };
}

/** Whether the contract did what it was asked: it answers how many rows it changed. */
function isDone({ transactionReceipt: { status, output } }: ReceiptWithProof): boolean {
  if (BigInt(status) !== 0n) return false;
  const decoded = decodeAbi(RESULTS, fromHex(output) ?? new Uint8Array(0));
  const rows = decoded.ok ? decoded.values[0] : undefined;
  return typeof rows === "bigint" && rows > 0n;
}

/** The receipt of a call: a node that leaves it out would choose what counts. */
function requireReceipt({ header, transactions, receipts }: ChangingBlock, index: number) {
  const hash = transactions[index]?.hash ?? "";
  const receipt = receipts.get(hash);
  if (receipt !== undefined) return receipt;
  const what = `transaction ${hash} of block ${header.number}, which may have changed the sealers`;
  throw new ProofFault("change", `the node shows no receipt of ${what}`);
}

/** Contracts may have done more than is shown: honest sealers of before have to stand behind it. */
function requireBound(before: readonly string[], after: ReadonlySet<string>, number: number) {
  const old = new Set(before);
  const kept = [...after].filter((id) => old.has(id)).length;
  const faulty = old.size - quorum(old.size);
  const fewest = quorum(after.size) - (after.size - kept);
  if (kept >= quorum(old.size) && fewest > faulty) return;
  const what = `other contracts were called in block ${number} next to changes of many sealers`;
  throw new ProofFault("change", `${what}: what they did to the list is not shown`);
}

/**
 * What a block did to the list that was in force for it.
 *
 * @throws ProofFault when the transactions or receipts are not those of the block, or do not show
 *   what became of the list
 */
export function sealerChange(
  block: ChangingBlock,
  before: readonly string[],
  rules: ProofRules,
): SealerChange {
  const hashes = block.transactions.map(({ hash }) => hash);
  verifyTransactionsRoot(block.header, hashes, rules);
  const sealers = new Set(before);
  let isComplete = true;
  for (const [index, transaction] of block.transactions.entries()) {
    verifyTransaction(transaction, rules.suite);
    if (!callsConsensus(transaction)) {
      isComplete = false;
      continue;
    }
    const change = effectOf(rules.suite, fromHex(transaction.input) ?? new Uint8Array(0));
    if (change === undefined) continue;
    const receipt = requireReceipt(block, index);
    verifyReceiptProof(receipt, block.header, rules);
    if (Number(receipt.transactionReceipt.transactionIndex) !== index) {
      throw new ProofFault("mismatch", "the receipt is not of the transaction");
    }
    if (!isDone(receipt)) continue;
    // The contract reads arguments of other forms than encoders make.
    if (change.id === undefined) {
      const what = `transaction ${transaction.hash} changed the sealers`;
      throw new ProofFault("change", `${what}, and its input does not show whom`);
    }
    change.effect(sealers, change.id);
  }
  if (!isComplete) requireBound(before, sealers, block.header.number);
  return { sealers, isComplete };
}
