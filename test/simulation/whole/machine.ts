/**
 * One machine of a whole-node schedule: its key, its disks, its clock, and the node that runs on
 * it now. The power may go at any effect: whatever the node waits for then never comes.
 */
import { hashOf } from "../../../core/bytes/hex.ts";
import type { GroupId, Hash, NodeId } from "../../../core/bytes/ids.ts";
import { createBlockProcessor } from "../../../core/execution/block-processor.ts";
import { DEFAULT_SYNC_TUNING, type GenesisConfig } from "../../../core/model/config.ts";
import { numberKey } from "../../../core/ledger/keys.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { RunningNode } from "../../../core/node/create-node.ts";
import { EPOCH_KEY } from "../../../core/node/group/group-abstention.ts";
import type { NodePorts } from "../../../core/node/options/node-ports.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { CopyGuard } from "../../../core/ports/copy-guard.ts";
import type { Compute } from "../../../core/ports/compute.ts";
import type { Executor } from "../../../core/ports/executor.ts";
import type { Files } from "../../../core/ports/files.ts";
import type { Network } from "../../../core/ports/network.ts";
import type { Store, StoreWrite } from "../../../core/ports/store.ts";
import { jsonGroupFormat } from "../../../runtimes/shared/group-text.ts";
import { guardedNetwork, slowExecutor } from "../../../runtimes/shared/theatre/stage/power.ts";
import { FaultyDisk } from "../../support/world/faulty-store.ts";
import { createStoreFiles } from "../../support/world/store-files.ts";
import { Inside } from "./inside.ts";
import { forgetful } from "./votes.ts";
import { privateKeyOf } from "../../../runtimes/shared/theatre/stage/suite.ts";
import { EPOCH_MS, type World } from "./world.ts";

const BUILD = { version: "2.11.1", buildTime: "", buildType: "", gitBranch: "", gitCommit: "" };
const CONFIG_FOLDER = "conf/";
const DATA_FOLDER = "data/";
/** What a full disk says. */
export const NO_ROOM = "there is no room";
/** Status messages end like this. */
const STATUS_FILE = "/.group_status";

/** What a node reports that learns of blocks of others than the sealers it knows. */
const NO_SEALER_SPEAKS = /the sealers that this node needs are silent/;
/** What a node reports that finds messages of its own that its disk knows nothing of. */
const LOST_WORDS = /data is older than the votes/;

/** One run of a node, from power to no power. */
export interface Life {
  alive: boolean;
  /** It serves. */
  started: boolean;
  readonly node: RunningNode;
  /** Its actors, where the schedule examines them. */
  readonly inside: Inside | undefined;
  /** Its disk was full: groups may have stopped. */
  wasFull: boolean;
  /** Timers that are neither over nor called off. */
  timers: number;
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
  wallRate = 1;
  /** Until then nothing can be written. */
  fullUntil = 0;
  /** Its height when it told its operator that it knows no sealer that could help it. */
  lacksSealersAt: number | undefined;
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

