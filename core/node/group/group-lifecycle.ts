/**
 * The life of a group on one node as data: what each operation answers in each status, which
 * statuses it passes through, and what a start of the node makes of the stored status word. Pure:
 * files and words are read and written by the node. Source: groups 2, 3; rpc-semantics 10
 */
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import { GROUP_CODE, type GroupCodeName } from "../../fault/group-code.ts";
import type { GroupOperation, GroupOperationResult, GroupStatus } from "../../api/node-api.ts";

/** Which files of the group exist. */
export interface GroupFiles {
  /** `group.N.genesis`. */
  readonly genesis: boolean;
  /** `group.N.ini`. */
  readonly ini: boolean;
}

/** An operation whose arguments are in order, and what it finds. */
export interface GroupRequest {
  readonly operation: GroupOperation;
  readonly groupId: GroupId;
  readonly status: GroupStatus;
  readonly files: GroupFiles;
  /** Sealers of generateGroup, other than this node, without a live session. */
  readonly notConnected?: readonly NodeId[] | undefined;
}

/** What to do about an operation. */
export type GroupVerdict =
  | { readonly kind: "refuse"; readonly result: GroupOperationResult }
  | {
      readonly kind: "perform";
      /** Statuses to pass through; each is stored before anybody can see it. */
      readonly statuses: readonly GroupStatus[];
      /** The answer once the last of them is stored. */
      readonly result: GroupOperationResult;
    };

/** A code and its text, in which `#` stands for the group's number. */
interface GroupRefusal {
  readonly code: GroupCodeName;
  readonly text: string;
}

type FileCheck = "filesAbsent" | "filesPresent";

interface Cell {
  /** Examined first, where the operation reads or writes files. */
  readonly check?: FileCheck;
  /** The answer, or absent when the operation is performed. */
  readonly refusal?: GroupRefusal;
  readonly statuses?: readonly GroupStatus[];
}

const STATUS_UNREADABLE = "Please check `.group_status` file of the group";

function refuse(code: GroupCodeName, text: string): Cell {
  return { refusal: { code, text } };
}

const EXISTS = refuse("GROUP_ALREADY_EXISTS", "Group # already exists");
const NOT_FOUND = refuse("GROUP_NOT_FOUND", "Group # not found");
const STOPPING = refuse("GROUP_IS_STOPPING", "Group # is stopping");
const WAS_DELETED = refuse("GROUP_ALREADY_DELETED", "Group # has already been deleted");
const NOT_DELETED = refuse("GROUP_NOT_DELETED", "Group # has not been deleted");
const UNREADABLE = refuse("INTERNAL_ERROR", STATUS_UNREADABLE);

/** Every operation in every status. Source: groups 3; decision 3, 4, 5 */
const MATRIX: Readonly<Record<GroupOperation, Readonly<Record<GroupStatus, Cell>>>> = {
  generateGroup: {
    INEXISTENT: { check: "filesAbsent", statuses: ["STOPPED"] },
    RUNNING: EXISTS,
    STOPPING,
    STOPPED: EXISTS,
    DELETED: EXISTS,
    UNKNOWN: UNREADABLE,
  },
  startGroup: {
    INEXISTENT: { check: "filesPresent", ...NOT_FOUND },
    RUNNING: refuse("GROUP_ALREADY_RUNNING", "Group # is already running"),
    STOPPING,
    STOPPED: { check: "filesPresent", statuses: ["RUNNING"] },
    DELETED: refuse("GROUP_ALREADY_DELETED", "Group # has been deleted"),
    UNKNOWN: UNREADABLE,
  },
  stopGroup: {
    INEXISTENT: NOT_FOUND,
    RUNNING: { statuses: ["STOPPING", "STOPPED"] },
    STOPPING,
    STOPPED: refuse("GROUP_ALREADY_STOPPED", "Group # has already been stopped"),
    DELETED: WAS_DELETED,
    UNKNOWN: UNREADABLE,
  },
  removeGroup: {
    INEXISTENT: NOT_FOUND,
    RUNNING: { statuses: ["STOPPING", "STOPPED", "DELETED"] },
    STOPPING,
    STOPPED: { statuses: ["DELETED"] },
    DELETED: WAS_DELETED,
    UNKNOWN: UNREADABLE,
  },
  recoverGroup: {
    INEXISTENT: NOT_FOUND,
    RUNNING: NOT_DELETED,
    STOPPING,
    STOPPED: NOT_DELETED,
    DELETED: { statuses: ["STOPPED"] },
    UNKNOWN: UNREADABLE,
  },
};

