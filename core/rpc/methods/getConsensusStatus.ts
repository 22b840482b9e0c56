/** getConsensusStatus: how the consensus of the group stands. */
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID } from "../params.ts";
import { presentConsensusStatus } from "../present-status.ts";
import { reference } from "../schema.ts";

/** Status object, for PBFT the known views too. Source: interface 2.6; rpc-semantics 5.1 */
export const getConsensusStatus = defineMethod({
  name: "getConsensusStatus",
  summary: "Consensus status and the views of the sealers",
  params: [GROUP_ID],
  result: { name: "status", schema: reference("ConsensusStatus") },
  errors: MEMBER_ERRORS,
  run: ({ node }, [groupId]) => {
    const group = requireMember(node, groupId);
    return presentConsensusStatus(group, node.nodeId, group.consensusStatus());
  },
});
