/**
 * One machine of a whole-node schedule: its key, its disks, its clock, and the node that runs on
 * it now. The power may go at any effect: whatever the node waits for then never comes.
 */
import type { GroupId, NodeId } from "../../../core/bytes/ids.ts";
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { createNode, type RunningNode } from "../../../core/node/create-node.ts";
import type { NodePorts } from "../../../core/node/node-ports.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Compute } from "../../../core/ports/compute.ts";
import type { Executor } from "../../../core/ports/executor.ts";
import type { Files } from "../../../core/ports/files.ts";
import type { Network, NetworkEvents } from "../../../core/ports/network.ts";
import type { Store } from "../../../core/ports/store.ts";
import { jsonGroupFormat } from "../../../runtimes/shared/group-text.ts";
import { FaultyDisk } from "../../support/faulty-store.ts";
import { createStoreFiles } from "../../support/store-files.ts";
import { delayedExecutor } from "./executor.ts";
import { Inside } from "./inside.ts";
import { privateKeyOf } from "./suite.ts";
import { EPOCH_MS, type World } from "./world.ts";

const BUILD = { version: "2.11.1", buildTime: "", buildType: "", gitBranch: "", gitCommit: "" };
const CONFIG_FOLDER = "conf/";
const DATA_FOLDER = "data/";
/** Status words end like this. */
const STATUS_FILE = "/.group_status";

/** One run of a node, from power to no power. */
export interface Life {
  alive: boolean;
  /** It serves. */
  started: boolean;
  readonly node: RunningNode;
  /** Its actors, where the schedule looks at them. */
  readonly inside: Inside | undefined;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** A machine and what runs on it. */
export class Machine {
  readonly number: number;
  readonly nodeId: NodeId;
  readonly privateKey: Uint8Array;
  readonly world: World;
  /** Its files; the stores of groups are disks of their own. */
  readonly files = new FaultyDisk();
  readonly disks = new Map<GroupId, FaultyDisk>();
  readonly network: Network;
  life: Life | undefined;
  /** Effects left until the power goes. */
  effectsLeft: number | undefined;
  /** How far the wall clock is off, and how fast the clocks go. */
  wallOffset = 0;
  readonly rate: number;
  #stores = new Map<GroupId, Store>();

  constructor(world: World, number: number) {
    this.world = world;
    this.number = number;
    this.privateKey = privateKeyOf(number);
    this.nodeId = world.nodeIdOf(number);
    this.network = world.links.portOf(number);
    this.rate = world.options.clocksDiffer ? world.random.between(0.97, 1.03) : 1;
  }

  /** The configuration files that an operator has put in place. */
  async provide(genesis: GenesisConfig): Promise<void> {
    const quick = { delay: async () => undefined, onMoment: () => undefined };
    const files = createStoreFiles(this.files.open(quick));
    const format = jsonGroupFormat();
    const name = `${CONFIG_FOLDER}group.${genesis.groupId}`;
    await files.write(`${name}.ini`, Buffer.from(format.writeTuning()));
    await files.write(`${name}.genesis`, Buffer.from(format.writeGenesis(genesis)));
  }

  /** The status word of a group that would be there after a crash now. */
  async durableWord(groupId: GroupId): Promise<string | undefined> {
    const { durable } = this.files;
    const files = createStoreFiles(durable as Store);
    const bytes = await files.read(`${DATA_FOLDER}group${groupId}${STATUS_FILE}`);
    return bytes && Buffer.from(bytes).toString();
  }

  /** The disk of a group. */
  disk(groupId: GroupId): FaultyDisk {
    const disk = this.disks.get(groupId) ?? new FaultyDisk();
    this.disks.set(groupId, disk);
    return disk;
  }

  /** A node begins on this machine. */
  power(): Life {
    const { suite, options } = this.world;
    const inside = options.inspected ? new Inside() : undefined;
    const isAlive = () => life.alive;
    this.#stores = new Map();
    const node = createNode(
      {
        build: BUILD,
        chainId: 1,
        supportedVersion: NEWEST_VERSION,
        suite,
        privateKey: this.privateKey,
        ...(inside ? { inspect: inside.inspector } : {}),
        groups: {
          folders: { config: CONFIG_FOLDER, data: DATA_FOLDER },
          format: jsonGroupFormat({ minBlockGenerationTimeMs: 50, txPoolLimit: options.poolLimit }),
        },
      },
      this.#ports(isAlive),
    );
    const life: Life = { alive: true, started: false, node, inside };
    node.onBlock((block) => {
      if (isAlive()) this.world.written(this, block);
    });
    node.onFailure((cause, groupId) => {
      if (isAlive()) this.world.failed(this, groupId, cause);
    });
    this.life = life;
    return life;
  }

