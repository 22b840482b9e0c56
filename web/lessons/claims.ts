/** The claims that lessons make, each with its words. Nodes count from 0 here, from 1 in words. */
import type {
  MessageKind,
  NodeView,
  PbftView,
  RaftView,
} from "../../runtimes/shared/theatre/frame.ts";
import type { Claim } from "./lesson.ts";
import type { Past } from "./past.ts";

/** A node of what is shown. @throws RangeError */
function nodeOf({ frame }: Past, node: number): NodeView {
  const view = frame.nodes[node];
  if (!view) throw new RangeError(`the scenario has no node ${node}`);
  return view;
}

/** Nodes whose power is on. */
function running({ frame }: Past): readonly NodeView[] {
  return frame.nodes.filter(({ power }) => power === "on");
}

/** What consensus of nodes whose power is on, undefined where none runs. */
function pbftCores(past: Past): readonly (PbftView | undefined)[] {
  return running(past).map(({ consensus }) => (consensus?.kind === "pbft" ? consensus : undefined));
}

function raftCores(past: Past): readonly (RaftView | undefined)[] {
  return running(past).map(({ consensus }) => (consensus?.kind === "raft" ? consensus : undefined));
}

function highest({ frame }: Past): number {
  return Math.max(...frame.nodes.map(({ height }) => height));
}

function claim(en: string, zh: string, holds: (past: Past) => boolean): Claim {
  return { says: [en, zh], holds };
}

/** All of them hold; the words are those of the first. */
export function all(first: Claim, ...others: readonly Claim[]): Claim {
  return {
    says: first.says,
    holds: (past) => [first, ...others].every((one) => one.holds(past)),
  };
}

/** This much virtual time has passed since the step began. */
export function after(ms: number): Claim {
  return claim(`${ms} ms have passed`, `已过去 ${ms} 毫秒`, ({ frame, began }) => {
    return frame.timeMs - began.timeMs >= ms;
  });
}

/** A quorum is that many votes. */
export function quorumIs(count: number): Claim {
  return claim(`a quorum is ${count} votes`, `法定票数为 ${count}`, ({ frame }) => {
    const quorums = frame.nodes.flatMap(({ consensus }) => consensus?.quorum ?? []);
    return quorums.length > 0 && quorums.every((quorum) => quorum === count);
  });
}

/** All running nodes have that many blocks above the first, or more. */
export function heightReached(height: number): Claim {
  return claim(
    `every running node has block ${height}`,
    `每个运行的节点都有区块 ${height}`,
    (past) => running(past).every((node) => node.height >= height),
  );
}

/** Some node has that block. */
export function someHeight(height: number): Claim {
  return claim(`a node has block ${height}`, `已有节点写入区块 ${height}`, ({ frame }) =>
    frame.nodes.some((node) => node.height >= height),
  );
}

/** These nodes do not have that block. */
export function lacks(height: number, ...nodes: readonly number[]): Claim {
  const list = nodes.map((node) => node + 1).join(", ");
  return claim(
    `nodes ${list} do not have block ${height}`,
    `节点 ${list} 没有区块 ${height}`,
    (past) => nodes.every((node) => nodeOf(past, node).height < height),
  );
}

/** No block was written since the step of the lesson began. */
export const standstill: Claim = claim(
  "no block was written meanwhile",
  "期间没有写入任何区块",
  ({ frame, began }) =>
    frame.nodes.every(({ node, height }) => height === began.nodes[node]?.height),
);

/** No two hashes at one height. */
export const noFork: Claim = claim(
  "no two hashes at one height",
  "同一高度没有两个不同的哈希",
  ({ hashes, frame }) =>
    frame.forks.length === 0 && [...hashes.values()].every(({ size }) => size === 1),
);

/** At most one leader in each term. */
export const oneLeaderPerTerm: Claim = claim(
  "at most one leader in each term",
  "每个任期最多一个领导者",
  ({ leaders }) => [...leaders.values()].every(({ size }) => size <= 1),
);

/** The power of a node. */
export function powerIs(node: number, power: NodeView["power"]): Claim {
  return claim(
    power === "off" ? `node ${node + 1} is off` : `node ${node + 1} runs`,
    power === "off" ? `节点 ${node + 1} 已关闭` : `节点 ${node + 1} 在运行`,
    (past) => nodeOf(past, node).power === power,
  );
}

/** All running sealers are in a view, or above. */
export function viewReached(view: number): Claim {
  return claim(
    `every running sealer is in view ${view} or above`,
    `每个运行的共识节点都进入视图 ${view} 或更高`,
    (past) => pbftCores(past).every((core) => core !== undefined && core.view >= view),
  );
}

