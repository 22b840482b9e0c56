/** PBFT's table under test. */
import assert from "node:assert/strict";
import { consensusMachine } from "../../../core/actors/consensus.machine.ts";
import type { PbftState, Signer } from "../../../core/consensus/pbft/state.ts";
import { step } from "../../../core/consensus/pbft/step.ts";
import { PBFT, PBFT_TABLE } from "../../../core/consensus/pbft/table.ts";
import { drawOptions } from "../options.ts";
import { runSchedule } from "../schedule.ts";
import { PBFT_FORBIDDEN } from "./forbidden.ts";
import type { Tested } from "./protocols.ts";
import { Twins } from "./twin.ts";

const ALIKE = "blocks of these worlds execute alike on all honest nodes";
const NO_LOSS = "the disks of these worlds lose no record";

/** The signers of a schedule number their signatures: a twin is handed those of its core. */
class Echo {
  readonly #made: Uint8Array[] = [];
  readonly #known = new WeakSet<object>();
  #repeats = false;

  /** From now on the signatures of a core are kept for its twin. */
  follow(state: PbftState): void {
    this.#repeats = false;
    this.#made.length = 0;
    if (this.#known.has(state)) return;
    this.#known.add(state);
    const { signer } = state;
    Object.assign(state, { signer: { sign: this.#through(signer) } });
  }

  /** What is signed now is what was signed before, in that order. */
  repeat(): void {
    this.#repeats = true;
  }

  #through(signer: Signer): Signer["sign"] {
    return (content) => {
      const signature = this.#repeats ? this.#made.shift() : signer.sign(content);
      assert.ok(signature, `the core signed no ${content.type}`);
      if (!this.#repeats) this.#made.push(signature);
      return signature;
    };
  }
}

function runTwins(seed: number): number {
  const twins = new Twins<PbftState>(consensusMachine, { key: "pbft", field: "phase" });
  const echo = new Echo();
  const take: typeof step = (state, input) => {
    echo.follow(state);
    return twins.step(
      state,
      () => step(state, input),
      (twin, take) => {
        echo.repeat();
        return step(twin, input, take);
      },
    );
  };
  runSchedule({ ...drawOptions(seed), take });
  return twins.steps;
}

/** How PBFT is put to the test. */
export const PBFT_TESTED: Tested = {
  table: PBFT_TABLE,
  dispatcher: PBFT,
  run: (seed) => runSchedule(drawOptions(seed)).failure,
  runTwins,
  tests: [
    "test/core/consensus/pbft",
    "test/transcripts",
    "test/core/actors/consensus-machine.test.ts",
    "test/simulation/rows/declared.test.ts",
  ],
  rare: [31, 46, 55, 102],
  sample: [
    "member.observer always 1",
    "member.sealer sign 2",
    "member.sealer.idle prepare 1",
    "member.sealer.prePrepared always 6",
    "member.sealer.viewChanging tick 1",
  ],
  forbidden: PBFT_FORBIDDEN,
  undeclared: [
    "idle start",
    "prePrepared start",
    "prepared start",
    "viewChanging start",
    "committed start",
    "catchingUp start",
  ],
  unseen: {
    "member lostMessages 1": NO_LOSS,
    "member stale 1": "schedules verify every message",
    "member stale 2": "schedules verify every message",
    "member written 2": "a disk writes a block once",
    "member.sealer sign 1": ALIKE,
    "member.sealer viewChange 1": ALIKE,
    "member.sealer lostMessages 1": NO_LOSS,
    "member.sealer.idle always 1": ALIKE,
    "member.sealer.prePrepared always 3": ALIKE,
    "member.sealer.prePrepared always 5": ALIKE,
    "member.sealer.prepared always 3": ALIKE,
    "member.decided always 1": ALIKE,
    "member.decided always 2": ALIKE,
  },
};
