/** The four recorded nodes as data: ledger, statuses, peers and a real pool behind our endpoint. */
import assert from "node:assert/strict";
import { hexBytes, toHex } from "../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../core/bytes/ids.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import type { Seal } from "../../core/model/header.ts";
import { decodeTransaction, recoverSender, withSender } from "../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import type {
  GroupApi,
  NodeApi,
  PbftStatus,
  SealedHeader,
  SubmitOutcome,
} from "../../core/node/node-api.ts";
import type { PeerInfo } from "../../core/ports/network.ts";
import { DEFAULT_POOL_LIMITS } from "../../core/txpool/limits.ts";
import { addBlockNonces, createNonceWindow } from "../../core/txpool/nonce-window.ts";
import { importBatch, onBlock } from "../../core/txpool/pool.ts";
import { createPool } from "../../core/txpool/state.ts";
import {
  createHttpApp,
  DEFAULT_MAX_BODY_BYTES,
  type HttpApp,
} from "../../runtimes/shared/http-app.ts";
import { dataGroup, dataNode } from "../support/data-node.ts";
import { memoryLedger, type MemoryLedger } from "../support/memory-ledger.ts";
import { recordedBlocks } from "../support/recorded-ledger.ts";
import { GROUP1 } from "../support/replay.ts";
import { replay } from "../support/replay-check.ts";
import { type Exchange, get, methodOf, parse, readExchanges } from "./exchange.ts";

/** Height of the recordings under methods/ and of transport. Source: golden README */
export const RECORDED_HEIGHT = 112;
/**
 * Height at which the recording of refused transactions begins: its first answer is in block 102.
 */
const REFUSALS_HEIGHT = 101;

const suite = createStandardSuite();

/** Runs calls. */
export type CallRunner = GroupApi["call"];
/** Takes submissions. */
export type Submitter = (raw: Uint8Array) => SubmitOutcome;

/** The recorded chain behind our endpoint. */
export interface RecordedChain {
  /** The endpoint of a node. */
  readonly app: (node: number) => HttpApp;
  /** Sets what varies from answer to answer (views) to what it was in this one. */
  readonly recall: (exchange: Exchange) => void;
}

/** First recorded result of a method on a node. */
function firstResult(file: string, node: number): unknown {
  const found = readExchanges(`methods/${file}`).find(
    (it) => it.node === node && get(parse(it.response.body ?? ""), "result") !== undefined,
  );
  return get(parse(found?.response.body ?? ""), "result");
}

/** Sealers in table order, read once per chain. */
function sealerTable(): readonly NodeId[] {
  return firstResult("getSealerList.jsonl", 0) as readonly NodeId[];
}

