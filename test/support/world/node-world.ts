/**
 * Whole nodes in one process on a clock that the test moves: real consensus, execution and
 * signatures; the disks may forget, the machines lose power at any effect, and every word that
 * leaves a node is checked against its disk.
 */
import assert from "node:assert/strict";
import type { Address, Hash, NodeId } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { createBlockProcessor, HELD_LIMIT } from "../../../core/execution/block-processor.ts";
import type { GenesisConfig, GroupTuning } from "../../../core/model/config.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { RunningNode } from "../../../core/node/create-node.ts";
import type { GroupApi, SubmitOutcome } from "../../../core/api/node-api.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Executor } from "../../../core/ports/executor.ts";
import type { LogFields, LogLevel } from "../../../core/ports/log.ts";
import type { MessageClass, Network, NetworkEvents } from "../../../core/ports/network.ts";
import type { StoreWrite } from "../../../core/ports/store.ts";
import type { MemoryStore } from "../../../core/storage/memory-store.ts";
import { jsonGroupFormat } from "../../../runtimes/shared/group-text.ts";
import { createInlineCompute } from "../../../runtimes/shared/inline-compute.ts";
import { createMemoryHub, type MemoryHub } from "../../../runtimes/shared/memory-network.ts";
import { sharedCompute } from "../../../runtimes/shared/shared-compute.ts";
import { Random } from "../../simulation/random.ts";
import { describeWorld } from "../process/consensus-place.ts";
import { type CommitMoment, FaultyDisk } from "./faulty-store.ts";
import { type Words, wordsOf } from "./words.ts";
import { createStoreFiles } from "./store-files.ts";
import { EMPTY_CONTRACT, keyOf, quiet, SENDER_KEY, type WriteCounts } from "./world-parts.ts";

const EPOCH_MS = 1_700_000_000_000;
const BUILD = { version: "2.11.1", buildTime: "", buildType: "", gitBranch: "", gitCommit: "" };

/** Where a machine may lose power: at a moment of a commit, or before a message leaves. */
export type Effect = CommitMoment | "send";

/** What a world is made with. */
export interface NodeWorldOptions {
  readonly suite: CryptoSuite;
  readonly seed?: number;
  readonly nodes?: number;
  readonly genesis?: Partial<GenesisConfig>;
  readonly tuning?: Partial<GroupTuning>;
  /** Longest way of a message, in virtual milliseconds. */
  readonly latencyMs?: number;
  /** How far the wall clock of a node is off, in milliseconds. */
  readonly clockOffsetMs?: (index: number) => number;
  /** Longest wait for a disk, in virtual milliseconds. */
  readonly diskMs?: number;
  /** The disks say that a batch is synced when it is not. */
  readonly disksLie?: boolean;
  readonly roundsPerRecord?: number;
  /** Puts other bytes in the place of a message; undefined for none at all. */
  readonly tamper?: (from: Machine, to: NodeId, message: Outgoing) => Uint8Array | undefined;
  /** Puts something between a node and its executor. */
  readonly wrapExecutor?: (executor: Executor, index: number) => Executor;
  /** What a proposal may keep, in bytes; of each node by its index. */
  readonly heldLimit?: number | ((index: number) => number);
}

/** A message that is about to leave. */
export interface Outgoing {
  readonly kind: MessageClass;
  readonly bytes: Uint8Array;
}

