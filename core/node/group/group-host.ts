/** One group: its actor, and store, executor and runtime while it runs. Source: groups 2, 10 */
import {
  type BootState,
  type GroupActor,
  groupMachineWith,
  isDamage,
  isSettled,
  statusOfState,
  type StatusWord,
} from "../../actors/group.machine.ts";
import {
  describe,
  endActor,
  type Patience,
  startSupervised,
  until,
} from "../../actors/supervise.ts";
import type { GroupId } from "../../bytes/ids.ts";
import { GroupFault } from "../../fault/group-fault.ts";
import { invariant } from "../../fault/invariant.ts";
import { RpcFault } from "../../fault/rpc-fault.ts";
import { StoreFault } from "../../fault/store-fault.ts";
import { openLedger } from "../../ledger/ledger.ts";
import { provenLedger } from "../../ledger/proven-ledger.ts";
import type { GenesisConfig } from "../../model/config.ts";
import type { LedgerApi } from "../../ports/ledger.ts";
import type { Store } from "../../ports/store.ts";
import { GroupRepair, unrepairable } from "./group-repair.ts";
import type { GroupRuntime } from "./group-runtime.ts";
import { admitStore } from "./group-abstention.ts";
import type { FoundGroup } from "./group-files.ts";
import { GroupInstance, type GroupSurroundings } from "./group-instance.ts";
import type { GroupStatus } from "../../api/node-api.ts";

/** How long an operation may take before it answers 0x1. */
export const OPERATION_TIMEOUT_MS = 60_000;

type Command = "group.generate" | "group.start" | "group.stop" | "group.remove" | "group.recover";

/** States of a group that failed. */
const HALTED: ReadonlySet<string> = new Set(["failing", "failed"]);
/** States of one that failed and is made whole. */
const REPAIRING: ReadonlySet<string> = new Set(["repairing", "adopting"]);
/** So many begin by themselves within an hour. */
const MOST_REPAIRS = 3;
const HOUR_MS = 3_600_000;
const TOO_OFTEN =
  `its ledger was repaired ${MOST_REPAIRS} times within the last hour: ` +
  "examine the disk, then start the group again";
/** States of one that failed and begins again. */
const RESTARTING: ReadonlySet<string> = new Set(["retrying", "resuming", "announcing"]);
/** States of a start that goes on. */
const STARTING: ReadonlySet<string> = new Set(["starting", "announcing", "retrying"]);

/** Runs one group through its life. */
export class GroupHost {
  readonly groupId: GroupId;
  readonly #shared: GroupSurroundings;
  /** The genesis file as it was found; its name only matters to operations. */
  readonly #genesisPath: string;
  readonly #actor: GroupActor;
  #instance: GroupInstance | undefined;
  #repair: GroupRepair | undefined;
  /** Times of repairs that began by themselves: where three are not enough, the disk is wrong. */
  #repairedAt: readonly number[] = [];
  /** What has failed, and can still be read. */
  #kept: Pick<GroupInstance, "ledger" | "close"> | undefined;
  /** The newest block that was ever read of the ledger. */
  #head = 0;
  /** The files of the generation that is under way. */
  #generation: GenesisConfig | undefined;
  /** Why the last step failed. */
  #cause: unknown;
  /** What is reported of the group while it begins again. */
  #restart: string | undefined;
  #ending = false;

