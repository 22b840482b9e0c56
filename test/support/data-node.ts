/** A node made of data, for tests of what is written against NodeApi. */
import type { NodeId } from "../../core/bytes/ids.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import type { GroupApi, NodeApi } from "../../core/api/node-api.ts";
import type { PbftStatus } from "../../core/consensus/pbft/status.ts";
import type { LedgerApi } from "../../core/ports/ledger.ts";
import { STANDARD_SUITE } from "./suites.ts";

/** A distinct node ID per digit pair. */
export function nodeIdOf(pair: string): NodeId {
  return pair.repeat(64) as NodeId;
}

/** The ID of the node that {@link dataNode} makes. */
export const OWN_ID = nodeIdOf("b2");

/** A status of a four-sealer group at the ledger's head. */
export function pbftStatus(ledger: LedgerApi, sealers: readonly NodeId[]): PbftStatus {
  const head = ledger.head();
  return {
    kind: "pbft",
    accountType: 1,
    cfgErr: false,
    connectedNodes: sealers.length - 1,
    consensusedBlockNumber: head.number + 1,
    currentView: 7,
    toView: 8,
    highestblockHash: head.hash,
    highestblockNumber: head.number,
    leaderFailed: false,
    maxFaulty: Math.floor((sealers.length - 1) / 3),
    nodeIndex: sealers.indexOf(OWN_ID),
    sealers,
    views: sealers.map((nodeId) => ({ nodeId, view: 7 })),
  };
}

/** A running group over a ledger; what differs is given. */
export function dataGroup(ledger: LedgerApi, changes: Partial<GroupApi> = {}): GroupApi {
  return {
    groupId: 1,
    consensusType: "pbft",
    ledger,
    isMember: () => true,
    consensusStatus: () => pbftStatus(ledger, [nodeIdOf("a1"), OWN_ID, nodeIdOf("c3")]),
    syncStatus: () => ({
      isSyncing: false,
      knownHighestNumber: ledger.head().number,
      knownLatestHash: ledger.head().hash,
      peers: [],
    }),
    pendingTransactions: () => [],
    pendingCount: () => 0,
    call: async () => ({ number: ledger.head().number, status: 0, output: new Uint8Array(0) }),
    submit: async () => ({ ok: false, refusal: "undecodable", reason: "BadRLP" }),
    ...changes,
  };
}

/** A node with these groups; what differs is given. */
export function dataNode(groups: readonly GroupApi[], changes: Partial<NodeApi> = {}): NodeApi {
  const byId = new Map(groups.map((group) => [group.groupId, group]));
  return {
    nodeId: OWN_ID,
    build: {
      version: "2.12.0",
      buildTime: "20260101 00:00:00",
      buildType: "Node",
      gitBranch: "main",
      gitCommit: "0123456789",
    },
    chainId: 1,
    supportedVersion: NEWEST_VERSION,
    suite: STANDARD_SUITE,
    isReady: () => true,
    groupList: () => [...byId.keys()].sort((left, right) => left - right),
    group: (groupId) => byId.get(groupId),
    peers: () => [],
    dynamicGroupDisabled: false,
    actAsGroupMember: false,
    manageGroup: async () => ({ code: 0, message: "done" }),
    groupStatus: async (groupId) => ({
      code: 0,
      message: "",
      status: byId.has(groupId) ? "RUNNING" : "INEXISTENT",
    }),
    ...changes,
  };
}
