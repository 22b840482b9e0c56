/** The recorded nodes behind our endpoint: executed groups, and statuses and peers as recorded. */
import assert from "node:assert/strict";
import { hexBytes } from "../../core/bytes/hex.ts";
import { type GroupId, type Hash, type NodeId, ZERO_HASH } from "../../core/bytes/ids.ts";
import { parseVersion, type Version } from "../../core/model/version.ts";
import type { ConsensusStatus, GroupApi, NodeApi } from "../../core/api/node-api.ts";
import type { PbftStatus } from "../../core/consensus/pbft/status.ts";
import type { PeerInfo } from "../../core/ports/network.ts";
import {
  createHttpApp,
  DEFAULT_MAX_BODY_BYTES,
  type HttpApp,
} from "../../runtimes/shared/http-app.ts";
import { ALL_MANAGE } from "../../runtimes/shared/http-caller.ts";
import { dataGroup, dataNode } from "../support/data-node.ts";
import { type Exchange, get, methodOf, paramsOf, parse, readExchanges } from "./exchange.ts";
import type { MovingChain } from "./moving-chain.ts";

/** How a recorded chain is made. */
export interface RecordedOptions {
  readonly chains: readonly MovingChain[];
  /** Groups that nodes run as given. */
  readonly groups?: readonly GroupApi[];
  readonly groupList: readonly GroupId[];
  readonly version: Version;
  /** Where what a node reports of itself and its peers was recorded. */
  readonly facts: (method: string, node: number) => unknown;
  readonly nodes: readonly number[];
  readonly dynamicGroupDisabled?: boolean;
}

/** The recorded nodes behind our endpoint. */
export interface RecordedChain {
  /** Indexes of the nodes. */
  readonly nodes: readonly number[];
  /** What a node answers from. */
  readonly api: (node: number) => NodeApi;
  /** The endpoint of a node. */
  readonly app: (node: number) => HttpApp;
  /** Brings the groups to where they were, and sets what varies from answer to answer. */
  readonly recall: (exchange: Exchange) => Promise<void>;
  /** A text of ours with recorded hashes, where a hash covers what was not recorded. */
  readonly asRecorded: (exchange: Exchange, text: string) => string;
}

/** The group that a request is for. */
function chainOf(options: RecordedOptions, exchange: Exchange): MovingChain | undefined {
  const [group] = paramsOf(exchange);
  return options.chains.find(({ genesis }) => genesis.groupId === group);
}

/** First recorded result of a method on a node, in the recordings of single methods. */
export function methodFact(method: string, node: number): unknown {
  const found = readExchanges(`methods/${method}.jsonl`).find(
    (it) => it.node === node && get(parse(it.response.body ?? ""), "result") !== undefined,
  );
  return get(parse(found?.response.body ?? ""), "result");
}

/** Own ID and those of the peers, in session order. */
function sessionsOf({ facts, nodes }: RecordedOptions, node: number): readonly NodeId[] {
  const listed = facts("getNodeIDList", node);
  if (listed !== undefined) return listed as readonly NodeId[];
  const self = get(facts("getNodeInfo", node), "NodeID");
  const peers = (facts("getPeers", node) ?? []) as readonly { NodeID: NodeId }[];
  const ids = peers.map((peer) => peer.NodeID);
  if (nodes.length === 1) return [self as NodeId, ...ids];
  const all = facts("getSealerList", 0) as readonly NodeId[];
  return [...all.filter((id) => !ids.includes(id)), ...ids];
}

function toPeer(recorded: unknown): PeerInfo {
  return {
    nodeId: get(recorded, "NodeID") as NodeId,
    endpoint: get(recorded, "IPAndPort") as string,
    agency: get(recorded, "Agency") as string,
    node: get(recorded, "Node") as string,
    topics: get(recorded, "Topic") as readonly string[],
  };
}