/** A sealer of those that run wants to leave its view. */
export const viewIsLeft: Claim = claim(
  "a sealer wants to leave its view",
  "有共识节点要离开当前视图",
  (past) => pbftCores(past).some((core) => core && core.toView > core.view),
);

/** Some node has that many view changes for one view. */
export function viewChanges(count: number): Claim {
  return claim(
    `a node has ${count} view changes for one view`,
    `有节点收到同一视图的 ${count} 张视图变更票`,
    (past) =>
      pbftCores(past).some(
        (core) =>
          core &&
          (core.viewChanges.some(({ voters }) => voters.length >= count) ||
            core.justification.length >= count),
      ),
  );
}

/** A kind of message was sent since the step began. */
export function sent(kind: MessageKind, en: string, zh: string): Claim {
  return claim(en, zh, ({ flown }) => flown.has(kind));
}

/** A kind of message is on its way to a node. */
export function flyingTo(node: number, kind: MessageKind, en: string, zh: string): Claim {
  return claim(en, zh, ({ frame }) =>
    frame.flights.some((flight) => flight.kind === kind && flight.to === node),
  );
}

/** A node is in a state of one of its charts. */
export function isIn(node: number, chart: string, path: string): Claim {
  return claim(
    `the ${chart} chart of node ${node + 1} is in ${path}`,
    `节点 ${node + 1} 的 ${chart} 状态图处于 ${path}`,
    (past) =>
      nodeOf(past, node).actors.some(
        (actor) => actor.chart === chart && actor.active.includes(path),
      ),
  );
}

/** A node's chart went through a state since the step began. */
export function wasIn(node: number, chart: string, path: string): Claim {
  return claim(
    `the ${chart} chart of node ${node + 1} went through ${path}`,
    `节点 ${node + 1} 的 ${chart} 状态图经过 ${path}`,
    ({ lit }) => lit.has(`${node}/${chart}/${path}`),
  );
}

/** The word of group 1 at a node. */
export function groupIs(node: number, word: string): Claim {
  return claim(
    `the group is ${word} at node ${node + 1}`,
    `节点 ${node + 1} 上的群组状态为 ${word}`,
    (past) => nodeOf(past, node).groups[0]?.status === word,
  );
}

/** The leader of the highest term, by number. */
export function leaderOf(past: Past): number | undefined {
  const terms = raftCores(past).map((core) => (core?.role === "leader" ? core.term : -1));
  const highestTerm = Math.max(...terms);
  return highestTerm < 0 ? undefined : running(past)[terms.indexOf(highestTerm)]?.node;
}

/** Somebody leads, in a term of at least that number, and a majority follows. */
export function isLed(term: number): Claim {
  return claim(
    `a leader of term ${term} or above is followed by a majority`,
    `任期 ${term} 或更高的领导者得到多数节点跟随`,
    (past) => {
      const leader = leaderOf(past);
      const cores = raftCores(past);
      const core = cores[running(past).findIndex(({ node }) => node === leader)];
      if (!core || core.term < term) return false;
      return cores.filter((it) => it?.leader === leader).length >= core.quorum;
    },
  );
}

/** Somebody is in a role. */
export function someoneIs(role: RaftView["role"], en: string, zh: string): Claim {
  return claim(en, zh, (past) => raftCores(past).some((core) => core?.role === role));
}

/** All sealers follow somebody or lead, and there is one leader. */
export const allFollow: Claim = claim(
  "all running sealers follow one leader",
  "所有运行的节点跟随同一个领导者",
  (past) => {
    const leader = leaderOf(past);
    return leader !== undefined && raftCores(past).every((core) => core?.leader === leader);
  },
);

/** All of that many nodes serve. */
export function serving(count: number): Claim {
  return claim(`${count} nodes serve`, `${count} 个节点在服务`, (past) => {
    const ready = running(past).filter(({ consensus, peers }) => {
      return consensus !== undefined && peers.length === past.frame.nodes.length - 1;
    });
    return ready.length === count;
  });
}

/** Some node has that many sign votes, or more. */
export function anySigns(count: number): Claim {
  return claim(`a node has ${count} sign votes`, `有节点收到 ${count} 张签名票`, (past) =>
    pbftCores(past).some((core) => core && core.signs.voters.length >= count),
  );
}

/** Some node has that many commit votes, or more. */
export function anyCommits(count: number): Claim {
  return claim(`a node has ${count} commit votes`, `有节点收到 ${count} 张提交票`, (past) =>
    pbftCores(past).some((core) => core && core.commits.voters.length >= count),
  );
}

/** Some node holds a lock for the height that is being decided, proved by a quorum. */
export const anyLock: Claim = claim(
  "a node is locked, proved by a quorum of sign votes",
  "有节点凭法定数量的签名票锁定",
  (past) => pbftCores(past).some((core) => core?.lock && core.lock.voters.length >= core.quorum),
);

