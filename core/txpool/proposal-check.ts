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
  | "nonceUsed"
  | "repeatedNonce"
  | "blockLimitCheckFail"
  | "invalidChainId"
  | "invalidGroupId";

/** The fields that are looked at. */
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
