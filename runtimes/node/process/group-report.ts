/** Which groups of a node run, which should and do not, in words for its operator. */
import type { GroupId } from "../../../core/bytes/ids.ts";
import type { GroupStatus, NodeApi } from "../../../core/api/node-api.ts";

interface GroupTrouble {
  /** Undefined for a file that does not even say which group it is of. */
  readonly groupId: GroupId | undefined;
  /** One line that names the file, where one is at fault. */
  readonly cause: string;
}

interface GroupReport {
  /** Ascending; also those in which this node has no role. */
  readonly running: readonly GroupId[];
  readonly failed: readonly GroupTrouble[];
  /** Those that an operator stopped or removed, and can bring back. */
  readonly down: readonly GroupId[];
}

/** The kind of a fault before its sentence; operators need the sentence only. */
const KIND = /^\w+(?:Fault|Error): /;

function isDown(status: GroupStatus): boolean {
  return status === "STOPPED" || status === "DELETED";
}

/** The groups of a node. */
export function reportGroups(api: NodeApi): GroupReport {
  const groups = api.groups?.() ?? [];
  const running = groups.flatMap(({ groupId, isRunning }) =>
    isRunning && groupId !== undefined ? [groupId] : [],
  );
  const failed = groups
    .filter(({ status, isRunning }) => !isRunning && (status === "RUNNING" || status === "UNKNOWN"))
    .map(({ groupId, failure = "it does not run" }) => ({
      groupId,
      cause: failure.replace(KIND, "").replaceAll(/\s*\n\s*/g, "; "),
    }));
  const down = groups.flatMap(({ groupId, status, failure }) =>
    groupId !== undefined && isDown(status) && failure === undefined ? [groupId] : [],
  );
  return { running, failed, down };
}

/** A group that should run and does not, as one line. */
export function troubleText({ groupId, cause }: GroupTrouble): string {
  return groupId === undefined ? cause : `group ${groupId}: ${cause}`;
}

const NONE = "none runs; generateGroup and startGroup make and start one";
/** How a group says that it has its blocks from others again. */
const REPAIRING = /^repairing/;
const COMES_BACK =
  "its blocks come from other nodes, then it starts by itself: see chain-node status";
const INDENT = " ".repeat(9);

/** What the first screen says of groups, and what to do about those that do not run. */
export function groupLines({ running, failed }: GroupReport): string[] {
  const isRepaired = (trouble: GroupTrouble) => REPAIRING.test(trouble.cause);
  return [
    `groups   ${running.join(" ") || (failed.length > 0 ? "none runs" : NONE)}`,
    ...failed.map((trouble) => `FAILED   ${troubleText(trouble)}`),
    ...(failed.some(isRepaired) ? [`${INDENT}${COMES_BACK}`] : []),
    ...(failed.every(isRepaired)
      ? []
      : [`${INDENT}repair what failed, then restart this node, or send startGroup`]),
  ];
}
