/** Builders for tests of the Raft core: one node, its sealers, its blocks. */
import type { Hash, NodeId } from "../../../../core/bytes/ids.ts";
import type { Proposal } from "../../../../core/consensus/exchange.ts";
import type { Effect } from "../../../../core/consensus/raft/effect.ts";
import type { Input, RaftConfig } from "../../../../core/consensus/raft/input.ts";
import type { Message } from "../../../../core/consensus/raft/message.ts";
import type { RaftRecord } from "../../../../core/consensus/raft/record.ts";
import { createRaft, type RaftState } from "../../../../core/consensus/raft/state.ts";
import { step } from "../../../../core/consensus/raft/step.ts";
import { checkRaftInvariants } from "../../../support/world/invariants.ts";

/** Ascending node IDs. */
export function ids(count: number): NodeId[] {
  return Array.from({ length: count }, (_, i) => (i + 1).toString(16).repeat(128) as NodeId);
}

/** A hash of one repeated digit. */
export function digest(digit: string): Hash {
  return `0x${digit.repeat(64)}` as Hash;
}

/** Head of every node at height 0. */
export const HEAD = digest("0");

/** An input without its time. */
export type Untimed<Of = Input> = Of extends unknown ? Omit<Of, "now"> : never;

/** What a node begins with. */
export interface Setting {
  readonly sealers?: number;
  readonly self?: number;
  readonly record?: RaftRecord;
}

/** One node under test: its clock only moves by hand. */
export class Subject {
  readonly sealers: readonly NodeId[];
  readonly state: RaftState;
  now = 10_000;

  constructor({ sealers = 3, self = 0, record }: Setting = {}) {
    this.sealers = ids(sealers);
    const config = this.config(self);
    this.state = createRaft({ config, height: 0, head: HEAD, record, seed: 7 });
    this.give({ type: "start" });
  }

  /** Configuration of a node; 9 is no sealer. */
  config(self: number): RaftConfig {
    const id = this.sealers[self] ?? ids(15)[self];
    return { self: id as NodeId, sealers: this.sealers, minElectMs: 1_000, maxElectMs: 2_000 };
  }

  /** One step. */
  give(input: Untimed): readonly Effect[] {
    const effects = step(this.state, { ...input, now: this.now } as Input);
    checkRaftInvariants(this.state);
    return effects;
  }

  /** A message of another sealer at height 0. */
  hear(from: number, message: Placeless, proposal?: Proposal): readonly Effect[] {
    const place = { height: 0, head: HEAD };
    const whole = { ...place, ...message } as Message;
    const id = (this.sealers[from] ?? ids(15)[from]) as NodeId;
    return this.give({ type: "message", from: id, message: whole, ...(proposal && { proposal }) });
  }

  /** Time passes; then a tick. */
  wait(ms: number): readonly Effect[] {
    this.now += ms;
    return this.give({ type: "tick" });
  }

  /** Wins the next election with the grants of node 1 and 2, as far as needed. */
  lead(): readonly Effect[] {
    let effects = this.wait(4_000);
    for (let from = 1; this.state.role === "preCandidate"; from++) {
      const { term } = this.state;
      this.hear(from, { type: "preVoteReply", term, asked: term, granted: true });
    }
    for (let from = 1; this.state.role === "candidate"; from++) {
      effects = this.hear(from, { type: "voteReply", term: this.state.term, granted: true });
    }
    return effects;
  }

  /** The leader's own block, executed. */
  propose(name: string): readonly Effect[] {
    const proposal = this.block(name, this.state.index);
    const view = this.state.term;
    this.give({ type: "proposal", view, proposal });
    return this.execute(name);
  }

  /** The body is at hand, and the block executes. */
  execute(name: string): readonly Effect[] {
    const stored = this.give({ type: "assembled", proposal: digest(name), complete: true });
    const token = this.state.work?.token;
    if (!token) return stored;
    return [...stored, ...this.give({ type: "executed", token, executed: result(name) })];
  }

  /** A block on the head. */
  block(name: string, sealer = 1): Proposal {
    const { height, head } = this.state;
    return {
      hash: digest(name),
      number: height + 1,
      parentHash: head,
      sealer,
      sealers: this.sealers,
      txCount: 1,
    };
  }
}

/** A message whose place may be left out: height 0 and its head. */
type Placeless<Of = Message> = Of extends Message
  ? Omit<Of, "height" | "head"> & Partial<Pick<Of, "height" | "head">>
  : never;

/** What the block of that name executes to. */
export function result(name: string): Hash {
  return `0xe${name.repeat(63)}` as Hash;
}

/** Effects of one type. */
export function of<Type extends Effect["type"]>(
  effects: readonly Effect[],
  type: Type,
): Extract<Effect, { type: Type }>[] {
  return effects.filter((it): it is Extract<Effect, { type: Type }> => it.type === type);
}

/** Messages among effects, with their receivers. */
export function messages(effects: readonly Effect[]): Message[] {
  return effects.flatMap((it) =>
    it.type === "send" || it.type === "broadcast" ? [it.message] : [],
  );
}
