/**
 * One schedule of whole nodes: half a minute of faults or more, then a healed network that must
 * make progress.
 */
import type { GroupId } from "../../../core/bytes/ids.ts";
import { EPOCH_KEY } from "../../../core/node/group/group-abstention.ts";
import type { GroupApi } from "../../../core/api/node-api.ts";
import { Violation } from "../checkers.ts";
import { Random } from "../random.ts";
import type { Sights } from "../sights.ts";
import { drained } from "./agenda.ts";
import type { Machine } from "./machine.ts";
import { emptyCall, Operator, type Sent } from "./operator.ts";
import type { WholeOptions } from "./options.ts";
import { FIRST_GROUP, SECOND_GROUP, World } from "./world.ts";

/** Blocks that must follow once the faults have stopped. */
const GOAL_BLOCKS = 2;
/** In this much virtual time. */
const CALM_LIMIT_MS = 3 * 60_000;
/** Or in this much, where a sealer first waits out what it promised. */
const PROMISE_LIMIT_MS = 60 * 60_000;
/** Faults end here even if hardly anything was delivered. */
const LONGEST_CHAOS_MS = 600_000;
/** How long a pool holds a transaction. Source: txpool 1 */
const EXPIRY_MS = 600_000;
const LOOK_MS = 500;
const RAFT_JUMP_MS = 2_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Somebody has the lying extra node be an observer this often, until it is one. */
const OBSERVER_MS = 2_000;
/** While waiting for progress somebody sends a transaction this often. */
const CALM_SEND_MS = 400;

/** What came of a schedule. */
export interface WholeOutcome {
  /** Undefined when every property held. */
  readonly failure: string | undefined;
  readonly sights: Sights;
  readonly consensus: "pbft" | "raft";
  readonly delivered: number;
  readonly chaosMs: number;
  readonly recoveryMs: number;
}

/**
 * Runs one schedule to its end.
 *
 * @param direct plans what chance does not bring
 */
export async function runWholeSchedule(
  options: WholeOptions,
  write?: (line: string) => void,
  direct?: (world: World) => void,
): Promise<WholeOutcome> {
  const world = new World(options, write);
  const { agenda } = world;
  const giveBack = agenda.takeTimers();
  const unhandled = (cause: unknown) => world.violated(new Violation(`unhandled: ${cause}`));
  process.on("unhandledRejection", unhandled);
  let chaosMs = 0;
  try {
    await drained();
    const operator = new Operator(world);
    await begin(world, operator);
    direct?.(world);
    await runChaos(world);
    chaosMs = agenda.now;
    if (world.failure === undefined) await runCalm(world, operator);
  } catch (cause) {
    world.violated(cause);
  } finally {
    giveBack();
  }
  await new Promise((resume) => void setImmediate(resume));
  process.off("unhandledRejection", unhandled);
  const { failure, sights, links } = world;
  return {
    failure,
    sights,
    consensus: options.consensus,
    delivered: links.delivered,
    chaosMs,
    recoveryMs: agenda.now - chaosMs,
  };
}

async function begin(world: World, operator: Operator): Promise<void> {
  const { machines, agenda, random } = world;
  for (const machine of machines) await machine.provide(world.genesis);
  for (const machine of machines) agenda.after(random.between(0, 50), () => world.start(machine));
  planFaults(world, operator);
}

/** Faults and work, each at irregular intervals until the calm. */
function planFaults(world: World, operator: Operator): void {
  const { options, random, machines, links, sights } = world;
  repeat(world, options.crashMs, () => {
    const machine = random.pick(machines);
    if (!machine.life) return;
    // At some effect soon, or here.
    machine.effectsLeft = 1 + random.below(60);
    sights.add("crash");
  });
  repeat(world, options.restartMs, () => world.stop(random.pick(machines)));
  repeat(world, options.partitionMs, () => links.repartition());
  repeat(world, options.jumpMs, () => {
    // Of clocks that are far apart a leader of Raft may keep an entry that few acknowledge.
    const most = options.consensus === "raft" ? RAFT_JUMP_MS : HOUR_MS;
    random.pick(machines).wallOffset += random.between(-most, most);
    sights.add("clockJump");
  });
  planClock(world);
  planLater(world, operator);
  repeat(world, options.transactionMs, () => operator.transact());
  repeat(world, options.roleMs, () => operator.changeRole());
  repeat(world, options.groupMs, () => operator.manage());
  repeat(world, LOOK_MS, () => operator.read());
  repeat(world, LOOK_MS, () => operator.look());
}

