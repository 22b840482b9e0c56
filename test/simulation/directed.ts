/**
 * Schedules that reach one state each, whatever chance does: a fault that shows there only is found
 * in a second. Each ends with the calm and is judged like all others.
 */
import { ALL_RULES } from "../../core/consensus/pbft/state.ts";
import type { Message } from "../../core/consensus/pbft/message.ts";
import { type LossesOf, twoLocks } from "./losses.ts";
import type { Act, Options } from "./options.ts";
import { type Outcome, runSchedule } from "./schedule.ts";

/** Four sealers that are never without transactions; nothing goes wrong. */
const QUIET: Options = {
  seed: 1,
  mutation: undefined,
  rules: ALL_RULES,
  sealers: 4,
  nodes: 4,
  byzantine: [],
  acts: new Set(),
  byzantineStays: false,
  chaosMs: 10_000,
  loss: 0,
  delayMs: 20,
  duplication: 0,
  servesBlocks: true,
  deafness: 0,
  partitionMs: 0,
  crashMs: 0,
  cut: 0,
  pauseMs: 0,
  persistMs: 5,
  executeMs: 5,
  heavy: 0,
  busy: 1,
  missing: 0,
  roleChange: 0,
  clocksDiffer: false,
  realCodec: false,
  roundsPerRecord: 1,
  muteMs: 0,
  losses: undefined,
};

const BYZANTINE = 3;
/** It does not hear one other. */
const DEAF = 0;
const UNHEARD = 2;

/** One sealer does not hear the votes of another: its quorum would need the Byzantine node's. */
function unheard(type: Message["type"], alsoLost?: Message["type"]): LossesOf {
  return () => (from, to, packet) => {
    if (packet.kind !== "message") return false;
    const { message } = packet;
    return message.type === alsoLost || (message.type === type && from === UNHEARD && to === DEAF);
  };
}

function withByzantine(losses: LossesOf): Options {
  return { ...QUIET, byzantine: [BYZANTINE], acts: new Set<Act>(["otherResults"]), losses };
}

/** What each schedule is like. */
export const DIRECTED = {
  /** Source: pbft 16.3.2, 16.4 */
  twoLocks: { ...QUIET, losses: twoLocks({ height: 1, holder: 3, decider: 0 }) },
  /** Commit votes for the right block that name another result. Source: pbft 16.3.5 */
  otherCommits: withByzantine(unheard("commit")),
  /** The same with sign votes; no view decides, so that every lock is shown. Source: pbft 16.3.4 */
  otherSigns: withByzantine(unheard("sign", "commit")),
} as const satisfies Readonly<Record<string, Options>>;

/** Runs one of them. */
export function runDirected(name: keyof typeof DIRECTED): Outcome {
  return runSchedule(DIRECTED[name]);
}
