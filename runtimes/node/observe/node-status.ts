/** How nodes of this host and their groups are: data, and a table of it. */
import type { GroupHealth } from "../../shared/health.ts";
import { colours, columns } from "../log/terminal.ts";
import { findNodeFolders, type NodeFolder } from "./node-folders.ts";
import { type NodeProbe, probeNode } from "./node-probe.ts";
import { certificateDaysLeft, readOwnIdentity } from "./own-certificates.ts";
import { healthAt, type ProcessHealth, silenceOf } from "./port-user.ts";

/** One node as status shows it. */
export interface NodeStatus {
  readonly name: string;
  readonly folder: string;
  readonly running: boolean;
  readonly ready: boolean;
  /** Ready, and each of its groups can write blocks. */
  readonly writable: boolean;
  readonly pid?: number;
  readonly uptimeSeconds?: number;
  readonly memoryBytes?: number;
  readonly rpc?: string;
  /** Where SDKs connect, and how many do. */
  readonly channel?: string;
  readonly sdks?: number;
  readonly nodeId?: string;
  readonly version?: string;
  readonly peers?: number;
  /** Peers that config.ini names and that are not this node. */
  readonly configuredPeers?: number;
  readonly certificateDaysLeft?: number;
  readonly groups: readonly GroupHealth[];
  /** Why it does not run, or is not ready. */
  readonly reasons: readonly string[];
  /** What is wrong although it is ready. */
  readonly warnings: readonly string[];
}

async function daysLeft({ folder, config, health }: NodeProbe): Promise<number | undefined> {
  if (health) return health.certificateDaysLeft;
  if (!config) return undefined;
  const now = Date.now();
  const identity = await readOwnIdentity(folder.path, config.identity, now).catch(() => undefined);
  return identity && certificateDaysLeft(identity, now);
}

/** What a probe comes to. */
export function statusOf(probe: NodeProbe, days: number | undefined): NodeStatus {
  const { folder, config, health, silence, pid, rpcUrl, channel, nodeId, user } = probe;
  const common = {
    name: folder.name,
    folder: folder.path,
    ...(nodeId === undefined ? {} : { nodeId }),
    ...(rpcUrl === undefined ? {} : { rpc: rpcUrl }),
    ...(channel === undefined ? {} : { channel }),
    ...(days === undefined ? {} : { certificateDaysLeft: days }),
  };
  if (!health) {
    const isHung = pid !== undefined;
    const isFree = !isHung && user?.kind === "silent";
    const what = isHung ? `process ${pid} does not answer` : "it does not run";
    const why = isFree ? what : `${what}: ${silence}`;
    const reasons = config ? [why] : [...probe.problems];
    return { ...common, ...downStatus(reasons, pid) };
  }
  return { ...common, ...statusOfHealth(health) };
}

/** Examines one node. */
export async function readNodeStatus(folder: NodeFolder): Promise<NodeStatus> {
  const probe = await probeNode(folder);
  return statusOf(probe, await daysLeft(probe));
}

/** What is known of a node that does not answer, in the order of one that does. */
function downStatus(reasons: readonly string[], pid?: number) {
  const known = pid === undefined ? {} : { pid };
  const nothing = { ready: false, writable: false, ...known, groups: [] };
  return { running: pid !== undefined, ...nothing, reasons, warnings: [] };
}

/** What a node reports of itself. */
function statusOfHealth(health: ProcessHealth) {
  const { ready, writable, pid, uptimeSeconds, memoryBytes, nodeId, version, sdks } = health;
  const { peers, endpoints, groups, reasons, warnings } = health;
  return {
    running: true,
    ...{ ready, writable, pid, uptimeSeconds, memoryBytes, nodeId, version },
    ...(sdks === undefined ? {} : { sdks }),
    peers: peers.length,
    configuredPeers: endpoints?.filter(({ state }) => state !== "self").length ?? 0,
    ...{ groups, reasons, warnings },
  };
}

/** Examines a node that may run anywhere, by its RPC port. */
async function readRemoteStatus(url: string): Promise<NodeStatus> {
  const { host } = new URL(url);
  const common = { name: host, folder: url, rpc: url };
  const silent = (why: string): NodeStatus => ({ ...common, ...downStatus([why]) });
  try {
    const health = await healthAt(url);
    if (!health) return silent("what answers there is no node of this program");
    const { certificateDaysLeft: days } = health;
    const certificate = days === undefined ? {} : { certificateDaysLeft: days };
    return { ...common, ...certificate, ...statusOfHealth(health) };
  } catch (error) {
    return silent(silenceOf(error));
  }
}

/**
 * Examines all nodes of folders and at those behind URLs, each once.
 * @throws FolderFault when a folder holds none
 */
export async function readStatus(places: readonly string[]): Promise<readonly NodeStatus[]> {
  const isUrl = (place: string) => /^https?:\/\//.test(place);
  const folders = await Promise.all(places.filter((place) => !isUrl(place)).map(findNodeFolders));
  const each = new Map(folders.flat().map((folder) => [folder.path, folder]));
  const urls = new Set(places.filter(isUrl).map((url) => new URL(url).origin));
  return Promise.all([
    ...[...each.values()].map(readNodeStatus),
    ...[...urls].map(readRemoteStatus),
  ]);
}