/** The clock of one sealer is wrong, from the beginning to the end. Source: decision 27 */
function planClock(world: World): void {
  const { options, machines, sights, agenda } = world;
  const { clock } = options.later;
  // Chance of its own: what else happens stays as it was.
  const random = new Random(options.seed ^ 0x7f4a7c15);
  if (clock === "none") return;
  const machine = random.pick(machines.slice(0, options.sealers));
  sights.add(`clock ${clock}`);
  if (clock === "ahead") machine.wallOffset = HOUR_MS;
  if (clock === "behind") machine.wallOffset = -HOUR_MS;
  if (clock === "eightHours") machine.wallOffset = 8 * HOUR_MS;
  if (clock === "fast") machine.wallRate = 10;
  if (clock !== "jumping") return;
  const jump = (): void => {
    machine.wallOffset = machine.wallOffset === 0 ? 5 * MINUTE_MS : 0;
    agenda.after(random.between(1_000, 6_000), jump);
  };
  jump();
}

/** Full disks, a backup that is put back, sealers that go and come. */
function planLater(world: World, operator: Operator): void {
  const { options, random, machines, agenda } = world;
  const { fullDiskMs, backupMs, sealerMs, observerLies } = options.later;
  repeat(world, fullDiskMs, () => {
    random.pick(machines).fullUntil = agenda.now + random.between(200, 6_000);
  });
  world.onFull = (machine, groupId) => operator.afterFull(machine, groupId);
  world.onStopInWrite = (machine, groupId) => operator.stopInWrite(machine, groupId);
  repeat(world, sealerMs, () => operator.changeSealer());
  if (observerLies) repeat(world, OBSERVER_MS, () => operator.observe(options.sealers));
  if (backupMs > 0) planBackup(world);
}

/** One machine, once: two without their votes wait for the operator's word. */
function planBackup(world: World): void {
  const { options, random, machines, agenda } = world;
  const machine = random.pick(machines.slice(0, options.sealers));
  const isUnnoticed = options.mutation === "unnoticedBackup";
  const mean = options.later.backupMs;
  const begin = (): void => {
    const disk = machine.disk(FIRST_GROUP);
    // Before its first start there is nothing to put back.
    if (!disk.durable.get(EPOCH_KEY)) return void agenda.after(random.between(0, mean), begin);
    let older = disk.backup();
    const putBack = () => {
      if (world.calm) return;
      world.sights.add("backup");
      world.log(`node ${machine.number} gets an older ledger back`);
      world.crash(machine);
      disk.putBack(older);
      disk.suspicion = isUnnoticed ? undefined : "put back";
      world.chain(FIRST_GROUP).restored(machine.number);
      older = disk.backup();
      // No node notices, again and again (a mutation).
      if (isUnnoticed) agenda.after(random.between(0, mean), putBack);
    };
    agenda.after(random.between(0, mean), putBack);
  };
  agenda.after(random.between(0, mean), begin);
}

function repeat(world: World, meanMs: number, act: () => void): void {
  if (meanMs === 0) return;
  world.agenda.after(world.random.between(0, 2 * meanMs), () => {
    if (world.calm) return;
    act();
    repeat(world, meanMs, act);
  });
}

async function runChaos(world: World): Promise<void> {
  const { options, agenda, links } = world;
  while (agenda.now < options.chaosMs || links.delivered < options.leastDelivered) {
    if (world.failure !== undefined || agenda.now > LONGEST_CHAOS_MS) return;
    if (!(await agenda.advance())) return;
  }
}

/** Heals everything; all members must reach the same head, two blocks further. */
async function runCalm(world: World, operator: Operator): Promise<void> {
  const { agenda, machines, byzantine, options } = world;
  world.log("CALM");
  world.calm = true;
  world.links.heal();
  if (byzantine && !options.staysByzantine) byzantine.lies = false;
  for (const machine of machines) {
    machine.effectsLeft = undefined;
    if (!machine.life) agenda.after(1, () => world.start(machine));
  }
  const groups = operator.generated ? [FIRST_GROUP, SECOND_GROUP] : [FIRST_GROUP];
  const recovery = new Recovery(world, operator, groups);
  let limit = agenda.now + CALM_LIMIT_MS;
  while (!recovery.isDone) {
    if (world.failure !== undefined) return;
    if (agenda.now > limit && mayOpen(world, operator)) {
      open(world);
      recovery.sendAnew();
      limit += CALM_LIMIT_MS;
    }
    if (agenda.now > limit && waitsOutReservation(world, operator)) {
      world.sights.add("promiseWaits");
      limit += PROMISE_LIMIT_MS;
    }
    if (agenda.now > limit) throw new Violation(`STALL: ${recovery.describe()}`);
    if (!(await agenda.advance())) throw new Violation("nothing is planned any more");
  }
  await recovery.audit();
}

