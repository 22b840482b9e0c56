/**
 * What the machines of one schedule share: time, chance, links, signatures, checkers, and the log.
 */
import type { GroupId, NodeId } from "../../../core/bytes/ids.ts";
import { nodeIdOf } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { DEFAULT_TUNING, type GenesisConfig } from "../../../core/model/config.ts";
import type { WrittenBlock } from "../../../core/node/options/group-options.ts";
import type { LogFields } from "../../../core/ports/log.ts";
import type { RecoverItem } from "../../../core/ports/compute.ts";
import type { MessageClass } from "../../../core/ports/network.ts";
import type { StoreWrite } from "../../../core/ports/store.ts";
import { openRelayed } from "../../../core/network/relay/header.ts";
import { Violation } from "../checkers.ts";
import { Random } from "../random.ts";
import { Sights } from "../sights.ts";
import { Agenda } from "./agenda.ts";
import { ChainChecker } from "./checkers.ts";
import { ByzantineNode } from "./byzantine-node.ts";
import { Machine, NO_ROOM } from "./machine.ts";
import { Links } from "./network.ts";
import type { WholeOptions } from "./options.ts";
import { StaleLeader } from "./stale-leader.ts";
import { cheapHash, createCheapSuite } from "./suite.ts";
import { privateKeyOf } from "../../../runtimes/shared/theatre/stage/suite.ts";
import { Votes } from "./votes.ts";
import { RaftWords } from "./raft-words.ts";
import type { Words } from "./words.ts";

/** Wall time at which schedules begin. */
export const EPOCH_MS = 1_700_000_000_000;
/** The group that exists from the beginning, and the one that is generated. */
export const FIRST_GROUP = 1;
export const SECOND_GROUP = 2;
/** A crashed machine stays down for at most this long. */
const DOWN_MS = 8_000;
/** Effects of a start that is cut short, at most. */
const START_EFFECTS = 12;
/** An execution that outlives a view. */
const HEAVY_MS = { from: 3_500, to: 9_000 };

/** A message that is about to leave. */
export interface Leaving {
  readonly groupId: GroupId;
  readonly kind: MessageClass;
  readonly bytes: Uint8Array;
}

/** Which word may follow which on disk. Source: groups 2, 3 */
const NEXT_WORDS: Readonly<Record<string, readonly string[]>> = {
  "": ["STOPPED", "RUNNING"],
  STOPPED: ["RUNNING", "DELETED", ""],
  // The other messages follow where the group has failed: it is kept down, removed, or tried again.
  RUNNING: ["STOPPING", "STOPPED", "DELETED"],
  STOPPING: ["STOPPED", "DELETED", "RUNNING"],
  DELETED: ["STOPPED"],
};

/** The world of one schedule. */
export class World {
  readonly options: WholeOptions;
  readonly random: Random;
  readonly agenda = new Agenda();
  readonly sights = new Sights();
  /** What the nodes use; the checkers have an honest one. */
  readonly suite: CryptoSuite;
  readonly links: Links;
  readonly machines: readonly Machine[];
  readonly genesis: GenesisConfig;
  readonly chains: ReadonlyMap<GroupId, ChainChecker>;
  readonly votes: ReadonlyMap<GroupId, Votes>;
  readonly words: ReadonlyMap<GroupId, Words>;
  readonly byzantine: ByzantineNode | undefined;
  /** Transactions that the Byzantine node put under headers that are not theirs. */
  readonly madeUp = new Set<string>();
  readonly #stale = new Map<number, (to: NodeId, message: Leaving) => void>();
  /** The faults have stopped. */
  calm = false;
  /** Operators let free nodes read: nodes have it from their next start on. */
  open = false;
  failure: string | undefined;
  /** Told when a group has stopped because its disk was full, and in the middle of a write. */
  onFull: (machine: Machine, groupId: GroupId) => void = () => undefined;
  onStopInWrite: (machine: Machine, groupId: GroupId) => void = () => undefined;
  readonly #nodeIds: readonly NodeId[];
  readonly #write: ((line: string) => void) | undefined;