/** A line of a node's log. */
export interface LogLine {
  readonly index: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

interface Life {
  alive: boolean;
  readonly node: RunningNode;
}

/** One machine: its key, its disk, and the node that runs on it now. */
export interface Machine {
  readonly index: number;
  readonly privateKey: Uint8Array;
  readonly nodeId: NodeId;
  readonly disk: FaultyDisk;
  readonly network: Network;
  readonly writes: WriteCounts;
  life: Life | undefined;
  /** Effects left until the power goes. */
  effectsLeft: number | undefined;
  crashes: number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A transaction that was given to a node. */
export interface Sent {
  readonly hash: Hash;
  readonly outcome: Promise<SubmitOutcome>;
}

/** Sees each message as it leaves. */
export type SendListener = (
  from: Machine,
  to: NodeId,
  kind: MessageClass,
  bytes: Uint8Array,
) => void;

/** A chain of machines. */
export class NodeWorld {
  readonly machines: readonly Machine[];
  readonly genesis: GenesisConfig;
  readonly random: Random;
  readonly hub: MemoryHub;
  readonly log: LogLine[] = [];
  readonly failures: { readonly index: number; readonly cause: unknown }[] = [];
  /** Blocks that some node wrote, by number. */
  readonly blocks = new Map<number, Hash>();
  /** Called for each effect; what it does happens before the effect is followed by anything. */
  readonly effectListeners = new Set<
    (machine: Machine, effect: Effect, writes: readonly StoreWrite[]) => void
  >();
  readonly sendListeners = new Set<SendListener>();
  readonly lost = { batches: 0, kept: 0 };
  readonly #options: NodeWorldOptions;
  readonly compute;
  readonly #said: Words;
  #timers: Timer[] = [];
  #order = 0;
  #now = 0;
  #nonce = 1n;
  readonly #highest: number[] = [];
  readonly #violations: string[] = [];

  constructor(options: NodeWorldOptions) {
    const { suite, seed = 1, nodes = 4, latencyMs = 4 } = options;
    this.#options = options;
    this.random = new Random(seed);
    this.compute = sharedCompute(createInlineCompute(suite));
    this.hub = createMemoryHub({
      schedule: (run) =>
        void this.#after(latencyMs === 0 ? 0 : this.random.below(latencyMs + 1), run),
    });
    const keys = Array.from({ length: nodes }, (_, index) => keyOf(suite, index));
    this.genesis = {
      groupId: 1,
      timestamp: BigInt(EPOCH_MS),
      consensusType: "pbft",
      sealers: keys.map(({ nodeId }) => nodeId).sort(),
      maxTransactions: 1_000,
      gasLimit: 300_000_000n,
      consensusTimeoutSeconds: 3,
      freeStorage: false,
      ...options.genesis,
    };
    this.#said = wordsOf(this.genesis, suite);
    this.machines = keys.map((key, index) => {
      this.#highest.push(0);
      const peer = {
        endpoint: `10.0.0.${index}:1`,
        agency: "world",
        node: `node${index}`,
        topics: [],
      };
      const network = this.hub.join(key.nodeId, peer);
      const writes = { commits: 0, durable: 0, bytes: 0 };
      return {
        ...key,
        index,
        disk: new FaultyDisk(),
        network,
        writes,
        life: undefined,
        effectsLeft: undefined,
        crashes: 0,
      };
    });
  }

  /** Virtual milliseconds since the beginning. */
  get now(): number {
    return this.#now;
  }

  machine(index: number): Machine {
    const machine = this.machines[index];
    assert.ok(machine, `machine ${index}`);
    return machine;
  }

  node(index: number): RunningNode {
    const { life } = this.machine(index);
    assert.ok(life, `machine ${index} runs`);
    return life.node;
  }

  group(index: number): GroupApi {
    const group = this.node(index).api.group(this.genesis.groupId);
    assert.ok(group, `the group runs on machine ${index}`);
    return group;
  }

  /** Starts a machine; what it served before must still be there. The power may go meanwhile. */
  async start(index: number): Promise<void> {
    const machine = this.machine(index);
    assert.equal(machine.life, undefined);
    const life = this.#power(machine);
    let outcome: unknown = "waiting";
    life.node.start().then(
      () => (outcome = "started"),
      (cause: unknown) => (outcome = cause),
    );
    await this.until(() => outcome !== "waiting" || !life.alive, 60_000, `start of ${index}`);
    if (!life.alive) return;
    if (outcome !== "started") throw outcome;
    const head = life.node.api.group(this.genesis.groupId)?.ledger.head();
    if (!head) return;
    const before = this.#highest[index] ?? 0;
    if (head.number < before)
      this.#violate(`${index} forgot block ${before}, it stands at ${head.number}`);
    this.#note(head.number, head.hash, index);
  }

  async startAll(): Promise<void> {
    for (const { index } of this.machines) await this.start(index);
  }

  /** The power goes: nothing that the node has not done yet is done. */
  crash(machine: Machine): void {
    const { life } = machine;
    if (!life) return;
    life.alive = false;
    machine.life = undefined;
    machine.effectsLeft = undefined;
    machine.crashes++;
    const { kept, lost } = machine.disk.crash(this.random);
    this.lost.batches += lost;
    this.lost.kept += kept;
    void machine.network.stop();
  }

