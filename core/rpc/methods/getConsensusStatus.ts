/** getConsensusStatus: how the consensus of the group stands. */
import { memberMethod } from "../method.ts";
import { presentConsensusStatus } from "../present-status.ts";
import { reference } from "../schema.ts";

/** Status object, for PBFT the known views too. Source: interface 2.6; rpc-semantics 5.1 */
export const getConsensusStatus = memberMethod({
  name: "getConsensusStatus",
  summary: "Consensus status and the views of the sealers",
  result: { name: "status", schema: reference("ConsensusStatus") },
  run: (group, _, { node }) => presentConsensusStatus(group, node.nodeId, group.consensusStatus()),
});
