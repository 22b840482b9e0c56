/** Why n sealers survive (n - 1) / 3 faults and not more. */
import * as claims from "./claims.ts";
import type { Lesson } from "./lesson.ts";

/** The lesson. */
export const PBFT_QUORUM: Lesson = {
  id: "pbft-quorum",
  title: ["PBFT: why 3f + 1", "PBFT：为什么是 3f + 1"],
  about: [
    "Seven sealers survive two faults and stop at three. What the numbers protect.",
    "七个节点可以容忍两个故障，三个则停止。这些数字保护了什么。",
  ],
  scenario: "1.pbft.nodes-7.seed-3.load-400",
  steps: [
    {
      says: [
        "Seven sealers: n = 3f + 1 with f = 2. A quorum is n - f = 5 votes: the most that " +
          "one can wait for when two may be silent.",
        "七个节点：n = 3f + 1，f = 2。法定票数为 n - f = 5：在两个节点可能无响应时，这是能等到的最多票数。",
      ],
      until: claims.heightReached(1),
      claims: [claims.quorumIs(5), claims.noFork],
    },
    {
      says: ["Two sealers go down: as many as f.", "两个节点宕机，正好是 f 个。"],
      pointed: [1, 2],
      acts: () => [
        { kind: "kill", node: 1 },
        { kind: "kill", node: 2 },
      ],
      until: claims.offCount(2),
    },
    {
      says: [
        "Five are left, and five votes are a quorum: blocks still become final. It takes " +
          "longer when it would be the turn of one that is off.",
        "还剩五个，五票就是法定票数：区块仍能确定。轮到宕机节点主导时会慢一些。",
      ],
      until: claims.blocksMore(1),
      claims: [claims.noFork],
    },
    {
      says: ["A third one goes down: f + 1.", "第三个节点宕机：f + 1。"],
      pointed: [3],
      acts: () => [{ kind: "kill", node: 3 }],
      until: claims.offCount(3),
    },
    {
      says: [
        "Now no quorum can come together, and nothing is decided. The sealers rather wait " +
          "than risk two chains: two quorums of five among seven share three sealers, and even " +
          "if two of these lie, one is honest and votes once.",
        "现在凑不齐法定票数，什么都无法决定。节点宁可等待，也不冒出现两条链的风险：七个节点中任意两个五票集合至少有三个共同成员，即使其中两个说谎，仍有一个诚实节点只投一票。",
      ],
      look: ["Rings that stay incomplete.", "始终不完整的环。"],
      until: claims.after(7_000),
      claims: [claims.standstill, claims.noFork],
    },
    {
      says: ["One returns, and the chain goes on where it stood.", "一个节点恢复，链从原处继续。"],
      pointed: [3],
      acts: () => [{ kind: "restart", node: 3 }],
      until: claims.blocksMore(1),
      claims: [claims.noFork],
    },
  ],
};