  /** Puts an older state on the disk of a machine that is off. */
  putBack(machine: Machine, older: MemoryStore): void {
    assert.equal(machine.life, undefined);
    machine.disk.putBack(older);
    this.#highest[machine.index] = 0;
  }

  /** An orderly end of all nodes. */
  async stopAll(): Promise<void> {
    const ends = this.machines.flatMap(({ life }) => (life ? [life.node.stop()] : []));
    await this.settle(Promise.all(ends), "stop");
  }

  #power(machine: Machine): Life {
    const { suite, tuning, wrapExecutor = (executor) => executor } = this.#options;
    const bound = this.#options.heldLimit ?? HELD_LIMIT;
    const heldLimit = typeof bound === "number" ? bound : bound(machine.index);
    const rules = { suite, version: NEWEST_VERSION, genesis: this.genesis };
    const isAlive = () => life.alive;
    const store = machine.disk.open({
      delay: () => this.#diskDelay(),
      lies: this.#options.disksLie ?? false,
      onMoment: (moment, writes, durable) =>
        this.#onMoment(machine, life, { moment, writes, durable }),
    });
    const clock: Clock = {
      now: () => EPOCH_MS + this.#now + (this.#options.clockOffsetMs?.(machine.index) ?? 0),
      steady: () => this.#now,
      after: (delay, callback) => this.#after(delay, () => isAlive() && callback()),
    };
    const node = new RunningNode(
      {
        build: BUILD,
        chainId: 1,
        supportedVersion: NEWEST_VERSION,
        suite,
        privateKey: machine.privateKey,
        roundsPerRecord: this.#options.roundsPerRecord ?? 1,
        groups: {
          folders: { config: "conf/", data: "data/" },
          format: jsonGroupFormat({ minBlockGenerationTimeMs: 50, ...tuning }),
          fixed: [this.genesis],
        },
      },
      {
        clock,
        entropy: {
          bytes: (count) => Uint8Array.from({ length: count }, () => this.random.below(256)),
        },
        log: {
          write: (level, message, fields) =>
            void (isAlive() && this.log.push({ index: machine.index, level, message, fields })),
        },
        compute: this.compute,
        network: this.#networkOf(machine, isAlive),
        files: createStoreFiles(store),
        copyGuard: machine.disk.guard,
        // The group's store and the files of the node are one disk, which outlives a stop.
        openStore: async () => ({ ...store, close: async () => undefined }),
        openExecutor: async (_, _onDeath, { reconfirmCommittee = false } = {}) =>
          wrapExecutor(
            createBlockProcessor({ ...rules, store, reconfirmCommittee, heldLimit }),
            machine.index,
          ),
      },
    );
    const life: Life = { alive: true, node };
    node.onBlock(({ number, hash }) => {
      if (!isAlive()) return;
      this.#highest[machine.index] = number;
      this.#note(number, hash, machine.index);
    });
    node.onFailure((cause) => {
      if (isAlive()) this.failures.push({ index: machine.index, cause });
    });
    machine.life = life;
    return life;
  }

  #networkOf(machine: Machine, isAlive: () => boolean): Network {
    const { network } = machine;
    const guarded = (events: NetworkEvents): NetworkEvents => ({
      ...events,
      message: (message) => isAlive() && events.message(message),
      peerUp: (peer) => isAlive() && events.peerUp(peer),
      peerDown: (peer) => isAlive() && events.peerDown(peer),
    });
    return {
      self: network.self,
      peers: () => network.peers(),
      start: (events) => network.start(guarded(events)),
      send: (to, message) => {
        if (!isAlive()) return;
        this.#effect(machine, "send", []);
        if (!isAlive()) return;
        if (message.kind === "consensus") {
          for (const wrong of this.#said.check(machine, message.bytes, to)) this.#violate(wrong);
        }
        for (const listener of this.sendListeners)
          listener(machine, to, message.kind, message.bytes);
        const { tamper = (_from, _to, { bytes }) => bytes } = this.#options;
        const bytes = tamper(machine, to, message);
        if (bytes) network.send(to, { ...message, bytes });
      },
      stop: async () => {
        if (isAlive()) await network.stop();
      },
    };
  }

