/**
 * One node of the simulation: the real core in a shell of virtual disk, network, executor and
 * clock.
 */
import type { Hash, NodeId } from "../../core/bytes/ids.ts";
import type { ExecutionToken, SyncedBlock } from "../../core/consensus/exchange.ts";
import type { Effect } from "../../core/consensus/pbft/effect.ts";
import type { Input, PbftConfig } from "../../core/consensus/pbft/input.ts";
import type { Message } from "../../core/consensus/pbft/message.ts";
import { decodeRecord, encodeRecord } from "../../core/consensus/pbft/record-codec.ts";
import type { PbftRecord } from "../../core/consensus/pbft/record.ts";
import { createPbft, type PbftState } from "../../core/consensus/pbft/state.ts";
import type { Seal } from "../../core/model/header.ts";
import { Violation } from "./checkers.ts";
import { describeEffect, describeInput } from "./describe.ts";
import { Disk } from "./disk.ts";
import type { Packet } from "./network.ts";
import { SIGNATURE_BYTES } from "./signatures.ts";
import { takeStep } from "./spared.ts";
import { type Body, nodeId } from "./workload.ts";
import type { World } from "./world.ts";

/** Decides what really happens to an effect; true: taken care of. */
export interface Interceptor {
  performs(effect: Effect): boolean;
  receives(from: number, packet: Packet): void;
}

/** Chance that a tick which would be early is delivered all the same. */
const EARLY_TICK = 0.1;
/** Longest time a transaction-bearing proposal takes to be built. */
const SEALING_MS = 60;

/** A node: its disk lasts, the rest dies with a crash. */
export class SimNode {
  readonly number: number;
  readonly id: NodeId;
  /** Its record is bytes when the schedule uses the real codec. */
  readonly disk = new Disk<PbftRecord | Uint8Array, { seals: readonly Seal[] }>({ seals: [] });
  readonly #world: World;
  readonly #offset: number;
  readonly #rate: number;
  /** Undefined while the node is down. */
  state: PbftState | undefined;
  /** Sealers in force above the newest block on disk. */
  sealers: readonly NodeId[];
  interceptor: Interceptor | undefined;
  /** Keeps quiet of its own accord. */
  isAbstaining = false;
  /** Never comes back. */
  frozen = false;
  #incarnation = 0;
  #bodies = new Set<Hash>();
  #queue: Effect[] = [];
  #waiting = false;
  #pausedUntil = 0;
  #deadline: number | undefined;
  #nextTick = Number.POSITIVE_INFINITY;
  #executing: ExecutionToken | undefined;
  #executed: Body | undefined;
  #connected = "";
  #decoded: { bytes?: Uint8Array; record?: PbftRecord | undefined } = {};

  constructor(number: number, world: World) {
    this.number = number;
    this.id = nodeId(number);
    this.#world = world;
    const { clocksDiffer } = world.options;
    this.#offset = clocksDiffer ? world.random.below(1_000_000) : 0;
    this.#rate = clocksDiffer ? world.random.between(0.95, 1.05) : 1;
    this.sealers = world.workload.genesisSealers();
  }

  /** Whether the node runs, paused or not. */
  get isUp(): boolean {
    return this.state !== undefined;
  }

  /** Height on disk. */
  get height(): number {
    return this.disk.height;
  }

  /** Its own clock. */
  get now(): number {
    return Math.floor(this.#offset + this.#world.timeline.now * this.#rate);
  }

  #global(local: number): number {
    return (local - this.#offset) / this.#rate;
  }

  /** Begins, or begins again from disk. */
  start(): void {
    const { rules, roundsPerRecord } = this.#world.options;
    this.#incarnation++;
    this.#bodies = new Set(this.disk.bodies);
    this.#world.checkers.restarted(this.number);
    this.state = createPbft({
      config: this.#config(),
      signer: this.#world.signatures.signerFor(this.id),
      height: this.disk.height,
      head: this.disk.head,
      record: this.durableRecord(),
      rules,
      roundsPerRecord,
    });
    this.input({ now: this.now, type: "start" });
  }

  #config(): PbftConfig {
    const { byzantine, mutation } = this.#world.options;
    // A Byzantine node's disk never had its lies; a mutation is to be found by what it does.
    const isTold = mutation !== undefined || byzantine.includes(this.number);
    const votingRole = this.isAbstaining ? "muted" : isTold ? "confirmed" : undefined;
    return { self: this.id, sealers: this.sealers, consensusTimeoutMs: 3_000, votingRole };
  }

