/** Scenarios to begin with. */
import type { Words } from "../texts.ts";

interface Preset {
  readonly id: string;
  readonly text: string;
  readonly title: Words;
  readonly about: Words;
}

/** All of them, from the simplest on. */
export const PRESETS: readonly Preset[] = [
  {
    id: "pbft",
    text: "1.pbft.load-1000",
    title: ["PBFT, four sealers", "PBFT，四个共识节点"],
    about: [
      "A client sends a transaction every second. One of the four may fail.",
      "客户端每秒发送一笔交易。四个节点中允许一个失效。",
    ],
  },
  {
    id: "pbft-crash",
    text: "1.pbft.load-1000.t2000-kill-1",
    title: ["PBFT, a sealer goes down", "PBFT，一个节点宕机"],
    about: [
      "Whenever it would be node 2's turn to lead, the others change the view.",
      "轮到节点 2 出块时，其他节点会变更视图。",
    ],
  },
  {
    id: "pbft-liar",
    text: "1.pbft.load-1000.t1500-lie-0-equivocate",
    title: ["PBFT, a leader that lies", "PBFT，拜占庭主节点"],
    about: [
      "Node 1 proposes different blocks to different nodes. No fork comes of it.",
      "节点 1 向不同节点提出不同的区块，但不会产生分叉。",
    ],
  },
  {
    id: "pbft-too-many",
    text: "1.pbft.load-1000.t2500-kill-1.t2500-kill-2.t20000-restart-1",
    title: ["PBFT, one fault too many", "PBFT，故障过多"],
    about: [
      "Two of four are down: nothing is decided until one of them returns.",
      "四个中有两个宕机：直到其中一个恢复之前，无法达成共识。",
    ],
  },
  {
    id: "pbft-seven",
    text: "1.pbft.nodes-7.load-1000.t2000-kill-1.t2000-kill-2",
    title: ["PBFT, seven sealers, two down", "PBFT，七个节点，两个宕机"],
    about: ["Seven sealers survive two faults.", "七个共识节点可以容忍两个故障。"],
  },
  {
    id: "pbft-bad-network",
    text: "1.pbft.load-1000.t0-delay-20-400.t0-loss-10",
    title: ["PBFT on a bad network", "糟糕网络上的 PBFT"],
    about: ["Messages are slow, and each tenth is lost.", "消息很慢，而且十分之一会丢失。"],
  },
  {
    id: "raft",
    text: "1.raft.nodes-5.load-1000",
    title: ["Raft, five sealers", "Raft，五个节点"],
    about: ["An election, then heartbeats that carry blocks.", "先选举，然后用心跳复制区块。"],
  },
  {
    id: "raft-partition",
    text: "1.raft.nodes-5.load-1000.t8000-partition-0_1-2_3_4.t16000-heal",
    title: ["Raft, a partition", "Raft，网络分区"],
    about: [
      "Only the side with the majority goes on; the other side catches up later.",
      "只有多数派能继续，另一侧随后追上。",
    ],
  },
  {
    id: "catch-up",
    text: "1.pbft.load-500.t1500-kill-3.t16000-restart-3",
    title: ["Catching up", "追赶同步"],
    about: [
      "Node 4 misses blocks and downloads them when it returns.",
      "节点 4 错过若干区块，恢复后下载它们。",
    ],
  },
];
