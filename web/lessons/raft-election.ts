/** How Raft finds a leader. */
import * as claims from "./claims.ts";
import type { Lesson } from "./lesson.ts";

/** The lesson. */
export const RAFT_ELECTION: Lesson = {
  id: "raft-election",
  title: ["Raft: the election", "Raft：选举"],
  about: [
    "Five sealers without a leader find one, and replicate a block.",
    "五个没有领导者的节点如何选出领导者并复制区块。",
  ],
  scenario: "1.raft.nodes-5.seed-11",
  steps: [
    {
      says: [
        "Five sealers, no leader. Each waits for a time drawn by lot: the thin ring. Raft " +
          "trusts that nobody lies; it survives those who are silent.",
        "五个节点，没有领导者。每个节点等待一段随机时间：细环。Raft 假设没有人说谎，它能容忍沉默的节点。",
      ],
      look: ["Thin rings of different length.", "长短不同的细环。"],
      until: claims.serving(5),
      claims: [claims.quorumIs(3), claims.oneLeaderPerTerm],
    },
    {
      says: [
        "The first node that times out starts a pre-vote: it asks whether it would be elected. " +
          "It changes nothing yet, so that a node with a bad connection disturbs no other.",
        "最先超时的节点询问自己是否会当选：预投票。它不改变任何状态，因此网络不好的节点不会干扰他人。",
      ],
      look: ["Messages p and r.", "消息 p 和 r。"],
      until: claims.someoneIs("preCandidate", "a node asks for pre-votes", "有节点发起预投票"),
      claims: [claims.oneLeaderPerTerm],
    },
    {
      says: [
        "A majority would vote for it, so it starts an election in the next term. A term is " +
          "a number that only rises; each sealer has one vote in it, and stores that vote " +
          "before it gives it.",
        "多数节点愿意投票，于是它进入下一任期并参选。任期只增不减；每个节点在一个任期内只有一票，并且先落盘再投出。",
      ],
      look: ["Messages V: give me your vote.", "消息 V：请投我一票。"],
      until: claims.all(
        claims.someoneIs("candidate", "a node starts an election", "有节点成为候选人"),
        claims.sent("vote", "votes are asked for", "正在请求投票"),
      ),
      claims: [claims.oneLeaderPerTerm],
    },
    {
      says: [
        "Three votes of five are a majority, and two majorities share a node: there cannot " +
          "be two leaders in one term.",
        "五票中的三票是多数，任意两个多数集合都有共同成员：同一任期不可能有两个领导者。",
      ],
      look: ["The ring of votes, then the star.", "选票环，然后是星号。"],
      until: claims.someoneIs("leader", "a node leads", "有节点成为领导者"),
      claims: [claims.oneLeaderPerTerm],
    },
    {
      says: [
        "The leader sends heartbeats, and the others start their timers anew with each of " +
          "them.",
        "领导者发送心跳，其他节点每收到一次就重置定时器。",
      ],
      look: ["Messages A, and the rings that fill again.", "消息 A，以及重新填满的细环。"],
      until: claims.isLed(1),
      claims: [claims.oneLeaderPerTerm],
    },
    {
      says: [
        "A client's transaction becomes an entry: the hollow square. A heartbeat carries it, " +
          "the others store it and acknowledge.",
        "客户端的交易成为日志项：空心方块。它随心跳发出，其他节点存储并确认。",
      ],
      look: ["Hollow squares: stored, not final.", "空心方块：已存储但未确定。"],
      acts: (past) => [{ kind: "send", node: claims.leaderOf(past) ?? 0, count: 1 }],
      until: claims.entryStored(2),
      claims: [claims.oneLeaderPerTerm],
    },
    {
      says: [
        "Stored by a majority, the entry is committed. The next heartbeat says so, and " +
          "everybody writes the block.",
        "多数节点存储后，日志项即提交。下一次心跳告知其他节点，所有节点写入区块。",
      ],
      until: claims.heightReached(1),
      claims: [claims.oneLeaderPerTerm, claims.noFork],
    },
  ],
};