function peersOf(options: RecordedOptions, node: number): readonly PeerInfo[] {
  const listed = options.facts("getPeers", node) as readonly unknown[] | undefined;
  if (listed !== undefined) return listed.map(toPeer);
  const unnamed = { endpoint: "", agency: "", node: "", topics: [] };
  return sessionsOf(options, node)
    .slice(1)
    .map((nodeId) => ({ ...unnamed, nodeId }));
}

/** Status as recorded; what follows from the ledger is taken from the ledger. */
function statusFrom(recorded: unknown, views: unknown, chain: MovingChain): PbftStatus {
  const sealers = [...chain.sealers].sort();
  const head = chain.ledger.head();
  const nodeId = get(recorded, "nodeId") as NodeId;
  const isSealer = sealers.includes(nodeId);
  const connected = get(recorded, "connectedNodes");
  return {
    kind: "pbft",
    accountType: isSealer || nodeId === undefined ? 1 : 0,
    cfgErr: !isSealer,
    connectedNodes: typeof connected === "number" ? connected : sealers.length - 1,
    consensusedBlockNumber: head.number + 1,
    currentView: Number(get(recorded, "currentView")),
    toView: Number(get(recorded, "toView")),
    highestblockHash: head.hash,
    highestblockNumber: head.number,
    leaderFailed: get(recorded, "leaderFailed") === true,
    maxFaulty: Math.floor((sealers.length - 1) / 3),
    nodeIndex: isSealer ? sealers.indexOf(nodeId) : Number(get(recorded, "node_index")),
    sealers,
    views: (views as readonly { nodeId: NodeId; view: number }[]).map((it) => ({ ...it })),
  };
}

/** Heights that an answer shows: the chain had come that far. */
function heightOf(exchange: Exchange): number {
  if (exchange.file === "pending.jsonl") return exchange.line <= 12 ? 118 : 119;
  const result = get(parse(exchange.response.body ?? ""), "result");
  if (methodOf(exchange) === "getBlockNumber") return Number(result) || 0;
  const shown = [
    get(result, "currentBlockNumber"),
    get(result, "blockNumber"),
    get(result, "number"),
    get(result, "transaction", "blockNumber"),
    get(result, "transactionReceipt", "blockNumber"),
    get(result, "blockInfo", "blockNumber"),
  ];
  return Math.max(0, ...shown.filter((it) => it !== undefined && it !== null).map(Number));
}

/** Consensus as recorded, by group. */
type Statuses = Map<GroupId, ConsensusStatus>;

/** The recorded nodes as they were when a recording began. */
export function recordedChain(options: RecordedOptions): RecordedChain {
  const statuses: Statuses = new Map();
  const ends = new Map(
    options.nodes.map((node) => {
      const api = recordedNode(options, node, statuses);
      const http = createHttpApp({
        node: api,
        maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
        lists: ALL_MANAGE,
      });
      return [node, { api, http }];
    }),
  );
  const end = (node: number) => {
    const found = ends.get(node);
    assert.ok(found, `no node ${node}`);
    return found;
  };
  return {
    nodes: options.nodes,
    api: (node) => end(node).api,
    app: (node) => end(node).http,
    recall: async (exchange) => {
      const chain = chainOf(options, exchange);
      if (chain === undefined) return;
      const result = get(parse(exchange.response.body ?? ""), "result");
      const height =
        methodOf(exchange) === "sendRawTransaction"
          ? chain.heightBefore(String(result))
          : heightOf(exchange);
      await chain.advanceTo(height);
      recallSeals(chain, result);
      recallPool(chain, exchange, result);
      if (methodOf(exchange) === "getConsensusStatus" && Array.isArray(result)) {
        statuses.set(chain.genesis.groupId, statusFrom(result[0], result[1], chain));
      } else if (methodOf(exchange) === "getPbftView" && typeof result === "string") {
        const status = statusFrom({ currentView: Number(result) }, [], chain);
        statuses.set(chain.genesis.groupId, status);
      }
    },
    asRecorded: (exchange, text) => chainOf(options, exchange)?.asRecorded(text) ?? text,
  };
}

