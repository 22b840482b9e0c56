/** How a network is now: its nodes, its groups, and what waits to be joined. */
import { colours, columns } from "../../node/log/terminal.ts";
import { type NodeStatus, readNodeStatus, statusScreen } from "../../node/observe/node-status.ts";
import { isAble } from "./consensus-wait.ts";
import { type Join, readJoins } from "./joins.ts";
import type { LiveNetwork, LiveNode } from "./live-network.ts";
import { membersOf, type NetworkGroup } from "./network-spec.ts";

/** A group as its members of this host show it. */
export interface GroupState extends NetworkGroup {
  /** Highest block that a member has; undefined when none answers. */
  readonly height: number | undefined;
  /** This many sealers decide, by a member; undefined when none answers. */
  readonly quorum: number | undefined;
  /** Sealers of this host that take part, by name. */
  readonly voting: readonly string[];
  /** Whether members of this host say that it can write blocks; undefined when none is here. */
  readonly writable: boolean | undefined;
}

/** A node for another host. */
export interface AbsentNode {
  readonly name: string;
  readonly host: string;
  /** Its folder here, to be moved there. */
  readonly folder: string;
}

/** A network at a moment. */
export interface NetworkState {
  readonly network: string;
  readonly file: string;
  readonly folder: string;
  readonly nodes: readonly NodeStatus[];
  readonly elsewhere: readonly AbsentNode[];
  readonly groups: readonly GroupState[];
  readonly joins: readonly Join[];
}

function groupState(group: NetworkGroup, nodes: readonly NodeStatus[]): GroupState {
  const isHere = nodes.some(({ name }) => membersOf(group).includes(name));
  const seen = nodes.flatMap((node) =>
    node.groups.filter((own) => own.group === group.id).map((own) => ({ name: node.name, own })),
  );
  const heights = seen.flatMap(({ own }) => own.height ?? []);
  const quorums = seen.flatMap(({ own }) => own.quorum ?? []);
  return {
    ...group,
    height: heights.length === 0 ? undefined : Math.max(...heights),
    quorum: quorums[0],
    voting: seen.filter(({ own }) => isAble(own)).map(({ name }) => name),
    writable: isHere
      ? seen.some(({ own }) => own.running) && seen.every(({ own }) => !own.stall)
      : undefined,
  };
}

function absent({ spec, folder }: LiveNode): AbsentNode {
  return { name: spec.name, host: spec.host, folder: folder.path };
}

/** Examines a network. @throws FolderFault */
export async function readState(network: LiveNetwork): Promise<NetworkState> {
  const { spec } = network;
  const here = network.nodes.filter(({ isHere }) => isHere);
  const nodes = await Promise.all(here.map(({ folder }) => readNodeStatus(folder)));
  return {
    network: spec.name,
    file: spec.file,
    folder: spec.folder,
    nodes,
    elsewhere: network.nodes.filter(({ isHere }) => !isHere).map(absent),
    groups: spec.groups.map((group) => groupState(group, nodes)),
    joins: await readJoins(network),
  };
}

/** Whether everything of this host does what it is for. */
export function isWell({ nodes, groups }: NetworkState): boolean {
  return (
    nodes.every(({ writable }) => writable) && groups.every(({ writable }) => writable ?? true)
  );
}

function groupRows(groups: readonly GroupState[]): string[][] {
  return groups.map(({ id, consensus, sealers, observers, voting, height, writable }) => [
    `${id}`,
    consensus,
    writable === undefined ? "elsewhere" : writable ? "writes" : "cannot write",
    `${height ?? "-"}`,
    `${voting.length}/${sealers.length}`,
    sealers.join(" "),
    observers.join(" ") || "-",
  ]);
}

const GROUP_HEAD = ["group", "consensus", "state", "height", "voting", "sealers", "observers"];
const STATE_COLUMN = 2;

function groupTable(groups: readonly GroupState[], isTerminal: boolean): string[] {
  const { bold, green, red } = colours(isTerminal);
  return columns([GROUP_HEAD, ...groupRows(groups)], (cell, column, row) => {
    if (row === 0) return bold(cell);
    if (column !== STATE_COLUMN) return cell;
    return cell === "writes" ? green(cell) : cell === "elsewhere" ? cell : red(cell);
  });
}

/** Tables of nodes and groups, and what is to be done elsewhere. */
export function stateScreen(state: NetworkState, isTerminal: boolean): string {
  const { nodes, groups, elsewhere, joins } = state;
  const away = elsewhere.map(
    ({ name, host, folder }) => `${name} is for ${host}: move ${folder} there and start it`,
  );
  const joining = joins.flatMap(({ name, runtime, steps }) =>
    steps.map((step) => `${name} (${runtime}): ${step}`),
  );
  const below = [...away, ...joining];
  return [
    ...(nodes.length === 0 ? [] : [statusScreen(nodes, isTerminal)]),
    ...groupTable(groups, isTerminal),
    ...(below.length === 0 ? [] : ["", ...below]),
    "",
  ].join("\n");
}
