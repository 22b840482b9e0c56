/** Reads whose answers are checked: for a program that trusts the sealers, but not the node. */
import { ZERO_ADDRESS } from "../bytes/ids.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { ProofFault } from "./client-fault.ts";
import type { BlockHeader, Hex, Receipt, Transaction } from "./rpc-objects.ts";
import type { NumberText } from "./rpc-schema.ts";
import type { SealerTrail } from "./sealer-trail.ts";
import { toldTransactionWithProof } from "./told-objects.ts";
import {
  askHeader,
  askReceiptWithProof,
  type FollowParts,
  followSealers,
  type TrailRoot,
  rulesOf,
} from "./trail-reads.ts";
import { receiverOf } from "./verify-block.ts";
import {
  signersOf,
  verifyHeader,
  verifyReceiptProof,
  verifyTransactionProof,
} from "./verify-proof.ts";

/** Who is trusted: sealers, for blocks of theirs only, or all who are reached from them. */
export type Trust =
  /** Node IDs of the sealers of the group, in any order. */
  | { readonly sealers: readonly string[] }
  /** Of {@link VerifiedReads.followSealers}. */
  | SealerTrail;

/** A transaction that is shown to be in a block. */
export interface VerifiedTransaction {
  readonly transaction: Transaction;
  /** Shown to be signed by a quorum of the trusted sealers; other signatures are left out. */
  readonly header: BlockHeader;
}

/** A receipt that is shown to be that of a transaction in a block. */
export interface VerifiedReceipt extends VerifiedTransaction {
  readonly receipt: Receipt;
}

/**
 * Reads that show what they answer. All of them throw ProofFault for an answer that is not shown,
 * and need a group of PBFT of version 2.2.0 or newer. Every member of what they give is covered by
 * a check, or made of members that are: other members of the node's answer are left out.
 */
export interface VerifiedReads {
  /**
   * Follows the sealers of the group through the changes of their list, from those that are
   * trusted. Give the trail to the reads below, and keep what its `toKept` gives.
   */
  followSealers(root: TrailRoot): Promise<SealerTrail>;
  /** A header that a quorum of the sealers signed. */
  getVerifiedHeader(blockNumber: NumberText, trust: Trust): Promise<BlockHeader>;
  /** A transaction and the header of its block; null for an unknown hash. */
  getVerifiedTransaction(hash: Hex, trust: Trust): Promise<VerifiedTransaction | null>;
  /** A receipt, its transaction and the header of their block; null for an unknown hash. */
  getVerifiedReceipt(hash: Hex, trust: Trust): Promise<VerifiedReceipt | null>;
}

/** The reads over requests. */
export function verifiedReads(parts: FollowParts): VerifiedReads {
  const { request, groupId, suite } = parts;
  const getVerifiedHeader = async (number: NumberText, trust: Trust): Promise<BlockHeader> => {
    const header = await askHeader(parts, number);
    if (BigInt(header.number) !== BigInt(number)) {
      throw new ProofFault("mismatch", `the answer is block ${header.number}, not ${number}`);
    }
    if ("certify" in trust) await trust.certify(header);
    else verifyHeader(header, trust.sealers, suite);
    return withShownSeals(header, suite);
  };
  const proved = async (hash: Hex, trust: Trust) => {
    const told = await request("getTransactionByHashWithProof", [groupId, hash]);
    if (told === null) return null;
    const answer = toldTransactionWithProof(told, suite);
    const found = answer.transaction;
    const header = await getVerifiedHeader(found.blockNumber, trust);
    verifyTransactionProof(answer, header, await rulesOf(parts));
    if (found.hash !== hash.toLowerCase()) {
      throw new ProofFault("mismatch", `the answer is transaction ${found.hash}, not ${hash}`);
    }
    // As nodes answer it: the receiver of a creation is the zero address. Source: decision 8
    const receiver = receiverOf(found, suite);
    const transaction = { ...found, to: receiver ?? (ZERO_ADDRESS as string as Hex) };
    return { answer, transaction, header, receiver };
  };
  return {
    followSealers: (root) => followSealers(root, parts),
    getVerifiedHeader,
    async getVerifiedTransaction(hash, trust) {
      const found = await proved(hash, trust);
      return found && { transaction: found.transaction, header: found.header };
    },
    async getVerifiedReceipt(hash, trust) {
      const found = await proved(hash, trust);
      const known = await rulesOf(parts);
      const receipt = await askReceiptWithProof(parts, hash, known);
      if (found === null || receipt === null) return null;
      const { answer, transaction, header, receiver } = found;
      verifyReceiptProof({ ...receipt, transaction: answer }, header, known);
      return { receipt: { ...receipt.transactionReceipt, to: receiver }, transaction, header };
    },
  };
}

/** The header with one signature of each sealer that signed: its hash does not cover the others. */
function withShownSeals(header: BlockHeader, suite: CryptoSuite): BlockHeader {
  if (header.signatureList === undefined) return header;
  const signers = new Set<string>();
  const signatureList = header.signatureList.filter((seal) => {
    const [signer] = signersOf({ ...header, signatureList: [seal] }, suite);
    if (signer === undefined || signers.has(signer)) return false;
    signers.add(signer);
    return true;
  });
  return { ...header, signatureList };
}