  /** @param boot where it begins when it becomes known */
  constructor(shared: GroupSurroundings, { groupId, path }: FoundGroup, boot: BootState) {
    this.groupId = groupId;
    this.#shared = shared;
    this.#genesisPath = path;
    const machine = groupMachineWith({
      writeFiles: () => this.#step(() => this.#writeFiles()),
      persistStatus: (word) => this.#step(() => this.#persistStatus(word)),
      startLedger: () => this.#startLedger(),
      stopLedger: () => this.#stopLedger(),
      repairLedger: () => this.#step(() => this.#repairLedger()),
      adoptRepair: () => this.#step(() => this.#adoptRepair()),
    });
    this.#actor = startSupervised(machine, {
      id: `group${this.groupId}`,
      input: { boot, canRepair: shared.ports.repair !== undefined },
      log: shared.ports.log,
      inspect: shared.inspect,
      parent: shared.parent,
      onError: (cause) => this.#fail(cause),
    });
  }

  /** The status as it is on disk already. */
  status(): GroupStatus {
    return statusOfState(this.#state());
  }

  /** The group while it runs: one that starts, stops or has failed is not there. */
  running(): GroupRuntime | undefined {
    return this.#state() === "running" ? this.#instance?.runtime : undefined;
  }

  /** What hears peers: the group while it runs, or what repairs it. */
  admitting(): GroupRuntime | undefined {
    return this.running() ?? this.#repair?.runtime;
  }

  /** Whether nothing of the group runs or is under way. */
  isIdle(): boolean {
    return ["inexistent", "stopped", "deleted", "failed", "closed"].includes(this.#state());
  }

  /** Why the last operation did not succeed, or why the group stands still. */
  failure(): string | undefined {
    return this.#actor.getSnapshot().context.failure;
  }

  /** Why a group that should run does not: it failed, and no node has stopped it. */
  halt(): string | undefined {
    if (HALTED.has(this.#state())) return this.failure();
    if (RESTARTING.has(this.#state())) return this.#restart;
    if (!REPAIRING.has(this.#state())) return undefined;
    return `${this.#repair?.progress() ?? "repairing"}; ${this.failure()}`;
  }

  /** What it still gives once it has failed; undefined when that is nothing. */
  provenBlocks(): LedgerApi | undefined {
    const ledger = this.#kept?.ledger;
    if (!ledger || this.halt() === undefined) return undefined;
    const fail = (): never => {
      throw new RpcFault("internalError", this.halt() ?? "the group stands still");
    };
    return provenLedger(ledger, this.#shared, fail);
  }

  /** Whether its ledger is built anew. */
  isRepairing(): boolean {
    return REPAIRING.has(this.#state());
  }

  /** The thrown value behind {@link failure}. */
  cause(): unknown {
    return this.#cause;
  }

  /** What learns of peers and their messages; also while the group starts, stops or has failed. */
  listener(): GroupRuntime | undefined {
    return this.#instance?.runtime ?? this.#repair?.runtime;
  }

  /** Resolves when nothing is under way any more. */
  async settled(patience?: Patience): Promise<void> {
    await until(this.#actor, ({ value }) => isSettled(String(value)), patience);
  }

  /** Writes the files of the group. @returns why it failed */
  async generate(genesis: GenesisConfig): Promise<string | undefined> {
    this.#requireHeard("group.generate");
    this.#generation = genesis;
    return this.perform("group.generate");
  }

  /**
   * Performs a command to its end; `group.stop` has a group that failed stay down when the node
   * starts again.
   * @returns why it failed
   */
  async perform(type: Command): Promise<string | undefined> {
    if (type === "group.start" && !STARTING.has(this.#state()))
      this.#restart = this.halt() === undefined ? undefined : "the group begins again";
    this.#requireHeard(type);
    this.#cause = undefined;
    this.#repairedAt = [];
    this.#actor.send({ type });
    return this.ended();
  }

  /** Resolves when STOPPING is stored, or why it could not be; the modules stop afterwards. */
  async beginStop(): Promise<string | undefined> {
    this.#actor.send({ type: "group.stop" });
    const begun = await until(
      this.#actor,
      ({ value }) => value !== "beginningStop",
      this.#patience(),
    );
    return isSettled(String(begun.value)) ? begun.context.failure : undefined;
  }

  /** Resolves when what was begun is over. @returns why it failed */
  async ended(): Promise<string | undefined> {
    await this.settled(this.#patience());
    return this.failure();
  }

  /** The node stops: a start that is under way is given up where it is. */
  close(): void {
    this.#ending = true;
  }

  /** Ends the group with the node; its word stays as it is. */
  async end(): Promise<void> {
    this.close();
    await this.settled(this.#patience());
    this.#actor.send({ type: "node.stop" });
    await until(this.#actor, ({ status }) => status !== "active", this.#patience());
    endActor(this.#actor);
  }

  #patience(): Patience {
    return { clock: this.#shared.ports.clock, ms: OPERATION_TIMEOUT_MS };
  }

  /**
   * An operation that was given up after its time may still be under way. A command would not be
   * heard then, and the end of the other would pass for its own; only a second start means the same
   * as the first. Source: groups 10
   */
  #requireHeard(type: Command): void {
    const isSame = type === "group.start" && STARTING.has(this.#state());
    if (isSame || this.#actor.getSnapshot().can({ type })) return;
    if (REPAIRING.has(this.#state())) throw new GroupFault(this.halt() ?? "repairing");
    throw new GroupFault(`the last operation on group ${this.groupId} is still under way`);
  }

  #state(): string {
    return String(this.#actor.getSnapshot().value);
  }

  /** Remembers why a step failed. */
  async #step(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.#cause = cause;
      throw cause;
    }
  }

  #fail(cause: unknown): void {
    this.#cause ??= cause;
    const { ports, onFailure } = this.#shared;
    const fields = { group: this.groupId, cause: describe(cause) };
    ports.log.write("error", "the group cannot go on", fields);
    const facts = { cause: describe(cause), isDamage: isDamage(cause) };
    this.#actor.send({ type: "ledger.failed", ...facts });
    onFailure(this.groupId, cause);
  }

  #writeFiles(): Promise<void> {
    const genesis = this.#generation;
    invariant(genesis, "a generation knows what it writes");
    this.#generation = undefined;
    return this.#shared.catalog.generate(genesis);
  }

  /** A word that is there already is not written again: most starts of a node change none. */
  async #persistStatus(word: StatusWord): Promise<void> {
    const { catalog } = this.#shared;
    if (word !== "RUNNING") await this.#release();
    if ((await catalog.word(this.groupId)) === word) return;
    await catalog.writeWord(this.groupId, word);
  }

  async #startLedger(): Promise<void> {
    try {
      await this.#step(() => this.#openLedger());
    } catch (cause) {
      // The first cause tells more than what ending the rest may add.
      await this.#stopLedger().catch(() => undefined);
      const isFull = cause instanceof StoreFault && cause.kind === "full";
      if (isFull && this.#state() !== "starting") await this.#readElsewhere();
      throw cause;
    }
  }

  /** What cannot be opened because nothing can be written may still be read. */
  async #readElsewhere(): Promise<void> {
    const { ports, suite, version } = this.#shared;
    const store = await ports.openElsewhere?.(this.groupId).catch(() => undefined);
    if (!store) return;
    const genesis = await this.#genesis();
    const ledger = openLedger({ store, suite, version, genesis, hashLong: ports.hashLong });
    this.#kept = { ledger, close: () => store.close() };
  }

  async #openLedger(): Promise<void> {
    const { ports } = this.#shared;
    const { groupId } = this;
    await this.#release();
    const genesis = await this.#genesis();
    const instance = new GroupInstance({
      shared: this.#shared,
      genesis,
      parent: this.#actor,
      openStore: () => ports.openStore(groupId),
      openExecutor: ports.openExecutor,
      admit: (ledger, store) =>
        admitStore(groupId, { ledger, store, guard: ports.copyGuard, log: ports.log }),
      isEnding: () => this.#ending,
      onFailure: (cause) => this.#fail(cause),
    });
    this.#instance = instance;
    await instance.open();
  }

  #genesis(): Promise<GenesisConfig> {
    return this.#shared.catalog.genesis(this.groupId, this.#genesisPath);
  }

  async #repairLedger(): Promise<void> {
    const { ports, self } = this.#shared;
    const { groupId } = this;
    const cause = this.failure() ?? "damaged";
    const { repair } = ports;
    invariant(repair, "the chart repairs where that is possible");
    const genesis = await this.#genesis();
    const obstacle = unrepairable(genesis, self);
    if (obstacle !== undefined) throw new GroupFault(`${cause}; ${obstacle}`);
    if (this.#ending) throw new GroupFault(cause);
    const now = ports.clock.steady();
    const recent = this.#repairedAt.filter((at) => now - at < HOUR_MS);
    if (recent.length >= MOST_REPAIRS) throw new GroupFault(`${cause}; ${TOO_OFTEN}`);
    this.#repairedAt = [...recent, now];
    await repair.begin(groupId, cause);
    ports.log.write("warning", "the ledger of a group is built anew from its peers", {
      group: groupId,
      cause,
    });
    this.#repair = new GroupRepair({
      shared: this.#shared,
      repair,
      genesis,
      parent: this.#actor,
      head: this.#head,
    });
    try {
      await this.#repair.run();
    } catch (thrown) {
      this.#repair = undefined;
      throw new GroupFault(`${cause}; its repair failed: ${describe(thrown)}`);
    }
  }

  async #adoptRepair(): Promise<void> {
    const { ports } = this.#shared;
    this.#repair = undefined;
    await this.#release();
    const kept = await ports.repair?.adopt(this.groupId);
    this.#cause = undefined;
    this.#restart = "its ledger is repaired, and the group begins again";
    const fields = { group: this.groupId, kept };
    ports.log.write(
      "warning",
      "the ledger of a group is repaired: it follows without a vote",
      fields,
    );
  }

  /** An older state that is put back later is told from this one. */
  async #leave(store: Store): Promise<void> {
    const { ports } = this.#shared;
    if (this.failure() !== undefined) return;
    await ports.copyGuard?.adopt(this.groupId, store).catch((cause: unknown) => {
      const fields = { group: this.groupId, cause: describe(cause) };
      ports.log.write("warning", "the mark of a ledger could not be renewed", fields);
    });
  }

  /** Closes what has failed. */
  async #release(): Promise<void> {
    const kept = this.#kept;
    this.#kept = undefined;
    await kept?.close();
  }

  /** Ends everything that was begun, whatever fails of it; what has failed can still be read. */
  async #stopLedger(): Promise<void> {
    const [instance, repair] = [this.#instance, this.#repair];
    this.#instance = undefined;
    if (this.#state() === "failing" && instance?.ledger) {
      this.#kept = instance;
      this.#head = Math.max(this.#head, instance.head());
      return instance.halt();
    }
    await this.#release();
    this.#head = Math.max(this.#head, instance?.head() ?? 0);
    try {
      await repair?.stop();
    } finally {
      await instance?.close((store) => this.#leave(store));
    }
  }
}
