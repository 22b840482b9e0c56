/** The voice of a group's node: its silence, looked at from where the group stands. */
import { quorum } from "../../consensus/quorum.ts";
import { majority } from "../../consensus/raft/majority.ts";
import type { SilenceRecord } from "../../consensus/silence.ts";
import type { GroupConfig } from "../../model/config.ts";
import type { GroupOptions, GroupPorts, ParentBlock } from "../options/group-options.ts";
import { SilenceKeeper } from "./silence-keeper.ts";

/** Where the group stands. */
interface Standing {
  config(): GroupConfig;
  parent(): ParentBlock;
}

/** What a keeper is made with. */
export interface GroupVoiceOptions {
  readonly options: GroupOptions;
  readonly ports: GroupPorts;
  /** As the group was opened. */
  readonly record: SilenceRecord | undefined;
  readonly chain: Standing;
}

/** Makes the keeper of a group's silence. */
export function makeSilence({ options, ports, record, chain }: GroupVoiceOptions): SilenceKeeper {
  const { self, raft, isMuted } = options;
  const { store, log, clock } = ports;
  return new SilenceKeeper({
    store,
    log,
    record,
    isMuted,
    sight: () => {
      const sealers = [...chain.config().sealers].sort();
      const { length } = sealers;
      return {
        self,
        head: chain.parent().number,
        sealers,
        quorum: raft ? majority(length) : quorum(length),
        now: clock.steady(),
        // A candidate that has this node's lost vote gives up within an election.
        patienceMs: raft ? 2 * raft.maxElectMs : 0,
      };
    },
  });
}
