/**
 * Submission of a signed transaction, over HTTP and over the channel.
 * Source: rpc-semantics 8; channel-protocol 6.1
 */
import { RpcFault } from "../fault/rpc-fault.ts";
import { refusalText } from "../fault/transaction-status.ts";
import type { GroupApi, NodeApi, SubmitOutcome } from "../api/node-api.ts";
import {
  defineMethod,
  MEMBER_ERRORS,
  type Method,
  requireMembership,
  requireRunning,
} from "./method.ts";
import { bytesArgument, GROUP_ID, SIGNED_TRANSACTION } from "./params.ts";
import { HASH } from "./schema.ts";

/**
 * Submits a transaction; answers its hash after admission to the pool, before consensus.
 *
 * @param withProof whether a pushed receipt is to have proofs
 * @throws RpcFault -40001, -40009; -32603 for bytes that are no transaction and for pool refusals
 * Source: rpc-semantics 8; decision 11
 */
export function submitMethod(name: string, summary: string, withProof: boolean): Method {
  return defineMethod({
    name,
    summary,
    params: [GROUP_ID, SIGNED_TRANSACTION],
    result: { name: "transactionHash", schema: HASH },
    errors: MEMBER_ERRORS,
    changes: true,
    run: async ({ node, submissions }, [groupId, raw]) => {
      const group = requireRunning(node, groupId);
      const outcome = await group.submit(bytesArgument(raw));
      if (outcome.ok) submissions?.admitted({ group, hash: outcome.hash, withProof });
      else if (submissions?.pushesRefusals && outcome.refusal !== "undecodable")
        submissions.refused(outcome.refusal);
      else throw refusal(node, group, outcome);
      return outcome.hash;
    },
  });
}

type Refused = Exclude<SubmitOutcome, { readonly ok: true }>;

function refusal(node: NodeApi, group: GroupApi, outcome: Refused): RpcFault {
  // Undecodable bytes are refused before membership is examined, everything else after.
  if (outcome.refusal === "undecodable") return new RpcFault("internalError", outcome.reason);
  requireMembership(node, group);
  if (outcome.refusal === "notInGroup") return new RpcFault("notInGroup");
  return new RpcFault("internalError", refusalText(outcome.refusal, outcome));
}
