/**
 * A node that uses the chain of a schedule: sends transactions to any node, changes roles, manages
 * groups, reads receipts and statuses; and what must hold of the answers.
 */
import { addressOfNumber } from "../../../core/bytes/hex.ts";
import type { Address, GroupId, Hash } from "../../../core/bytes/ids.ts";
import { encodeCall } from "../../../core/abi/encode.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import type {
  GroupApi,
  GroupOperation,
  GroupStatus,
  SubmitOutcome,
} from "../../../core/api/node-api.ts";
import { Violation } from "../checkers.ts";
import type { Machine } from "./machine.ts";
import { cheapHash } from "./suite.ts";
import { privateKeyOf } from "../../../runtimes/shared/theatre/stage/suite.ts";
import { EPOCH_MS, FIRST_GROUP, SECOND_GROUP, type World } from "./world.ts";

/** Keys of users come after those of nodes. */
const FIRST_USER = 100;
const USERS = 5;
const SYSTEM_CONFIG = addressOfNumber(0x1000);
const CONSENSUS = addressOfNumber(0x1003);
const GAS = 300_000_000n;
/** Receipts asked for at a time. */
const ASKED = 3;

/** A transaction and what the nodes reported to it. */
export interface Sent {
  readonly groupId: GroupId;
  readonly hash: Hash;
  readonly raw: Uint8Array;
  readonly nonce: bigint;
  /** The highest block that may hold it. */
  readonly blockLimit: number;
  /** When it was signed, in ms of the schedule. */
  readonly sentAt: number;
  /** Some node took it in. */
  acknowledged: boolean;
}

/** What came of a transaction, and the run of the group that says so. */
type Answered = (outcome: SubmitOutcome, group: GroupApi) => void;

/** The status that an operation that succeeds leaves. */
const LEAVES: Readonly<Record<GroupOperation, GroupStatus>> = {
  generateGroup: "STOPPED",
  startGroup: "RUNNING",
  stopGroup: "STOPPED",
  removeGroup: "DELETED",
  recoverGroup: "STOPPED",
};

/** The users and operators of a schedule. */
export class Operator {
  readonly sent: Sent[] = [];
  readonly #world: World;
  #nonce = 0n;
  /** Operations under way: one per machine and group, so that the answer tells the status. */
  readonly #busy = new Set<string>();
  /** The second group was generated somewhere. */
  generated = false;

  constructor(world: World) {
    this.#world = world;
  }

  /** The group as it runs on a machine that serves. */
  group(machine: Machine, groupId: GroupId): GroupApi | undefined {
    return machine.life?.started ? machine.life.node.api.group(groupId) : undefined;
  }

  // --- transactions

  /** Sends a transaction to some node, now and then a strange one. */
  transact(): void {
    const { random } = this.#world;
    const groupId = this.generated && random.chance(0.3) ? SECOND_GROUP : FIRST_GROUP;
    if (random.chance(0.1)) return this.#again(groupId);
    const call = random.pick([store, store, emptyCall, setConfig])(random.below(1_000));
    this.submit(random.pick(this.#world.machines), groupId, call);
  }

  /** The same transaction to another node, or another one with the same nonce. */
  #again(groupId: GroupId): void {
    const { random, machines } = this.#world;
    const known = this.sent.filter((sent) => sent.groupId === groupId);
    if (known.length === 0) return;
    const sent = random.pick(known);
    const machine = random.pick(machines);
    if (random.chance(0.3)) return this.submit(machine, groupId, emptyCall(1), sent.nonce);
    this.resubmit(machine, sent);
  }

  /** Signs a transaction and gives it to a node. */
  submit(machine: Machine, groupId: GroupId, call: Call, nonce = this.#nonce++): void {
    const group = this.group(machine, groupId);
    if (!group) return;
    const { suite, random } = this.#world;
    const blockLimit = group.ledger.head().number + random.pick([10, 100, 500, 500, 1_000]);
    const fields = {
      nonce,
      gasPrice: 1n,
      gas: GAS,
      blockLimit: BigInt(blockLimit),
      value: 0n,
      chainId: 1n,
      groupId: BigInt(groupId),
      extraData: new Uint8Array(0),
      ...call,
    };
    const key = privateKeyOf(FIRST_USER + random.below(USERS));
    const { raw, hash } = signTransaction(fields, key, suite);
    const sentAt = this.#world.agenda.now;
    const sent: Sent = { groupId, hash, raw, nonce, blockLimit, sentAt, acknowledged: false };
    this.sent.push(sent);
    this.resubmit(machine, sent);
  }

  /** Gives a transaction to a node, perhaps once more; `done` hears which run of it answers. */
  resubmit(machine: Machine, sent: Sent, done?: Answered): void {
    const group = this.group(machine, sent.groupId);
    if (!group) return;
    this.#world.watch(
      group.submit(sent.raw).then((outcome) => {
        if (this.#world.logs) this.#world.log(answerOf(machine, sent, outcome));
        if (outcome.ok) sent.acknowledged = true;
        done?.(outcome, group);
      }),
    );
  }

  /** Asks some nodes for receipts. */
  read(): void {
    const { random, machines } = this.#world;
    if (this.sent.length === 0) return;
    const machine = random.pick(machines);
    for (let count = 0; count < ASKED; count++) {
      const { groupId, hash } = random.pick(this.sent.slice(-50));
      const ledger = this.group(machine, groupId)?.ledger;
      if (!ledger) continue;
      const chain = this.#world.chain(groupId);
      this.#world.watch(
        ledger
          .receipt(hash)
          .then((receipt) => chain.served(machine.number, hash, receipt?.blockHash)),
      );
    }
  }

