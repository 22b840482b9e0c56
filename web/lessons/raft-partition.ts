/** A network that is split under Raft. */
import * as claims from "./claims.ts";
import type { Lesson } from "./lesson.ts";

/** The lesson. */
export const RAFT_PARTITION: Lesson = {
  id: "raft-partition",
  title: ["Raft: the partition", "Raft：网络分区"],
  about: [
    "The leader is cut off with one other node. Which side may go on, and what happens when " +
      "the network heals.",
    "领导者与另一个节点被隔离。哪一侧可以继续，网络恢复后会怎样。",
  ],
  scenario: "1.raft.nodes-5.seed-11.load-500",
  steps: [
    {
      says: ["A leader is elected and blocks are replicated.", "已选出领导者，区块正在复制。"],
      until: claims.heightReached(2),
      claims: [claims.oneLeaderPerTerm, claims.noFork],
    },
    {
      says: [
        "The network splits: the leader and one other node on one side, three nodes on the " +
          "other.",
        "网络分裂：领导者和另一个节点在一侧，其余三个节点在另一侧。",
      ],
      look: ["Crossed lines: nothing passes.", "带叉的线：消息无法通过。"],
      acts: (past) => [{ kind: "partition", sides: claims.splitAround(past) }],
      until: claims.isCut,
    },
    {
      says: [
        "The old leader does not know. It goes on, but its entries are stored by two of five " +
          "at most: it can commit nothing, and after a while it drops its office.",
        "旧领导者并不知情。它继续工作，但日志项最多只有五个中的两个存储：无法提交任何东西，一段时间后它会放弃领导权。",
      ],
      look: ["The minority's ring does not fill.", "少数派一侧的环填不满。"],
      until: claims.minorityStandstill(1_000),
      claims: [claims.noFork, claims.oneLeaderPerTerm],
    },
    {
      says: [
        "On the other side nobody hears a leader. Three of five are a majority: they elect " +
          "one of a higher term.",
        "另一侧收不到领导者的消息。五个中的三个构成多数：他们选出更高任期的领导者。",
      ],
      until: claims.isLed(2),
      claims: [claims.oneLeaderPerTerm],
    },
    {
      says: [
        "Only this side goes on and writes blocks. The minority answers nobody with " +
          "something that could be lost.",
        "只有这一侧继续写入区块。少数派不会给出任何可能丢失的答复。",
      ],
      until: claims.blocksMore(2),
      claims: [claims.noFork, claims.oneLeaderPerTerm],
    },
    {
      says: [
        "The network heals. The old leader hears the higher term, follows, and drops what " +
          "was never committed.",
        "网络恢复。旧领导者得知更高的任期，转为跟随者，并丢弃从未提交的内容。",
      ],
      acts: () => [{ kind: "heal" }],
      until: claims.allFollow,
      claims: [claims.oneLeaderPerTerm],
    },
    {
      says: [
        "It catches up, and all five have the same chain.",
        "它追上进度，五个节点拥有相同的链。",
      ],
      until: claims.sameHeights,
      claims: [claims.noFork, claims.oneLeaderPerTerm],
    },
  ],
};
