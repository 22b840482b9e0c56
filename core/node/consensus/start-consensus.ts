/** The consensus of a group, by the protocol of its genesis. */
import { PbftProtocol } from "./pbft-protocol.ts";
import type { ConsensusOptions } from "./protocol.ts";
import { RaftProtocol } from "./raft-protocol.ts";
import { ConsensusShell } from "./shell.ts";

/** Makes consensus; it does nothing before `begin`. */
export function makeConsensus(made: ConsensusOptions) {
  const { raft } = made.options;
  return raft
    ? new ConsensusShell(made, new RaftProtocol(made, raft))
    : new ConsensusShell(made, new PbftProtocol(made));
}

/** The consensus of one running group, whichever protocol decides. */
export type GroupConsensus = ReturnType<typeof makeConsensus>;