  // --- roles

  /** Gives a node that was no sealer at genesis a role, or none. */
  changeRole(): void {
    const { random, options, sights } = this.#world;
    const extra = options.sealers + random.below(options.nodes - options.sealers);
    const method = random.pick(["addSealer", "addSealer", "addObserver", "remove"]);
    const nodeId = this.#world.nodeIdOf(extra);
    sights.add("roleChange");
    this.#setRole(method, nodeId);
  }

  /** Takes a sealer of the first block out of the list, or puts one back. */
  changeSealer(): void {
    const { random, options, sights } = this.#world;
    const method = random.pick(["addSealer", "addSealer", "addObserver", "remove"]);
    sights.add("sealerChange");
    this.#setRole(method, this.#world.nodeIdOf(random.below(options.sealers)));
  }

  /** Has a node be an observer. */
  observe(number: number): void {
    this.#setRole("addObserver", this.#world.nodeIdOf(number));
  }

  #setRole(method: string, nodeId: string): void {
    const { random, machines } = this.#world;
    this.submit(random.pick(machines), FIRST_GROUP, {
      to: CONSENSUS,
      input: encodeCall(`${method}(string)`, [nodeId], cheapHash),
    });
  }

  // --- groups

  /** Some operation on some group of some node. */
  manage(): void {
    const { random, machines } = this.#world;
    const machine = random.pick(machines);
    if (random.chance(0.4)) return this.operate(machine, FIRST_GROUP, this.#firstOperation());
    const operations = ["generateGroup", "generateGroup", "startGroup", "startGroup"] as const;
    const rare = ["stopGroup", "removeGroup", "recoverGroup"] as const;
    this.operate(machine, SECOND_GROUP, random.pick([...operations, ...operations, ...rare]));
  }

  #firstOperation(): GroupOperation {
    const { random } = this.#world;
    return random.pick(["stopGroup", "startGroup", "startGroup", "removeGroup", "recoverGroup"]);
  }

  /** Manages a group; the answer must be what is on disk. */
  operate(machine: Machine, groupId: GroupId, operation: GroupOperation): void {
    const name = `${machine.number}/${groupId}`;
    const { life } = machine;
    if (!life?.started || this.#busy.has(name)) return;
    const { genesis, sights } = this.#world;
    const { sealers } = genesis;
    if (operation === "generateGroup" && groupId === FIRST_GROUP) return;
    const params = { timestamp: BigInt(EPOCH_MS), sealers, freeStorage: false };
    this.#busy.add(name);
    const result = life.node.api.manageGroup(
      operation,
      groupId,
      operation === "generateGroup" ? params : undefined,
    );
    this.#world.watch(
      result
        .then(async ({ code, message }) => {
          if (!life.alive) return;
          this.#world.log(`node ${machine.number} g${groupId} ${operation}: ${code} ${message}`);
          if (code !== 0) return;
          sights.add(operation);
          if (operation === "generateGroup") this.generated = true;
          const word = await machine.durableWord(groupId);
          if (word !== LEAVES[operation])
            throw new Violation(`node ${machine.number} answers ${operation}, its word is ${word}`);
          // A block that was written while the group stopped is learned of only now.
          const ledger = operation === "startGroup" && this.group(machine, groupId)?.ledger;
          if (ledger) await this.#world.chain(groupId).began(machine.number, ledger);
        })
        .finally(() => this.#busy.delete(name)),
    );
    // An operation of a node that loses power is never answered.
    this.#world.agenda.after(1_000, () => life.alive || this.#busy.delete(name));
  }

  /** A group has stopped because its disk was full: there is room, and somebody sees to it. */
  afterFull(machine: Machine, groupId: GroupId): void {
    const { agenda, random, sights } = this.#world;
    const { life } = machine;
    agenda.after(random.between(500, 8_000), () => {
      if (!life?.alive || !life.started) return;
      sights.add("afterFull");
      if (random.chance(0.5)) return this.#world.stop(machine);
      if (random.chance(0.5)) this.operate(machine, groupId, "stopGroup");
      agenda.after(500, () => this.operate(machine, groupId, "startGroup"));
    });
  }

  /** Somebody stops the group just now, and starts it again soon. */
  stopInWrite(machine: Machine, groupId: GroupId): void {
    const { agenda, random, sights } = this.#world;
    if (!this.group(machine, groupId)) return;
    sights.add("stopInWrite");
    agenda.after(0, () => this.operate(machine, groupId, "stopGroup"));
    agenda.after(random.between(100, 3_000), () => this.operate(machine, groupId, "startGroup"));
  }

  /** Brings a group up, whatever state it was left in. */
  bringUp(machine: Machine, groupId: GroupId): void {
    const { life } = machine;
    if (!life?.started) return;
    this.#world.watch(
      life.node.api.groupStatus(groupId).then(({ status }) => {
        // A word of it found no room: it was left out at the start of the node.
        const isLeftOut = status === "STOPPING" || groupId === FIRST_GROUP;
        if (life.wasFull && isLeftOut && ["STOPPING", "INEXISTENT"].includes(status))
          return this.operate(machine, groupId, "startGroup");
        if (status === "STOPPED") this.operate(machine, groupId, "startGroup");
        if (status === "DELETED") this.operate(machine, groupId, "recoverGroup");
        if (status === "INEXISTENT") this.operate(machine, groupId, "generateGroup");
        if (status === "UNKNOWN") throw new Violation(`node ${machine.number}: status unknown`);
      }),
    );
  }

  // --- statuses

  /** What a node reports of itself and of others is true. */
  look(): void {
    for (const machine of this.#world.machines) {
      machine.life?.inside?.check();
      for (const groupId of this.#world.chains.keys()) this.#lookAtWord(machine, groupId);
      for (const chain of this.#world.chains.values()) {
        const group = this.group(machine, chain.groupId);
        if (group) this.#lookAt(machine, group);
      }
    }
  }

  /** Outside of operations a node shows the status that is on disk. Source: groups 2 */
  #lookAtWord(machine: Machine, groupId: GroupId): void {
    const { life } = machine;
    if (!life?.started || this.#busy.has(`${machine.number}/${groupId}`)) return;
    this.#world.watch(
      life.node.api.groupStatus(groupId).then(async ({ status }) => {
        const word = (await machine.durableWord(groupId)) ?? "INEXISTENT";
        const isBusy = this.#busy.has(`${machine.number}/${groupId}`);
        // A group that failed is stopped, and keeps the word of what it should be, or of a stop
        // whose last word found no room.
        const isHalted =
          life.wasFull && status === "STOPPED" && ["RUNNING", "STOPPING"].includes(word);
        if (life.alive && life.started && !isBusy && word !== status && !isHalted)
          throw new Violation(`node ${machine.number} shows ${status}, its word is ${word}`);
      }),
    );
  }

  /** The highest block that is stored anywhere. */
  #highest(groupId: GroupId): number {
    const heads = this.#world.machines.map(
      (machine) => this.group(machine, groupId)?.ledger.head().number ?? 0,
    );
    return Math.max(this.#world.chain(groupId).highestWritten, ...heads);
  }

  #lookAt(machine: Machine, group: GroupApi): void {
    const { number, hash } = group.ledger.head();
    const chain = this.#world.chain(group.groupId);
    const status = group.syncStatus();
    const wrong = (text: string): never => {
      throw new Violation(`node ${machine.number} says ${text}: ${JSON.stringify(status)}`);
    };
    const agreed = chain.hashAt(number) ?? hash;
    if (number > 0 && agreed !== hash) wrong(`its head is ${number} ${hash}`);
    if (status.knownHighestNumber < number) wrong("the highest block is below its own");
    for (const peer of status.peers) {
      if (peer.genesisHash !== group.ledger.genesisHash()) wrong("a peer is of another chain");
      if (peer.nodeId === machine.nodeId) wrong("it is its own peer");
      if (peer.nodeId === this.#world.byzantine?.machine.nodeId || peer.number === 0) continue;
      if (chain.hashAt(peer.number) !== peer.latestHash) wrong("a peer stands where no node is");
    }
    const highest = this.#highest(group.groupId);
    if (!this.#world.byzantine && status.knownHighestNumber > highest)
      wrong(`a block above ${highest} is known`);
    const { poolLimit } = this.#world.options;
    if (group.pendingCount() > poolLimit) wrong("its pool is over its limit");
  }
}

function answerOf({ number }: Machine, { groupId, hash }: Sent, outcome: SubmitOutcome): string {
  return `node ${number} g${groupId} answers ${hash}: ${outcome.ok ? "ok" : outcome.refusal}`;
}

/** What a transaction does. */
export interface Call {
  readonly to: Address | null;
  readonly input: Uint8Array;
}

/** Creates a contract without code that stores a number. */
function store(value: number): Call {
  const input = Uint8Array.of(0x60, value & 255, 0x60, value >>> 8, 0x55, 0x60, 0, 0x60, 0, 0xf3);
  return { to: null, input };
}

/** Calls an account without code. */
export function emptyCall(value: number): Call {
  return { to: addressOfNumber(0x99_0000 + value), input: new Uint8Array(0) };
}

function setConfig(value: number): Call {
  const values = ["tx_count_limit", String(500 + value)];
  return {
    to: SYSTEM_CONFIG,
    input: encodeCall("setValueByKey(string,string)", values, cheapHash),
  };
}
