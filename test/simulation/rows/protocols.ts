/** The protocols that are tables, and the schedules that show what their rows are for. */
import { raftMachine } from "../../../core/actors/raft.machine.ts";
import { syncMachine } from "../../../core/actors/sync.machine.ts";
import type { RaftState } from "../../../core/consensus/raft/state.ts";
import { step as raftStep } from "../../../core/consensus/raft/step.ts";
import { RAFT, RAFT_TABLE } from "../../../core/consensus/raft/table.ts";
import type { SyncState } from "../../../core/sync/planner/state.ts";
import { step as syncStep } from "../../../core/sync/planner/step.ts";
import { SYNC, SYNC_TABLE } from "../../../core/sync/planner/table.ts";
import { SyncWorld } from "../../core/sync/planner/world.ts";
import { drawRaftOptions } from "../raft/options.ts";
import { runRaftSchedule } from "../raft/schedule.ts";
import { type ForbiddenRows, RAFT_FORBIDDEN, SYNC_FORBIDDEN } from "./forbidden.ts";
import { PBFT_TESTED } from "./pbft.ts";
import type { Protocol } from "./rows.ts";
import { Twins } from "./twin.ts";

/** A protocol, and how it is put to the test. */
export interface Tested extends Protocol {
  /** Runs a schedule. Gives what is wrong; may throw it too. */
  run(seed: number): string | undefined;
  /** Runs a schedule with a twin of each core. Gives the steps in which they agreed. */
  runTwins(seed: number): number;
  /** Tests of single cases, for what schedules have no eye for. */
  readonly tests: readonly string[];
  /** Events that cannot come in a state; each other one is declared, if only to be ignored. */
  readonly undeclared: readonly string[];
  /** Rows that schedules soon miss. */
  readonly sample: readonly string[];
  /** Schedules notice each of them. */
  readonly forbidden: ForbiddenRows;
  /** Seeds whose schedules take rows that few take: the first in which rows are counted. */
  readonly rare: readonly number[];
  /** Rows that schedules do not take, and why. */
  readonly unseen: Readonly<Record<string, string>>;
}

const CRASHES_ONLY = "sealers of Raft crash, they do not lie: their blocks execute alike";
const ONE_LEADER = "a term has one leader, which is what the protocol is for";
const NO_TIME = "blocks of these worlds have no time";
const EARLIER = "rare: a question or a heartbeat brings a higher term before an answer does";

/** All of them, by the names of their charts. */
export const PROTOCOLS: Readonly<Record<string, Tested>> = {
  sync: {
    table: SYNC_TABLE,
    dispatcher: SYNC,
    run(seed) {
      const outcome = new SyncWorld(seed).run();
      return outcome.reached ? undefined : "not every node comes to rest";
    },
    runTwins(seed) {
      const twins = new Twins<SyncState>(syncMachine, { key: "sync", field: "phase" });
      new SyncWorld(seed, (state, input) =>
        twins.step(
          state,
          () => syncStep(state, input),
          (twin, take) => syncStep(twin, input, take),
        ),
      ).run();
      return twins.steps;
    },
    tests: ["test/core/sync/planner", "test/simulation/rows/declared.test.ts"],
    rare: [147, 10],
    sample: [
      "running tick 1",
      "running committed 1",
      "running.idle always 1",
      "running.behind always 1",
      "running.behind.importing imported 3",
    ],
    forbidden: SYNC_FORBIDDEN,
    undeclared: [
      "idle imported",
      "requesting start",
      "requesting imported",
      "downloading start",
      "downloading imported",
      "importing start",
    ],
    unseen: {
      "running blocks 1": "the network delivers nothing of a peer without a session",
      "running committed 2": "the ledger writes a block once",
      "running loaded 2": "rare: a peer leaves while blocks are read for it",
      "running.idle verified 1": "rare: a download ends while blocks are verified",
      "running.behind verified 2": "rare: the sealers change while blocks are verified",
      "running.behind.importing imported 1": "no honest node stops",
      "running.behind.importing imported 2": "what was verified is not refused in these worlds",
    },
  },
  pbft: PBFT_TESTED,
  raft: {
    table: RAFT_TABLE,
    dispatcher: RAFT,
    run: (seed) => runRaftSchedule(drawRaftOptions(seed, undefined)).failure,
    runTwins(seed) {
      const twins = new Twins<RaftState>(raftMachine, { key: "raft", field: "role" });
      const take: typeof raftStep = (state, input) =>
        twins.step(
          state,
          () => raftStep(state, input),
          (twin, take) => raftStep(twin, input, take),
        );
      runRaftSchedule({ ...drawRaftOptions(seed, undefined), take });
      return twins.steps;
    },
    tests: [
      "test/core/consensus/raft",
      "test/core/actors/raft-machine.test.ts",
      "test/simulation/rows/declared.test.ts",
    ],
    rare: [68, 28, 24, 80, 6, 14, 71],
    sample: [
      "member always 2",
      "member.suspended always 1",
      "member.follower tick 2",
      "member.follower vote 2",
      "member.electing vote 2",
    ],
    forbidden: RAFT_FORBIDDEN,
    undeclared: [
      "suspended leaseExpired",
      "follower start",
      "follower leaseExpired",
      "preCandidate start",
      "preCandidate leaseExpired",
      "candidate start",
      "candidate leaseExpired",
      "leader start",
    ],
    unseen: {
      "member proposal 1": "rare: a proposal comes when its leader leads no more",
      "member written 2": "rare: some 35 times in 10,000 schedules",
      "member always 4": CRASHES_ONLY,
      "member always 5": CRASHES_ONLY,
      "member always 6": CRASHES_ONLY,
      "member.follower voteReply 1": EARLIER,
      "member.follower append 3": ONE_LEADER,
      "member.follower append 4": NO_TIME,
      "member.electing preVoteReply 1": EARLIER,
      "member.electing append 3": NO_TIME,
      "member.electing acknowledgement 1": EARLIER,
      "member.electing.candidate voteReply 1": EARLIER,
      "member.leader preVoteReply 1": EARLIER,
      "member.leader voteReply 1": EARLIER,
      "member.leader append 3": ONE_LEADER,
      "member.leader acknowledgement 3": CRASHES_ONLY,
      "member.leader proposal 1": "the sealing side of these worlds answers at once or not at all",
      "member.leader proposal 2": "the sealing side of these worlds builds on the own head",
      "member.leader proposal 3": NO_TIME,
      "member.leader always 3": CRASHES_ONLY,
    },
  },
};
