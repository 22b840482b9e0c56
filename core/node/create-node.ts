/**
 * A node: identity, network, the life of its group, and what rpc may ask.
 * Source: guide actors 3; groups 2, 3
 */
import {
  type BootState,
  type GroupActor,
  groupMachineWith,
  statusOfState,
  type StatusWord,
} from "../actors/group.machine.ts";
import { type NodeActor, nodeMachineWith } from "../actors/node.machine.ts";
import { describe, type Inspector, startSupervised, until } from "../actors/supervise.ts";
import { byteString, bytesOf } from "../bytes/byte-string.ts";
import { nodeIdOf } from "../bytes/hex.ts";
import type { NodeId } from "../bytes/ids.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { invariant } from "../fault/invariant.ts";
import { StoreFault } from "../fault/store-fault.ts";
import { prepareGenesis } from "../ledger/genesis-block.ts";
import { metaKey } from "../ledger/keys.ts";
import { openLedger } from "../ledger/ledger.ts";
import type { GenesisConfig, GroupTuning } from "../model/config.ts";
import {
  formatVersion,
  isSupportedVersion,
  NEWEST_VERSION,
  OLDEST_VERSION,
  type Version,
} from "../model/version.ts";
import type { Clock } from "../ports/clock.ts";
import type { Compute } from "../ports/compute.ts";
import type { Entropy } from "../ports/entropy.ts";
import type { Executor } from "../ports/executor.ts";
import type { Log } from "../ports/log.ts";
import type { Network, PeerInfo } from "../ports/network.ts";
import type { Store } from "../ports/store.ts";
import {
  bootPlan,
  decideGroupOperation,
  failedOperation,
  queryResult,
  statusOf,
} from "./group-lifecycle.ts";
import type { WrittenBlock } from "./group-options.ts";
import type { GroupRuntime } from "./group-runtime.ts";
import { startGroup } from "./start-group.ts";
import type {
  BuildInfo,
  GroupOperation,
  GroupOperationResult,
  GroupStatus,
  NodeApi,
} from "./node-api.ts";

/** What a node is. */
export interface NodeOptions {
  readonly build: BuildInfo;
  readonly chainId: number;
  readonly supportedVersion: Version;
  readonly suite: CryptoSuite;
  readonly privateKey: Uint8Array;
  readonly genesis: GenesisConfig;
  readonly tuning: GroupTuning;
  /** `rpc.disable_dynamic_group`. */
  readonly dynamicGroupDisabled?: boolean;
  /** `rpc.act_as_group_member`. */
  readonly actAsGroupMember?: boolean;
  /** What peers see of this node; for getNodeInfo. */
  readonly listen?: Omit<PeerInfo, "nodeId">;
  /** Sees every transition of every actor. */
  readonly inspect?: Inspector;
}

/** What a runtime supplies. */
export interface NodePorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log: Log;
  readonly network: Network;
  readonly compute: Compute;
  /** Opens the group's store for the life of the node. */
  openStore(): Promise<Store>;
  /**
   * Opens the one writer of the group; the genesis block is there. `onDeath` is called when it ends
   * before it was closed: the node cannot go on then.
   */
  openExecutor(onDeath: (cause: unknown) => void): Promise<Executor>;
}

/** A node that can be started and stopped. */
export interface RunningNode {
  readonly api: NodeApi;
  /** Resolves when the node serves. @throws the cause when it cannot */
  start(): Promise<void>;
  stop(): Promise<void>;
  onBlock(listener: (block: WrittenBlock) => void): void;
  onFailure(listener: (cause: unknown) => void): void;
}

const STATUS_KEY = metaKey("group status");
/** How long an operation may take before it answers 0x1. */
const OPERATION_TIMEOUT_MS = 60_000;

/** Creates a node; nothing is opened before `start`. */
export function createNode(options: NodeOptions, ports: NodePorts): RunningNode {
  return new Node(options, ports);
}

class Node implements RunningNode {
  readonly api: NodeApi;
  readonly #options: NodeOptions;
  readonly #ports: NodePorts;
  readonly #self: NodeId;
  readonly #actor: NodeActor;
  readonly #blockListeners = new Set<(block: WrittenBlock) => void>();
  readonly #failureListeners = new Set<(cause: unknown) => void>();
  readonly #connected = new Set<NodeId>();
  #store: Store | undefined;
  #executor: Executor | undefined;
  #runtime: GroupRuntime | undefined;
  #group: GroupActor | undefined;
  /** Group operations of a node run one after the other. Source: groups 2 */
  #operations: Promise<unknown> = Promise.resolve();
  /** The step of the boot that runs: a stop waits for it, to close what it opens. */
  #booting: Promise<unknown> = Promise.resolve();
  #stopping = false;
  #failure: unknown;

