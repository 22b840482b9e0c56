/**
 * One performance of a scenario: production nodes over a virtual clock. It only goes forward; the
 * same scenario gives the same steps on every platform.
 */
import type { LogFields } from "../../../../core/ports/log.ts";
import type { WrittenBlock } from "../../../../core/node/options/group-options.ts";
import type { Cause, Frame } from "../frame.ts";
import { createMessageReader } from "../message-view.ts";
import type { Notice } from "../notice.ts";
import { Projector } from "../projector.ts";
import type { Action, Scenario, TimedAction } from "../scenario.ts";
import { Trace } from "../trace.ts";
import { perform, type Scene } from "./actions.ts";
import { Agenda } from "./agenda.ts";
import { CHAIN_ID, genesisOf, GROUP_ID } from "./chain-setup.ts";
import { Client } from "./client.ts";
import { ByzantineNode } from "./byzantine-node.ts";
import { LinkRules } from "./link-rules.ts";
import { Machine, type MachineOptions } from "./machine.ts";
import { Random } from "./random.ts";
import { createSettle } from "./settle.ts";
import { createStageSuite } from "./suite.ts";
import { MOST_FLYING, Wire } from "./wire.ts";

/** A performance. */
export class Stage implements Scene {
  readonly protocol: "pbft" | "raft";
  readonly agenda = new Agenda();
  readonly wire: Wire;
  readonly rules: LinkRules;
  readonly client: Client;
  readonly #machines: Machine[] = [];
  /** What all machines are made with. */
  readonly #with: Pick<MachineOptions, "scenario" | "suite" | "genesis">;
  readonly #settle = createSettle();
  readonly #trace: Trace;
  readonly #projector: Projector;
  /** Actions behind steps that are yet to come, in their order. */
  readonly #later: TimedAction[];
  readonly #numbers = new Map<string, number>();
  #notices: Notice[] = [];
  #step = 0;
  #loaded = 0;
  #frame: Frame | undefined;
  #actionDone = true;

