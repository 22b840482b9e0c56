/** Sealers that time out together: elections end although the configured bounds are one. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { Proposal } from "../../../../core/consensus/exchange.ts";
import type { Effect } from "../../../../core/consensus/raft/effect.ts";
import type { Input, RaftConfig } from "../../../../core/consensus/raft/input.ts";
import type { Message } from "../../../../core/consensus/raft/message.ts";
import { createRaft, type RaftState } from "../../../../core/consensus/raft/state.ts";
import { step } from "../../../../core/consensus/raft/step.ts";
import { Timeline } from "../../../simulation/timeline.ts";
import { digest, HEAD, ids, result, type Untimed } from "./group.ts";
import { checkRaftInvariants } from "../../../support/world/invariants.ts";

// rules: raft 3, raft 10

/** One way of a message, always the same. */
const LATENCY_MS = 50;
/** A few elections; a simulated schedule may take four times as long once its faults have ended. */
const LIMIT_MS = 15_000;
const SEALERS = ids(3);
/** The third one is missing. */
const LIVE = [0, 1] as const;

/** Two live sealers of three that begin at the same moment. */
class Pair {
  readonly timeline = new Timeline();
  readonly #states: RaftState[];
  readonly #alarms: (number | undefined)[] = [];
  readonly #blocks = new Map<string, Proposal>();

  constructor(seed: number, times: Pick<RaftConfig, "minElectMs" | "maxElectMs">) {
    this.#states = LIVE.map((self) =>
      createRaft({
        config: { self: SEALERS[self] as NodeId, sealers: SEALERS, ...times },
        height: 0,
        head: HEAD,
        record: undefined,
        seed: seed * 2 + self,
      }),
    );
    for (const at of LIVE) this.#give(at, { type: "start" });
  }

  /** When both have written a block; undefined: not within the limit. */
  committedAt(): number | undefined {
    while (this.timeline.now < LIMIT_MS && this.timeline.advance())
      if (this.#states.every(({ height }) => height > 0)) return this.timeline.now;
    return undefined;
  }

  #give(at: number, input: Untimed): void {
    const state = this.#states[at] as RaftState;
    const effects = step(state, { ...input, now: this.timeline.now } as Input);
    checkRaftInvariants(state);
    for (const effect of effects) this.#perform(at, state, effect);
  }

  #soon(at: number, input: Untimed): void {
    this.timeline.after(0, () => this.#give(at, input));
  }

  #perform(at: number, state: RaftState, effect: Effect): void {
    switch (effect.type) {
      case "broadcast":
      case "send":
        return this.#carry(at, effect.message);
      case "deadline":
        return this.#setAlarm(at, effect.at);
      case "propose":
        return this.#soon(at, {
          type: "proposal",
          view: effect.view,
          proposal: this.#blockOf(state),
        });
      case "assemble":
        return this.#soon(at, { type: "assembled", proposal: effect.proposal, complete: true });
      case "execute":
        return this.#soon(at, { type: "executed", token: effect.token, executed: result("a") });
      case "write": {
        const { height, executed: hash } = effect;
        return this.#soon(at, { type: "written", height, hash, config: state.config });
      }
      default:
        return;
    }
  }

  /** To the other live one, no matter who else was meant. */
  #carry(from: number, message: Message): void {
    const entry = message.type === "append" ? message.entry : undefined;
    const proposal = entry && this.#blocks.get(entry);
    const heard = { type: "message", from: SEALERS[from] as NodeId, message } as const;
    const input = proposal ? { ...heard, proposal } : heard;
    this.timeline.after(LATENCY_MS, () => this.#give(1 - from, input));
  }

  #setAlarm(at: number, due: number | undefined): void {
    this.#alarms[at] = due;
    if (due === undefined) return;
    this.timeline.at(due, () => {
      if (this.#alarms[at] === due) this.#give(at, { type: "tick" });
    });
  }

  #blockOf({ index, height, head }: RaftState): Proposal {
    const place = { number: height + 1, parentHash: head, sealers: SEALERS };
    const proposal = { ...place, hash: digest("a"), sealer: index, txCount: 1 };
    this.#blocks.set(proposal.hash, proposal);
    return proposal;
  }
}

for (const maxElectMs of [1_000, 1_040, 2_000]) {
  test(`two of three sealers with 1,000 to ${maxElectMs} ms agree on a leader`, () => {
    for (let seed = 1; seed <= 200; seed++) {
      const at = new Pair(seed, { minElectMs: 1_000, maxElectMs }).committedAt();
      assert.ok(at !== undefined, `seed ${seed}: no block within ${LIMIT_MS} ms`);
    }
  });
}
