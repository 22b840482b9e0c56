/**
 * One machine of a stage: its identity, its disks, its clock, and the production node that runs on
 * it now. When the power goes, whatever the node waits for never comes.
 */
import type { AnyActor } from "xstate";
import type { GroupId, NodeId } from "../../../../core/bytes/ids.ts";
import { createBlockProcessor } from "../../../../core/execution/block-processor.ts";
import type { GenesisConfig } from "../../../../core/model/config.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import { RunningNode } from "../../../../core/node/create-node.ts";
import type { WrittenBlock } from "../../../../core/node/options/group-options.ts";
import type { GroupApi } from "../../../../core/api/node-api.ts";
import type { NodePorts } from "../../../../core/node/options/node-ports.ts";
import { jsonGroupFormat } from "../../group-text.ts";
import { createInlineCompute } from "../../inline-compute.ts";
import { createMemoryFiles } from "../../memory-files.ts";
import { BUILD_INFO } from "../../platform/build-info.ts";
import type { Cause } from "../frame.ts";
import type { Lie, Scenario } from "../scenario.ts";
import type { Agenda } from "./agenda.ts";
import { CHAIN_ID, EPOCH_MS, GROUP_ID } from "./chain-setup.ts";
import { Disk } from "./disk.ts";
import { guardedNetwork, slowExecutor } from "./power.ts";
import { Random } from "./random.ts";
import type { StageSuite } from "./suite.ts";

/** Steady time of a node when the stage begins. */
const STEADY_ORIGIN = 1_000_000;

/** What a machine stands on. */
export interface MachineOptions {
  readonly number: number;
  readonly scenario: Scenario;
  readonly suite: StageSuite;
  readonly genesis: GenesisConfig;
  readonly agenda: Agenda;
  /** Its end of the wire. */
  readonly network: NodePorts["network"];
  /** Before the curtain rises disks take no time. */
  readonly isQuick: () => boolean;
  readonly onWritten: (block: WrittenBlock) => void;
  /** The root of the actors of a node, before it starts. */
  readonly onRoot: (root: AnyActor, isAlive: () => boolean) => void;
  readonly onLog: NodePorts["log"]["write"];
  readonly onFailure: (cause: unknown, groupId: GroupId | undefined) => void;
  /** It serves, or could not. */
  readonly onStarted: (cause?: unknown) => void;
}

/** One run of a node, from power to no power. */
interface Life {
  /** Whether it is fed; known before there is a node. */
  readonly power: { alive: boolean };
  serving: boolean;
  readonly node: RunningNode;
}

/** A timer of the node. */
interface Timer {
  due: number;
  callOff: () => void;
  readonly run: () => void;
}

/** A machine and what runs on it. */
export class Machine {
  readonly number: number;
  readonly nodeId: NodeId;
  readonly privateKey: Uint8Array;
  /** Actors of the node that runs, by name. */
  readonly actors = new Map<string, AnyActor>();
  lie: Lie | undefined;
  /** It lied at some time: what it has counts for nobody. */
  hasLied = false;
  paused = false;
  readonly #with: MachineOptions;
  readonly #files = createMemoryFiles();
  readonly #disks = new Map<GroupId, Disk>();
  readonly #timers = new Set<Timer>();
  /** What came while it was paused. */
  readonly #waiting: (() => void)[] = [];
  #life: Life | undefined;
  #lives = 0;
  /** How far the clocks have jumped ahead. */
  #jumpedMs = 0;

  constructor(options: MachineOptions) {
    this.#with = options;
    this.number = options.number;
    const identity = options.suite.identities[options.number];
    if (!identity) throw new RangeError(`no identity for node ${options.number}`);
    this.nodeId = identity.nodeId;
    this.privateKey = identity.privateKey;
  }

  get power(): "on" | "starting" | "paused" | "off" {
    if (!this.#life) return "off";
    if (this.paused) return "paused";
    return this.#life.serving ? "on" : "starting";
  }

  /** The node while it serves. */
  node(): RunningNode | undefined {
    return this.#life?.serving ? this.#life.node : undefined;
  }

  group(groupId = GROUP_ID): GroupApi | undefined {
    return this.node()?.api.group(groupId);
  }

  /** Stage time of a moment of the node's steady clock. */
  timeOf(steadyMs: number): number {
    return steadyMs - STEADY_ORIGIN - this.#jumpedMs;
  }

  /** Power on. */
  start(): void {
    if (this.#life) return;
    const life = this.#makeLife();
    this.#life = life;
    life.node.start().then(
      () => {
        life.serving = true;
        if (life.power.alive) this.#with.onStarted();
      },
      (cause: unknown) => {
        if (life.power.alive) this.#with.onStarted(cause);
      },
    );
  }

  /** The power goes; false when there was none. */
  kill(): boolean {
    const life = this.#life;
    if (!life) return false;
    life.power.alive = false;
    this.#life = undefined;
    this.paused = false;
    this.#waiting.length = 0;
    for (const { callOff } of this.#timers) callOff();
    this.#timers.clear();
    this.actors.clear();
    return true;
  }

  /** Does what waited, in its order. */
  resume(): void {
    this.paused = false;
    for (const run of this.#waiting.splice(0)) {
      if (this.paused) this.#waiting.push(run);
      else run();
    }
  }

  /** Runs something now, or once the node goes on; false: it waits. */
  atNode(run: () => void): boolean {
    if (this.paused) {
      this.#waiting.push(run);
      return false;
    }
    run();
    return true;
  }

  /** The clocks jump ahead: every timer is due that much earlier. */
  jump(ms: number): void {
    this.#jumpedMs += ms;
    const { now } = this.#with.agenda;
    for (const timer of this.#timers) {
      timer.callOff();
      timer.due = Math.max(now, timer.due - ms);
      this.#plan(timer);
    }
  }

  /** Passes virtual time; calls nobody back once the power is gone. */
  #after(ms: number, kind: "disk" | "execution", run: () => void): () => void {
    const life = this.#life;
    const cause: Cause = { kind, node: this.number };
    return this.#with.agenda.plan(ms, cause, () => {
      if (!life?.power.alive) return false;
      return this.atNode(() => life.power.alive && run());
    });
  }