/** Every node keeps its own quorum of seals; those recorded must be seals of the block. */
function recallSeals(chain: MovingChain, result: unknown): void {
  const list = get(result, "signatureList");
  if (!Array.isArray(list)) return;
  const hash = get(result, "hash") as Hash;
  const seals = (list as readonly { index: string; signature: string }[]).map((it) => ({
    index: Number(it.index),
    signature: hexBytes(it.signature),
  }));
  chain.assertSeals(hash, get(result, "sealerList") as readonly NodeId[], seals);
  chain.setSeals(hash, seals);
}

/** The pool of a moment under load: what was listed, or as many transactions as were counted. */
function recallPool(chain: MovingChain, exchange: Exchange, result: unknown): void {
  if (exchange.file !== "pending.jsonl") return;
  if (methodOf(exchange) === "getPendingTransactions") {
    const listed = result as readonly { hash: Hash }[];
    chain.fillPool(listed.map(({ hash }) => chain.rawOf(hash)));
  } else {
    chain.fillPool(chain.later(Number(get(result, "txPoolSize") ?? result)));
  }
}

const NOT_IN_GROUP = { ok: false, refusal: "notInGroup", hash: ZERO_HASH, blockLimit: 0n } as const;

function groupOf(chain: MovingChain, nodeId: NodeId, statuses: Statuses): GroupApi {
  const { groupId } = chain.genesis;
  const { ledger } = chain;
  return dataGroup(ledger, {
    groupId,
    isMember: () => chain.isMember(nodeId),
    consensusStatus: () => {
      const status = statuses.get(groupId);
      assert.ok(status?.kind === "pbft", "a recorded status");
      const nodeIndex = status.sealers.indexOf(nodeId);
      return nodeIndex < 0 ? status : { ...status, nodeIndex };
    },
    syncStatus: () => ({
      isSyncing: false,
      knownHighestNumber: ledger.head().number,
      knownLatestHash: ledger.head().hash,
      peers: [...chain.genesis.sealers]
        .sort()
        .filter((it) => it !== nodeId)
        .map((it) => ({
          nodeId: it,
          number: ledger.head().number,
          genesisHash: ledger.genesisHash(),
          latestHash: ledger.head().hash,
        })),
    }),
    pendingTransactions: () => chain.pending,
    pendingCount: () => chain.pending.length,
    submit: async (raw) => (chain.isMember(nodeId) ? chain.submit(raw) : NOT_IN_GROUP),
    call: chain.call,
  });
}

function recordedNode(options: RecordedOptions, node: number, statuses: Statuses): NodeApi {
  const [nodeId] = sessionsOf(options, node);
  assert.ok(nodeId, `no ID of node ${node}`);
  const { facts, nodes, groupList, groups = [], dynamicGroupDisabled = false } = options;
  const version = facts("getClientVersion", nodes[0] ?? 0);
  const text = (name: string): string => String(get(version, name));
  const base = dataNode([
    ...options.chains.map((chain) => groupOf(chain, nodeId, statuses)),
    ...groups,
  ]);
  const self = facts("getNodeInfo", node);
  const peers = peersOf(options, node);
  const configured = (facts("queryPeers", nodes[0] ?? 0) ?? []) as readonly string[];
  return {
    ...base,
    nodeId,
    supportedVersion: options.version,
    build: {
      version: base.build.version,
      buildTime: text("Build Time"),
      buildType: text("Build Type"),
      gitBranch: text("Git Branch"),
      gitCommit: text("Git Commit Hash"),
    },
    groupList: () => groupList,
    peers: () => peers,
    configuredPeers: () => configured,
    dynamicGroupDisabled,
    ...(self === undefined ? {} : { self: () => toPeer(self) }),
  };
}

/** The version that a recording names. */
export function versionNamed(text: string): Version {
  const version = parseVersion(text);
  assert.ok(version, text);
  return version;
}
