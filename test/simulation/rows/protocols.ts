/** The protocols that are tables, and the schedules that show what their rows are for. */
import { syncMachine } from "../../../core/actors/sync.machine.ts";
import { beginTurn, step as syncStep } from "../../../core/sync/planner/step.ts";
import { SYNC, SYNC_TABLE } from "../../../core/sync/planner/table.ts";
import { SyncWorld } from "../../core/sync/planner/world.ts";
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
  /** Rows that schedules do not take, and why. */
  readonly unseen: Readonly<Record<string, string>>;
}

const RULES = { verifyFirst: true };

/** All of them, by the names of their charts. */
export const PROTOCOLS: Readonly<Record<string, Tested>> = {
  sync: {
    table: SYNC_TABLE,
    dispatcher: SYNC,
    run(seed) {
      const outcome = new SyncWorld(seed, RULES).run();
      return outcome.reached ? undefined : "not every node comes to rest";
    },
    runTwins(seed) {
      const twins = new Twins(syncMachine, { key: "sync", field: "phase" });
      new SyncWorld(seed, RULES, (state, input) => {
        const turn = beginTurn(input);
        const events = [
          { type: input.type, input, turn },
          { type: "rest", input: undefined, turn },
        ];
        return twins.step(state, () => syncStep(state, input), events);
      }).run();
      return twins.steps;
    },
    tests: ["test/core/sync/planner", "test/simulation/rows/declared.test.ts"],
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
      "running.idle verified 1": "no download of these worlds ends while blocks are verified",
      "running.behind verified 2": "rare: the sealers change while blocks are verified",
      "running.behind.importing imported 1": "no honest node stops",
      "running.behind.importing imported 2": "what was verified is not refused in these worlds",
    },
  },
};
