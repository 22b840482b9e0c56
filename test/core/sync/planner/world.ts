/**
 * A deterministic world of sync planners: honest nodes of different heights, Byzantine nodes, a
 * network that loses, delays and cuts, one node that has everything.
 */
import assert from "node:assert/strict";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import type { SyncEffect, SyncReport } from "../../../../core/sync/planner/effect.ts";
import type { ImportFault, SyncInput, SyncNews } from "../../../../core/sync/planner/input.ts";
import { createSync, memoryBytes, type SyncState } from "../../../../core/sync/planner/state.ts";
import { step } from "../../../../core/sync/planner/step.ts";
import { DEFAULT_SYNC_TUNING } from "../../../../core/model/config.ts";
import type { SyncBlock, SyncMessage } from "../../../../core/sync/sync-message.ts";
import { createBucket, type TokenBucket } from "../../../../core/limits/token-bucket.ts";
import { Random } from "../../../simulation/random.ts";
import { Timeline } from "../../../simulation/timeline.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";
import { type ChainPlan, configAfter, fakeBlock, type Kind, openFake, readFake } from "./chain.ts";
import { trueHash } from "./chain.ts";
import { checkSyncInvariants } from "../../../support/world/invariants.ts";

/** How a lying peer behaves. */
const BYZANTINE_NODES = [
  "silent",
  "garbage",
  "gaps",
  "unasked",
  "half",
  "forged",
  "forgedChain",
  "wrongBody",
  "wrongSealers",
  "wrongParent",
] as const;
type Lie = (typeof BYZANTINE_NODES)[number];

/** What a schedule is made of; everything follows from the seed. */
interface Options {
  readonly plan: ChainPlan;
  readonly goal: number;
  readonly loss: number;
  readonly delayMs: number;
  readonly cutsEveryMs: number;
  readonly busy: number;
  readonly executionMs: number;
  readonly maxMemoryBytes: number;
  readonly healAt: number;
  /** Blocks that the highest node still makes while the others catch up. */
  readonly growth: number;
  readonly blockEveryMs: number;
  /** Bytes per second that a node serves; none when unlimited. */
  readonly bytesPerSecond: number | undefined;
}

/** What came of a schedule. */
export interface Outcome {
  readonly reached: boolean;
  readonly imported: number;
  readonly penalties: number;
  readonly timeouts: number;
  readonly at: number;
}

interface Honest {
  readonly id: NodeId;
  readonly state: SyncState;
  timer: number;
  wasIdleAtGoal: boolean;
}

const FAULTS_END_MS = 20_000;
const GIVE_UP_MS = 40 * 60_000;
const CLAIM_ABOVE = 1_000_000;

function chooseOptions(random: Random, nodeCount: number): Options {
  const ids = Array.from({ length: nodeCount }, (_, index) => nodeIdOfNumber(index + 1));
  const sealerCount = 1 + random.below(nodeCount);
  const goal = random.chance(0.05) ? 300 + random.below(100) : 20 + random.below(80);
  const base = 20 + random.below(200);
  const plan: ChainPlan = {
    sealers: ids.slice(0, sealerCount),
    observers: ids.slice(sealerCount),
    changeAt: random.chance(0.5) ? 1 + random.below(goal) : Number.POSITIVE_INFINITY,
    sizeOf: (number) => base * (number % 7 === 0 ? 6 : 1),
  };
  return {
    plan,
    goal,
    loss: random.chance(0.6) ? random.between(0, 0.4) : 0,
    delayMs: random.between(1, random.chance(0.3) ? 3_000 : 60),
    cutsEveryMs: random.chance(0.4) ? random.between(800, 6_000) : 0,
    busy: random.chance(0.3) ? 0.2 : 0,
    executionMs: random.between(0, 40),
    maxMemoryBytes: random.chance(0.5) ? base * random.between(4, 60) : 512 * 1024 * 1024,
    healAt: FAULTS_END_MS,
    growth: random.chance(0.4) ? random.below(goal - 1) : 0,
    blockEveryMs: random.between(100, 1_500),
    bytesPerSecond: random.chance(0.2) ? base * random.between(5, 60) : undefined,
  };
}

