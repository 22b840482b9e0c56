/**
 * Shows that a block, as nodes answer it, is that of a header that was shown before: with whole
 * transactions or with their hashes. Nothing here asks anybody.
 *
 * Source: tx-block-codec 6, 8; rpc-semantics 6.1
 */
import { fromHex, isHash, toPrefixedHex } from "../bytes/hex.ts";
import { ZERO_ADDRESS, ZERO_HASH } from "../bytes/ids.ts";
import { quantity } from "../bytes/quantity.ts";
import { merkleRoot } from "../crypto/merkle.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { MERKLE_FROM } from "../model/roots.ts";
import { ProofFault } from "./client-fault.ts";
import type { Block, BlockHeader, Hex, Transaction } from "./rpc-objects.ts";
import {
  toldHeader,
  toldList,
  toldMembers,
  toldTransaction,
  type ProofRules,
} from "./told-objects.ts";
import { verifyHeaderHash, verifyTransaction } from "./verify-proof.ts";

/**
 * Shows that the hashes are those of all transactions of a block, in their order.
 *
 * @throws ProofFault also for versions whose roots are none of hashes
 */
export function verifyTransactionsRoot(
  { number, transactionsRoot }: Pick<BlockHeader, "number" | "transactionsRoot">,
  hashes: readonly Hex[],
  { suite, version }: ProofRules,
): void {
  if (version < MERKLE_FROM) {
    const what = "blocks of versions below 2.2.0 do not show their transactions";
    throw new ProofFault("change", what);
  }
  // Block 0 has no transactions, and zeros for its roots.
  if (number === 0 && hashes.length === 0 && transactionsRoot === (ZERO_HASH as string)) return;
  const leaves = hashes.map((hash) => fromHex(hash) ?? new Uint8Array(0));
  if (toPrefixedHex(merkleRoot(leaves, suite.hash)) === transactionsRoot) return;
  const what = `the transactions that are reported for block ${number}`;
  throw new ProofFault("proof", `${what} do not give the root of its header`);
}

/**
 * Whom a transaction was signed for: answers write a creation as null or as the zero address.
 *
 * @param transaction one that was shown
 */
export function receiverOf(transaction: Transaction, suite: CryptoSuite): Hex | null {
  if (transaction.to !== null && transaction.to !== ZERO_ADDRESS) return transaction.to;
  try {
    verifyTransaction({ ...transaction, to: null }, suite);
    return null;
  } catch (cause) {
    if (cause instanceof ProofFault) return ZERO_ADDRESS as string as Hex;
    throw cause;
  }
}

function readItem(told: unknown, suite: CryptoSuite): Hex | Transaction {
  if (typeof told !== "string") return toldTransaction(told, suite);
  if (isHash(told)) return told as string as Hex;
  throw new ProofFault("malformed", "the hash of a transaction does not have its form");
}

/** Its fields, its sender, its place; in blocks the receiver of a creation is null. */
function shownIn(header: BlockHeader, told: Transaction, at: number, suite: CryptoSuite) {
  const { blockHash, blockNumber, transactionIndex } = told;
  const isHere = blockHash === header.hash && Number(blockNumber) === header.number;
  if (!isHere || Number(transactionIndex) !== at) {
    throw new ProofFault("mismatch", `transaction ${told.hash} is reported for another place`);
  }
  verifyTransaction(told, suite);
  return { ...told, to: receiverOf(told, suite) };
}

/**
 * Shows that a block is the one of a header, and gives it as nodes answer it: every member comes
 * from the header or is covered by a check.
 *
 * @param header one that was shown, with the signatures that were
 * @throws ProofFault
 */
export function verifyBlock(told: unknown, header: BlockHeader, rules: ProofRules): Block {
  const { suite } = rules;
  const own = toldHeader(told);
  verifyHeaderHash(own, suite);
  if (own.hash !== header.hash) {
    throw new ProofFault("mismatch", `the answer is block ${own.hash}, not ${header.hash}`);
  }
  const list = toldList(toldMembers(told, "a block")["transactions"], "transactions of a block");
  const items = list.map((item) => readItem(item, suite));
  const hashes = items.map((item) => (typeof item === "string" ? item : item.hash));
  verifyTransactionsRoot(header, hashes, rules);
  const transactions = items.map((item, at) =>
    typeof item === "string" ? item : shownIn(header, item, at, suite),
  );
  const { signatureList, ...rest } = header;
  const block = { ...rest, number: quantity(header.number) as Hex, transactions };
  // Nodes show the signatures next to whole transactions only.
  if (own.signatureList === undefined || signatureList === undefined) return block;
  return { ...block, signatureList };
}
