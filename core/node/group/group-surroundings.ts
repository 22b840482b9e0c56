/** What all groups of a node share: types only. */
import type { GroupId, NodeId } from "../../bytes/ids.ts";
import type { GroupOptions } from "../options/group-options.ts";
import type { NodePorts } from "../options/node-ports.ts";
import type { GroupCatalog } from "./group-files.ts";

/** What all groups of a node share. */
export interface GroupSurroundings
  extends Omit<GroupOptions, "groupId" | "raft" | "eventLimits" | "tuning" | "onFailure"> {
  readonly catalog: GroupCatalog;
  readonly ports: NodePorts;
  connected(): Iterable<NodeId>;
  /** A group that ran cannot go on. */
  onFailure(groupId: GroupId, cause: unknown): void;
}
