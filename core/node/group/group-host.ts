/**
 * One group of a node: its actor, and the store, executor and runtime that live while it runs.
 * Source: groups 2, 10
 */
import {
  type BootState,
  type GroupActor,
  groupMachineWith,
  isSettled,
  statusOfState,
  type StatusWord,
} from "../../actors/group.machine.ts";
import { describe, type Patience, startSupervised, until } from "../../actors/supervise.ts";
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import { GroupFault } from "../../fault/group-fault.ts";
import { invariant } from "../../fault/invariant.ts";
import { prepareGenesis } from "../../ledger/genesis-block.ts";
import { openLedger } from "../../ledger/ledger.ts";
import { DEFAULT_ELECT_TIME_MS, type GenesisConfig } from "../../model/config.ts";
import type { Executor } from "../../ports/executor.ts";
import type { Incoming } from "../../ports/network.ts";
import type { Store } from "../../ports/store.ts";
import type { GroupCatalog } from "./group-files.ts";
import type { GroupOptions, RaftTimes } from "../options/group-options.ts";
import type { GroupRuntime } from "./group-runtime.ts";
import { admitStore } from "./group-silence.ts";
import type { GroupStatus } from "../../api/node-api.ts";
import type { NodePorts } from "../options/node-ports.ts";
import { startGroup } from "./start-group.ts";

/** How long an operation may take before it answers 0x1. */
export const OPERATION_TIMEOUT_MS = 60_000;

type Command = "group.generate" | "group.start" | "group.stop" | "group.remove" | "group.recover";

/** States of a start that goes on. */
const STARTING: ReadonlySet<string> = new Set(["starting", "announcing", "retrying"]);

/** What all groups of a node share. */
export interface GroupSurroundings
  extends Omit<GroupOptions, "groupId" | "raft" | "eventLimits" | "tuning" | "onFailure"> {
  readonly catalog: GroupCatalog;
  readonly ports: NodePorts;
  connected(): Iterable<NodeId>;
  /** A group that ran cannot go on. */
  onFailure(groupId: GroupId, cause: unknown): void;
}

/** Where a group begins when it becomes known. */
export interface GroupBeginning {
  readonly groupId: GroupId;
  readonly boot: BootState;
  /** The genesis file as it was found; its name only matters to operations. */
  readonly genesisPath: string;
}

/** Runs one group through its life. */
export class GroupHost {
  readonly groupId: GroupId;
  readonly #shared: GroupSurroundings;
  readonly #genesisPath: string;
  readonly #actor: GroupActor;
  #runtime: GroupRuntime | undefined;
  #executor: Executor | undefined;
  #store: Store | undefined;
  /** The files of the generation that is under way. */
  #generation: GenesisConfig | undefined;
  /** Why the last step failed. */
  #cause: unknown;
  #ending = false;

