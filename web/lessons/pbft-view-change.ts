/** What happens when the leader goes down. */
import * as claims from "./claims.ts";
import type { Lesson } from "./lesson.ts";

/** The lesson. */
export const PBFT_VIEW_CHANGE: Lesson = {
  id: "pbft-view-change",
  title: ["PBFT: the view change", "PBFT：视图变更"],
  about: [
    "A leader goes down. The others notice, agree on the next one, and go on.",
    "主节点宕机后，其他节点如何发现、换届并继续。",
  ],
  scenario: "1.pbft.seed-7.load-400",
  steps: [
    {
      says: [
        "Blocks come one after the other. The leader of block h in view v stands v + h - 1 " +
          "places after node 1, counted around: every block has another one.",
        "区块一个接一个产生。视图 v 中区块 h 的主节点是从节点 1 起循环后数 v + h - 1 位的节点，每个区块换一个主节点。",
      ],
      look: ["The star moves with each block.", "星号随区块移动。"],
      until: claims.heightReached(2),
      claims: [claims.noFork],
    },
    {
      says: [
        "Now the sealer that leads loses power. No node is notified.",
        "现在，轮到出块的节点突然断电，没有人被告知。",
      ],
      look: ["The dashed node is off.", "虚线节点已关闭。"],
      acts: (past) => [{ kind: "kill", node: claims.pbftLeader(past) ?? 0 }],
      until: claims.offCount(1),
      claims: [claims.noFork],
    },
    {
      says: [
        "The others wait for its proposal. Each has a timer; the thin ring shows how much " +
          "patience is left.",
        "其他节点等待它的提案。每个节点有一个定时器，细环表示剩余的耐心。",
      ],
      look: ["The thin ring runs out.", "细环逐渐走完。"],
      until: claims.viewIsLeft,
      claims: [claims.standstill],
    },
    {
      says: [
        "Who has lost patience asks for the next view: a view change, signed, with the " +
          "height and the lock it holds. It alone cannot depose anybody.",
        "失去耐心的节点请求进入下一视图：带签名的视图变更票，其中包含高度和它持有的锁。一个节点单独无法罢免任何人。",
      ],
      look: ["Messages V, and the third ring.", "消息 V 和第三个环。"],
      until: claims.viewChanges(2),
      claims: [claims.standstill],
    },
    {
      says: [
        "Three view changes are a quorum. The next leader shows them with its proposal as " +
          "the proof that it may lead; if one of them held a lock, it must propose that very " +
          "block again.",
        "三张视图变更票构成法定票数。新主节点随提案出示它们，证明自己有权主导；若其中有人持有锁，它必须重新提出同一个区块。",
      ],
      look: ["The star has moved, the view is higher.", "星号移动，视图升高。"],
      until: claims.viewReached(1),
      claims: [claims.noFork],
    },
    {
      says: [
        "And the chain goes on, with three of four. Views are counted anew for every block: " +
          "the next one begins in view 0 again.",
        "链继续前进，四个节点中有三个即可。每个区块的视图重新计数：下一个区块又从视图 0 开始。",
      ],
      until: claims.blocksMore(1),
      claims: [claims.noFork],
    },
  ],
};
