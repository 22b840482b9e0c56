/**
 * One node of a Raft schedule: the real core in a shell of virtual disk, network, executor, block
 * sync and clock.
 */
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import type { ExecutionToken } from "../../../core/consensus/exchange.ts";
import type { Effect } from "../../../core/consensus/raft/effect.ts";
import type { Input, RaftConfig } from "../../../core/consensus/raft/input.ts";
import type { Message } from "../../../core/consensus/raft/message.ts";
import {
  decodeRecord,
  encodeRecord,
  type RaftRecord,
} from "../../../core/consensus/raft/record.ts";
import { createRaft, type RaftState } from "../../../core/consensus/raft/state.ts";
import { step } from "../../../core/consensus/raft/step.ts";
import { Violation } from "../checkers.ts";
import { Disk, type WrittenBlock } from "../disk.ts";
import { nodeId, nodeNumber } from "../workload.ts";
import type { Block } from "./blocks.ts";
import { describeEffect, describeInput } from "./describe.ts";
import type { Packet } from "./network.ts";
import type { World } from "./world.ts";

/** Chance that a tick which would be early is delivered all the same. */
const EARLY_TICK = 0.1;
/** Longest time a block with transactions takes to be built. */
const SEALING_MS = 60;
/** An idle pool has transactions after at most this. */
const IDLE_MS = 4_000;
/** Chance that an idle leader offers an empty block, which is not proposed. */
const EMPTY_OFFER = 0.2;
/** A node this many blocks behind downloads; consensus is suspended meanwhile. */
const DOWNLOAD_FROM = 3;
/** A download that no node answers ends after this. */
const DOWNLOAD_MS = 2_000;
/** Blocks in one answer. */
const RANGE_LIMIT = 200;

/** A node: its disk lasts, the rest dies with a crash. */
export class RaftNode {
  readonly number: number;
  readonly id: NodeId;
  readonly disk = new Disk<RaftRecord>({});
  readonly #world: World;
  readonly #offset: number;
  readonly #rate: number;
  /** Undefined while the node is down. */
  state: RaftState | undefined;
  /** Sealers in force above the newest block on disk. */
  sealers: readonly NodeId[];
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
  #executed: Block | undefined;

  constructor(number: number, world: World) {
    this.number = number;
    this.id = nodeId(number);
    this.#world = world;
    const { clocksDiffer } = world.options;
    this.#offset = clocksDiffer ? world.random.below(1_000_000) : 0;
    this.#rate = clocksDiffer ? world.random.between(0.95, 1.05) : 1;
    this.sealers = world.blocks.genesisSealers();
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

  /** Begins, or begins again from disk. */
  start(): void {
    const { random, options, checkers } = this.#world;
    this.#incarnation++;
    this.#bodies = new Set(this.disk.bodies);
    checkers.restarted(this.number, this.disk.record);
    this.state = createRaft({
      config: this.#config(),
      height: this.disk.height,
      head: this.disk.head,
      record: this.disk.record,
      seed: random.below(2 ** 32),
      rules: options.rules,
    });
    this.input({ now: this.now, type: "start" });
    this.#later(random.between(0, options.statusMs), () => this.#tellStatus());
  }

  #config(): RaftConfig {
    const silent = this.isAbstaining;
    return { self: this.id, sealers: this.sealers, minElectMs: 1_000, maxElectMs: 2_000, silent };
  }

  /** Keeps quiet from now on, or no longer. */
  mute(isAbstaining: boolean): void {
    if (this.isAbstaining === isAbstaining) return;
    this.isAbstaining = isAbstaining;
    this.#later(0, () => this.input({ now: this.now, type: "votingRole", config: this.#config() }));
  }