/** What an operation that was performed answers. */
const DONE: Readonly<Record<GroupOperation, string>> = {
  generateGroup: "Group # generated successfully",
  startGroup: "Group # started successfully",
  stopGroup: "Group # stopped successfully",
  removeGroup: "Group # deleted successfully",
  recoverGroup: "Group # recovered successfully",
};

function resultOf({ code, text }: GroupRefusal, groupId: GroupId): GroupOperationResult {
  return { code: GROUP_CODE[code], message: text.replace("#", String(groupId)) };
}

function refusalOfFiles(check: FileCheck | undefined, files: GroupFiles): GroupRefusal | undefined {
  const [genesis, ini] = ["Genesis config file for group #", "Group config file for group #"];
  if (check === "filesAbsent") {
    const text = "already exists";
    if (files.genesis) return { code: "GENESIS_CONF_ALREADY_EXISTS", text: `${genesis} ${text}` };
    if (files.ini) return { code: "GROUP_CONF_ALREADY_EXIST", text: `${ini} ${text}` };
  }
  if (check === "filesPresent") {
    if (!files.genesis) return { code: "GENESIS_CONF_NOT_FOUND", text: `${genesis} not found` };
    if (!files.ini) return { code: "GROUP_CONF_NOT_FOUND", text: `${ini} not found` };
  }
  return undefined;
}

/** Peers that a generation misses come before the status of the group. Source: groups 3 */
function refusalOfPeers({ operation, notConnected = [] }: GroupRequest): GroupRefusal | undefined {
  if (operation !== "generateGroup" || notConnected.length === 0) return undefined;
  const ids = notConnected.toSorted().join(", ");
  return { code: "PEERS_NOT_CONNECTED", text: `Peer(s) not connected: ${ids}` };
}

/**
 * The verdict on an operation, by the checks of the specification in their order. The arguments
 * were checked before (0x7). Source: groups 3
 */
export function decideGroupOperation(request: GroupRequest): GroupVerdict {
  const { operation, groupId, status, files } = request;
  const cell = MATRIX[operation][status];
  const refusal = refusalOfPeers(request) ?? refusalOfFiles(cell.check, files) ?? cell.refusal;
  if (refusal !== undefined) return { kind: "refuse", result: resultOf(refusal, groupId) };
  const done: GroupRefusal = { code: "SUCCESS", text: DONE[operation] };
  return { kind: "perform", statuses: cell.statuses ?? [], result: resultOf(done, groupId) };
}

/** What an operation answers that failed while it was performed. Source: groups 2, 3 (0x1) */
export function failedOperation(cause: string): GroupOperationResult {
  return { code: GROUP_CODE.INTERNAL_ERROR, message: cause };
}

/** The answer of queryGroupStatus about a group with that status. Source: groups 2, 3 */
export function queryResult(
  status: GroupStatus,
): GroupOperationResult & { readonly status: GroupStatus } {
  const isReadable = status !== "UNKNOWN";
  const code = isReadable ? GROUP_CODE.SUCCESS : GROUP_CODE.INTERNAL_ERROR;
  return { code, message: isReadable ? "" : STATUS_UNREADABLE, status };
}

const STATUS_WORDS = ["STOPPED", "STOPPING", "DELETED", "RUNNING"] as const;

/** The status that the content of a status file stands for. Source: groups 2 */
export function statusOf(word: string | undefined, hasGenesis = true): GroupStatus {
  if (!hasGenesis || word === undefined) return "INEXISTENT";
  return STATUS_WORDS.find((status) => status === word.trim()) ?? "UNKNOWN";
}

/** What the start of a node does with a group. */
export interface BootPlan {
  readonly start: boolean;
  /** Status to store first; undefined: the word stays. */
  readonly store: GroupStatus | undefined;
}

/**
 * What happens to a group with that word when the node starts: running and new groups start, an
 * interrupted stop is completed, the others stay down. Source: groups 2 (node boot)
 */
export function bootPlan(word: string | undefined): BootPlan {
  const status = statusOf(word);
  if (status === "INEXISTENT") return { start: true, store: "RUNNING" };
  if (status === "STOPPING") return { start: false, store: "STOPPED" };
  // A word that an operator wrote may end in a line break.
  const isPlain = status !== "RUNNING" || word === status;
  return { start: status === "RUNNING", store: isPlain ? undefined : status };
}
