/**
 * What of an answer two honest nodes have in common. Most answers are the same at one height; some
 * are about the node that gives them, or list what no order is given to.
 */
import { toldList, toldMembers } from "../client/told-objects.ts";

/** Whose answer it is: the node ID that the node gives itself. */
type CommonPart = (result: unknown, nodeId: string | undefined) => unknown;

/** JSON text with sorted members: equal for equal values. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    const entries = Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  });
}

function sorted(values: readonly unknown[]): readonly string[] {
  return values.map(canonical).sort();
}

function picked(result: unknown, ...names: readonly string[]): unknown {
  const members = toldMembers(result, "an answer");
  return names.map((name) => members[name] ?? null);
}

const inAnyOrder: CommonPart = (result) => sorted(toldList(result, "an answer"));

/** A node does not list itself among its peers. */
const peers: CommonPart = (result, nodeId) => {
  const others = toldList(result, "peers").map((it) => toldMembers(it, "a peer")["NodeID"]);
  return sorted([nodeId, ...others]);
};

const consensus: CommonPart = (result) => {
  const [status] = toldList(result, "a status");
  const members = toldMembers(status, "a status");
  const sealers = Object.keys(members).filter((name) => name.startsWith("sealer."));
  return picked(members, "groupId", "nodeNum", "highestblockHash", ...sealers.sort());
};

/** Of methods whose answers are about one node; the rest of them is that node's word alone. */
const ABOUT_ONE_NODE: Readonly<Record<string, CommonPart>> = {
  getClientVersion: (result) =>
    picked(result, "Chain Id", "FISCO-BCOS Version", "Supported Version"),
  getConsensusStatus: consensus,
  getNodeInfo: () => null,
  getPeers: peers,
  getSyncStatus: (result) => picked(result, "genesisHash", "blockNumber", "latestHash"),
};

/** Each node begins with itself, or has its own order. */
const UNORDERED: ReadonlySet<string> = new Set(["getNodeIDList", "getPendingTransactions"]);

/** They differ between honest nodes from one moment to the next. */
const PASSING: ReadonlySet<string> = new Set([
  ...Object.keys(ABOUT_ONE_NODE),
  ...UNORDERED,
  "getPbftView",
  "getPendingTxSize",
]);

/** What answers to a method are compared by. @throws ProofFault for one of another form */
export function commonPart(method: string, result: unknown, nodeId: string | undefined): string {
  const part = ABOUT_ONE_NODE[method] ?? (UNORDERED.has(method) ? inAnyOrder : undefined);
  return canonical(part === undefined ? result : part(result, nodeId));
}

/** Whether an answer that others agree with is theirs in every member. */
export function isWholeCommon(method: string): boolean {
  return ABOUT_ONE_NODE[method] === undefined;
}

/** Whether honest nodes answer alike at one height: who does not is wrong, or lies. */
export function isSettledByHeight(method: string): boolean {
  return !PASSING.has(method);
}

/** Methods that only the own host of a node may ask, and those that tell of them. */
const OF_MANAGEMENT: ReadonlySet<string> = new Set(["queryGroupStatus", "queryPeers"]);

/** Never handed on. Source: decision 31 */
export function isOfManagement(method: {
  readonly name: string;
  readonly manages?: true;
}): boolean {
  return method.manages === true || OF_MANAGEMENT.has(method.name);
}
