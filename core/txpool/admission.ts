/** What a transaction must pass to enter the pool, in order. Source: txpool 3 */
import type { Address } from "../bytes/ids.ts";
import type { PoolRefusalName } from "../fault/transaction-status.ts";
import type { SignedTransaction, Transaction } from "../model/transaction.ts";
import { BLOCK_LIMIT_WINDOW, FAR_BEHIND_BLOCKS } from "./limits.ts";
import { findNonce } from "./nonce-index.ts";
import { isNonceUsed } from "./nonce-window.ts";
import { sizeOf, type TxPool } from "./state.ts";

/** Largest 256-bit number: no nonce and no block limit may have it. */
const INVALID_U256 = 2n ** 256n - 1n;

/** Why a submission is refused before the pool sees it. Source: txpool 3.1 */
export type EntryRefusal = Extract<PoolRefusalName, "notInGroup" | "nodeIsSyncing">;

/** Why import refuses a transaction. Source: txpool 3.2 */
export type ImportRefusal = Exclude<PoolRefusalName, EntryRefusal>;

/** What admission depends on besides the pool. */
export interface ImportContext {
  readonly head: number;
  readonly chainId: number;
  readonly groupId: number;
  /** Aligned time in milliseconds. Source: sync 6 */
  readonly now: number;
}

/** A decoded transaction; without `from` its sender did not recover. */
export type Candidate = Transaction & { readonly from?: Address | undefined };

/** The sizes of the check, made once per batch. */
interface AdmissionCheck {
  readonly head: bigint;
  readonly chainId: bigint;
  readonly groupId: bigint;
}

/** Prepares the numbers that all candidates of a batch are compared with. */
export function admissionCheck(context: ImportContext): AdmissionCheck {
  const { head, chainId, groupId } = context;
  return { head: BigInt(head), chainId: BigInt(chainId), groupId: BigInt(groupId) };
}

/** Whether the sender of a candidate is known. */
export function isSigned(candidate: Candidate): candidate is SignedTransaction {
  return candidate.from !== undefined;
}

/** Whether a transaction may be in the block after the head. Source: txpool 3.2.6 */
export function isBlockLimitValid(blockLimit: bigint, head: bigint): boolean {
  const inWindow = blockLimit > head && blockLimit <= head + BigInt(BLOCK_LIMIT_WINDOW);
  return inWindow && blockLimit !== INVALID_U256;
}

/** Rows 1 to 6: what needs no signature. Source: txpool 3.2 */
function refusalOfContent(
  pool: TxPool,
  candidate: Transaction,
  check: AdmissionCheck,
): ImportRefusal | undefined {
  const { limits } = pool;
  if (pool.memoryBytes + sizeOf(candidate) > limits.memoryBytes) return "overGroupMemoryLimit";
  if (pool.byHash.size >= limits.count) return "txPoolIsFull";
  if (pool.byHash.has(candidate.hash)) return "alreadyKnown";
  if (pool.dropped.has(candidate.hash)) return "alreadyInChain";
  const { nonce } = candidate;
  if (nonce === INVALID_U256 || isNonceUsed(pool.window, nonce)) return "chainNonceUsed";
  if (!isBlockLimitValid(candidate.blockLimit, check.head)) return "blockLimitCheckFail";
  return undefined;
}

/**
 * Rows 8 to 10. The nonce is reserved by the caller on success only: a corrected transaction may
 * come with the nonce of one that was refused here.
 */
function refusalOfPlace(
  pool: TxPool,
  candidate: Transaction,
  check: AdmissionCheck,
): ImportRefusal | undefined {
  if (findNonce(pool.pendingNonces, candidate.nonce) >= 0) return "poolNonceUsed";
  if (candidate.chainId !== check.chainId) return "invalidChainId";
  if (candidate.groupId !== check.groupId) return "invalidGroupId";
  return undefined;
}

/** The first check that a candidate fails; undefined when it may enter. Source: txpool 3.2 */
export function importRefusal(
  pool: TxPool,
  candidate: Candidate,
  check: AdmissionCheck,
): ImportRefusal | undefined {
  const refusal = refusalOfContent(pool, candidate, check);
  if (refusal !== undefined) return refusal;
  if (!isSigned(candidate)) return "malformedTx";
  return refusalOfPlace(pool, candidate, check);
}

/**
 * All checks but the signature's: a transaction that a peer sent and that fails here need not have
 * its sender recovered, which costs a hundred times as much.
 */
export function unsignedRefusal(
  pool: TxPool,
  candidate: Transaction,
  context: ImportContext,
): ImportRefusal | undefined {
  const check = admissionCheck(context);
  return refusalOfContent(pool, candidate, check) ?? refusalOfPlace(pool, candidate, check);
}

/** Where a node stands when somebody submits to it. */
export interface Standing {
  /** Sealer or observer of the group, or told to act as one. */
  readonly isMember: boolean;
  readonly head: number;
  /** Highest head that a peer reported. */
  readonly knownHead: number;
}

/** The checks between signature and import, in order. Source: txpool 3.1; rpc-semantics 8 */
export function entryRefusal(standing: Standing): EntryRefusal | undefined {
  if (!standing.isMember) return "notInGroup";
  if (standing.knownHead - standing.head > FAR_BEHIND_BLOCKS) return "nodeIsSyncing";
  return undefined;
}
