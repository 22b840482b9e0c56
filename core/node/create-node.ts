/** A node: identity, network, the life of its groups, and what rpc may ask. Source: groups 2, 3 */
import { type NodeActor, nodeMachineWith } from "../actors/node.machine.ts";
import { describe, type Inspector, startSupervised, until } from "../actors/supervise.ts";
import { nodeIdOf } from "../bytes/hex.ts";
import type { GroupId, NodeId } from "../bytes/ids.ts";
import type { CryptoSuite } from "../crypto/suite.ts";
import { StoreFault } from "../fault/store-fault.ts";
import type { GenesisConfig } from "../model/config.ts";
import {
  formatVersion,
  isSupportedVersion,
  NEWEST_VERSION,
  OLDEST_VERSION,
  type Version,
} from "../model/version.ts";
import type { PeerAdmission, Incoming, PeerInfo } from "../ports/network.ts";
import { GroupCatalog, type GroupFolders, type GroupFormat } from "./group/group-files.ts";
import type { WrittenBlock } from "./options/group-options.ts";
import { GroupTable } from "./group/group-table.ts";
import { MEMBER, UNCERTAIN } from "./peers/admission-policy.ts";
import type { BuildInfo, NodeApi } from "../api/node-api.ts";
import { createBandwidthBucket, type TokenBucket } from "../limits/token-bucket.ts";
import type { NodePorts } from "./options/node-ports.ts";
import { NO_GROUP, type TopicsExtension, type TopicsLine } from "./channel/topics-line.ts";

/** Where the groups of a node come from. */
export interface GroupSource {
  readonly folders: GroupFolders;
  readonly format: GroupFormat;
  /**
   * Groups that the chain was made with: their files are put in place, and the node does not start
   * without them. Other groups that fail are logged and left out.
   */
  readonly fixed?: readonly GenesisConfig[];
}

/** What a node is. */
export interface NodeOptions {
  readonly build: BuildInfo;
  readonly chainId: number;
  readonly supportedVersion: Version;
  readonly suite: CryptoSuite;
  readonly privateKey: Uint8Array;
  readonly groups: GroupSource;
  /** `rpc.disable_dynamic_group`. */
  readonly dynamicGroupDisabled?: boolean;
  /** `rpc.act_as_group_member`. */
  readonly actAsGroupMember?: boolean;
  /** `rpc.max_call_output`; 4 MiB when absent. */
  readonly maxCallOutputBytes?: number;
  /** `flow_control.outgoing_bandwidth_limit` in Mbit/s; absent: unlimited. Source: sync 10 */
  readonly outgoingMbit?: number | undefined;
  /**
   * How many empty rounds in a row of an idle PBFT group share a record; 1 when absent. After a
   * loss of power a sealer is silent for the rest of them, or until the next block: more than one
   * suits nodes that begin again together. Source: pbft 16.2
   */
  readonly roundsPerRecord?: number;
  /** What peers see of this node; for getNodeInfo. */
  readonly listen?: Omit<PeerInfo, "nodeId">;
  /** The configured peers; for queryPeers, addPeers and erasePeers. */
  readonly peerList?: NodeApi["peerList"];
  /** Sees every transition of every actor. */
  readonly inspect?: Inspector;
}

/** A listener to failures; without a group the node itself cannot go on. */
type FailureListener = (cause: unknown, groupId: GroupId | undefined) => void;

/** A node that can be started and stopped. Nothing is opened before `start`. */
export class RunningNode {
  readonly api: NodeApi;
  readonly #options: NodeOptions;
  readonly #ports: NodePorts;
  readonly #actor: NodeActor;
  readonly #groups: GroupTable;
  readonly #blockListeners = new Set<(block: WrittenBlock) => void>();
  readonly #failureListeners = new Set<FailureListener>();
  readonly #connected = new Set<NodeId>();
  readonly #bandwidth: TokenBucket | undefined;
  #topics: TopicsExtension | undefined;
  #isAbstaining = false;
  /** The step of the boot that runs: a stop waits for it, to close what it opens. */
  #booting: Promise<unknown> = Promise.resolve();
  #failure: unknown;