/** One schedule. */
export class SyncWorld {
  readonly #random: Random;
  readonly #timeline = new Timeline();
  readonly #options: Options;
  readonly #nodes = new Map<NodeId, Honest>();
  readonly #byzantine = new Map<NodeId, Lie>();
  readonly #slow = new Set<NodeId>();
  readonly #down = new Set<string>();
  /** Changes with every cut: what is under way is lost with its session. */
  readonly #sessions = new Map<string, number>();
  readonly #step: typeof step;
  #imported = 0;

  constructor(seed: number, take = step) {
    this.#step = take;
    const random = new Random(seed);
    this.#random = random;
    const nodeCount = 2 + random.below(4);
    const options = chooseOptions(random, nodeCount);
    this.#options = options;
    const byzantineCount = random.below(nodeCount - 1);
    const ids = [...options.plan.sealers, ...options.plan.observers];
    // The node that has everything may be anywhere in the lists.
    const order = ids.map((id) => ({ id, lot: random.next() })).sort((a, b) => a.lot - b.lot);
    const start = options.goal - options.growth;
    for (const [index, { id }] of order.entries()) {
      if (index > nodeCount - 1 - byzantineCount)
        this.#byzantine.set(id, random.pick(BYZANTINE_NODES));
      else this.#addNode(id, index === 0 ? start : random.below(start));
      if (index > 0 && random.chance(0.2)) this.#slow.add(id);
    }
    this.#start(ids);
    const [top] = order;
    if (top && options.growth > 0) this.#produceOnAndOn(top.id);
  }