  constructor(options: WholeOptions, write?: (line: string) => void) {
    this.options = options;
    this.#write = write;
    this.random = new Random(options.seed ^ 0x2545f491);
    const honest = createCheapSuite();
    this.suite = options.mutation === "unverifiedBlock" ? createCheapSuite(true) : honest;
    const numbers = Array.from({ length: options.nodes }, (_, number) => number);
    this.#nodeIds = numbers.map((number) => nodeIdOf(honest.publicKey(privateKeyOf(number))));
    const { random, agenda, sights } = this;
    this.links = new Links({
      options,
      random,
      agenda,
      sights,
      nodeIds: this.#nodeIds,
      onDelivered: (from, to, { groupId, kind, bytes }) => {
        if (this.logs) this.log(`${from}>${to} g${groupId} ${kind} ${digestOf(bytes)}`);
        if (to === options.byzantine) this.byzantine?.hears(kind, bytes);
        if (kind === "consensus" && openRelayed(bytes)?.header) sights.add("passedOn");
      },
    });
    this.genesis = genesisOf(options, this.#nodeIds);
    this.machines = numbers.map((number) => new Machine(this, number));
    const { sealers, consensusType } = this.genesis;
    // A generated group is one of PBFT. Source: groups 6
    const groups = [
      { groupId: FIRST_GROUP, consensus: consensusType },
      { groupId: SECOND_GROUP, consensus: "pbft" },
    ] as const;
    this.chains = new Map(
      groups.map((group) => [
        group.groupId,
        new ChainChecker({ ...group, suite: honest, sealers, latest: this.#latestTime() }),
      ]),
    );
    const durable = options.mutation !== "lostEntry";
    const raft = new RaftWords(durable, (height) => this.chain(FIRST_GROUP).sealersAt(height));
    const pbft = groups.filter(({ consensus }) => consensus === "pbft");
    this.votes = new Map(pbft.map(({ groupId }) => [groupId, new Votes(groupId, honest, durable)]));
    this.words = new Map<GroupId, Words>([[FIRST_GROUP, raft], ...this.votes]);
    if (options.mutation === "staleLeader")
      for (const machine of this.machines)
        this.#stale.set(machine.number, this.#answerFor(machine));
    const byzantine =
      options.byzantine === undefined ? undefined : this.machines[options.byzantine];
    if (byzantine) this.byzantine = new ByzantineNode(this, byzantine);
  }

  /** What the time of a new block may be at most; nothing where any clock may jump. */
  #latestTime(): (() => number) | undefined {
    if (this.options.jumpMs > 0) return undefined;
    return () => EPOCH_MS + this.agenda.now + DEFAULT_TUNING.maxFutureMs;
  }

  /** Whether somebody reads the log: texts are not made otherwise. */
  get logs(): boolean {
    return this.#write !== undefined;
  }

  log(text: string): void {
    this.#write?.(`${this.agenda.now.toFixed(3)} ${text}`);
  }

  logLine(
    machine: Machine,
    line: { level: string; message: string; fields: LogFields | undefined },
  ): void {
    this.log(`node ${machine.number} ${line.level} ${line.message} ${JSON.stringify(line.fields)}`);
  }

  nodeIdOf(number: number): NodeId {
    return this.#nodeIds[number] as NodeId;
  }

  chain(groupId: GroupId): ChainChecker {
    const chain = this.chains.get(groupId);
    if (!chain) throw new RangeError(`no group ${groupId}`);
    return chain;
  }

  isByzantine(machine: Machine): boolean {
    return this.byzantine?.machine === machine;
  }

  /** Notes that something does not hold: the first one counts. */
  violated(cause: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = cause instanceof Violation ? cause.message : describe(cause);
    this.log(`FAILED ${this.failure}`);
  }

  /** Watches work that no caller waits for. */
  watch(work: Promise<unknown>): void {
    work.catch((cause: unknown) => this.violated(cause));
  }

  /** Passes up to that much virtual time; without any, none. */
  wait(mostMs: number): Promise<void> {
    const ms = Math.floor(this.random.next() * (this.calm ? Math.min(mostMs, 5) : mostMs));
    return ms === 0 ? Promise.resolve() : this.agenda.sleep(ms);
  }

  executionDelay(): number {
    const { heavy, executeMs } = this.options;
    if (!this.calm && this.random.chance(heavy)) {
      this.sights.add("heavy");
      return this.random.between(HEAVY_MS.from, HEAVY_MS.to);
    }
    return Math.floor(this.random.next() * (this.calm ? 0 : executeMs));
  }

  /** Starts a machine; the power may go meanwhile. */
  start(machine: Machine): void {
    if (machine.life) return;
    if (!this.calm && this.options.crashMs > 0 && this.random.chance(0.2))
      machine.effectsLeft = 1 + this.random.below(START_EFFECTS);
    const life = machine.power();
    this.log(`node ${machine.number} starts`);
    this.watch(
      life.node.start().then(async () => {
        if (!life.alive) return;
        life.started = true;
        for (const { groupId } of this.chains.values()) await this.#began(machine, groupId);
      }),
    );
  }

  /** Ends a machine in order. */
  stop(machine: Machine): void {
    const { life } = machine;
    if (!life?.started) return;
    this.sights.add("restart");
    life.started = false;
    this.watch(
      life.node.stop().then(() => {
        if (!life.alive) return;
        life.alive = false;
        machine.life = undefined;
        if (life.timers > 0)
          this.violated(`node ${machine.number} has stopped and left ${life.timers} timers`);
        this.links.leave(machine.number);
        this.lostPower(machine);
      }),
    );
  }

  /** A machine is off: it comes back after a while. */
  lostPower(machine: Machine): void {
    this.log(`node ${machine.number} is off`);
    const delay = this.calm ? 10 : 10 + this.random.below(DOWN_MS);
    this.agenda.after(delay, () => this.start(machine));
  }

  crash(machine: Machine): void {
    if (!machine.crash()) return;
    this.sights.add("crash");
    this.lostPower(machine);
  }

  async #began(machine: Machine, groupId: GroupId): Promise<void> {
    const ledger = machine.life?.node.api.group(groupId)?.ledger;
    if (ledger) await this.chain(groupId).began(machine.number, ledger);
  }

  /** A node has written a block. */
  written(machine: Machine, block: WrittenBlock): void {
    this.sights.blocks++;
    const { groupId, number, hash } = block;
    if (this.logs) this.log(`node ${machine.number} g${groupId} writes ${number} ${hash}`);
    const ledger = machine.life?.node.api.group(groupId)?.ledger;
    if (!ledger) return this.chain(groupId).unread(number, hash);
    const chain = this.chain(groupId);
    const before = chain.members;
    this.watch(
      chain.written(machine.number, number, ledger).then(() => this.#logMembers(chain, before)),
    );
  }

  /** Who is in the lists now: most stalls have to do with it. */
  #logMembers(chain: ChainChecker, before: readonly NodeId[]): void {
    const { members, height, groupId } = chain;
    if (!this.logs || members.join() === before.join()) return;
    const numbers = (nodeIds: readonly NodeId[] = []) =>
      nodeIds.map((nodeId) => this.#nodeIds.indexOf(nodeId)).join();
    const sealers = numbers(chain.sealersAt(height + 1));
    this.log(`g${groupId} after block ${height}: sealers ${sealers}, members ${numbers(members)}`);
  }

  /** A group is in the middle of a write. */
  writing(machine: Machine, groupId: GroupId): void {
    const { stopInWrite } = this.options.later;
    if (stopInWrite === 0 || this.calm || !this.random.chance(stopInWrite)) return;
    this.onStopInWrite(machine, groupId);
  }

  failed(machine: Machine, groupId: GroupId | undefined, cause: unknown): void {
    if (machine.life?.wasFull && groupId !== undefined && describe(cause).includes(NO_ROOM)) {
      this.sights.add("groupFull");
      return this.onFull(machine, groupId);
    }
    this.violated(`node ${machine.number} group ${groupId} cannot go on: ${describe(cause)}`);
  }

  /**
   * A node has signatures examined. The root comes first: what a Byzantine node puts under a true
   * header is not worth it.
   * Source: sync 4 (DEVIATE)
   */
  recovers(machine: Machine, items: readonly RecoverItem[]): void {
    if (items.some(({ name }) => name !== undefined && this.madeUp.has(name)))
      this.violated(`node ${machine.number} believes transactions that do not fit their header`);
  }

  /**
   * A node reports that its disk has lost its messages: no honest one does in what is not broken.
   */
  forgot(machine: Machine): void {
    const { mutation = "forgottenPromise" } = this.options;
    if (mutation === "forgottenPromise" && !this.isByzantine(machine))
      this.violated(`node ${machine.number} has forgotten its messages`);
  }

  /** What leaves a machine in the place of a message. */
  leaving(machine: Machine, to: NodeId, message: Leaving): readonly Uint8Array[] {
    if (this.byzantine?.machine === machine && this.byzantine.lies)
      return this.byzantine.leaving(to, message);
    const { number, nodeId } = machine;
    this.#stale.get(number)?.(to, message);
    const bytes = this.#mutated(machine, to, message);
    if (message.kind !== "consensus" || this.isByzantine(machine)) return [bytes];
    const { durable } = machine.disk(message.groupId);
    try {
      const speaker = { number, nodeId, durable };
      this.words.get(message.groupId)?.check({ speaker, to, bytes });
    } catch (cause) {
      this.violated(cause);
    }
    return [bytes];
  }

  /** Answers in the place of peers that a leader does not reach (a mutation). */
  #answerFor({ number }: Machine): (to: NodeId, message: Leaving) => void {
    const stale = new StaleLeader();
    return (to, { groupId, kind, bytes }) => {
      const peer = this.#nodeIds.indexOf(to);
      if (kind !== "consensus" || !this.links.isCut(number, peer)) return;
      const answer = stale.answerTo(bytes);
      if (answer) this.links.inject(peer, number, { from: to, groupId, kind, bytes: answer });
    };
  }

  #mutated(machine: Machine, to: NodeId, message: Leaving): Uint8Array {
    if (this.options.mutation !== "doubleVote" || machine.number !== 0) return message.bytes;
    if (to < machine.nodeId) return message.bytes;
    return new ByzantineNode(this, machine).contradicted(message) ?? message.bytes;
  }

