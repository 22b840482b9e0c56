/** Whether the groups of a node go on, by its RPC port. Source: generator 10.3; interface 2.6 */
import type { NodeFolder } from "../observe/node-folders.ts";
import { reasonOf } from "../../folder/folder-fault.ts";
import type { Ask, Finding } from "./finding.ts";
import { takeSample } from "./samples.ts";

interface GroupExpectations {
  /** The groups that are examined; all of the node when absent. */
  readonly groups?: readonly number[] | undefined;
  /** Least connections of each group. */
  readonly connections: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** What a node that is no sealer has as its index. */
const NO_INDEX = 65_535;
/** Blocks that an observer may be behind its peers. */
const TOLERANCE = 1;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A quantity, as a number, a decimal text or a text with 0x. */
function numberOf(value: unknown): number | undefined {
  if (typeof value !== "number" && (typeof value !== "string" || value === "")) return undefined;
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

/** The node ID of a peer: nodes of both spellings are watched by one monitor. */
export function peerId(peer: unknown): string | undefined {
  const { nodeId, NodeID } = fieldsOf(peer);
  const id = nodeId ?? NodeID;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** One group of one node. */
interface Watched {
  readonly folder: NodeFolder;
  readonly group: number;
  readonly call: (method: string) => Promise<unknown>;
}

function found({ folder, group }: Watched, check: Finding["check"], says: string): Finding {
  return { node: folder.name, group, check, says };
}

async function checkConnections(watched: Watched, least: number): Promise<readonly Finding[]> {
  const peers = listOf(await watched.call("getPeers"));
  const known = new Set(peers.map(peerId).filter((id) => id !== undefined));
  if (known.size >= least) return [];
  return [found(watched, "peers", `${known.size} of ${least} expected connections`)];
}

async function checkObserver(watched: Watched, height: number): Promise<readonly Finding[]> {
  const { peers } = fieldsOf(await watched.call("getSyncStatus"));
  const heights = listOf(peers).map((peer) => numberOf(fieldsOf(peer)["blockNumber"]) ?? 0);
  const behind = Math.max(height, ...heights) - height;
  if (behind <= TOLERANCE) return [];
  return [found(watched, "height", `at block ${height}, ${behind} blocks behind its peers`)];
}

/** A sealer's height or view must have changed since the last run. */
async function checkSealer(watched: Watched, height: number): Promise<readonly Finding[]> {
  const view = numberOf(await watched.call("getPbftView")) ?? 0;
  const { folder, group } = watched;
  const lastHeight = await takeSample(folder, "height", `${height}`, group);
  const lastView = await takeSample(folder, "view", `${view}`, group);
  if (lastHeight !== `${height}` || lastView !== `${view}`) return [];
  const says = `at block ${height} and view ${view} as in the last run: it does not go on`;
  return [found(watched, "height", says)];
}

/** In Raft an idle group writes nothing and has no views; it must have a leader. */
function checkRaft(watched: Watched, status: Fields): readonly Finding[] {
  const { leaderId } = status;
  const hasLeader = typeof leaderId === "string" && /[1-9a-f]/i.test(leaderId.replace(/^0x/, ""));
  return hasLeader ? [] : [found(watched, "height", "the group has no leader")];
}

async function checkProgress(watched: Watched): Promise<readonly Finding[]> {
  const status = fieldsOf(listOf(await watched.call("getConsensusStatus"))[0]);
  const height = numberOf(await watched.call("getBlockNumber")) ?? 0;
  const index = numberOf(status["node_index"] ?? status["node index"] ?? status["nodeIndex"]);
  const isObserver = index === NO_INDEX || status["accountType"] === 0;
  if (isObserver) return await checkObserver(watched, height);
  return "leaderId" in status ? checkRaft(watched, status) : await checkSealer(watched, height);
}

/** What is wrong with the groups of a node that runs. */
export async function watchGroups(
  folder: NodeFolder,
  url: string,
  ask: Ask,
  { groups, connections }: GroupExpectations,
): Promise<readonly Finding[]> {
  const node = folder.name;
  let list: readonly number[];
  try {
    list = listOf(await ask(url, "getGroupList", [])).map(Number);
  } catch (cause) {
    return [{ node, check: "rpc", says: reasonOf(cause) }];
  }
  const lacking = groups?.filter((group) => !list.includes(group)) ?? [];
  const missing = lacking.map(
    (group): Finding => ({ node, group, check: "rpc", says: "the node does not run this group" }),
  );
  const watched = list.filter((group) => groups?.includes(group) ?? true);
  const all = watched.map(async (group): Promise<readonly Finding[]> => {
    const one = { folder, group, call: (method: string) => ask(url, method, [group]) };
    try {
      return [...(await checkConnections(one, connections)), ...(await checkProgress(one))];
    } catch (cause) {
      return [found(one, "rpc", reasonOf(cause))];
    }
  });
  return [...missing, ...(await Promise.all(all)).flat()];
}