/** Some node has the block of that height, and it has this many seals, or more, wherever it is. */
export function sealed(height: number, count: number): Claim {
  return claim(
    `block ${height} carries ${count} seals`,
    `区块 ${height} 带有 ${count} 个封印`,
    ({ frame }) => {
      const all = frame.nodes.flatMap(({ blocks }) => blocks);
      const found = all.filter(({ number }) => number === height);
      return found.length > 0 && found.every(({ seals }) => seals >= count);
    },
  );
}

/** Who leads the round that most running sealers are in. */
export function pbftLeader(past: Past): number | undefined {
  return pbftCores(past).find((core) => core?.leader !== undefined)?.leader;
}

/** That many nodes are off. */
export function offCount(count: number): Claim {
  return claim(
    count === 1 ? "one node is off" : `${count} nodes are off`,
    `${count} 个节点已关闭`,
    ({ frame }) => frame.nodes.filter(({ power }) => power === "off").length === count,
  );
}

/** Since the step began, every running node that takes part wrote that many blocks, or more. */
export function blocksMore(count: number): Claim {
  return claim(
    count === 1 ? "a quorum wrote one more block" : `a quorum wrote ${count} more blocks`,
    `法定数量的节点又写入了 ${count} 个区块`,
    ({ frame, began }) => {
      const base = Math.max(...began.nodes.map(({ height }) => height));
      const ahead = frame.nodes.filter(({ height }) => height >= base + count).length;
      return ahead >= quorumOf(frame.nodes);
    },
  );
}

function quorumOf(nodes: readonly NodeView[]): number {
  return Math.max(1, ...nodes.flatMap(({ consensus }) => consensus?.quorum ?? []));
}

/** A node lies. */
export function lies(node: number): Claim {
  return claim(`node ${node + 1} lies`, `节点 ${node + 1} 在说谎`, (past) =>
    Boolean(nodeOf(past, node).lie),
  );
}

/** A lie is on its way. */
export const lieFlies: Claim = claim("a lie is on its way", "谎言正在传输", ({ frame }) =>
  frame.flights.some(({ lie }) => lie),
);

/** Something is cut. */
export const isCut: Claim = claim("links are cut", "链路被切断", ({ frame }) => {
  return frame.cuts.length > 0;
});

/** That many nodes, the leader included, hold an entry that is not final. */
export function entryStored(count: number): Claim {
  return claim(`${count} nodes hold the entry`, `${count} 个节点存有日志项`, (past) => {
    return raftCores(past).filter((core) => core?.entry !== undefined).length >= count;
  });
}

/** The leader and one more on one side, the others on the other. */
export function splitAround(past: Past): readonly (readonly number[])[] {
  const numbers = past.frame.nodes.map(({ node }) => node);
  const leader = leaderOf(past) ?? 0;
  const partner = numbers.find((node) => node !== leader) ?? leader;
  const minority = numbers.filter((node) => node === leader || node === partner);
  return [minority, numbers.filter((node) => !minority.includes(node))];
}

/** The smaller side of a cut has written nothing since the step began, for so long. */
export function minorityStandstill(ms: number): Claim {
  return claim(
    "the smaller side has written nothing",
    "少数派一侧没有写入任何区块",
    ({ frame, began }) => {
      const reach = (node: number) =>
        frame.cuts.filter(({ from, to }) => from === node && to !== node).length;
      const most = Math.max(...frame.nodes.map(({ node }) => reach(node)));
      const minority = frame.nodes.filter(({ node }) => reach(node) === most);
      const isStill = minority.every(({ node, height }) => height === began.nodes[node]?.height);
      return isStill && frame.timeMs - began.timeMs >= ms;
    },
  );
}

/** All nodes have the same height. */
export const sameHeights: Claim = claim(
  "all nodes have the same head",
  "所有节点的链头相同",
  ({ frame }) => new Set(frame.nodes.map(({ head }) => head)).size === 1,
);

/** A node is that many blocks behind the highest, or more. */
export function isBehind(node: number, count: number): Claim {
  return claim(
    `node ${node + 1} is ${count} blocks behind, or more`,
    `节点 ${node + 1} 落后至少 ${count} 个区块`,
    (past) => nodeOf(past, node).height + count <= highest(past),
  );
}

/** A node and its group run, and no other node has a newer block. */
export function hasCaughtUp(node: number): Claim {
  return claim(`node ${node + 1} has caught up`, `节点 ${node + 1} 已追上`, (past) => {
    const { height, power, groups } = nodeOf(past, node);
    return power === "on" && groups[0]?.status === "RUNNING" && height >= highest(past);
  });
}
