/**
 * What a proposal of another node may not contain: what admission would have refused everywhere.
 * All honest nodes at one height know the same nonces, so all of them decide alike. Without this a
 * leader could have a committed transaction executed again. Source: txpool 3.2, 5; tx-block-codec
 * 2.4
 */
import type { Transaction } from "../model/transaction.ts";
import { admissionCheck, type ImportContext, isBlockLimitValid } from "./admission.ts";
import { isNonceUsed, type NonceWindow } from "./nonce-window.ts";

/** Why a proposal is not voted for. */
export type ProposalDefect =
  | "wrongTimestamp"
  | "nonceUsed"
  | "repeatedNonce"
  | "blockLimitCheckFail"
  | "invalidChainId"
  | "invalidGroupId";

/** The fields that are examined. */
type Checked = Pick<Transaction, "nonce" | "blockLimit" | "chainId" | "groupId">;

/**
 * The first defect of the transactions of a proposal for the block after the head.
 *
 * @param window nonces of the blocks up to that head
 * @returns undefined when there is none
 */
export function proposalDefect(
  window: NonceWindow,
  transactions: readonly Checked[],
  context: Omit<ImportContext, "now">,
): ProposalDefect | undefined {
  const check = admissionCheck({ ...context, now: 0 });
  const seen = new Set<bigint>();
  for (const { nonce, blockLimit, chainId, groupId } of transactions) {
    if (isNonceUsed(window, nonce)) return "nonceUsed";
    if (seen.has(nonce)) return "repeatedNonce";
    seen.add(nonce);
    if (!isBlockLimitValid(blockLimit, check.head)) return "blockLimitCheckFail";
    if (chainId !== check.chainId) return "invalidChainId";
    if (groupId !== check.groupId) return "invalidGroupId";
  }
  return undefined;
}

/** Milliseconds: no clock says more. */
const LATEST_TIMESTAMP = 2n ** 53n - 1n;

/**
 * Whether a header's timestamp leaves room for those of the blocks to come. No clock is asked, so
 * that all nodes judge a proposal alike, also later; a chain whose genesis block is at the end of
 * time goes on by a millisecond per block. Source: pbft 4.5; tx-block-codec 6
 */
export function isTimely(timestamp: bigint, parent: bigint): boolean {
  return timestamp === parent + 1n || (timestamp > parent && timestamp <= LATEST_TIMESTAMP);
}