  /** The power goes: nothing that the node has not done yet is done. */
  crash(): boolean {
    const { life, world } = this;
    if (!life) return false;
    life.alive = false;
    this.life = undefined;
    this.effectsLeft = undefined;
    for (const disk of [this.files, ...this.disks.values()]) {
      const { lost, kept } = disk.crash(world.random);
      if (lost > 0) world.sights.add("lostWrites");
      if (kept > 0) world.sights.add("keptWrites");
    }
    world.links.leave(this.number);
    return true;
  }

  /** Something that the world can see is about to happen; false when the power is gone. */
  effect(isAlive: () => boolean): boolean {
    if (!isAlive()) return false;
    if (this.effectsLeft !== undefined && --this.effectsLeft <= 0) {
      this.crash();
      this.world.lostPower(this);
      return false;
    }
    return true;
  }

  #ports(isAlive: () => boolean): NodePorts {
    const { world } = this;
    return {
      clock: this.#clock(isAlive),
      entropy: {
        bytes: (count) => Uint8Array.from({ length: count }, () => world.random.below(256)),
      },
      log: {
        write: (level, message, fields) => {
          if (isAlive() && world.logs) world.logLine(this, { level, message, fields });
        },
      },
      compute: this.#compute(isAlive),
      network: this.#guarded(isAlive),
      files: this.#filesPort(isAlive),
      openStore: async (groupId) => this.#openStore(groupId, isAlive),
      openExecutor: async (genesis) => this.#openExecutor(genesis, isAlive),
    };
  }

  #clock(isAlive: () => boolean): Clock {
    const { agenda, random } = this.world;
    const origin = random.below(1_000_000) - agenda.now * this.rate;
    return {
      now: () => EPOCH_MS + Math.floor(agenda.now + this.wallOffset),
      steady: () => origin + agenda.now * this.rate,
      after: (delay, callback) => agenda.after(delay / this.rate, () => isAlive() && callback()),
    };
  }

  #compute(isAlive: () => boolean): Compute {
    const { world } = this;
    return {
      recover: async (items) => {
        await world.wait(world.options.computeMs);
        if (!this.effect(isAlive)) return never();
        return items.map(({ digest, signature }) => world.suite.recover(digest, signature));
      },
      close: async () => undefined,
    };
  }

  #filesPort(isAlive: () => boolean): Files {
    const files = createStoreFiles(this.#open(this.files, isAlive));
    return {
      ...files,
      write: async (path, bytes) => {
        const isWord = path.endsWith(STATUS_FILE);
        const before = isWord ? await files.read(path) : undefined;
        if (isWord && this.world.losesWord(this)) return;
        await files.write(path, bytes);
        if (isWord) this.world.wordWritten(this, textOf(before), textOf(bytes) ?? "");
      },
    };
  }

  #openStore(groupId: GroupId, isAlive: () => boolean): Store {
    const store = this.#open(this.disk(groupId), isAlive, this.world.options.mutation);
    this.#stores.set(groupId, store);
    return store;
  }

  #open(disk: FaultyDisk, isAlive: () => boolean, mutation?: string): Store {
    const { world } = this;
    const store = disk.open({
      delay: () => world.wait(world.options.diskMs),
      lies: mutation === "lostEntry",
      onMoment: () => void this.effect(isAlive),
    });
    let last: Promise<void> = Promise.resolve();
    return {
      ...store,
      commit: (writes, options) => {
        const kept = mutation === "corruptState" ? world.corrupted(this, writes) : writes;
        const done = store.commit(kept, options);
        last = done.catch(() => undefined);
        return done;
      },
      close: async () => {
        await last;
        await store.close();
      },
    };
  }

  #openExecutor(genesis: GenesisConfig, isAlive: () => boolean): Executor {
    const { world } = this;
    const store = this.#stores.get(genesis.groupId);
    if (!store) throw new RangeError("the store is open before the executor");
    const rules = { suite: world.suite, version: NEWEST_VERSION, genesis };
    const processor = createBlockProcessor({ ...rules, store });
    return delayedExecutor(processor, {
      delay: () => world.executionDelay(),
      isAlive: () => this.effect(isAlive),
      agenda: world.agenda,
    });
  }

  #guarded(isAlive: () => boolean): Network {
    const { network, world } = this;
    const guarded = (events: NetworkEvents): NetworkEvents => ({
      message: (message) => isAlive() && events.message(message),
      peerUp: (peer) => isAlive() && events.peerUp(peer),
      peerDown: (peer) => isAlive() && events.peerDown(peer),
    });
    return {
      self: network.self,
      peers: () => network.peers(),
      start: (events) => network.start(guarded(events)),
      send: (to, message) => {
        if (!this.effect(isAlive)) return;
        for (const bytes of world.leaving(this, to, message))
          network.send(to, { ...message, bytes });
      },
      stop: async () => {
        if (isAlive()) await network.stop();
      },
    };
  }
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString();
}