  /** Whether a status word is acknowledged and lost (a mutation). */
  losesWord(machine: Machine): boolean {
    const loses = this.options.mutation === "lostWord" && machine.life?.started;
    return Boolean(loses) && this.random.chance(0.5);
  }

  /** What is left of a batch (a mutation): one node loses rows of contracts. */
  corrupted(machine: Machine, writes: readonly StoreWrite[]): readonly StoreWrite[] {
    if (machine.number !== 0) return writes;
    return writes.filter(({ key }) => !key.startsWith("rc_"));
  }

  /** A status word was stored. Source: groups 2, 3 */
  wordWritten(machine: Machine, before: string | undefined, after: string): void {
    if (NEXT_WORDS[before ?? ""]?.includes(after)) return;
    this.violated(`node ${machine.number} stores the word ${after} after ${before}`);
  }
}

function genesisOf(options: WholeOptions, nodeIds: readonly NodeId[]): GenesisConfig {
  return {
    groupId: FIRST_GROUP,
    timestamp: BigInt(EPOCH_MS),
    consensusType: options.consensus,
    sealers: nodeIds.slice(0, options.sealers).toSorted(),
    maxTransactions: 1_000,
    gasLimit: 300_000_000n,
    consensusTimeoutSeconds: 3,
    freeStorage: false,
  };
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

function digestOf(bytes: Uint8Array): string {
  return Buffer.from(cheapHash(bytes)).toString("hex", 0, 8);
}