  constructor(options: NodeOptions, ports: NodePorts) {
    this.#options = options;
    this.#ports = ports;
    this.#self = nodeIdOf(options.suite.publicKey(options.privateKey));
    this.api = this.#makeApi();
    const machine = nodeMachineWith({
      startNetwork: () => this.#boot(() => this.#startNetwork()),
      loadGroups: () => this.#boot(() => this.#loadGroups()),
      drain: () => this.#drain(),
    });
    const { inspect } = options;
    const onError = (cause: unknown) => this.#fail(cause);
    this.#actor = startSupervised(machine, {
      id: "node",
      input: undefined,
      log: ports.log,
      inspect,
      onError,
    });
  }

  async start(): Promise<void> {
    this.#actor.send({ type: "node.start" });
    const settled = await until(
      this.#actor,
      ({ value }) => value === "serving" || value === "failed",
    );
    if (settled.value === "failed") throw this.#failure;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#actor.send({ type: "node.stop" });
    await until(this.#actor, ({ status }) => status !== "active");
  }

  onBlock(listener: (block: WrittenBlock) => void): void {
    this.#blockListeners.add(listener);
  }

  onFailure(listener: (cause: unknown) => void): void {
    this.#failureListeners.add(listener);
  }

  #fail(cause: unknown): void {
    this.#failure ??= cause;
    this.#ports.log.write("error", "the node cannot go on", { cause: describe(cause) });
    this.#group?.send({ type: "ledger.failed", cause: describe(cause) });
    for (const listener of this.#failureListeners) listener(cause);
  }

  /** Remembers why a step failed, so that `start` can tell. */
  async #step(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.#failure ??= cause;
      throw cause;
    }
  }

  #boot(work: () => Promise<void>): Promise<void> {
    const done = this.#step(work);
    this.#booting = done.catch(() => undefined);
    return done;
  }

  /** A listener that throws is its owner's trouble: blocks go on. */
  #announce(block: WrittenBlock): void {
    for (const listener of this.#blockListeners) {
      try {
        listener(block);
      } catch (cause) {
        this.#ports.log.write("error", "a block listener failed", { cause: describe(cause) });
      }
    }
  }

  #startNetwork(): Promise<void> {
    return this.#ports.network.start({
      message: (message) => {
        if (message.groupId === this.#options.genesis.groupId) this.#runtime?.receive(message);
      },
      peerUp: (peer) => {
        this.#connected.add(peer);
        this.#runtime?.peerUp(peer);
      },
      peerDown: (peer) => {
        this.#connected.delete(peer);
        this.#runtime?.peerDown(peer);
      },
    });
  }

  async #loadGroups(): Promise<void> {
    const { suite, supportedVersion: version, genesis, inspect } = this.#options;
    if (!isSupportedVersion(version)) {
      const range = `${formatVersion(OLDEST_VERSION)} to ${formatVersion(NEWEST_VERSION)}`;
      const text = `compatibility version ${formatVersion(version)} is not supported`;
      throw new StoreFault("version", `${text}: ${range} are`);
    }
    this.#store = await this.#ports.openStore();
    if (this.#stopping) return;
    await prepareGenesis(this.#store, { suite, version, genesis });
    const word = this.#storedWord();
    const plan = bootPlan({ dataFolder: true, genesis: true, word });
    if (plan.store) await this.#persistStatus(plan.store as StatusWord);
    const status = this.#storedStatus();
    const boot: BootState = plan.start ? "start" : bootStateOf(status);
    const machine = groupMachineWith({
      persistStatus: (word) => this.#step(() => this.#persistStatus(word)),
      startLedger: () => this.#startLedger(),
      stopLedger: () => this.#stopLedger(),
    });
    const onError = (cause: unknown) => this.#fail(cause);
    const log = this.#ports.log;
    this.#group = startSupervised(machine, {
      id: "group1",
      input: { boot },
      log,
      inspect,
      onError,
    });
    const settled = await until(this.#group, ({ value }) => isSettled(value));
    if (settled.context.failure !== undefined) throw this.#failure;
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
    const {
      suite,
      supportedVersion: version,
      genesis,
      chainId,
      privateKey,
      tuning,
      inspect,
    } = this.#options;
    const store = this.#openedStore();
    let death: { readonly cause: unknown } | undefined;
    this.#executor = await this.#ports.openExecutor((cause) => {
      death = { cause };
      this.#fail(cause);
    });
    const runtime = await startGroup(
      {
        groupId: genesis.groupId,
        chainId,
        self: this.#self,
        privateKey,
        suite,
        version,
        tuning,
        inspect,
        onWritten: (block) => this.#announce(block),
        onFailure: (cause) => this.#fail(cause),
      },
      {
        ...this.#ports,
        store,
        executor: this.#executor,
        ledger: openLedger({ store, suite, version }),
      },
    );
    for (const peer of this.#connected) runtime.peerUp(peer);
    this.#runtime = runtime;
    // Nobody was there to hear of it before.
    if (death) throw death.cause;
    runtime.begin();
  }

  async #stopLedger(): Promise<void> {
    const runtime = this.#runtime;
    this.#runtime = undefined;
    const executor = this.#executor;
    this.#executor = undefined;
    try {
      await runtime?.stop();
    } finally {
      await executor?.close();
    }
  }

  /** Ends everything that was begun, whatever fails of it. */
  async #drain(): Promise<void> {
    await this.#booting;
    await this.#operations;
    const failures: unknown[] = [];
    const ends = [
      () => this.#endGroup(),
      () => this.#ports.network.stop(),
      async () => this.#store?.close(),
    ];
    for (const end of ends) await end().catch((cause: unknown) => failures.push(cause));
    if (failures.length > 0) throw failures[0];
  }

  async #endGroup(): Promise<void> {
    const group = this.#group;
    if (!group) return;
    await until(group, ({ value }) => isSettled(value), OPERATION_TIMEOUT_MS);
    group.send({ type: "node.stop" });
    await until(group, ({ status }) => status !== "active", OPERATION_TIMEOUT_MS);
  }

  #openedStore(): Store {
    invariant(this.#store, "the store is open while groups run");
    return this.#store;
  }

  #storedWord(): string | undefined {
    const bytes = this.#openedStore().get(STATUS_KEY);
    return bytes && byteString(bytes);
  }

  #storedStatus(): GroupStatus {
    return statusOf({ dataFolder: true, genesis: true, word: this.#storedWord() });
  }

  async #persistStatus(word: StatusWord): Promise<void> {
    await this.#openedStore().commit([{ key: STATUS_KEY, value: bytesOf(word) }], {
      durable: true,
    });
  }

  // --- group operations
  // -----------------------------------------------------------------------------------------

  #status(): GroupStatus {
    const snapshot = this.#group?.getSnapshot();
    return snapshot ? statusOfState(String(snapshot.value)) : "INEXISTENT";
  }

  #manage(operation: GroupOperation, groupId: number): Promise<GroupOperationResult> {
    // A stop shows STOPPING to others while it runs: they are answered at once, not queued behind
    // it.
    const early = this.#decide(operation, groupId);
    if (early.kind === "refuse") return Promise.resolve(early.result);
    const run = this.#operations.then(() => this.#perform(operation, groupId));
    this.#operations = run.catch(() => undefined);
    return run;
  }

  #decide(operation: GroupOperation, groupId: number) {
    const files = { genesis: true, ini: true };
    return decideGroupOperation({ operation, groupId, status: this.#status(), files });
  }

  async #perform(operation: GroupOperation, groupId: number): Promise<GroupOperationResult> {
    const verdict = this.#decide(operation, groupId);
    if (verdict.kind === "refuse") return verdict.result;
    try {
      for (const status of verdict.statuses) {
        const failure = await this.#moveTo(status);
        if (failure !== undefined) return failedOperation(failure);
      }
      return verdict.result;
    } catch (cause) {
      return failedOperation(describe(cause));
    }
  }

  /** Brings the group to a status; the reason when it does not get there. */
  async #moveTo(status: GroupStatus): Promise<string | undefined> {
    const group = this.#group;
    invariant(group, "a group that is performed on exists");
    if (status === "STOPPING") {
      group.send({ type: "group.stop" });
      return undefined;
    }
    const value = group.getSnapshot().value;
    if (status === "RUNNING") group.send({ type: "group.start" });
    if (status === "DELETED") group.send({ type: "group.remove" });
    if (status === "STOPPED" && value === "deleted") group.send({ type: "group.recover" });
    const settled = await until(group, ({ value: now }) => isSettled(now), OPERATION_TIMEOUT_MS);
    if (statusOfState(String(settled.value)) === status) return undefined;
    return settled.context.failure ?? `the group is ${String(settled.value)}`;
  }

  // --- NodeApi
  // ----------------------------------------------------------------------------------------------------

  #makeApi(): NodeApi {
    const { build, chainId, supportedVersion, suite, genesis, listen } = this.#options;
    // A group that starts or stops is not there yet or not there any more. Source: groups 3
    const runtimeOf = (groupId: number) =>
      groupId === genesis.groupId && this.#status() === "RUNNING" ? this.#runtime : undefined;
    return {
      nodeId: this.#self,
      build,
      chainId,
      supportedVersion,
      suite,
      dynamicGroupDisabled: this.#options.dynamicGroupDisabled ?? false,
      actAsGroupMember: this.#options.actAsGroupMember ?? false,
      isReady: () => this.#actor.getSnapshot().value === "serving",
      groupList: () => (runtimeOf(genesis.groupId)?.isMember() ? [genesis.groupId] : []),
      group: runtimeOf,
      peers: () => this.#ports.network.peers(),
      ...(listen ? { self: () => ({ nodeId: this.#self, ...listen }) } : {}),
      manageGroup: (operation, groupId) => this.#manage(operation, groupId),
      groupStatus: async (groupId) => queryResult(groupId, this.#status()),
    };
  }
}

function bootStateOf(status: GroupStatus): BootState {
  if (status === "DELETED") return "deleted";
  return status === "UNKNOWN" ? "unknown" : "stopped";
}

function isSettled(value: unknown): boolean {
  return ["running", "stopped", "deleted", "unknown", "failed", "closed"].includes(String(value));
}