  constructor(shared: GroupSurroundings, beginning: GroupBeginning) {
    this.groupId = beginning.groupId;
    this.#shared = shared;
    this.#genesisPath = beginning.genesisPath;
    const machine = groupMachineWith({
      writeFiles: () => this.#step(() => this.#writeFiles()),
      persistStatus: (word) => this.#step(() => this.#persistStatus(word)),
      startLedger: () => this.#startLedger(),
      stopLedger: () => this.#stopLedger(),
    });
    this.#actor = startSupervised(machine, {
      id: `group${this.groupId}`,
      input: { boot: beginning.boot },
      log: shared.ports.log,
      inspect: shared.inspect,
      onError: (cause) => this.#fail(cause),
    });
  }

  /** The status as it is on disk already. */
  status(): GroupStatus {
    return statusOfState(this.#state());
  }

  /** The group while it runs: one that starts, stops or has failed is not there. */
  running(): GroupRuntime | undefined {
    return this.#state() === "running" ? this.#runtime : undefined;
  }

  /** Whether nothing of the group runs or is under way. */
  isIdle(): boolean {
    return ["inexistent", "stopped", "deleted", "failed", "closed"].includes(this.#state());
  }

  /** Why the last operation did not succeed, or why the group stands still. */
  failure(): string | undefined {
    return this.#actor.getSnapshot().context.failure;
  }

  /** Why a group that should run does not: it failed, and nobody has stopped it. */
  halt(): string | undefined {
    const hasFailed = ["failing", "failed"].includes(this.#state());
    return hasFailed ? this.failure() : undefined;
  }

  /** The thrown value behind {@link failure}. */
  cause(): unknown {
    return this.#cause;
  }

  receive(message: Incoming): void {
    this.#runtime?.receive(message);
  }

  peerUp(peer: NodeId): void {
    this.#runtime?.peerUp(peer);
  }

  peerDown(peer: NodeId): void {
    this.#runtime?.peerDown(peer);
  }

  /** Resolves when nothing is under way any more. */
  async settled(patience?: Patience): Promise<void> {
    await until(this.#actor, ({ value }) => isSettled(String(value)), patience);
  }

  /** Writes the files of the group. @returns why it failed */
  async generate(genesis: GenesisConfig): Promise<string | undefined> {
    this.#requireHeard("group.generate");
    this.#generation = genesis;
    return this.#perform("group.generate");
  }

  /** @returns why it failed; the status is STOPPED then */
  start(): Promise<string | undefined> {
    return this.#perform("group.start");
  }

  /** Has a group that failed stay down when the node starts again. @returns why that failed */
  settle(): Promise<string | undefined> {
    return this.#perform("group.stop");
  }

  /** @returns why it failed */
  remove(): Promise<string | undefined> {
    return this.#perform("group.remove");
  }

  /** @returns why it failed */
  recover(): Promise<string | undefined> {
    return this.#perform("group.recover");
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

  /** Resolves when the stop that was begun is over. @returns why it failed */
  async endStop(): Promise<string | undefined> {
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
  }

  #patience(): Patience {
    return { clock: this.#shared.ports.clock, ms: OPERATION_TIMEOUT_MS };
  }

  async #perform(type: Command): Promise<string | undefined> {
    this.#requireHeard(type);
    this.#cause = undefined;
    this.#actor.send({ type });
    await this.settled(this.#patience());
    return this.failure();
  }

  /**
   * An operation that was given up after its time may still be under way. A command would not be
   * heard then, and the end of the other would pass for its own; only a second start means the same
   * as the first. Source: groups 10
   */
  #requireHeard(type: Command): void {
    const isSame = type === "group.start" && STARTING.has(this.#state());
    if (isSame || this.#actor.getSnapshot().can({ type })) return;
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
    this.#actor.send({ type: "ledger.failed", cause: describe(cause) });
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
    if ((await catalog.word(this.groupId)) === word) return;
    await catalog.writeWord(this.groupId, word);
  }

  async #startLedger(): Promise<void> {
    try {
      await this.#step(() => this.#openLedger());
    } catch (cause) {
      // The first cause tells more than what ending the rest may add.
      await this.#stopLedger().catch(() => undefined);
      throw cause;
    }
  }

  async #openLedger(): Promise<void> {
    const { catalog, ports, connected, onFailure: _, ...node } = this.#shared;
    const { suite, version } = node;
    const genesis = await catalog.genesis(this.groupId, this.#genesisPath);
    const tuning = await catalog.tuning(genesis);
    const store = await ports.openStore(this.groupId);
    this.#store = store;
    store.onDamage?.((cause) => this.#fail(cause));
    if (this.#ending) throw new GroupFault("the node is stopping");
    await prepareGenesis(store, { suite, version, genesis });
    const ledger = openLedger({ store, suite, version, genesis, hashLong: ports.hashLong });
    await admitStore(this.groupId, { ledger, store, guard: ports.copyGuard, log: ports.log });
    const death: { cause?: unknown; happened: boolean } = { happened: false };
    const onDeath = (cause: unknown): void => {
      death.cause = cause;
      death.happened = true;
      // While the group starts, its start fails instead.
      if (this.#runtime) this.#fail(cause);
    };
    const executor = await ports.openExecutor(genesis, onDeath, tuning);
    this.#executor = executor;
    const runtime = await startGroup(
      {
        ...node,
        groupId: this.groupId,
        raft: raftTimes(genesis),
        eventLimits: genesis.eventFilter,
        tuning,
        onFailure: (cause) => this.#fail(cause),
      },
      { ...ports, store, executor, ledger },
    );
    for (const peer of connected()) runtime.peerUp(peer);
    // Nobody was there to hear of it before.
    this.#runtime = runtime;
    if (death.happened) throw death.cause;
    runtime.begin();
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

  /** Ends everything that was begun, whatever fails of it; the store last. Source: groups 2 */
  async #stopLedger(): Promise<void> {
    const [runtime, executor, store] = [this.#runtime, this.#executor, this.#store];
    this.#runtime = undefined;
    this.#executor = undefined;
    this.#store = undefined;
    try {
      await runtime?.stop();
    } finally {
      try {
        await executor?.close();
      } finally {
        if (runtime && store) await this.#leave(store);
        await store?.close();
      }
    }
  }
}

/** Election times as the genesis file has them; undefined for PBFT. Source: raft 3; groups 6 */
function raftTimes(genesis: GenesisConfig): RaftTimes | undefined {
  if (genesis.consensusType !== "raft") return undefined;
  const { min, max } = DEFAULT_ELECT_TIME_MS;
  const { minElectTimeMs: minElectMs = min, maxElectTimeMs: maxElectMs = max } = genesis;
  return { minElectMs, maxElectMs };
}