/**
 * Blocks of Raft carry no seals: where sealers were exchanged for others while a node was away,
 * no node that it may believe counts it in. It says so, and operators help as their guide tells.
 */
function mayOpen(world: World, operator: Operator): boolean {
  if (world.open || world.options.consensus !== "raft") return false;
  const { height } = world.chain(FIRST_GROUP);
  return world.machines.some((machine) => {
    const head = operator.group(machine, FIRST_GROUP)?.ledger.head().number ?? height;
    return machine.lacksSealersAt === head && head < height;
  });
}

/**
 * A sealer that begins again from a reservation is silent in the views that it covers, and one of
 * four lies to the end: fewer than a quorum speak until the last of these views, each of which is
 * waited for longer than the one before. Only nodes of one process reservation.
 */
function waitsOutReservation({ options, machines, sights }: World, operator: Operator): boolean {
  if (sights.seen.has("promiseWaits")) return false;
  const { roundsPerRecord, staysByzantine, byzantine } = options;
  if (roundsPerRecord === 1 || !staysByzantine || byzantine === undefined) return false;
  const waits = (machine: Machine, groupId: GroupId): boolean => {
    const status = operator.group(machine, groupId)?.consensusStatus();
    if (status?.kind !== "pbft") return false;
    const { currentView, toView } = status;
    return toView > currentView + 1 && toView % roundsPerRecord === 0;
  };
  const groups = [FIRST_GROUP, SECOND_GROUP];
  return machines.some((machine) => groups.some((groupId) => waits(machine, groupId)));
}

/** Operators let free nodes read for a while, and start all nodes again. */
function open(world: World): void {
  world.log("FREE NODES MAY READ");
  world.sights.add("groupOpened");
  world.open = true;
  for (const machine of world.machines) world.stop(machine);
}

/** View and the view that is waited for, or term and role. */
function roundOf(group: GroupApi): string {
  const status = group.consensusStatus();
  if (status.kind === "raft") return ` (term ${status.term} ${status.role})`;
  return ` (view ${status.currentView} to ${status.toView})`;
}

/** Waits for the nodes to come back together. */
class Recovery {
  isDone = false;
  readonly #world: World;
  readonly #operator: Operator;
  readonly #groups: readonly GroupId[];
  readonly #goals = new Map<GroupId, number>();
  /** Transactions that were sent again and taken: they must come on the chain. */
  #owed: { readonly sent: Sent; readonly taker: Machine; readonly group: GroupApi }[] = [];
  #resent = false;
  #settling = false;

  constructor(world: World, operator: Operator, groups: readonly GroupId[]) {
    this.#world = world;
    this.#operator = operator;
    this.#groups = groups;
    for (const groupId of groups)
      this.#goals.set(groupId, world.chain(groupId).height + GOAL_BLOCKS);
    this.#turn();
  }