  /** Keeps quiet from now on, or no longer; a Byzantine node does not care. */
  mute(isAbstaining: boolean): void {
    if (this.interceptor || this.isAbstaining === isAbstaining) return;
    this.isAbstaining = isAbstaining;
    const record = this.durableRecord();
    this.#later(0, () =>
      this.input({ now: this.now, type: "votingRole", config: this.#config(), record }),
    );
  }

  /** The record on disk, decoded. */
  durableRecord(): PbftRecord | undefined {
    const { record } = this.disk;
    if (!(record instanceof Uint8Array)) return record;
    if (this.#decoded.bytes === record) return this.#decoded.record;
    const context = { self: this.id, sealers: this.sealers, signatureBytes: SIGNATURE_BYTES };
    const decoded = decodeRecord(record, context);
    this.#decoded = { bytes: record, record: decoded };
    return decoded;
  }

  /** Loses everything but the disk. */
  crash(): void {
    const { sights, random } = this.#world;
    if (!this.state) return;
    sights.add("crash");
    const torn = this.disk.crash(random);
    if (torn || this.#queue.length > 0) sights.add("tornWrite");
    this.#world.log(`${this.number} crashes`);
    this.state = undefined;
    this.#incarnation++;
    this.#queue = [];
    this.#waiting = false;
    this.#deadline = undefined;
    this.#nextTick = Number.POSITIVE_INFINITY;
    this.#executing = undefined;
    this.#executed = undefined;
    this.#pausedUntil = 0;
    this.#connected = "";
    this.#adoptDisk();
    this.#world.topologyChanged();
    if (!this.frozen) this.#world.restartLater(this);
  }

  /** The list follows from the newest block on disk: a torn write may have brought one. */
  #adoptDisk(): void {
    this.#decoded = {};
    const newest = this.disk.chain.at(-1);
    const body = newest && this.#world.workload.bodies.get(newest.proposal);
    if (body) this.sealers = body.sealersAfter;
  }

  /** Stops reacting until a time; then everything comes at once. */
  pause(until: number): void {
    this.#pausedUntil = until;
  }

  /** Runs in this life of the node only, and not while it is paused. */
  #later(delay: number, run: () => void): void {
    const incarnation = this.#incarnation;
    const attempt = () => {
      if (incarnation !== this.#incarnation) return;
      const { timeline } = this.#world;
      if (timeline.now < this.#pausedUntil) timeline.at(this.#pausedUntil, attempt);
      else run();
    };
    this.#world.timeline.after(delay, attempt);
  }

  /** Takes one step of the core and does what it asks. */
  input(input: Input): void {
    const { state } = this;
    if (!state) return;
    const { options, sights } = this.#world;
    const effects = takeStep(state, input, this.interceptor ? undefined : sights, options.take);
    this.#world.checkers.stepped(this.number, state);
    this.#world.sights.steps++;
    if (this.#world.logs) this.#world.log(`${this.number} < ${describeInput(input)}`);
    for (const effect of effects) this.#queue.push(effect);
    this.#perform();
  }

  /** Effects strictly in order; a crash may come between any two. */
  #perform(): void {
    const { random } = this.#world;
    while (!this.#waiting && this.state && this.#queue.length > 0) {
      if (random.chance(this.#world.cutChance())) return this.crash();
      const effect = this.#queue.shift() as Effect;
      if (this.#world.logs) this.#world.log(`${this.number} > ${describeEffect(effect)}`);
      if (!this.interceptor?.performs(effect)) this.#performOne(effect);
    }
  }

  #performOne(effect: Effect): void {
    switch (effect.type) {
      case "persist":
        return this.#persist(effect);
      case "broadcast":
        return this.#broadcast(effect);
      case "send":
        this.#check(effect.message);
        return this.#world.send(this.number, effect.to, effect.message);
      case "assemble":
        return this.#later(0, () => this.#assembled(effect.proposal));
      case "requestBody":
        return this.#sendPacket(effect.to, { kind: "bodyRequest", proposal: effect.proposal });
      case "execute":
        return this.#execute(effect.token);
      case "cancelExecution":
        this.#executing = undefined;
        return;
      case "write":
        return this.#write(effect);
      case "requestBlock":
        return this.#sendPacket(effect.to, { kind: "blockRequest", height: effect.height });
      case "propose":
        return this.#propose(effect);
      case "deadline":
        return this.#setDeadline(effect.at);
      case "report":
        return this.#world.reported(this.number, effect.report);
      case "stopGroup":
        throw new Violation(`node ${this.number} stops: ${effect.reason} of ${effect.proposal}`);
      default:
        effect satisfies never;
    }
  }

  #persist({ record, body }: Extract<Effect, { type: "persist" }>): void {
    const { options, random } = this.#world;
    if (body !== undefined && !this.#bodies.has(body)) {
      throw new Violation(`node ${this.number} stores a block it does not have`);
    }
    const stored = options.realCodec ? encodeRecord(record) : record;
    this.#world.sights.persists++;
    this.disk.begin(() => {
      this.disk.record = stored;
      if (body !== undefined) this.disk.bodies.add(body);
    });
    if (options.persistMs === 0 && !options.cut) return this.disk.flush();
    this.#await(random.between(0, options.persistMs), () => this.disk.flush());
  }

  /** Holds back the queue until something is done. */
  #await(delay: number, done: () => void): void {
    this.#waiting = true;
    this.#later(delay, () => {
      this.#waiting = false;
      done();
      this.#perform();
    });
  }

  #check(message: Message): void {
    if (!this.interceptor) this.#world.checkers.left(this.number, message, this.durableRecord());
  }