  constructor(options: NodeOptions, ports: NodePorts) {
    this.#options = options;
    this.#ports = ports;
    this.api = this.#makeApi(nodeIdOf(options.suite.publicKey(options.privateKey)));
    const { outgoingMbit } = options;
    if (outgoingMbit !== undefined)
      this.#bandwidth = createBandwidthBucket(outgoingMbit, ports.clock.steady());
    const machine = nodeMachineWith({
      startNetwork: () => this.#boot(() => this.#startNetwork()),
      loadGroups: () => this.#boot(() => this.#loadGroups()),
      drain: () => this.#drain(),
    });
    this.#actor = startSupervised(machine, {
      id: "node",
      input: undefined,
      log: ports.log,
      inspect: options.inspect,
      onError: (cause) => this.#fail(cause),
    });
    this.#groups = this.#makeGroups();
  }

  /** Resolves when the node serves. @throws the cause when it cannot */
  async start(): Promise<void> {
    this.#actor.send({ type: "node.start" });
    const isSettled = ({ value }: { value: unknown }) => value === "serving" || value === "failed";
    const { value } = await until(this.#actor, isSettled);
    if (value === "failed") throw this.#failure;
  }

  async stop(): Promise<void> {
    this.#groups.close();
    this.#actor.send({ type: "node.stop" });
    await until(this.#actor, ({ status }) => status !== "active");
  }

  /**
   * Loads groups whose files were added since: they are STOPPED until startGroup.
   * @returns the ids of the new ones, ascending
   * Source: groups 4 (config.ini.append_group)
   */
  loadNewGroups(): Promise<readonly GroupId[]> {
    return this.#groups.loadNew();
  }

  /**
   * The operator says that no other copy of this node runs: silent groups vote again.
   * @param groups those that are meant; absent: all
   * @returns the ids of those that were silent, ascending
   * Source: decision 25
   */
  confirmOnlyCopy(groups?: readonly number[]): Promise<readonly GroupId[]> {
    return this.#groups.confirmOnlyCopy(groups);
  }

  /**
   * Keeps quiet as a sealer in all groups, or no longer; blocks are followed meanwhile. What the
   * node has reported stays on record, so that nothing it says afterwards contradicts it.
   */
  setAbstaining(isAbstaining: boolean): void {
    if (this.#isAbstaining === isAbstaining) return;
    this.#isAbstaining = isAbstaining;
    const line = isAbstaining
      ? "this node keeps quiet as a sealer"
      : "this node votes again as a sealer";
    this.#ports.log.write("info", line);
    this.#groups.muteChanged();
  }

  /** Hands messages about topics to an extension, who may send such. Source: node-network 4 */
  joinTopics(extension: TopicsExtension): TopicsLine {
    const { network } = this.#ports;
    this.#topics = extension;
    return {
      self: this.api.nodeId,
      peers: () => [...this.#connected],
      send: (to, bytes) => network.send(to, { groupId: NO_GROUP, kind: "topics", bytes }),
      penalise: (peer, reason) => network.penalise?.(peer, reason),
      bandwidth: this.#bandwidth,
    };
  }

  onBlock(listener: (block: WrittenBlock) => void): void {
    this.#blockListeners.add(listener);
  }

  onFailure(listener: FailureListener): void {
    this.#failureListeners.add(listener);
  }

  #fail(cause: unknown): void {
    this.#failure ??= cause;
    this.#ports.log.write("error", "the node cannot go on", { cause: describe(cause) });
    this.#reportFailure(cause, undefined);
  }

  #reportFailure(cause: unknown, groupId: GroupId | undefined): void {
    for (const listener of this.#failureListeners) listener(cause, groupId);
  }

  /** Remembers why a step failed, so that `start` can tell. */
  #boot(work: () => Promise<void>): Promise<void> {
    const done = work().catch((cause: unknown) => {
      this.#failure ??= cause;
      throw cause;
    });
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

  #makeGroups(): GroupTable {
    const { groups, privateKey, chainId, suite, supportedVersion, inspect } = this.#options;
    const { roundsPerRecord } = this.#options;
    return new GroupTable({
      self: this.api.nodeId,
      privateKey,
      chainId,
      suite,
      version: supportedVersion,
      inspect,
      parent: this.#actor,
      bandwidth: this.#bandwidth,
      isAbstaining: () => this.#isAbstaining,
      roundsPerRecord,
      catalog: new GroupCatalog(this.#ports.files, groups.folders, groups.format),
      ports: this.#ports,
      connected: () => this.#connected,
      onWritten: (block) => this.#announce(block),
      onFailure: (groupId, cause) => this.#reportFailure(cause, groupId),
    });
  }

  #startNetwork(): Promise<void> {
    return this.#ports.network.start({
      admission: (message) => this.#admission(message),
      message: (message) => {
        if (message.kind === "topics") this.#topics?.onMessage(message.from, message.bytes);
        else this.#groups.receive(message);
      },
      peerUp: (peer) => {
        this.#connected.add(peer);
        this.#groups.peerUp(peer);
        this.#topics?.onPeerUp(peer);
      },
      peerDown: (peer) => {
        this.#connected.delete(peer);
        this.#groups.peerDown(peer);
        this.#topics?.onPeerDown(peer);
      },
    });
  }

  /** Topics have bounds of their own; before its groups are there a node knows no member. */
  #admission(message: Incoming): PeerAdmission {
    if (message.kind === "topics") return MEMBER;
    return this.api.isReady() ? this.#groups.admission(message) : UNCERTAIN;
  }

  async #loadGroups(): Promise<void> {
    const { supportedVersion: version, groups } = this.#options;
    if (!isSupportedVersion(version)) {
      const range = `${formatVersion(OLDEST_VERSION)} to ${formatVersion(NEWEST_VERSION)}`;
      const text = `compatibility version ${formatVersion(version)} is not supported`;
      throw new StoreFault("version", `${text}: ${range} are`);
    }
    await this.#groups.load(groups.fixed ?? []);
  }

  /** Ends everything that was begun, whatever fails of it. Source: groups 8 (stop order) */
  async #drain(): Promise<void> {
    await this.#booting;
    const failures: unknown[] = [];
    const ends = [() => this.#groups.end(), () => this.#ports.network.stop()];
    for (const end of ends) await end().catch((cause: unknown) => failures.push(cause));
    if (failures.length > 0) throw failures[0];
  }

  #withTopics(peer: PeerInfo): PeerInfo {
    const topics = this.#topics?.topicsOf(peer.nodeId) ?? [];
    return topics.length === 0 ? peer : { ...peer, topics };
  }

  #selfInfo(listen: Omit<PeerInfo, "nodeId">): PeerInfo {
    return {
      nodeId: this.api.nodeId,
      ...listen,
      topics: this.#topics?.ownTopics() ?? listen.topics,
    };
  }

  #makeApi(nodeId: NodeId): NodeApi {
    const { build, chainId, supportedVersion, suite, listen, peerList } = this.#options;
    return {
      nodeId,
      build,
      chainId,
      supportedVersion,
      suite,
      dynamicGroupDisabled: this.#options.dynamicGroupDisabled ?? false,
      actAsGroupMember: this.#options.actAsGroupMember ?? false,
      maxCallOutputBytes: this.#options.maxCallOutputBytes,
      isReady: () => this.#actor.getSnapshot().value === "serving",
      groupList: () => this.#groups.memberships(),
      group: (groupId) => this.#groups.running(groupId),
      groupHalt: (groupId) => this.#groups.halt(groupId),
      provenBlocks: (groupId) => this.#groups.provenBlocks(groupId),
      peers: () => this.#ports.network.peers().map((peer) => this.#withTopics(peer)),
      ...(listen ? { self: () => this.#selfInfo(listen) } : {}),
      ...(peerList ? { peerList, configuredPeers: () => peerList.configured() } : {}),
      groups: () => this.#groups.overview(),
      manageGroup: (operation, groupId, params) => this.#groups.manage(operation, groupId, params),
      groupStatus: (groupId) => this.#groups.query(groupId),
    };
  }
}