  constructor(scenario: Scenario) {
    this.protocol = scenario.protocol;
    const suite = createStageSuite();
    this.#with = { scenario, suite, genesis: genesisOf(scenario, suite) };
    this.client = new Client(suite);
    this.rules = new LinkRules(scenario.delayMs);
    this.#trace = new Trace(suite);
    suite.identities.forEach(({ nodeId }, number) => {
      this.#numbers.set(nodeId, number);
    });
    const protocolOf = (groupId: number) => (groupId === GROUP_ID ? this.protocol : "pbft");
    this.wire = new Wire({
      agenda: this.agenda,
      random: new Random(scenario.seed),
      rules: this.rules,
      reader: createMessageReader({ suite, chainId: CHAIN_ID, protocolOf }),
      nodeIdOf: (number) => this.#identity(number),
      numberOf: (nodeId) => this.#numbers.get(nodeId),
      atNode: (number, run) => this.#machines[number]?.atNode(run) ?? false,
    });
    this.#projector = new Projector({
      protocol: this.protocol,
      wire: this.wire,
      rules: this.rules,
      numbers: this.#numbers,
    });
    this.#later = scenario.actions.filter(({ when }) => "afterStep" in when);
  }

  get machines(): readonly Machine[] {
    return this.#machines;
  }

  /** The newest frame. */
  get frame(): Frame {
    if (!this.#frame) throw new RangeError("the stage has not begun");
    return this.#frame;
  }

  /** Starts the nodes, which takes no virtual time, and gives the frame of step 0. */
  async begin(): Promise<Frame> {
    const { nodes, actions } = this.#with.scenario;
    for (let number = 0; number < nodes; number++) this.addMachine();
    for (const machine of this.#machines) machine.start();
    await this.#settle();
    while (this.agenda.advance(0)) await this.#settle();
    this.wire.quick = false;
    this.#notices = [];
    for (const { when, action } of actions)
      if (!("afterStep" in when)) this.#planAction(when.atMs, action);
    this.#planLoad();
    return this.#show({ kind: "begin" }, undefined);
  }

  /** One step; undefined when nothing is planned up to that time. */
  async advance(until = Number.POSITIVE_INFINITY): Promise<Frame | undefined> {
    const due = this.#later[0];
    const isDue = due && "afterStep" in due.when && due.when.afterStep <= this.#step;
    const at = isDue ? (due.when.atMs ?? this.agenda.now) : until;
    const isNow = isDue && at <= this.agenda.now;
    const advance = isNow ? undefined : this.agenda.advance(Math.min(at, until));
    if (advance) {
      await this.#settle();
      return this.#finish(advance.cause);
    }
    if (!isDue || at > until) return undefined;
    this.#later.shift();
    this.agenda.idle(at);
    return this.act(due.action);
  }

  /** Does something now. */
  async act(action: Action): Promise<Frame> {
    this.#do(action);
    await this.#settle();
    return this.#finish({ kind: "action", action, done: this.#actionDone });
  }

  addMachine(): Machine {
    const number = this.#machines.length;
    const { suite, genesis } = this.#with;
    this.wire.addNode();
    const network = this.wire.portOf(number, (to, message) =>
      machine.lie
        ? byzantine.leaving(machine.lie, to, message)
        : [{ bytes: message.bytes, lie: false }],
    );
    const machine: Machine = new Machine({
      ...this.#with,
      number,
      agenda: this.agenda,
      network,
      isQuick: () => this.wire.quick,
      onWritten: (block) => this.#written(machine, block),
      onRoot: (root, isAlive) => this.#projector.watch(number, root, isAlive),
      onLog: (_level, message, fields) => this.#logged(number, message, fields),
      onFailure: (cause) => this.#failed(number, cause),
      onStarted: (cause) => this.#started(machine, cause),
    });
    const { privateKey } = machine;
    const sealers = genesis.sealers.map((nodeId) => this.#numbers.get(nodeId) ?? -1);
    const byzantine = new ByzantineNode({ suite, chainId: CHAIN_ID, number, privateKey, sealers });
    this.#machines.push(machine);
    return machine;
  }

  notice(notice: Notice): void {
    this.#notices.push(notice);
  }

  // --- steps

  #finish(cause: Cause): Frame {
    this.#step++;
    const shown = cause.kind === "action" ? { ...cause, done: this.#actionDone } : cause;
    return this.#show(shown, this.#frame);
  }

  #show(cause: Cause, before: Frame | undefined): Frame {
    const { sent, bytes, ended } = this.wire.taken();
    this.#trace.add({ timeMs: this.agenda.now, cause, sent, ended }, bytes);
    const notices = this.#notices;
    this.#notices = [];
    this.#frame = this.#projector.show({
      step: this.#step,
      timeMs: this.agenda.now,
      cause,
      machines: this.#machines,
      sent,
      ended,
      notices,
      before,
      trace: this.#trace.digest,
    });
    return this.#frame;
  }

  #do(action: Action): void {
    const reason = perform(action, this);
    this.#actionDone = reason === undefined;
    if (reason === undefined) return;
    const node = "node" in action ? action.node : undefined;
    this.notice({ id: "actionRefused", node, values: { reason, action: action.kind } });
  }

  #planAction(atMs: number, action: Action): void {
    this.agenda.plan(atMs, { kind: "action", action, done: true }, () => {
      this.#do(action);
      return true;
    });
  }

  #planLoad(): void {
    const { loadMs, nodes } = this.#with.scenario;
    if (loadMs === 0) return;
    const node = this.#loaded % nodes;
    this.agenda.plan(loadMs, { kind: "load", node }, () => {
      this.#loaded++;
      this.#planLoad();
      // A client whose transactions go nowhere waits.
      if (this.wire.flying < MOST_FLYING) perform({ kind: "send", node, count: 1 }, this);
      return true;
    });
  }

  // --- what machines tell

  #identity(number: number) {
    const identity = this.#with.suite.identities[number];
    if (!identity) throw new RangeError(`no identity for node ${number}`);
    return identity.nodeId;
  }

  #started(machine: Machine, cause: unknown): void {
    const node = machine.number;
    if (cause !== undefined) return this.#failed(node, cause);
    this.notice({ id: "serving", node, values: {} });
    this.#projector.refill(machine);
  }

  #written(machine: Machine, block: WrittenBlock): void {
    if (block.groupId === GROUP_ID) this.#projector.written(machine, block);
  }

  #failed(node: number, cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    this.notice({ id: "groupFailed", node, values: { reason } });
  }

  #logged(node: number, message: string, fields: LogFields = {}): void {
    if (message === "message rejected") {
      const prefix = String(fields["peer"]);
      const peer = this.#machines.findIndex(({ nodeId }) => nodeId.startsWith(prefix));
      const reason = String(fields["reason"]);
      this.notice({ id: "messageRejected", node, values: { peer, reason } });
    }
    if (message === "a sealer contradicted itself") {
      const values = { index: Number(fields["index"] ?? -1) };
      this.notice({ id: "equivocationSeen", node, values });
    }
  }
}
