/**
 * Shows that answers of a node are what the sealers agreed on: headers by their seals,
 * transactions and receipts by their Merkle proofs. Nothing here asks anybody. Whatever is told is
 * read into its form first, so that of any value, as of any lie, comes a ProofFault.
 *
 * Source: tx-block-codec 2.3, 5, 6, 7, 8.4
 */
import { fromHex, idBytes, toHex } from "../bytes/hex.ts";
import { ZERO_ADDRESS, type Address, type Hash, type NodeId } from "../bytes/ids.ts";
import { type MerkleClaim, verifyProof } from "../crypto/merkle.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { type Header, headerHash } from "../model/header.ts";
import { encodeReceipt } from "../model/receipt.ts";
import {
  decodeTransaction,
  encodeTransaction,
  recoverSender,
  type TransactionFields,
} from "../model/transaction.ts";
import { ProofFault } from "./client-fault.ts";
import type { BlockHeader, Hex, PendingTransaction, Proof, Receipt } from "./rpc-objects.ts";
import {
  type HeaderRoots,
  toldHeader,
  toldReceiptWithProof,
  toldRoots,
  toldSigned,
  toldTexts,
  toldTransactionWithProof,
  type ProofRules,
  type ReceiptWithProof,
  type TransactionWithProof,
} from "./told-objects.ts";

function bytes(text: string): Uint8Array {
  const found = fromHex(text);
  if (found === undefined) throw new ProofFault("malformed", "a field is not hexadecimal");
  return found;
}

// Members that were read into their forms are what they look like.
const hash = (text: string): Hash => text as Hash;
const address = (text: string): Address => text as Address;
const nodeId = (text: string): NodeId => text as NodeId;

function headerOf(told: BlockHeader): Header {
  return {
    parentHash: hash(told.parentHash),
    stateRoot: hash(told.stateRoot),
    transactionsRoot: hash(told.transactionsRoot),
    receiptsRoot: hash(told.receiptsRoot),
    dbHash: hash(told.dbHash),
    logsBloom: bytes(told.logsBloom),
    number: told.number,
    gasLimit: BigInt(told.gasLimit),
    gasUsed: BigInt(told.gasUsed),
    timestamp: BigInt(told.timestamp),
    extraData: told.extraData.map(bytes),
    sealer: Number(told.sealer),
    sealerList: told.sealerList.map(nodeId),
  };
}

/** Signatures that make a block of this many sealers final. Source: tx-block-codec 7 */
export function quorum(sealers: number): number {
  return sealers - Math.floor((sealers - 1) / 3);
}

/** Whether a list without repetitions has these members. */
export function hasMembers(list: readonly string[], wanted: readonly string[]): boolean {
  const members = new Set(list);
  const trusted = new Set(wanted);
  return (
    members.size === list.length &&
    trusted.size === list.length &&
    list.every((id) => trusted.has(id))
  );
}

/** Headers that name more sealers are refused: each costs a signature to examine. */
const MOST_SEALERS = 1_000;

/**
 * Node IDs of the sealers of a header that signed its hash. The header has been read into its form.
 *
 * @throws ProofFault for a header of more sealers or signatures than any group has
 */
export function signersOf(told: BlockHeader, suite: CryptoSuite): ReadonlySet<string> {
  const longest = Math.max(told.sealerList.length, told.signatureList?.length ?? 0);
  if (longest > MOST_SEALERS) {
    const what = `block ${told.number} names ${longest} sealers or signatures`;
    throw new ProofFault("malformed", `${what}, and no more than ${MOST_SEALERS} are examined`);
  }
  const digest = idBytes(hash(told.hash));
  const signers = new Set<string>();
  for (const { index, signature } of told.signatureList ?? []) {
    const sealer = told.sealerList[Number(index)];
    if (sealer === undefined || signers.has(sealer)) continue;
    const key = suite.recover(digest, bytes(signature));
    if (key !== undefined && toHex(key) === sealer) signers.add(sealer);
  }
  return signers;
}

/**
 * Shows that a quorum of the sealers agreed on a header. It must have been asked for with its
 * signatures. Blocks of Raft groups and genesis blocks have none and are never shown.
 *
 * @param sealers node IDs of the sealers that are trusted for this height
 * @throws ProofFault
 * Source: tx-block-codec 6, 7
 */
export function verifyHeader(
  told: BlockHeader,
  sealers: readonly string[],
  suite: CryptoSuite,
): void {
  const header = toldHeader(told);
  requireHeaderHash(header, suite);
  const place = `block ${header.number}`;
  if (!hasMembers(header.sealerList, toldTexts(sealers, "a list of sealers"))) {
    throw new ProofFault("sealers", `${place} names other sealers than those that are trusted`);
  }
  const needed = quorum(header.sealerList.length);
  const found = signersOf(header, suite).size;
  if (found >= needed) return;
  throw new ProofFault("seals", `${place} is signed by ${found} sealers, ${needed} are needed`);
}

/** Shows that the fields of a header give its hash. @throws ProofFault. Source: tx-block-codec 6 */
export function verifyHeaderHash(told: BlockHeader, suite: CryptoSuite): void {
  requireHeaderHash(toldHeader(told), suite);
}

