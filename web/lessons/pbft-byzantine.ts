/** A leader that proposes two blocks. */
import * as claims from "./claims.ts";
import type { Lesson } from "./lesson.ts";

/** The lesson. */
export const PBFT_BYZANTINE: Lesson = {
  id: "pbft-liar",
  title: ["PBFT: a leader that lies", "PBFT：拜占庭主节点"],
  about: [
    "The leader shows different blocks to different sealers. Why this gives no fork.",
    "主节点向不同节点展示不同的区块，为什么仍不会分叉。",
  ],
  scenario: "1.pbft.seed-5.load-700",
  steps: [
    {
      says: [
        "Four sealers work. From now on node 1 lies: it signs with its own key only, but it " +
          "may tell everybody something else.",
        "四个节点正常工作。从现在起节点 1 说谎：它只能用自己的密钥签名，但可以对不同节点说不同的话。",
      ],
      look: ["The mark ! on node 1.", "节点 1 上的“!”标记。"],
      pointed: [0],
      acts: () => [{ kind: "lie", node: 0, lie: "equivocate" }],
      until: claims.lies(0),
      claims: [claims.noFork],
    },
    {
      says: [
        "When it leads, it proposes one block to some and another one to the others. " +
          "Messages with a red edge are what an honest node would not have sent.",
        "当它主导时，会向一部分节点提出一个区块，向另一部分提出另一个区块。红边的消息是诚实节点不会发送的。",
      ],
      look: ["Red edges: lies.", "红边：谎言。"],
      pointed: [0],
      until: claims.lieFlies,
      claims: [claims.noFork],
    },
    {
      says: [
        "Each sealer votes for what it has got. The votes are split: three equal ones are " +
          "needed, and the faulty node has one vote for each side at most. Neither block can get " +
          "a quorum on both sides.",
        "每个节点为它收到的提案投票。选票被分散：需要三张相同的票，而拜占庭节点对每一方最多只有一票。两个区块不可能都达到法定票数。",
      ],
      look: ["Inner rings that do not fill.", "填不满的内环。"],
      until: claims.after(800),
      claims: [claims.noFork],
    },
    {
      says: [
        "Either one of the blocks got its quorum, or the sealers lose patience and change " +
          "the view: the next leader is another one.",
        "要么其中一个区块达到法定票数，要么节点失去耐心并变更视图：下一个主节点是别人。",
      ],
      until: claims.blocksMore(1),
      claims: [claims.noFork],
    },
    {
      says: [
        "However long it goes on, there is one chain. A faulty node can cost time, not safety: " +
          "that is what the votes are for.",
        "无论持续多久，始终只有一条链。拜占庭节点只能浪费时间，不能破坏安全性：这就是投票的意义。",
      ],
      look: ["Equal colours at each height.", "每个高度的颜色都相同。"],
      until: claims.blocksMore(2),
      claims: [claims.noFork],
    },
  ],
};