  #addNode(id: NodeId, height: number): void {
    const { plan, maxMemoryBytes } = this.#options;
    const statusByTree = this.#random.chance(0.5);
    const state = createSync({
      tuning: { ...DEFAULT_SYNC_TUNING, maxMemoryBytes, statusByTree },
      config: configAfter(plan, height, id),
      genesis: trueHash(0),
      height,
      head: trueHash(height),
      seed: this.#random.below(2 ** 31),
      buckets: this.#bucket(),
    });
    this.#nodes.set(id, { id, state, timer: 0, wasIdleAtGoal: false });
  }

  #bucket(): TokenBucket[] {
    const { bytesPerSecond } = this.#options;
    return bytesPerSecond === undefined ? [] : [createBucket(bytesPerSecond / 4, 0)];
  }

  #start(ids: readonly NodeId[]): void {
    for (const id of this.#nodes.keys()) this.#feed(id, { type: "start" });
    for (const left of ids) {
      for (const right of ids) if (left < right) this.#connect(left, right);
    }
    for (const id of this.#byzantine.keys()) this.#lieOnAndOn(id);
    const { cutsEveryMs } = this.#options;
    if (cutsEveryMs > 0) this.#cutOnAndOn(ids, cutsEveryMs);
  }

  /** Runs until every honest node has reached the goal and was idle there. */
  run(): Outcome {
    const nodes = [...this.#nodes.values()];
    let reached = false;
    while (!reached && this.#timeline.now < GIVE_UP_MS && this.#timeline.advance()) {
      reached = nodes.every((node) => node.wasIdleAtGoal);
    }
    const sum = (pick: (state: SyncState) => number) =>
      nodes.reduce((total, { state }) => total + pick(state), 0);
    return {
      reached,
      imported: this.#imported,
      penalties: sum((state) => state.counters.penalties),
      timeouts: sum((state) => state.counters.requestsTimedOut),
      at: this.#timeline.now,
    };
  }

  #feed(id: NodeId, input: SyncNews): void {
    const node = this.#nodes.get(id);
    if (!node) return;
    const { now } = this.#timeline;
    const { state } = node;
    const effects = this.#step(state, { ...input, now } as SyncInput);
    checkSyncInvariants(state);
    const bound = this.#options.maxMemoryBytes;
    assert.ok(memoryBytes(state) <= bound || state.queue.size === 1, "memory is bounded");
    if (state.height >= this.#options.goal && !state.downloading) node.wasIdleAtGoal = true;
    for (const effect of effects) this.#perform(node, effect);
  }

  #perform(node: Honest, effect: SyncEffect): void {
    switch (effect.type) {
      case "send":
        for (const to of effect.to) this.#send(node.id, to, effect.message);
        return;
      case "verify":
        return this.#verify(node, effect.token, effect.blocks);
      case "import":
        return this.#import(node, effect.token, effect.blocks);
      case "load":
        return this.#load(node, effect);
      case "deadline": {
        const timer = ++node.timer;
        const tick = () => timer === node.timer && this.#feed(node.id, { type: "tick" });
        if (effect.at !== undefined) this.#timeline.at(Math.ceil(effect.at), tick);
        return;
      }
      case "report":
        return this.#judge(effect.report);
      case "stop":
        assert.fail("no honest node stops");
    }
  }

  /** Bad luck may exclude anybody for a moment; only a Byzantine node is taken for Byzantine. */
  #judge(report: SyncReport): void {
    if (report.event !== "penalised" || this.#byzantine.has(report.peer)) return;
    const isBadLuck = report.offence === "silence" || report.offence === "unasked";
    assert.ok(isBadLuck, `an honest node is taken for Byzantine: ${report.offence}`);
  }

  /** The highest node makes blocks; some that are at its height write them with it. */
  #produceOnAndOn(top: NodeId): void {
    this.#timeline.after(this.#options.blockEveryMs, () => {
      const number = (this.#nodes.get(top)?.state.height ?? 0) + 1;
      for (const { id, state } of this.#nodes.values()) {
        if (state.height !== number - 1 || (id !== top && this.#random.chance(0.5))) continue;
        this.#feed(id, { type: "sealing", number });
        this.#commit(id, number);
      }
      if (number < this.#options.goal) this.#produceOnAndOn(top);
    });
  }

  #commit(id: NodeId, number: number): void {
    const config = configAfter(this.#options.plan, number, id);
    this.#feed(id, { type: "committed", number, hash: trueHash(number), config });
  }

  #verify(node: Honest, token: number, blocks: readonly SyncBlock[]): void {
    const bad = blocks.find(({ bytes }) => readFake(bytes).kind !== "true");
    const defect = bad && { number: bad.number, reason: "badCertificate" as const };
    const delay = this.#random.between(0, 1 + blocks.length);
    this.#timeline.after(delay, () => this.#feed(node.id, { type: "verified", token, defect }));
  }

  #import(node: Honest, token: number, blocks: readonly SyncBlock[]): void {
    const { plan, executionMs, busy } = this.#options;
    const [block, ...rest] = blocks.filter(({ number }) => number > node.state.height);
    const end = (fault?: ImportFault) => this.#feed(node.id, { type: "imported", token, fault });
    const isFaulty = this.#timeline.now < this.#options.healAt;
    const { sealers } = configAfter(plan, node.state.height, node.id);
    const listed = block?.sealers.join() === sealers.join();
    this.#timeline.after(this.#random.between(0, executionMs), () => {
      if (!block || !listed) return end();
      // Consensus was faster.
      if (block.number <= node.state.height) return this.#import(node, token, rest);
      if (isFaulty && this.#random.chance(busy)) return end("busy");
      const { number, kind } = readFake(block.bytes);
      assert.equal(kind, "true", "only verified blocks are imported");
      assert.equal(number, node.state.height + 1, "blocks are imported in order");
      this.#imported++;
      this.#commit(node.id, number);
      this.#import(node, token, rest);
    });
  }

  #load(node: Honest, { token, from, count, maxBytes }: Extract<SyncEffect, { type: "load" }>) {
    const { plan } = this.#options;
    const blocks: Uint8Array[] = [];
    let bytes = 0;
    for (let number = from; number < from + count && number <= node.state.height; number++) {
      bytes += plan.sizeOf(number);
      if (blocks.length > 0 && bytes > maxBytes) break;
      blocks.push(fakeBlock(plan, number));
    }
    const delay = this.#slow.has(node.id) ? this.#random.between(500, 9_000) : 1;
    this.#timeline.after(delay, () => this.#feed(node.id, { type: "loaded", token, blocks }));
  }

  #send(from: NodeId, to: NodeId, message: SyncMessage): void {
    const { loss, delayMs, healAt } = this.#options;
    const pair = pairOf(from, to);
    const isFaulty = this.#timeline.now < healAt;
    if (this.#down.has(pair) || (isFaulty && this.#random.chance(loss))) return;
    const session = this.#sessions.get(pair);
    this.#timeline.after(this.#random.between(1, isFaulty ? delayMs + 1 : 20), () => {
      if (this.#sessions.get(pair) !== session || this.#down.has(pair)) return;
      this.#deliver(from, to, message);
    });
  }

  #deliver(from: NodeId, to: NodeId, message: SyncMessage): void {
    if (this.#byzantine.has(to)) return this.#answerFalsely(to, from, message);
    switch (message.type) {
      case "status":
        return this.#feed(to, { type: "status", from, status: message });
      case "requestRange":
        return this.#feed(to, {
          type: "requestRange",
          from,
          first: message.from,
          count: message.count,
        });
      case "blocks": {
        const blocks = message.blocks.map((bytes) => openFake(this.#options.plan, bytes));
        return this.#feed(to, { type: "blocks", from, blocks });
      }
    }
  }

  #connect(left: NodeId, right: NodeId): void {
    this.#down.delete(pairOf(left, right));
    this.#feed(left, { type: "peerUp", peer: right });
    this.#feed(right, { type: "peerUp", peer: left });
  }

  /** Takes a session down and up again after a while. */
  #cutOnAndOn(ids: readonly NodeId[], everyMs: number): void {
    this.#timeline.after(this.#random.between(0, 2 * everyMs), () => {
      if (this.#timeline.now >= this.#options.healAt) return;
      const left = this.#random.pick(ids);
      const right = this.#random.pick(ids);
      const pair = pairOf(left, right);
      if (left !== right && !this.#down.has(pair)) {
        this.#down.add(pair);
        this.#sessions.set(pair, (this.#sessions.get(pair) ?? 0) + 1);
        this.#feed(left, { type: "peerDown", peer: right });
        this.#feed(right, { type: "peerDown", peer: left });
        this.#timeline.after(this.#random.between(1, 4_000), () => this.#connect(left, right));
      }
      this.#cutOnAndOn(ids, everyMs);
    });
  }

  /** A Byzantine node claims to be high, again and again. */
  #lieOnAndOn(id: NodeId): void {
    const { goal } = this.#options;
    const number = this.#random.chance(0.5) ? goal : CLAIM_ABOVE;
    const status = { type: "status", number, genesisHash: trueHash(0) } as const;
    for (const to of this.#nodes.keys()) {
      this.#send(id, to, { ...status, latestHash: trueHash(number) });
    }
    this.#timeline.after(2_000, () => this.#lieOnAndOn(id));
  }

  #answerFalsely(byzantine: NodeId, to: NodeId, message: SyncMessage): void {
    const lie = this.#byzantine.get(byzantine);
    if (message.type !== "requestRange" || !lie || lie === "silent") return;
    if (lie === "garbage") return this.#feed(to, { type: "malformed", from: byzantine });
    const { plan } = this.#options;
    const numbers = Array.from({ length: message.count }, (_, index) => message.from + index);
    // No node has a certificate of a block that does not exist yet.
    const top = Math.max(...[...this.#nodes.values()].map(({ state }) => state.height));
    const block = (number: number, kind: Kind = "true") =>
      fakeBlock(plan, number, number > top ? "forged" : kind);
    const blocks = numbers.flatMap((number, index) => {
      if (lie === "half") return index * 2 < numbers.length ? [block(number)] : [];
      if (lie === "gaps") return index % 2 === 0 ? [block(number)] : [];
      if (lie === "unasked") return [block(number + 1_000)];
      const isBad = lie === "forgedChain" || this.#random.chance(0.5);
      return [block(number, isBad ? lie : "true")];
    });
    if (blocks.length > 0) this.#send(byzantine, to, { type: "blocks", blocks });
  }
}

function pairOf(left: NodeId, right: NodeId): string {
  return left < right ? `${left}/${right}` : `${right}/${left}`;
}