function requireHeaderHash(header: BlockHeader, suite: CryptoSuite): void {
  if (headerHash(headerOf(header), suite) === header.hash) return;
  throw new ProofFault("headerHash", `the fields of block ${header.number} do not give its hash`);
}

function requireProof(claim: MerkleClaim, proof: Proof, { suite }: ProofRules): void {
  const levels = proof.map(({ left, right }) => ({
    left: left.map(bytes),
    right: right.map(bytes),
  }));
  if (verifyProof(claim, levels, suite.hash)) return;
  throw new ProofFault("proof", `the proof of item ${claim.index} does not lead to the root`);
}

function requireBlock(header: HeaderRoots, told: { blockHash: Hex; blockNumber: Hex }): void {
  const same = told.blockHash === header.hash && Number(told.blockNumber) === header.number;
  if (!same) throw new ProofFault("mismatch", `the answer is not of block ${header.number}`);
}

/** The fields, and `to` as it was signed: the interface shows a creation as address zero. */
function signedForms(told: PendingTransaction): readonly TransactionFields[] {
  const to = told.to === null ? null : address(told.to);
  const fields = {
    nonce: BigInt(told.nonce),
    gasPrice: BigInt(told.gasPrice),
    gas: BigInt(told.gas),
    blockLimit: BigInt(told.blockLimit),
    to,
    value: BigInt(told.value),
    input: bytes(told.input),
    chainId: BigInt(told.chainId),
    groupId: BigInt(told.groupId),
    extraData: bytes(told.extraData),
  };
  return to === ZERO_ADDRESS ? [{ ...fields, to: null }, fields] : [fields];
}

/**
 * Shows that the fields of a transaction give its hash, and that its sender signed it.
 *
 * @throws ProofFault
 * Source: tx-block-codec 2.3
 */
export function verifyTransaction(told: PendingTransaction, suite: CryptoSuite): void {
  requireSigned(toldSigned(told, suite), suite);
}

function requireSigned(told: PendingTransaction, suite: CryptoSuite): void {
  const signature = bytes(told.signature.signature);
  for (const fields of signedForms(told)) {
    const decoded = decodeTransaction(encodeTransaction(fields, signature), suite);
    if (!decoded.ok || decoded.transaction.hash !== told.hash) continue;
    if (recoverSender(decoded.transaction, suite) === told.from) return;
  }
  throw new ProofFault(
    "transaction",
    `the fields of transaction ${told.hash} do not give its hash`,
  );
}

/**
 * Shows that a transaction is in the block of a header that {@link verifyHeader} has shown.
 *
 * @throws ProofFault
 * Source: tx-block-codec 8.4
 */
export function verifyTransactionProof(
  told: TransactionWithProof,
  header: BlockHeader,
  rules: ProofRules,
): void {
  requireTransaction(toldTransactionWithProof(told, rules.suite), toldRoots(header), rules);
}

function requireTransaction(
  { transaction, txProof }: TransactionWithProof,
  header: HeaderRoots,
  rules: ProofRules,
): void {
  requireSigned(transaction, rules.suite);
  requireBlock(header, transaction);
  const itemHash = idBytes(hash(transaction.hash));
  const index = Number(transaction.transactionIndex);
  const root = idBytes(hash(header.transactionsRoot));
  requireProof({ index, itemHash, root }, txProof, rules);
}

function receiptHash(told: Receipt, { suite, version }: ProofRules): Uint8Array {
  const receipt = {
    root: hash(told.root),
    gasUsed: BigInt(told.gasUsed),
    contractAddress: address(told.contractAddress),
    logsBloom: bytes(told.logsBloom),
    status: Number(told.status),
    output: bytes(told.output),
    remainGas: BigInt(told.remainGas),
    logs: told.logs.map((log) => ({
      address: address(log.address),
      topics: log.topics.map(hash),
      data: bytes(log.data),
    })),
  };
  return suite.hash(encodeReceipt(receipt, version));
}

/**
 * Shows that a receipt is in the block of a header that {@link verifyHeader} has shown. What a
 * receipt repeats of its transaction (from, to, input, hash) its hash does not cover: give the
 * transaction too, and the position ties both together.
 *
 * @throws ProofFault
 * Source: tx-block-codec 5, 8.4
 */
export function verifyReceiptProof(
  told: ReceiptWithProof & { readonly transaction?: TransactionWithProof },
  header: BlockHeader,
  rules: ProofRules,
): void {
  const { transactionReceipt: receipt, receiptProof } = toldReceiptWithProof(told, rules);
  const roots = toldRoots(header);
  requireBlock(roots, receipt);
  const itemHash = receiptHash(receipt, rules);
  const index = Number(receipt.transactionIndex);
  const root = idBytes(hash(roots.receiptsRoot));
  requireProof({ index, itemHash, root }, receiptProof, rules);
  if (told.transaction === undefined) return;
  const beside = toldTransactionWithProof(told.transaction, rules.suite);
  requireTransaction(beside, roots, rules);
  const { hash: ofTransaction, from, to, input, transactionIndex } = beside.transaction;
  const same =
    receipt.transactionHash === ofTransaction &&
    Number(transactionIndex) === index &&
    receipt.from === from &&
    (receipt.to ?? ZERO_ADDRESS) === (to ?? ZERO_ADDRESS) &&
    receipt.input === input;
  if (!same) throw new ProofFault("mismatch", "the receipt is not of the transaction");
}
