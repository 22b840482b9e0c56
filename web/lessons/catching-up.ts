/** A node that has missed blocks downloads and verifies them. */
import * as claims from "./claims.ts";
import type { Lesson } from "./lesson.ts";

/** The lesson. */
export const CATCHING_UP: Lesson = {
  id: "catching-up",
  title: ["Catching up", "追赶同步"],
  about: [
    "A node that was away downloads what it missed, and verifies all of it.",
    "离线的节点如何下载错过的区块，并且不轻信任何人。",
  ],
  chart: { node: 3, id: "sync" },
  scenario: "1.pbft.seed-9.load-300",
  steps: [
    {
      says: ["Four sealers make blocks.", "四个节点正在出块。"],
      until: claims.heightReached(2),
      claims: [claims.noFork],
    },
    {
      says: ["Node 4 goes down. The others do not wait for it.", "节点 4 宕机，其他节点不等它。"],
      pointed: [3],
      acts: () => [{ kind: "kill", node: 3 }],
      until: claims.blocksMore(6),
      claims: [claims.powerIs(3, "off"), claims.noFork],
    },
    {
      says: [
        "It returns. On its disk it has the blocks of before; it knows nothing of what came " +
          "after.",
        "它恢复了。磁盘上只有之前的区块，对之后的一无所知。",
      ],
      pointed: [3],
      acts: () => [{ kind: "restart", node: 3 }],
      until: claims.powerIs(3, "on"),
      claims: [claims.isBehind(3, 4)],
    },
    {
      says: [
        "Peers report their heights. Node 4 sees that it is behind and begins to download: its " +
          "sync chart goes from idle to downloading.",
        "其他节点告知高度。节点 4 发现自己落后，开始下载：它的同步状态图从 idle 进入 downloading。",
      ],
      look: ["Messages ?: a request for blocks.", "消息 ?：请求区块。"],
      pointed: [3],
      until: claims.isIn(3, "sync", "running.behind"),
    },
    {
      says: [
        "Blocks arrive from a peer. Node 4 verifies the seals of each against the list of " +
          "sealers and executes it itself: the state must come out the same. A peer that lies " +
          "gains nothing.",
        "区块从其他节点到达。节点 4 用共识节点列表验证每个区块的封印，并自己执行：状态必须一致。说谎的节点得不到好处。",
      ],
      look: ["Messages #: blocks.", "消息 #：区块。"],
      pointed: [3],
      until: claims.flyingTo(3, "blocks", "blocks are on their way to node 4", "区块正发往节点 4"),
      claims: [claims.isIn(3, "sync", "running.behind")],
    },
    {
      says: ["It has caught up and votes again.", "它已追上，并再次参与投票。"],
      pointed: [3],
      until: claims.hasCaughtUp(3),
      claims: [claims.wasIn(3, "sync", "running.behind.importing"), claims.noFork],
    },
  ],
};
