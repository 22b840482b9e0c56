/**
 * Builders for tests of the PBFT core: a group whose messages are made by hand, and one node of it.
 */
import type { Hash, NodeId } from "../../../../core/bytes/ids.ts";
import type { Proposal } from "../../../../core/consensus/exchange.ts";
import type { Effect } from "../../../../core/consensus/pbft/effect.ts";
import type { Input, PbftConfig } from "../../../../core/consensus/pbft/input.ts";
import type {
  Commit,
  Lock,
  Message,
  Prepare,
  Sign,
  Status,
  ViewChange,
} from "../../../../core/consensus/pbft/message.ts";
import type { PbftRecord } from "../../../../core/consensus/pbft/record.ts";
import { createPbft, type PbftState } from "../../../../core/consensus/pbft/state.ts";
import { step } from "../../../../core/consensus/pbft/step.ts";
import { Signatures } from "../../../simulation/signatures.ts";
import { GENESIS, nodeId } from "../../../simulation/workload.ts";
import { checkPbftInvariants } from "../../../support/world/invariants.ts";

/** R of a block by a two-digit name: `aa`. */
export function blockOf(name: string): Hash {
  return `0x${name.repeat(32)}` as Hash;
}

/** E of that block. */
export function executedOf(name: string): Hash {
  return `0xee${name.repeat(31)}` as Hash;
}

/** Where a message belongs: height c unless told otherwise. */
interface Round {
  readonly view: number;
  readonly height?: number;
}

/** A sealer group at height 0 whose members report what the test wants. */
export class Group {
  readonly signatures = new Signatures(true);
  readonly sealers: readonly NodeId[];

  constructor(sealerCount: number) {
    this.sealers = Array.from({ length: sealerCount }, (_, number) => nodeId(number));
  }

  /** A node of the group, started at time 0. */
  node(index: number, record?: PbftRecord, roundsPerRecord?: number): Node {
    return new Node(this, { index, record, roundsPerRecord });
  }

  /** What the shell finds in the header that goes with a proposal. */
  proposal(name: string, changes: Partial<Proposal> = {}): Proposal {
    const sealers = this.sealers;
    const base = { number: 1, parentHash: GENESIS, sealer: 0, sealers, txCount: 2 };
    return { hash: blockOf(name), ...base, ...changes };
  }