  #broadcast({ message, to }: Extract<Effect, { type: "broadcast" }>): void {
    this.#check(message);
    for (const other of this.#world.nodes) {
      const isSealer = this.sealers.includes(other.id);
      if (to === "members" || isSealer === (to === "sealers")) {
        this.#world.send(this.number, other.id, message);
      }
    }
  }

  #sendPacket(to: NodeId, packet: Packet): void {
    this.#world.network.send(this.number, this.#world.numberOf(to), packet);
  }

  #assembled(proposal: Hash): void {
    const { txCount } = this.#world.workload.body(proposal).proposal;
    this.input({
      now: this.now,
      type: "assembled",
      proposal,
      complete: this.#bodies.has(proposal),
      txCount,
    });
  }

  #execute(token: ExecutionToken): void {
    const body = this.#world.workload.body(token.proposal);
    if (!this.#bodies.has(token.proposal)) {
      throw new Violation(`node ${this.number} executes a block it does not have`);
    }
    if (body.proposal.parentHash !== this.disk.head) {
      throw new Violation(`node ${this.number} executes a block on the wrong parent`);
    }
    this.#executing = token;
    this.#executed = undefined;
    this.#later(body.executeMs, () => {
      if (this.#executing !== token) return;
      this.#executing = undefined;
      if (!body.refused) this.#executed = body;
      this.input({
        now: this.now,
        type: "executed",
        token,
        executed: body.refused ? undefined : body.executed,
      });
    });
  }

  #write({ height, proposal, executed, seals }: Extract<Effect, { type: "write" }>): void {
    const body = this.#executed;
    if (body?.proposal.hash !== proposal || body.executed !== executed) {
      throw new Violation(`node ${this.number} writes a block it did not execute last`);
    }
    if (!this.interceptor) {
      this.#world.checkers.written(this.number, { height, executed, seals, sealers: this.sealers });
    }
    this.disk.begin(() => {
      this.disk.chain.push({ proposal, executed, seals });
      this.disk.bodies.add(proposal);
    });
    const { options, random } = this.#world;
    this.#await(random.between(0, options.persistMs), () => {
      this.disk.flush();
      if (this.sealers !== body.sealersAfter) this.#world.sights.add("roleChange");
      this.sealers = body.sealersAfter;
      this.#later(0, () => {
        this.input({
          now: this.now,
          type: "written",
          height,
          hash: executed,
          config: this.#config(),
        });
      });
    });
  }

  /** The sealing side: a block if there are transactions, an empty one when the time has come. */
  #propose({ height, view, emptyFrom }: Extract<Effect, { type: "propose" }>): void {
    const { random, timeline } = this.#world;
    const empty = !random.chance(this.#world.busyChance());
    const wait = this.#global(emptyFrom) - timeline.now;
    this.#later(empty ? Math.max(0, wait) : random.between(0, SEALING_MS), () => {
      if (this.height !== height - 1) return;
      const body = this.newBlock({ empty });
      this.input({ now: this.now, type: "proposal", view, proposal: body.proposal });
    });
  }

  /** A block of this node on its own head. */
  newBlock(options: {
    readonly empty: boolean;
    readonly withheld?: boolean;
    readonly refused?: boolean;
    readonly listed?: readonly NodeId[];
  }): Body {
    const { sealers } = this;
    const body = this.#world.workload.create({
      ...options,
      parent: this.disk.head,
      number: this.height + 1,
      sealer: sealers.indexOf(this.id),
      sealers,
    });
    this.#bodies.add(body.proposal.hash);
    return body;
  }

  #setDeadline(at: number | undefined): void {
    this.#deadline = at;
    if (at === undefined) return;
    const due = this.#global(at);
    if (due < this.#nextTick) this.#planTick(due);
  }

  #planTick(due: number): void {
    this.#nextTick = due;
    this.#later(Math.max(0, due - this.#world.timeline.now), () => {
      if (this.#nextTick !== due) return;
      this.#nextTick = Number.POSITIVE_INFINITY;
      if (this.#deadline === undefined) return;
      // Clocks drift and round: some ticks are late, some come too early.
      const early = this.#deadline - this.now;
      if (early > 0 && !this.#world.random.chance(EARLY_TICK)) {
        return this.#planTick(this.#world.timeline.now + early);
      }
      this.#deadline = undefined;
      this.input({ now: this.now, type: "tick" });
    });
  }

  /** A packet arrives. */
  receive(from: number, packet: Packet): void {
    if (!this.state) return;
    if (this.#world.timeline.now < this.#pausedUntil) {
      this.#later(0, () => this.#handle(from, packet));
    } else {
      this.#handle(from, packet);
    }
  }

  #handle(from: number, packet: Packet): void {
    this.interceptor?.receives(from, packet);
    const { workload } = this.#world;
    switch (packet.kind) {
      case "message":
        return this.#onMessage(from, packet);
      case "bodyRequest":
        if (this.#bodies.has(packet.proposal) && !this.#withholds(packet.proposal)) {
          this.#sendPacket(nodeId(from), { kind: "body", proposal: packet.proposal });
        }
        return;
      case "body": {
        this.#bodies.add(packet.proposal);
        const { txCount } = workload.body(packet.proposal).proposal;
        const { proposal } = packet;
        return this.input({ now: this.now, type: "assembled", proposal, complete: true, txCount });
      }
      case "blockRequest":
        return this.#serveBlock(from, packet.height);
      case "block":
        this.#bodies.add(packet.block.proposal.hash);
        return this.input({
          now: this.now,
          type: "block",
          from: nodeId(from),
          block: packet.block,
        });
      default:
        packet satisfies never;
    }
  }

  #withholds(proposal: Hash): boolean {
    return this.interceptor !== undefined && this.#world.workload.body(proposal).withheld;
  }

  #onMessage(from: number, packet: Extract<Packet, { kind: "message" }>): void {
    const message = this.#world.received(packet.message);
    if (!message) return;
    const body =
      packet.content === undefined ? undefined : this.#world.workload.body(packet.content);
    if (!body) return this.input({ now: this.now, type: "message", from: nodeId(from), message });
    const { hash } = body.proposal;
    const { options, random } = this.#world;
    const lacking = body.withheld || random.chance(options.missing);
    if (!lacking || body.proposal.txCount === 0) this.#bodies.add(hash);
    this.input({
      now: this.now,
      type: "message",
      from: nodeId(from),
      message,
      proposal: body.proposal,
    });
  }

  #serveBlock(from: number, height: number): void {
    const block = this.blockAt(height);
    if (block) this.#sendPacket(nodeId(from), { kind: "block", block });
  }

  /** A written block as it is handed to others. */
  blockAt(height: number): SyncedBlock | undefined {
    const written = this.disk.chain[height];
    if (!written || height === 0) return undefined;
    const { executed, seals } = written;
    const { proposal } = this.#world.workload.body(written.proposal);
    return { proposal, executed, seals: this.#world.recoverSeals(executed, seals) };
  }

  /** Tells the core who is connected, if that has changed. */
  updateConnected(): void {
    const { nodes, network } = this.#world;
    const connected = nodes
      .filter(
        (other) => other !== this && other.isUp && network.connects(this.number, other.number),
      )
      .map((other) => other.id);
    const key = connected.map((id) => id.slice(0, 2)).join();
    if (!this.state || key === this.#connected) return;
    this.#connected = key;
    this.#later(0, () => this.input({ now: this.now, type: "peersChanged", connected }));
  }
}