  #makeLife(): Life {
    const { scenario, suite, genesis } = this.#with;
    const power = { alive: true };
    const isAlive = () => power.alive;
    const node = new RunningNode(
      {
        build: BUILD_INFO,
        chainId: CHAIN_ID,
        supportedVersion: NEWEST_VERSION,
        suite,
        privateKey: this.privateKey,
        groups: {
          folders: { config: "conf/", data: "data/" },
          format: jsonGroupFormat({ minBlockGenerationTimeMs: scenario.blockMs }),
          fixed: [genesis],
        },
        inspect: {
          onActor: (actor) => {
            if (!isAlive()) return;
            this.actors.set(actor.id, actor);
            if (!actor._parent) this.#with.onRoot(actor, isAlive);
          },
        },
      },
      this.#ports(isAlive),
    );
    const life: Life = { power, serving: false, node };
    node.onBlock((block) => {
      if (isAlive()) this.#with.onWritten(block);
    });
    node.onFailure((cause, groupId) => {
      if (isAlive()) this.#with.onFailure(cause, groupId);
    });
    return life;
  }

  #ports(isAlive: () => boolean): NodePorts {
    const { scenario, suite } = this.#with;
    const random = new Random(scenario.seed * 1_000 + this.number * 50 + this.#lives++);
    return {
      clock: this.#clock(isAlive),
      entropy: {
        bytes: (count) => Uint8Array.from({ length: count }, () => random.within(0, 255)),
      },
      log: {
        write: (level, message, fields) => {
          if (isAlive()) this.#with.onLog(level, message, fields);
        },
      },
      compute: createInlineCompute(suite),
      network: guardedNetwork(this.#with.network, isAlive),
      files: {
        ...this.#files,
        write: async (path, bytes) => {
          await this.#write(isAlive);
          await this.#files.write(path, bytes);
        },
      },
      openStore: async (groupId) => this.#disk(groupId).open({ write: () => this.#write(isAlive) }),
      openExecutor: async (genesis) => {
        const { store } = this.#disk(genesis.groupId);
        if (!store) throw new RangeError("the store is open before the executor");
        const processor = createBlockProcessor({ suite, version: NEWEST_VERSION, genesis, store });
        const after = (run: () => void) => this.#after(scenario.executeMs, "execution", run);
        return slowExecutor(processor, { after, isAlive });
      },
    };
  }

  #disk(groupId: GroupId): Disk {
    const disk = this.#disks.get(groupId) ?? new Disk();
    this.#disks.set(groupId, disk);
    return disk;
  }

  /** Passes the time of a durable write. */
  async #write(isAlive: () => boolean): Promise<void> {
    if (!isAlive()) return new Promise<never>(() => undefined);
    const { diskMs } = this.#with.scenario;
    if (diskMs === 0 || this.#with.isQuick()) return;
    await new Promise<void>((resume) => void this.#after(diskMs, "disk", resume));
  }

  #clock(isAlive: () => boolean): NodePorts["clock"] {
    const { agenda } = this.#with;
    return {
      now: () => EPOCH_MS + Math.floor(agenda.now),
      steady: () => STEADY_ORIGIN + agenda.now + this.#jumpedMs,
      after: (delay, callback) => {
        if (!isAlive()) return () => undefined;
        const timer: Timer = {
          due: agenda.now + Math.max(0, delay),
          callOff: () => undefined,
          run: () => isAlive() && callback(),
        };
        this.#timers.add(timer);
        this.#plan(timer);
        return () => {
          timer.callOff();
          this.#timers.delete(timer);
        };
      },
    };
  }

  #plan(timer: Timer): void {
    const { agenda } = this.#with;
    const cause: Cause = { kind: "timer", node: this.number };
    timer.callOff = agenda.plan(timer.due - agenda.now, cause, () => {
      this.#timers.delete(timer);
      return this.atNode(timer.run);
    });
  }
}