/** Own ID and those of the peers, in session order. */
function sessionsOf(node: number): readonly NodeId[] {
  const listed = firstResult("getNodeIDList.jsonl", node);
  if (listed !== undefined) return listed as readonly NodeId[];
  const peers = firstResult("getPeers.jsonl", node) as readonly { NodeID: NodeId }[];
  const ids = peers.map((peer) => peer.NodeID);
  const own = sealerTable().filter((id) => !ids.includes(id));
  return [...own, ...ids];
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

function peersOf(node: number): readonly PeerInfo[] {
  const listed = firstResult("getPeers.jsonl", node) as readonly unknown[] | undefined;
  if (listed !== undefined) return listed.map(toPeer);
  const unnamed = { endpoint: "", agency: "", node: "", topics: [] };
  return sessionsOf(node)
    .slice(1)
    .map((nodeId) => ({ ...unnamed, nodeId }));
}

/** Status as recorded; what follows from the ledger is taken from the ledger. */
function statusFrom(recorded: unknown, views: unknown, ledger: MemoryLedger): PbftStatus {
  const sealers = [...sealerTable()].sort();
  const head = ledger.head();
  return {
    kind: "pbft",
    accountType: 1,
    cfgErr: false,
    connectedNodes: sealers.length - 1,
    consensusedBlockNumber: head.number + 1,
    currentView: Number(get(recorded, "currentView")),
    toView: Number(get(recorded, "toView")),
    highestblockHash: head.hash,
    highestblockNumber: head.number,
    leaderFailed: get(recorded, "leaderFailed") === true,
    maxFaulty: Math.floor((sealers.length - 1) / 3),
    nodeIndex: sealers.indexOf(get(recorded, "nodeId") as NodeId),
    sealers,
    views: (views as readonly { nodeId: NodeId; view: number }[]).map((it) => ({ ...it })),
  };
}

function poolSubmitter(ledger: MemoryLedger): Submitter {
  const blocks = recordedBlocks(RECORDED_HEIGHT);
  const window = createNonceWindow(1);
  const nonces = (number: number) => (blocks[number]?.transactions ?? []).map((it) => it.nonce);
  const hashes = (number: number) => (blocks[number]?.transactions ?? []).map((it) => it.hash);
  for (let number = 0; number <= ledger.head().number; number += 1) {
    addBlockNonces(window, number, nonces(number));
  }
  const pool = createPool(DEFAULT_POOL_LIMITS, window);
  const accepted = new Set<Hash>();
  const catchUp = (): void => {
    for (;;) {
      const number = ledger.head().number + 1;
      const due = hashes(number);
      if (due.length === 0 || !due.every((hash) => accepted.has(hash))) return;
      onBlock(pool, { number, hashes: due, nonces: nonces(number) });
      ledger.moveHead(number);
    }
  };
  return (raw) => {
    const decoded = decodeTransaction(raw, suite);
    if (!decoded.ok) return { ok: false, refusal: "undecodable", reason: decoded.reason };
    const from = recoverSender(decoded.transaction, suite);
    if (from === undefined)
      return { ok: false, refusal: "undecodable", reason: "InvalidSignature" };
    const head = ledger.head().number;
    const context = { head, chainId: 1, groupId: 1, now: 0 };
    const items = [{ transaction: withSender(decoded.transaction, from) }];
    const [outcome] = importBatch(pool, items, context);
    if (outcome === undefined) throw new Error("no outcome");
    if (outcome.ok) accepted.add(outcome.hash);
    catchUp();
    return outcome;
  };
}

/** A ledger at the height of a recording, and who runs calls on its state. */
export interface ChainSource {
  readonly ledger: MemoryLedger;
  readonly call?: CallRunner;
}

/** Blocks and receipts as recorded, for the recording in which the head moves. */
export function recordedSource(): ChainSource {
  const ledger = memoryLedger({
    suite,
    blocks: recordedBlocks(RECORDED_HEIGHT),
    sealers: sealerTable(),
  });
  ledger.moveHead(REFUSALS_HEIGHT);
  return { ledger };
}

/** The ledger that our executor makes of the recorded transactions; every hash is compared. */
export async function replayedSource(): Promise<ChainSource> {
  const last = RECORDED_HEIGHT;
  const { ledger, processor } = await replay({
    files: GROUP1,
    suite,
    version: NEWEST_VERSION,
    last,
  });
  const seals = new Map<Hash, readonly Seal[]>();
  const sealed = <T extends SealedHeader>(block: T | undefined): T | undefined =>
    block === undefined ? undefined : { ...block, seals: seals.get(block.hash) ?? block.seals };
  return {
    ledger: {
      ...ledger,
      header: async (hash) => sealed(await ledger.header(hash)),
      block: async (hash) => sealed(await ledger.block(hash)),
      setSeals: (hash, replacement) => {
        seals.set(hash, replacement);
      },
      moveHead: (number) => assert.fail(`the head cannot move to ${number}`),
    },
    call: (request) => processor.call(request),
  };
}

/** The chain as it was when a recording began. */
export function recordedChain({ ledger, call }: ChainSource): RecordedChain {
  const submit = poolSubmitter(ledger);
  let status: PbftStatus | undefined;
  const group = (nodeId: NodeId): GroupApi =>
    dataGroup(ledger, {
      consensusStatus: () => {
        if (status === undefined) throw new Error("no recorded status");
        return { ...status, nodeIndex: status.sealers.indexOf(nodeId) };
      },
      syncStatus: () => ({
        isSyncing: false,
        knownHighestNumber: ledger.head().number,
        knownLatestHash: ledger.head().hash,
        peers: [...sealerTable()]
          .sort()
          .filter((it) => it !== nodeId)
          .map((it) => ({
            nodeId: it,
            number: ledger.head().number,
            genesisHash: ledger.genesisHash(),
            latestHash: ledger.head().hash,
          })),
      }),
      submit: async (raw) => submit(raw),
      ...(call === undefined ? {} : { call }),
    });
  const apps = [0, 1, 2, 3].map((node) => {
    const api = recordedNode(node, group);
    return createHttpApp({ node: api, maxBodyBytes: DEFAULT_MAX_BODY_BYTES });
  });
  return {
    app: (node) => {
      const http = apps[node];
      if (http === undefined) throw new Error(`no node ${node}`);
      return http;
    },
    recall: (exchange) => {
      const result = get(parse(exchange.response.body ?? ""), "result");
      recallSeals(ledger, result);
      if (methodOf(exchange) === "getConsensusStatus" && Array.isArray(result)) {
        status = statusFrom(result[0], result[1], ledger);
      } else if (methodOf(exchange) === "getPbftView" && typeof result === "string") {
        status = statusFrom({ currentView: Number(result) }, [], ledger);
      }
    },
  };
}

/** Every node keeps its own quorum of seals; those recorded must be seals of the block. */
function recallSeals(ledger: MemoryLedger, result: unknown): void {
  const list = get(result, "signatureList");
  if (!Array.isArray(list)) return;
  const hash = get(result, "hash") as Hash;
  const sealers = get(result, "sealerList") as readonly NodeId[];
  const seals = (list as readonly { index: string; signature: string }[]).map((it) => ({
    index: Number(it.index),
    signature: hexBytes(it.signature),
  }));
  for (const seal of seals) {
    const key = suite.recover(hexBytes(hash), seal.signature);
    assert.equal(key && toHex(key), sealers[seal.index]);
  }
  ledger.setSeals(hash, seals);
}

function recordedNode(node: number, group: (nodeId: NodeId) => GroupApi): NodeApi {
  const [nodeId] = sessionsOf(node);
  if (nodeId === undefined) throw new Error(`no ID of node ${node}`);
  const version = firstResult("getClientVersion.jsonl", 0);
  const text = (name: string): string => String(get(version, name));
  const base = dataNode([group(nodeId)]);
  const self = firstResult("getNodeInfo.jsonl", node);
  const peers = peersOf(node);
  const configured = firstResult("queryPeers.jsonl", 0) as readonly string[];
  return {
    ...base,
    nodeId,
    build: {
      version: base.build.version,
      buildTime: text("Build Time"),
      buildType: text("Build Type"),
      gitBranch: text("Git Branch"),
      gitCommit: text("Git Commit Hash"),
    },
    // Group 2 (Raft) runs on the recorded nodes; it is out of scope here but in the list.
    groupList: () => [1, 2],
    peers: () => peers,
    configuredPeers: () => configured,
    ...(self === undefined ? {} : { self: () => toPeer(self) }),
  };
}
