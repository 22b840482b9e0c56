/** The life cycle of a group on a node. */
import * as claims from "./claims.ts";
import type { Lesson } from "./lesson.ts";

/** The lesson. */
export const GROUP_LIFE: Lesson = {
  id: "group-life",
  title: ["The life cycle of a group", "群组的生命周期"],
  about: [
    "A group is a chain of its own that each node runs, stops, removes and recovers by itself.",
    "群组是独立的链，每个节点自行运行、停止、删除和恢复它。",
  ],
  chart: { node: 3, id: "group" },
  scenario: "1.pbft.seed-4.load-600",
  steps: [
    {
      says: [
        "Each node runs its groups. Group 1 is running everywhere; the group's state changes.",
        "每个节点运行自己的群组。群组 1 在各节点上运行，见群组状态图。",
      ],
      look: ["The chart below the picture.", "图下方的状态图。"],
      until: claims.heightReached(1),
      claims: [claims.groupIs(3, "RUNNING"), claims.isIn(3, "group", "running")],
    },
    {
      says: [
        "The operator of node 4 stops it there. The word is written to disk before anything " +
          "ends, so that a crash in the middle is finished on restart.",
        "节点 4 的运维人员停止该群组。状态先写入磁盘再停止，因此中途崩溃也能在重启后完成。",
      ],
      pointed: [3],
      acts: () => [{ kind: "group", node: 3, operation: "stop", group: 1 }],
      until: claims.groupIs(3, "STOPPED"),
      claims: [claims.isIn(3, "group", "stopped")],
    },
    {
      says: [
        "The others go on: for them node 4 is one of the f that may be missing.",
        "其他节点继续：对它们来说，节点 4 只是允许缺席的 f 个之一。",
      ],
      until: claims.blocksMore(2),
      claims: [claims.groupIs(3, "STOPPED"), claims.groupIs(0, "RUNNING"), claims.noFork],
    },
    {
      says: [
        "A stopped group may be removed. Nothing is deleted: it is only marked, and cannot " +
          "be started.",
        "停止的群组可以删除。数据并未清除，只是做了标记，不能启动。",
      ],
      pointed: [3],
      acts: () => [{ kind: "group", node: 3, operation: "remove", group: 1 }],
      until: claims.groupIs(3, "DELETED"),
      claims: [claims.isIn(3, "group", "deleted")],
    },
    {
      says: ["It can be recovered: it is stopped again.", "它可以恢复：回到停止状态。"],
      pointed: [3],
      acts: () => [{ kind: "group", node: 3, operation: "recover", group: 1 }],
      until: claims.groupIs(3, "STOPPED"),
      claims: [claims.isIn(3, "group", "stopped")],
    },
    {
      says: [
        "Started again, it catches up with what it missed.",
        "重新启动后，它会追上错过的区块。",
      ],
      pointed: [3],
      acts: () => [{ kind: "group", node: 3, operation: "start", group: 1 }],
      until: claims.hasCaughtUp(3),
      claims: [claims.groupIs(3, "RUNNING"), claims.noFork],
    },
  ],
};