const HEAD =
  "node,process,rpc,channel,peers,group,state,role,votes,height,view,pending,version,cert".split(
    ",",
  );
const PROCESS_COLUMN = 1;
const STATE_COLUMN = 6;
const VOTES_COLUMN = 8;
const HEIGHT_COLUMN = 9;
/** A certificate that ends sooner is shown in yellow. */
const SOON_DAYS = 30;

function groupCells(health: GroupHealth) {
  const { group, status, role, height, behind = 0, view, pending, running } = health;
  const { stall, silence, sealers, votingSealers } = health;
  const word = stall ? "STALLED" : status;
  const shownStatus = status === "RUNNING" && !running ? "FAILED" : word;
  return [
    `${group ?? "?"}`,
    shownStatus,
    silence ? "silent" : (role ?? "-"),
    sealers === undefined || votingSealers === undefined ? "-" : `${votingSealers}/${sealers}`,
    height === undefined ? "-" : behind > 0 ? `${height} (-${behind})` : `${height}`,
    `${view ?? "-"}`,
    `${pending ?? "-"}`,
  ];
}

/** The port for SDKs, and how many are connected. */
function channelCell({ channel, sdks = 0 }: NodeStatus): string {
  if (channel === undefined) return "-";
  const port = channel.slice(channel.lastIndexOf(":") + 1);
  return sdks === 0 ? port : `${port} (${sdks} SDK${sdks === 1 ? "" : "s"})`;
}

function rowsOf(node: NodeStatus): string[][] {
  const { name, running, ready, pid, rpc, peers, configuredPeers, version, groups } = node;
  const state = running ? (ready ? "running" : version ? "not ready" : "silent") : "stopped";
  const days = node.certificateDaysLeft;
  const first = [
    name,
    pid === undefined ? state : `${state} ${pid}`,
    rpc?.replace("http://", "") ?? "-",
    channelCell(node),
    peers === undefined ? "-" : `${peers}/${configuredPeers ?? 0}`,
  ];
  const last = [version ?? "-", days === undefined ? "-" : `${days} d`];
  const [head = undefined, ...rest] = groups.map(groupCells);
  const none = ["-", "-", "-", "-", "-", "-", "-"];
  const blank = (cells: readonly string[]) => cells.map(() => "");
  return [
    [...first, ...(head ?? none), ...last],
    ...rest.map((cells) => [...blank(first), ...cells, ...blank(last)]),
  ];
}

function painterFor(column: number, cell: string, isTerminal: boolean) {
  const { green, red, yellow } = colours(isTerminal);
  const plain = (text: string) => text;
  if (column === PROCESS_COLUMN) {
    if (cell.startsWith("running")) return green;
    return cell.startsWith("not ready") ? yellow : cell === "" ? plain : red;
  }
  if (column === STATE_COLUMN)
    return cell === "RUNNING" ? green : /^(FAILED|STALLED|UNKNOWN)$/.test(cell) ? red : plain;
  if (column === VOTES_COLUMN) {
    const [voting, all = voting] = cell.split("/");
    return voting === all ? plain : yellow;
  }
  if (column === HEIGHT_COLUMN) return cell.includes("(") ? yellow : plain;
  const isSoon = / d$/.test(cell) && Number.parseInt(cell, 10) <= SOON_DAYS;
  return column === HEAD.length - 1 && isSoon ? yellow : plain;
}

/** The beginning of a node ID, as texts have it that do not name the node. */
const SHORT_ID = /\b[0-9a-f]{8}\b(?! \()/g;

/** A text with the names of nodes behind their IDs, as far as they are known here. */
function withNames(text: string, nodes: readonly NodeStatus[]): string {
  return text.replaceAll(SHORT_ID, (id) => {
    const name = nodes.find(({ nodeId }) => nodeId?.startsWith(id))?.name;
    return name === undefined ? id : `${id} ${name}`;
  });
}

/** The table, and below it what is wrong. */
export function statusScreen(nodes: readonly NodeStatus[], isTerminal: boolean): string {
  const { bold } = colours(isTerminal);
  const lines = columns([HEAD, ...nodes.flatMap(rowsOf)], (cell, column, row) =>
    row === 0 ? bold(cell) : painterFor(column, cell, isTerminal)(cell),
  );
  const others = (own: string) => nodes.filter(({ name }) => name !== own);
  const trouble = nodes.flatMap(({ name, reasons, warnings }) =>
    [...reasons, ...warnings].map((text) => `${name}: ${withNames(text, others(name))}`),
  );
  if (trouble.length === 0) return `${lines.join("\n")}\n`;
  const next = "chain-node doctor says what to do.";
  return `${[...lines, "", ...trouble, "", next].join("\n")}\n`;
}