  #onMoment(
    machine: Machine,
    life: Life,
    {
      moment,
      writes,
      durable,
    }: { moment: CommitMoment; writes: readonly StoreWrite[]; durable: boolean },
  ): void {
    if (!life.alive) return;
    if (moment === "handed") {
      machine.writes.commits++;
      if (durable) machine.writes.durable++;
      for (const { key, value } of writes)
        machine.writes.bytes += key.length + (value?.length ?? 0);
    }
    this.#effect(machine, moment, writes);
  }

  #effect(machine: Machine, effect: Effect, writes: readonly StoreWrite[]): void {
    for (const listener of this.effectListeners) listener(machine, effect, writes);
    if (machine.effectsLeft === undefined) return;
    machine.effectsLeft--;
    if (machine.effectsLeft <= 0) this.crash(machine);
  }

  #after(delay: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, delay), order: this.#order++, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  #diskDelay(): Promise<void> {
    const { diskMs = 3 } = this.#options;
    return new Promise((resume) => void this.#after(this.random.below(diskMs + 1), resume));
  }

  /** Lets one timer run, and everything that follows from it without time passing. */
  async #step(): Promise<void> {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      const sooner =
        !next || timer.at < next.at || (timer.at === next.at && timer.order < next.order);
      if (sooner) next = timer;
    }
    assert.ok(next, "something will happen");
    this.#timers.splice(this.#timers.indexOf(next), 1);
    this.#now = Math.max(this.#now, next.at);
    next.run();
    await quiet();
  }

  /** Moves time until something holds. */
  async until(condition: () => boolean, limitMs: number, what: string): Promise<void> {
    const end = this.#now + limitMs;
    await quiet();
    while (!condition()) {
      if (this.#now > end) assert.fail(`${what}: not within ${limitMs} ms; ${this.describe()}`);
      await this.#step();
      this.assertSound();
    }
  }

  /** What a clock that is not off shows. */
  trueTime(): number {
    return EPOCH_MS + this.#now;
  }

  /** Moves time until a promise is settled. */
  async settle<Value>(promise: Promise<Value>, what: string, limitMs = 60_000): Promise<Value> {
    let done = false;
    const end = () => {
      done = true;
    };
    promise.then(end, end);
    await this.until(() => done, limitMs, what);
    return promise;
  }

  /** Resolves after that much virtual time. */
  sleep(ms: number): Promise<void> {
    return new Promise((resume) => void this.#after(ms, resume));
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    this.#after(ms, () => undefined);
    await this.until(() => this.#now >= end, ms, "time");
  }

  /** Signs a transaction and gives it to a node. */
  submit(
    index: number,
    call: { to?: Address | null; input?: Uint8Array; gas?: bigint; key?: Uint8Array } = {},
  ): Sent {
    const group = this.group(index);
    const { suite } = this.#options;
    const fields = {
      nonce: this.#nonce++,
      gasPrice: 1n,
      gas: call.gas ?? 300_000_000n,
      blockLimit: BigInt(group.ledger.head().number + 500),
      to: call.to ?? null,
      value: 0n,
      input: call.input ?? EMPTY_CONTRACT,
      chainId: 1n,
      groupId: BigInt(this.genesis.groupId),
      extraData: new Uint8Array(0),
    };
    const { raw, hash } = signTransaction(fields, call.key ?? SENDER_KEY, suite);
    return { hash, outcome: group.submit(raw) };
  }

  /** Everything that was seen so far is consistent. */
  assertSound(): void {
    assert.deepEqual(this.#violations, [], this.describe());
  }

  /** Where everybody stands, for messages. */
  describe(): string {
    const { now, machines, failures, genesis } = this;
    return describeWorld({ now, machines, failures, groupId: genesis.groupId });
  }

  #violate(text: string): void {
    this.#violations.push(text);
  }

  #note(number: number, hash: Hash, index: number): void {
    const known = this.blocks.get(number);
    if (known === undefined) this.blocks.set(number, hash);
    else if (known !== hash)
      this.#violate(`${index} has ${hash} at ${number}, another node ${known}`);
  }
}