  #tellStatus(): void {
    const packet: Packet = { kind: "status", height: this.height };
    for (const other of this.#world.nodes) {
      this.#world.network.send(this.number, other.number, packet);
    }
    this.#later(this.#world.options.statusMs, () => this.#tellStatus());
  }

  /** Loses everything but the disk. */
  crash(): void {
    const { sights, random, blocks } = this.#world;
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
    const newest = this.disk.chain.at(-1);
    // The list follows from the newest block on disk: a torn write may have brought one.
    if (newest && this.height > 0) this.sealers = blocks.get(newest.proposal).sealersAfter;
    if (!this.frozen) this.#world.restartLater(this);
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
    const { take = step } = this.#world.options;
    const effects = take(state, input);
    this.#world.checkers.stepped(this.number, state, input.now);
    this.#world.sights.steps++;
    if (this.#world.logs) this.#world.log(`${this.number} < ${describeInput(input)}`);
    for (const effect of effects) {
      // Judged when the core asks: a slow disk before it may hold the question back.
      if (effect.type === "propose") this.#world.checkers.seals(this.number, state, input.now);
      this.#queue.push(effect);
    }
    this.#perform();
  }

  /** Effects strictly in order; a crash may come between any two. */
  #perform(): void {
    const { random } = this.#world;
    while (!this.#waiting && this.state && this.#queue.length > 0) {
      if (random.chance(this.#world.cutChance())) return this.crash();
      const effect = this.#queue.shift() as Effect;
      if (this.#world.logs) this.#world.log(`${this.number} > ${describeEffect(effect)}`);
      this.#performOne(effect);
    }
  }

  #performOne(effect: Effect): void {
    switch (effect.type) {
      case "persist":
        return this.#persist(effect);
      case "broadcast":
        this.#check(effect.message, undefined);
        for (const id of this.sealers) this.#send(id, { kind: "message", message: effect.message });
        return;
      case "send":
        this.#check(effect.message, effect.to);
        return this.#send(effect.to, { kind: "message", message: effect.message });
      case "assemble":
        return this.#later(0, () => this.#assembled(effect.proposal));
      case "requestBody":
        return this.#send(effect.to, { kind: "bodyRequest", proposal: effect.proposal });
      case "execute":
        return this.#execute(effect.token);
      case "cancelExecution":
        this.#executing = undefined;
        return;
      case "write":
        return this.#write(effect);
      case "requestBlock":
        return this.#send(effect.to, { kind: "blockRequest", height: effect.height });
      case "propose":
        return this.#propose(effect);
      case "deadline":
        return this.#setDeadline(effect.at);
      case "report":
        return this.#world.reported(effect.report);
      case "stopGroup":
        throw new Violation(`node ${this.number} stops: ${effect.reason} of ${effect.proposal}`);
      default:
        effect satisfies never;
    }
  }

  #send(to: NodeId, packet: Packet): void {
    this.#world.network.send(this.number, nodeNumber(to), packet);
  }

  #check(message: Message, to: NodeId | undefined): void {
    const { record } = this.disk;
    const { id: self, sealers } = this;
    this.#world.checkers.left(this.number, { message, to, self, record, sealers });
  }

  /** How long the disk takes. */
  #persistMs(): number {
    const { options, random } = this.#world;
    return random.between(0, options.persistMs) * this.#world.slowness(this.number);
  }

  #persist({ record, body }: Extract<Effect, { type: "persist" }>): void {
    const { options } = this.#world;
    if (body !== undefined && !this.#bodies.has(body)) {
      throw new Violation(`node ${this.number} stores a block it does not have`);
    }
    const stored = options.realCodec ? decodeRecord(encodeRecord(record)) : record;
    this.#world.sights.persists++;
    this.disk.begin(() => {
      this.disk.record = stored;
      if (body !== undefined) this.disk.bodies.add(body);
    });
    const isOwn = body !== undefined && this.state?.role === "leader";
    this.#await(this.#persistMs(), () => {
      this.disk.flush();
      if (isOwn && this.#world.random.chance(this.#world.leaderCutChance())) this.crash();
    });
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

  #assembled(proposal: Hash): void {
    const complete = this.#bodies.has(proposal);
    this.input({ now: this.now, type: "assembled", proposal, complete });
  }

  #execute(token: ExecutionToken): void {
    const block = this.#world.blocks.get(token.proposal);
    if (!this.#bodies.has(token.proposal)) {
      throw new Violation(`node ${this.number} executes a block it does not have`);
    }
    // Sync may have written the height while the effect waited.
    if (token.height !== this.height + 1) return;
    if (block.proposal.parentHash !== this.disk.head) {
      throw new Violation(`node ${this.number} executes a block on the wrong parent`);
    }
    this.#executing = token;
    this.#executed = undefined;
    this.#later(block.executeMs * this.#world.slowness(this.number), () => {
      if (this.#executing !== token) return;
      this.#executing = undefined;
      this.#executed = block;
      const { executed } = block;
      this.input({ now: this.now, type: "executed", token, executed });
    });
  }

  #write({ height, proposal, executed }: Extract<Effect, { type: "write" }>): void {
    if (height !== this.height + 1) return;
    const block = this.#executed;
    if (block?.proposal.hash !== proposal || block.executed !== executed) {
      throw new Violation(`node ${this.number} writes a block it did not execute last`);
    }
    this.#world.checkers.written(this.number, height, { proposal, executed });
    this.#beginWrite({ proposal, executed });
    const isLeader = this.state?.role === "leader";
    const { random } = this.#world;
    if (isLeader && random.chance(this.#world.leaderCutChance())) return this.crash();
    this.#await(this.#persistMs(), () => {
      this.#endWrite();
      this.#later(0, () => this.#announce(height, executed));
    });
  }

  #beginWrite(block: WrittenBlock): void {
    this.disk.begin(() => {
      this.disk.chain.push(block);
      this.disk.bodies.add(block.proposal);
    });
  }

  #endWrite(): void {
    this.disk.flush();
    const newest = this.disk.chain.at(-1);
    const { sealersAfter } = this.#world.blocks.get((newest as WrittenBlock).proposal);
    if (this.sealers !== sealersAfter) this.#world.sights.add("roleChange");
    this.sealers = sealersAfter;
  }

  #announce(height: number, hash: Hash): void {
    this.input({ now: this.now, type: "written", height, hash, config: this.#config() });
  }

  /** The sealing side: a block once there are transactions. */
  #propose({ height, view }: Extract<Effect, { type: "propose" }>): void {
    const { random } = this.#world;
    const busy = random.chance(this.#world.busyChance());
    const empty = !busy && random.chance(EMPTY_OFFER);
    this.#later(random.between(0, busy ? SEALING_MS : IDLE_MS), () => {
      const { state } = this;
      if (this.height !== height - 1 || !state) return;
      if (state.term === view && state.role === "leader") {
        this.#offer(view, empty);
      }
    });
  }

  #offer(view: number, empty: boolean): void {
    const { sealers } = this;
    const block = this.#world.blocks.create({
      empty,
      parent: this.disk.head,
      number: this.height + 1,
      sealer: sealers.indexOf(this.id),
      sealers,
    });
    this.#bodies.add(block.proposal.hash);
    this.input({ now: this.now, type: "proposal", view, proposal: block.proposal });
  }

  #setDeadline(at: number | undefined): void {
    this.#deadline = at;
    if (at === undefined) return;
    const due = (at - this.#offset) / this.#rate;
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
    this.#world.delivered++;
    if (this.#world.timeline.now < this.#pausedUntil) {
      this.#later(0, () => this.#handle(from, packet));
    } else {
      this.#handle(from, packet);
    }
  }

  #handle(from: number, packet: Packet): void {
    switch (packet.kind) {
      case "message":
        return this.#onMessage(from, packet.message);
      case "status":
        this.input({ now: this.now, type: "peer", from: nodeId(from), height: packet.height });
        if (packet.height >= this.height + DOWNLOAD_FROM) this.#download(from);
        return;
      case "bodyRequest":
        if (!this.#bodies.has(packet.proposal)) return;
        return this.#send(nodeId(from), { kind: "body", proposal: packet.proposal });
      case "body":
        this.#bodies.add(packet.proposal);
        return this.#assembled(packet.proposal);
      case "blockRequest": {
        const block = this.disk.chain[packet.height];
        if (block && packet.height > 0) this.#send(nodeId(from), { kind: "block", block });
        return;
      }
      case "block": {
        this.#bodies.add(packet.block.proposal);
        const { proposal } = this.#world.blocks.get(packet.block.proposal);
        const block = { proposal, executed: packet.block.executed };
        return this.input({ now: this.now, type: "block", from: nodeId(from), block });
      }
      case "rangeRequest": {
        const { height } = packet;
        const blocks = this.disk.chain.slice(height + 1, height + 1 + RANGE_LIMIT);
        return this.#send(nodeId(from), { kind: "range", height, blocks });
      }
      case "range":
        return this.#onRange(packet.height, packet.blocks);
      default:
        packet satisfies never;
    }
  }

  /** Block sync begins: consensus is suspended until blocks came, or no node answered. */
  #download(from: number): void {
    if (!this.state || this.state.syncing) return;
    this.#world.sights.add("download");
    this.#send(nodeId(from), { kind: "rangeRequest", height: this.height });
    this.input({ now: this.now, type: "syncing", active: true });
    this.#later(DOWNLOAD_MS, () => this.#endDownload());
  }

  #endDownload(): void {
    if (this.state?.syncing) this.input({ now: this.now, type: "syncing", active: false });
  }

  /** Blocks of sync are written at once, unless consensus is writing. */
  #onRange(height: number, blocks: readonly WrittenBlock[]): void {
    if (!this.state?.syncing || this.#waiting || this.#queue.length > 0) return;
    for (const block of blocks.slice(Math.max(0, this.height - height))) {
      this.#world.checkers.written(this.number, this.height + 1, block);
      this.#beginWrite(block);
      this.#endWrite();
    }
    this.#announce(this.height, this.disk.head);
    this.#endDownload();
  }

  #onMessage(from: number, sent: Message): void {
    const message = this.#world.received(sent);
    const input = { now: this.now, type: "message", from: nodeId(from), message } as const;
    this.#world.checkers.answered(this.number, from, message, this.now);
    if (message.type !== "append" || message.entry === undefined) return this.input(input);
    const { options, random, blocks } = this.#world;
    if (!random.chance(options.missing)) this.#bodies.add(message.entry);
    this.input({ ...input, proposal: blocks.get(message.entry).proposal });
  }
}
