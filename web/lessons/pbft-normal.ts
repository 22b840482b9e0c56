/** How four sealers agree on a block when nothing goes wrong. */
import * as claims from "./claims.ts";
import type { Lesson } from "./lesson.ts";

/** The lesson. */
export const PBFT_NORMAL: Lesson = {
  id: "pbft-normal",
  title: ["PBFT: the normal case", "PBFT：正常流程"],
  about: [
    "How four sealers make one block final: proposal, sign votes, commit votes.",
    "四个共识节点如何确定一个区块：提案、签名票、提交票。",
  ],
  scenario: "1.pbft.seed-7",
  steps: [
    {
      says: [
        "Four sealers have started and met each other. None of them trusts the others, yet " +
          "they want the same chain. One leads in each round; the others watch it.",
        "四个共识节点已经启动并互相连接。它们互不信任，却要维护同一条链。每一轮由一个节点主导，其他节点监督它。",
      ],
      look: ["The star: who leads now.", "星号：当前的主节点。"],
      until: claims.serving(4),
      claims: [claims.quorumIs(3), claims.noFork],
    },
    {
      says: [
        "A client sends a transaction. It spreads to all sealers, so that any of them could " +
          "put it into a block.",
        "客户端发送一笔交易。它会传播到所有共识节点，这样任何一个节点都能把它打包进区块。",
      ],
      look: ["Messages T: the transaction on its way.", "消息 T：传播中的交易。"],
      acts: () => [{ kind: "send", node: 0, count: 1 }],
      until: claims.sent("push", "the transaction travels", "交易正在传播"),
    },
    {
      says: [
        "The leader puts what waits into a block and proposes it to everybody. A proposal by " +
          "itself decides nothing.",
        "主节点把等待的交易打包成区块，并向所有节点提出。提案本身并不决定任何事情。",
      ],
      look: ["Messages P: the proposal.", "消息 P：提案。"],
      until: claims.sent("prepare", "the proposal is on its way", "提案正在传输"),
      claims: [claims.lacks(1, 0, 1, 2, 3)],
    },
    {
      says: [
        "Each sealer checks the proposal, executes it, and tells all others the result with " +
          "its signature: a sign vote. So everybody learns what the others have got from the " +
          "leader.",
        "每个节点检查提案、执行它，并用签名把结果告诉所有节点：这就是签名票。于是每个节点都知道其他节点从主节点收到了什么。",
      ],
      look: [
        "The inner ring of each node: a piece for each sealer whose vote it has.",
        "节点的内环：每收到一张票，对应方向的一段就会点亮。",
      ],
      until: claims.anySigns(2),
      claims: [claims.lacks(1, 0, 1, 2, 3)],
    },
    {
      says: [
        "Three equal sign votes are a quorum. Two quorums of four share at least two " +
          "sealers, one of them honest: no other block can get a quorum in this view. The node " +
          "locks and stores its lock before it says more.",
        "三张相同的签名票构成法定票数。四个节点中任意两个法定集合至少有两个共同成员，其中至少一个是诚实的：同一视图中不可能有另一个区块也达到法定票数。节点先锁定并落盘，" +
          "再继续发言。",
      ],
      look: ["The letter L: a lock.", "字母 L：锁。"],
      until: claims.anyLock,
      claims: [claims.lacks(1, 0, 1, 2, 3)],
    },
    {
      says: [
        "A sealer that is locked says so: a commit vote. It carries a seal, a signature of the " +
          "block's hash.",
        "锁定的节点会告知其他节点：提交票。其中带有对区块哈希的签名，即封印。",
      ],
      look: ["The outer ring: commit votes.", "外环：提交票。"],
      until: claims.anyCommits(2),
    },
    {
      says: [
        "With three commit votes the block is final: a quorum is locked, so no later view " +
          "can choose another one. The node writes it, with the three seals as its proof.",
        "收到三张提交票，区块就确定了：法定数量的节点已锁定，之后的视图不可能选出别的区块。节点把它连同三个封印一起写入。",
      ],
      look: ["Block 1 next to each node.", "各节点旁的区块 1。"],
      until: claims.someHeight(1),
      claims: [claims.noFork],
    },
    {
      says: [
        "The others get there a moment later, by the same votes. All four have the same " +
          "block, and nobody had to be trusted.",
        "其他节点凭同样的投票稍后也到达。四个节点拥有相同的区块，而不需要信任任何人。",
      ],
      look: ["Equal colours are equal hashes.", "颜色相同表示哈希相同。"],
      until: claims.heightReached(1),
      claims: [claims.noFork, claims.sealed(1, 3)],
    },
  ],
};