  #sign(index: number, content: Parameters<PbftState["signer"]["sign"]>[0]) {
    const signer = nodeId(index);
    return { signature: this.signatures.signerFor(signer).sign(content), signer };
  }

  prepare(index: number, name: string, round: Round & { J?: readonly ViewChange[] }): Prepare {
    const { view, height = 1, J = [] } = round;
    const content = { type: "prepare", height, view, index, proposal: blockOf(name) } as const;
    return { ...content, ...this.#sign(index, content), justification: J };
  }

  sign(index: number, name: string, { view, height = 1 }: Round, executed?: Hash): Sign {
    const block = { proposal: blockOf(name), executed: executed ?? executedOf(name) };
    const content = { type: "sign", height, view, index, ...block } as const;
    return { ...content, ...this.#sign(index, content) };
  }

  commit(index: number, name: string, { view, height = 1 }: Round, result?: Hash): Commit {
    const executed = result ?? executedOf(name);
    const seal = this.#sign(index, { type: "seal", executed });
    const block = { proposal: blockOf(name), executed, seal: seal.signature };
    const content = { type: "commit", height, view, index, ...block } as const;
    return { ...content, ...this.#sign(index, content), sealSigner: seal.signer };
  }

  /** A lock with the sign votes of those sealers. */
  lock(name: string, view: number, indexes: readonly number[]): Lock {
    const certificate = indexes.map((index) => {
      const { signature, signer } = this.sign(index, name, { view });
      return { index, signature, signer };
    });
    return { view, proposal: blockOf(name), executed: executedOf(name), certificate };
  }

  viewChange(index: number, view: number, lock?: Lock): ViewChange {
    const content = { type: "viewChange", height: 0, view, index, head: GENESIS, lock } as const;
    return { ...content, ...this.#sign(index, content) };
  }

  /** View changes of those sealers; `lock` is held by the first. */
  justification(view: number, indexes: readonly number[], lock?: Lock): ViewChange[] {
    return indexes.map((index, i) => this.viewChange(index, view, i === 0 ? lock : undefined));
  }

  status(index: number, at: { height: number; view: number; toView: number; head?: Hash }): Status {
    const { height, view, toView, head = GENESIS } = at;
    const content = { type: "status", height, view, index, head, toView } as const;
    return { ...content, ...this.#sign(index, content) };
  }
}

/** Which node of a group, and how it begins. */
interface NodeOptions {
  readonly index: number;
  readonly record?: PbftRecord | undefined;
  readonly roundsPerRecord?: number | undefined;
}

/**
 * One node: inputs by hand, effects as they come. Bodies are at hand, executions finish when told.
 */
export class Node {
  readonly state: PbftState;
  readonly group: Group;
  readonly index: number;
  /** What the node asked for when it began. */
  readonly started: readonly Effect[];
  now = 0;

  constructor(group: Group, { index, record, roundsPerRecord }: NodeOptions) {
    this.group = group;
    this.index = index;
    this.state = createPbft({
      config: this.config(),
      signer: group.signatures.signerFor(nodeId(index)),
      height: 0,
      head: GENESIS,
      record,
      roundsPerRecord,
    });
    this.started = this.effects({ type: "start", now: 0 });
  }

  config(): PbftConfig {
    return { self: nodeId(this.index), sealers: this.group.sealers, consensusTimeoutMs: 3_000 };
  }

  /** Takes a step; the invariants hold after it. */
  effects(input: Input): readonly Effect[] {
    const effects = step(this.state, input);
    checkPbftInvariants(this.state);
    return effects;
  }

  /** A verified message from its author; prepares come with their header. */
  hear(message: Message, proposal?: Proposal): readonly Effect[] {
    const from = "signer" in message ? message.signer : nodeId(0);
    const input = { type: "message", now: this.now, from, message } as const;
    return this.effects(proposal ? { ...input, proposal } : input);
  }

  /** Several messages, their effects together. */
  hearAll(messages: readonly Message[]): readonly Effect[] {
    return messages.flatMap((message) => this.hear(message));
  }

  /** A fresh proposal of the leader of view 0, at hand but not executed. */
  accept(name: string, changes: Partial<Proposal> = {}): readonly Effect[] {
    const heard = this.hear(
      this.group.prepare(0, name, { view: 0 }),
      this.group.proposal(name, changes),
    );
    return [...heard, ...this.assembled(name)];
  }

  assembled(name: string, complete = true, txCount = 2): readonly Effect[] {
    const proposal = blockOf(name);
    return this.effects({ type: "assembled", now: this.now, proposal, complete, txCount });
  }

  /** The running execution finishes with E, or is refused. */
  executed(executed?: Hash | "refused"): readonly Effect[] {
    const token = this.state.work?.token;
    if (!token) return [];
    const own = `0xee${token.proposal.slice(4)}` as Hash;
    const result = executed === "refused" ? undefined : (executed ?? own);
    return this.effects({ type: "executed", now: this.now, token, executed: result });
  }

  /** Accepts and executes the proposal of view 0: the node has signed. */
  signs(name: string): readonly Effect[] {
    return [...this.accept(name), ...this.executed()];
  }

  /** Time passes, with one tick at its end. */
  tick(now: number): readonly Effect[] {
    this.now = now;
    return this.effects({ type: "tick", now });
  }
}

/** Effects without deadlines and reports, as their types; messages as their kind. */
export function shapesOf(effects: readonly Effect[]): string[] {
  const shapes: string[] = [];
  for (const effect of effects) {
    if (effect.type === "deadline" || effect.type === "report") continue;
    const isMessage = effect.type === "broadcast" || effect.type === "send";
    if (isMessage && effect.message.type === "status") continue;
    shapes.push(isMessage ? `${effect.type} ${effect.message.type}` : effect.type);
  }
  return shapes;
}

/** Events that were reported, ignored messages as their reason. */
export function reportsOf(effects: readonly Effect[]): string[] {
  const reports: string[] = [];
  for (const effect of effects) {
    if (effect.type !== "report") continue;
    const { report } = effect;
    reports.push(report.event === "ignored" ? report.reason : report.event);
  }
  return reports;
}
