/** Reads whose answers are checked: for a program that trusts the sealers, but not the node. */
import type { CryptoSuite } from "../crypto/suite.ts";
import type { ChainView } from "./chain-view.ts";
import { ProofFault } from "./client-fault.ts";
import type { TypedRequest } from "./rpc-methods.ts";
import type { BlockHeader, Hex, Receipt, Transaction } from "./rpc-objects.ts";
import type { NumberText } from "./rpc-schema.ts";
import type { SealerTrail } from "./sealer-trail.ts";
import { followSealers, type TrailRoot } from "./trail-reads.ts";
import { verifyHeader, verifyReceiptProof, verifyTransactionProof } from "./verify-proof.ts";

/** Who is trusted: sealers, for blocks of theirs only, or all who are reached from them. */
export type Trust =
  /** Node IDs of the sealers of the group, in any order. */
  | { readonly sealers: readonly string[] }
  /** Of {@link VerifiedReads.followSealers}. */
  | SealerTrail;

/** A transaction that is shown to be in a block. */
export interface VerifiedTransaction {
  readonly transaction: Transaction;
  /** Shown to be signed by a quorum of the trusted sealers. */
  readonly header: BlockHeader;
}

/** A receipt that is shown to be that of a transaction in a block. */
export interface VerifiedReceipt extends VerifiedTransaction {
  readonly receipt: Receipt;
}

/**
 * Reads that show what they answer. All of them throw ProofFault for an answer that is not shown,
 * and need a group of PBFT of version 2.2.0 or newer.
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

/** What the reads are made with. */
export interface VerifiedReadsParts {
  readonly request: TypedRequest;
  readonly groupId: number;
  readonly suite: CryptoSuite;
  readonly view: ChainView;
}

/** The reads over requests. */
export function verifiedReads({
  request,
  groupId,
  suite,
  view,
}: VerifiedReadsParts): VerifiedReads {
  const getVerifiedHeader = async (number: NumberText, trust: Trust): Promise<BlockHeader> => {
    const header = await request("getBlockHeaderByNumber", [groupId, number, true]);
    requireNumber(header, number);
    if ("certify" in trust) await trust.certify(header);
    else verifyHeader(header, trust.sealers, suite);
    return header;
  };
  const rules = async () => ({ suite, version: (await view.facts()).version });
  const proved = async (hash: Hex, trust: Trust) => {
    const answer = await request("getTransactionByHashWithProof", [groupId, hash]);
    if (answer === null) return null;
    const header = await getVerifiedHeader(answer.transaction.blockNumber, trust);
    verifyTransactionProof(answer, header, await rules());
    requireHash(answer.transaction.hash, hash);
    return { answer, header };
  };
  return {
    followSealers: (root) => followSealers(root, { request, groupId, suite, view }),
    getVerifiedHeader,
    async getVerifiedTransaction(hash, trust) {
      const found = await proved(hash, trust);
      return found && { transaction: found.answer.transaction, header: found.header };
    },
    async getVerifiedReceipt(hash, trust) {
      const found = await proved(hash, trust);
      const told = await request("getTransactionReceiptByHashWithProof", [groupId, hash]);
      if (found === null || told === null) return null;
      const { answer, header } = found;
      verifyReceiptProof({ ...told, transaction: answer }, header, await rules());
      return { receipt: told.transactionReceipt, transaction: answer.transaction, header };
    },
  };
}

function requireNumber(header: BlockHeader, wanted: NumberText): void {
  if (BigInt(header.number) === BigInt(wanted)) return;
  throw new ProofFault("mismatch", `the answer is block ${header.number}, not ${wanted}`);
}

function requireHash(found: Hex, wanted: Hex): void {
  if (found === wanted.toLowerCase()) return;
  throw new ProofFault("mismatch", `the answer is transaction ${found}, not ${wanted}`);
}
