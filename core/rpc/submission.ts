/**
 * Submission of a signed transaction, over HTTP and over the channel.
 *
 * Source: rpc-semantics 8; channel-protocol 6.1
 */
import type { Hash } from "../bytes/ids.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import { refusalText } from "../fault/transaction-status.ts";
import type { GroupApi, NodeApi, SubmitOutcome } from "../api/node-api.ts";
import { type Call, requireMembership, requireRunning } from "./method.ts";
import { bytesArgument } from "./params.ts";

/** What is submitted. */
export interface Submission {
  readonly groupId: number;
  /** As it came. */
  readonly raw: string;
  /** Whether a pushed receipt is to have proofs. */
  readonly withProof: boolean;
}

/**
 * Submits a transaction; resolves after admission to the pool, before consensus.
 *
 * @returns the transaction hash
 * @throws RpcFault -40001, -40009; -32603 for bytes that are no transaction and for pool refusals
 * Source: rpc-semantics 8; decision 11
 */
export async function submitTransaction(
  { node, submissions }: Call,
  { groupId, raw, withProof }: Submission,
): Promise<Hash> {
  const group = requireRunning(node, groupId);
  const bytes = bytesArgument(raw);
  const outcome = await group.submit(bytes);
  if (outcome.ok) {
    submissions?.admitted({ group, hash: outcome.hash, withProof });
    return outcome.hash;
  }
  if (submissions?.pushesRefusals && outcome.refusal !== "undecodable") {
    submissions.refused(outcome.refusal);
    return outcome.hash;
  }
  throw refusal(node, group, outcome);
}

type Refused = Exclude<SubmitOutcome, { readonly ok: true }>;

function refusal(node: NodeApi, group: GroupApi, outcome: Refused): RpcFault {
  // Undecodable bytes are refused before membership is examined, everything else after.
  if (outcome.refusal === "undecodable") return new RpcFault("internalError", outcome.reason);
  requireMembership(node, group);
  if (outcome.refusal === "notInGroup") return new RpcFault("notInGroup");
  return new RpcFault("internalError", refusalText(outcome.refusal, outcome));
}