  /**
   * The status word of a group that would be there after a crash now. Without a genesis file it is
   * that of no group: a generation that was interrupted leaves one where the disk is full.
   */
  async durableWord(groupId: GroupId): Promise<string | undefined> {
    const { durable } = this.files;
    const files = createStoreFiles(durable as Store);
    const genesis = await files.read(`${CONFIG_FOLDER}group.${groupId}.genesis`);
    if (!genesis) return undefined;
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
    const node = new RunningNode(
      {
        build: BUILD,
        chainId: 1,
        supportedVersion: NEWEST_VERSION,
        suite,
        privateKey: this.privateKey,
        roundsPerRecord: options.roundsPerRecord,
        ...(inside ? { inspect: inside.inspector } : {}),
        groups: {
          folders: { config: CONFIG_FOLDER, data: DATA_FOLDER },
          format: jsonGroupFormat({
            minBlockGenerationTimeMs: 50,
            txPoolLimit: options.poolLimit,
            relay: options.graph.relay,
            ...(options.mutation === "noTimeBound" ? { maxFutureMs: Number.MAX_SAFE_INTEGER } : {}),
            sync: { ...DEFAULT_SYNC_TUNING, allowFreeNode: this.world.open },
          }),
        },
      },
      this.#ports(isAlive),
    );
    const life: Life = {
      alive: true,
      started: false,
      node,
      inside,
      wasFull: false,
      timers: 0,
    };
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
          if (!isAlive()) return;
          if (world.logs) world.logLine(this, { level, message, fields });
          if (LOST_WORDS.test(message)) world.forgot(this);
          if (NO_SEALER_SPEAKS.test(message)) this.lacksSealersAt = Number(fields?.["height"]);
        },
      },
      compute: this.#compute(isAlive),
      network: this.#guarded(isAlive),
      files: this.#filesPort(isAlive),
      ...(world.options.later.backupMs > 0 ? { copyGuard: this.#guard() } : {}),
      openStore: async (groupId) => this.#openStore(groupId, isAlive),
      openExecutor: async (genesis) => this.#openExecutor(genesis, isAlive),
    };
  }

  #guard(): CopyGuard {
    return {
      suspicion: async (groupId) => this.disk(groupId).suspicion,
      adopt: async (groupId, store) => {
        await store.commit([{ key: EPOCH_KEY, value: Uint8Array.of(1) }], { durable: true });
        this.disk(groupId).suspicion = undefined;
      },
    };
  }

  #clock(isAlive: () => boolean): Clock {
    const { agenda, random } = this.world;
    const origin = random.below(1_000_000) - agenda.now * this.rate;
    return {
      now: () => EPOCH_MS + Math.floor(agenda.now * this.wallRate + this.wallOffset),
      steady: () => origin + agenda.now * this.rate,
      after: (delay, callback) => this.#timer(delay / this.rate, () => isAlive() && callback()),
    };
  }

  /** A timer that its life counts. */
  #timer(delay: number, run: () => void): () => void {
    const { life } = this;
    let isSet = life !== undefined;
    const end = (): void => {
      if (isSet && life) life.timers--;
      isSet = false;
    };
    if (life) life.timers++;
    const cancel = this.world.agenda.after(delay, () => {
      end();
      run();
    });
    return () => {
      end();
      cancel();
    };
  }

  /** Whether the disk takes nothing now. */
  #isFull(): boolean {
    const { life, world } = this;
    if (world.calm || world.agenda.now >= this.fullUntil) return false;
    if (life) life.wasFull = true;
    world.sights.add("diskFull");
    return true;
  }

  #compute(isAlive: () => boolean): Compute {
    const { world } = this;
    return {
      recover: async (items) => {
        world.recovers(this, items);
        await world.wait(world.options.computeMs);
        if (!this.effect(isAlive)) return never();
        return items.map(({ digest, signature }) => world.suite.recover(digest, signature));
      },
      close: async () => undefined,
    };
  }

  #filesPort(isAlive: () => boolean): Files {
    const files = createStoreFiles(this.#open(this.files, { isAlive }));
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
    const disk = this.disk(groupId);
    if (this.#isFull()) throw new StoreFault("full", NO_ROOM);
    disk.replay();
    const store = this.#open(disk, { isAlive, groupId });
    this.#stores.set(groupId, store);
    return store;
  }

  /** The disk of files, or that of a group. */
  #open(disk: FaultyDisk, of: { isAlive: () => boolean; groupId?: GroupId }): Store {
    const { world } = this;
    const { isAlive, groupId } = of;
    const mutation = groupId === undefined ? undefined : world.options.mutation;
    const store = disk.open({
      delay: () => world.wait(world.options.diskMs),
      lies: mutation === "lostEntry",
      onMoment: () => {
        if (this.effect(isAlive) && groupId !== undefined) world.writing(this, groupId);
      },
    });
    let last: Promise<void> = Promise.resolve();
    return {
      ...store,
      ...(mutation === "forgottenPromise" ? { get: (key) => forgetful(key, store.get(key)) } : {}),
      commit: (writes, options) => {
        if (isAlive() && this.#isFull()) return this.#refuse(store, groupId, writes);
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

  /** Nothing of the batch is there, or all of it, not flushed; what it was of cannot know. */
  async #refuse(
    store: Store,
    groupId: GroupId | undefined,
    writes: readonly StoreWrite[],
  ): Promise<never> {
    const { world } = this;
    if (groupId !== undefined && world.random.chance(0.3)) {
      world.sights.add("fullAfterWrite");
      await store.commit(writes, { durable: false });
      // Its node stands there as soon as it begins again, and tells its peers before that is over.
      for (const { number, hash } of blocksOf(writes)) world.chain(groupId).unread(number, hash);
    }
    throw new StoreFault("full", NO_ROOM);
  }

  #openExecutor(genesis: GenesisConfig, isAlive: () => boolean): Executor {
    const { world } = this;
    const store = this.#stores.get(genesis.groupId);
    if (!store) throw new RangeError("the store is open before the executor");
    const rules = { suite: world.suite, version: NEWEST_VERSION, genesis };
    const processor = createBlockProcessor({ ...rules, store });
    return slowExecutor(processor, {
      after: (run) => {
        const ms = world.executionDelay();
        if (ms > 0) return world.agenda.after(ms, run);
        run();
        return () => undefined;
      },
      isAlive: () => this.effect(isAlive),
    });
  }

  #guarded(isAlive: () => boolean): Network {
    const { network, world } = this;
    return {
      ...guardedNetwork(network, isAlive),
      send: (to, message) => {
        if (!this.effect(isAlive)) return;
        for (const bytes of world.leaving(this, to, message))
          network.send(to, { ...message, bytes });
      },
    };
  }
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && Buffer.from(bytes).toString();
}

/** The blocks in a batch of writes, by their numbers. */
function blocksOf(writes: readonly StoreWrite[]): { number: number; hash: Hash }[] {
  const form = numberKey(0);
  return writes.flatMap(({ key, value }) => {
    if (!value || key.length !== form.length || key.charAt(0) !== form.charAt(0)) return [];
    const digits = Array.from(key.slice(1), (letter) => letter.charCodeAt(0));
    return [{ number: digits.reduce((sum, digit) => 256 * sum + digit, 0), hash: hashOf(value) }];
  });
}