  describe(): string {
    const stands = this.#groups.map((groupId) => {
      const heads = this.#world.machines.map((machine) => {
        const group = this.#operator.group(machine, groupId);
        return group ? `${group.ledger.head().number}${roundOf(group)}` : "off";
      });
      return `g${groupId} wants ${this.#goals.get(groupId)}: ${heads.join()}`;
    });
    const owed = this.#missing().map(({ hash }) => hash);
    return `${stands.join("; ")}; owed ${owed.join()}`;
  }

  /** The nodes begin again: what waited in their pools is gone and has to be sent once more. */
  sendAnew(): void {
    this.#owed = [];
    this.#resent = false;
  }

  #turn(): void {
    const { agenda } = this.#world;
    for (const groupId of this.#groups) {
      for (const machine of this.#membersOf(groupId)) this.#operator.bringUp(machine, groupId);
    }
    this.#operator.look();
    if (!this.#resent && this.#allRun()) this.#resend();
    else if (this.#resent) this.#resendLost();
    const reached = this.#groups.every((groupId) => this.#hasReached(groupId));
    this.#settling = this.#resent && reached && this.#missing().length === 0;
    if (this.#settling && this.#groups.every((groupId) => this.#isLevel(groupId))) {
      this.isDone = true;
      return;
    }
    if (!this.#settling) this.#work();
    agenda.after(CALM_SEND_MS, () => this.#turn());
  }

  /** Machines that must run a group: all of the first, the sealers of the second. */
  #membersOf(groupId: GroupId): readonly Machine[] {
    const { machines, options } = this.#world;
    return groupId === FIRST_GROUP ? machines : machines.slice(0, options.sealers);
  }

  #allRun(): boolean {
    return this.#groups.every((groupId) =>
      this.#membersOf(groupId).every((machine) => this.#operator.group(machine, groupId)),
    );
  }

  /** Groups on honest machines that are members after the highest block. */
  #live(groupId: GroupId): GroupApi[] {
    const { members } = this.#world.chain(groupId);
    return this.#honest(groupId)
      .filter(({ nodeId }) => members.includes(nodeId))
      .flatMap((machine) => this.#operator.group(machine, groupId) ?? []);
  }

  #honest(groupId: GroupId): Machine[] {
    const { byzantine } = this.#world;
    return this.#membersOf(groupId).filter(
      (machine) => !byzantine?.lies || byzantine.machine !== machine,
    );
  }

  #hasReached(groupId: GroupId): boolean {
    const goal = this.#goals.get(groupId) ?? 0;
    const { members } = this.#world.chain(groupId);
    const expected = this.#honest(groupId).filter(({ nodeId }) => members.includes(nodeId));
    const live = this.#live(groupId);
    const all = live.length === expected.length;
    return all && live.every(({ ledger }) => ledger.head().number >= goal);
  }

  #isLevel(groupId: GroupId): boolean {
    const live = this.#live(groupId);
    const heads = new Set(live.map(({ ledger }) => ledger.head().hash));
    return heads.size === 1 && live.every((group) => !group.syncStatus().isSyncing);
  }

  /**
   * What was acknowledged and is not on the chain can be sent again unchanged, unless a pool that
   * holds it since may let it expire meanwhile: that node does not take it again.
   */
  #resend(): void {
    this.#resent = true;
    const oldest = this.#world.agenda.now + CALM_LIMIT_MS - EXPIRY_MS;
    for (const sent of this.#operator.sent) {
      const chain = this.#world.chain(sent.groupId);
      if (!sent.acknowledged || chain.placed.has(sent.hash) || sent.sentAt < oldest) continue;
      const { random, options } = this.#world;
      const taking = this.#honest(sent.groupId).filter(({ number }) => number < options.sealers);
      this.#resendTo(random.pick(taking), sent);
    }
  }

  /**
   * A node that sees to a disk that was full starts node or group again, maybe late: empty pools.
   */
  #resendLost(): void {
    const lost = this.#owed.filter(({ sent, taker, group }) => {
      const now = this.#operator.group(taker, sent.groupId);
      return now !== undefined && now !== group;
    });
    this.#owed = this.#owed.filter((owed) => !lost.includes(owed));
    for (const { sent, taker } of lost) this.#resendTo(taker, sent);
  }

  #resendTo(machine: Machine, sent: Sent): void {
    this.#operator.resubmit(machine, sent, (outcome, group) => {
      this.#world.sights.add("sentAgain");
      if (outcome.ok || outcome.refusal === "alreadyKnown")
        this.#owed.push({ sent, taker: machine, group });
      else if (outcome.refusal === "undecodable" || outcome.refusal === "malformedTx")
        throw new Violation(`${sent.hash} cannot be sent again: ${outcome.refusal}`);
    });
  }

  #missing(): Sent[] {
    const missing = this.#owed.filter(({ sent, taker }) => {
      const { groupId, hash, nonce, blockLimit } = sent;
      const { placed, nonces, height, members } = this.#world.chain(groupId);
      // Who was taken out of the group meanwhile keeps what it has until it is back.
      const isPending = members.includes(taker.nodeId) && height < blockLimit;
      return isPending && !placed.has(hash) && !nonces.has(nonce);
    });
    return missing.map(({ sent }) => sent);
  }

  #work(): void {
    const { random } = this.#world;
    for (const groupId of this.#groups) {
      const machine = random.pick(this.#membersOf(groupId));
      this.#operator.submit(machine, groupId, emptyCall(random.below(100)));
    }
  }

  /** Everything that is stored, once more. */
  async audit(): Promise<void> {
    for (const groupId of this.#groups) {
      const chain = this.#world.chain(groupId);
      const states = new Map<string, string>();
      for (const machine of this.#membersOf(groupId)) {
        const group = this.#operator.group(machine, groupId);
        if (!group) continue;
        await chain.audit(machine.number, group.ledger);
        const { hash } = group.ledger.head();
        const state = await stateOf(machine, groupId);
        const before = states.get(hash) ?? state;
        if (before !== state)
          throw new Violation(`node ${machine.number} has another state at ${hash}`);
        states.set(hash, state);
      }
    }
  }
}

/** All rows of a group, as one text. */
async function stateOf(machine: Machine, groupId: GroupId): Promise<string> {
  const rows = await machine.disk(groupId).durable.range("r", "s", 1_000_000);
  return rows.map(({ key, value }) => `${key}=${Buffer.from(value).toString("latin1")}`).join("\n");
}
