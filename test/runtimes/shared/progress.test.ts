/** What is reported of a group that cannot write blocks: why, since when, and who is missing. */
// rules: pbft 1, raft 1
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { ConsensusStatus, GroupApi, NodeApi } from "../../../core/api/node-api.ts";
import type { PeerVoting } from "../../../core/model/voting.ts";
import { healthOf } from "../../../runtimes/shared/health.ts";
import { createHttpApp } from "../../../runtimes/shared/http-app.ts";
import { ProgressWatch } from "../../../runtimes/shared/progress.ts";
import { collectLog } from "../../support/collected-log.ts";
import { nodeIdOf, OWN_ID } from "../../support/data-node.ts";
import { createHandClock } from "../../support/world/hand-clock.ts";
import { rpcGroup, rpcNode } from "../../support/rpc-node.ts";

const OTHERS = [nodeIdOf("a1"), nodeIdOf("a2"), nodeIdOf("a3")];
const RUNS = { groupId: 1, status: "RUNNING", isRunning: true, failure: undefined } as const;

/** A group of four sealers that a test changes while it is watched. */
class Scene {
  readonly clock = createHandClock();
  readonly log = collectLog();
  readonly node: NodeApi;
  readonly watch: ProgressWatch;
  peers: readonly NodeId[] = OTHERS;
  outsiders: readonly NodeId[] = [];
  sealers: readonly NodeId[] = [OWN_ID, ...OTHERS];
  status: Partial<ConsensusStatus> = {};
  pending = 0;
  height = 2;

  constructor() {
    const plain = rpcGroup();
    const base = plain.consensusStatus();
    const ledger = new Proxy(plain.ledger, {
      get: (target, key, self) =>
        key === "head"
          ? () => ({ ...target.head(), number: this.height })
          : Reflect.get(target, key, self),
    });
    const group: GroupApi = {
      ...plain,
      ledger,
      isMember: () => true,
      consensusStatus: () =>
        ({ ...base, sealers: [...this.sealers].sort(), ...this.status }) as ConsensusStatus,
      syncStatus: () => ({ ...plain.syncStatus(), peers: [], otherGenesis: this.outsiders }),
      pendingCount: () => this.pending,
    };
    const peer = { endpoint: "h:1", agency: "a", node: "n", topics: [] };
    this.node = rpcNode({
      groups: () => [RUNS],
      groupList: () => [1],
      group: () => group,
      peers: () => this.peers.map((nodeId) => ({ nodeId, ...peer })),
    });
    this.watch = new ProgressWatch({ node: this.node, clock: this.clock, log: this.log });
  }

  health() {
    return healthOf(this.node, undefined, (id) => this.watch.stall(id));
  }
}

test("three of four sealers write; with two it is reported since when, and who is missing", () => {
  const scene = new Scene();
  const end = scene.watch.begin();
  scene.peers = OTHERS.slice(0, 2);
  scene.clock.move(60_000);
  assert.equal(scene.watch.stall(1), undefined);
  scene.peers = OTHERS.slice(0, 1);
  scene.clock.move(6_000);
  const cause = "2 of 4 sealers are connected, 3 are needed (missing: a2a2a2a2, a3a3a3a3)";
  assert.deepEqual(scene.watch.stall(1), { cause, seconds: 5 });
  assert.deepEqual(scene.log.lines, []);
  scene.clock.move(10_000);
  const health = scene.health();
  assert.deepEqual([health.ready, health.writable], [true, false]);
  assert.deepEqual(health.warnings, [
    `group 1 has not been able to write blocks for 15 s: ${cause}`,
    "to mend group 1: start, or open the way to, a2a2a2a2, a3a3a3a3",
  ]);
  const [group] = health.groups;
  assert.deepEqual(
    [group?.connectedSealers, group?.quorum, group?.missingSealers],
    [2, 3, OTHERS.slice(1)],
  );
  scene.clock.move(60_000);
  scene.peers = OTHERS;
  scene.clock.move(1_000);
  assert.equal(scene.health().writable, true);
  scene.height++;
  scene.clock.move(1_000);
  assert.deepEqual(
    scene.log.lines.map(({ level, message, fields }) => [level, message, fields["cause"]]),
    [
      ["warning", "the group cannot write blocks", cause],
      ["info", "the group can write blocks again", undefined],
    ],
  );
  end();
  assert.equal(scene.clock.waiting, 0);
});

test("a session that ends at once, as the doctor's does, dates nothing anew", () => {
  const scene = new Scene();
  scene.watch.begin();
  scene.peers = OTHERS.slice(0, 1);
  scene.clock.move(20_000);
  scene.peers = OTHERS.slice(0, 2);
  scene.clock.move(3_000);
  assert.equal(scene.watch.stall(1), undefined);
  scene.peers = OTHERS.slice(0, 1);
  scene.clock.move(1_000);
  assert.equal(scene.watch.stall(1)?.seconds, 23);
  assert.deepEqual(scene.log.messages("info"), []);
  scene.peers = OTHERS.slice(0, 2);
  scene.clock.move(12_000);
  assert.deepEqual(scene.log.messages("info"), ["the group can write blocks again"]);
  scene.peers = OTHERS.slice(0, 1);
  scene.clock.move(1_000);
  assert.equal(scene.watch.stall(1)?.seconds, 0);
});

test("a view that sealers agree on ends a shortage at once", () => {
  const scene = new Scene();
  scene.status = { currentView: 4 };
  scene.watch.begin();
  scene.peers = OTHERS.slice(0, 1);
  scene.clock.move(20_000);
  scene.peers = OTHERS;
  scene.status = { currentView: 5 };
  scene.clock.move(1_000);
  assert.deepEqual(scene.log.messages("info"), ["the group can write blocks again"]);
  scene.peers = OTHERS.slice(0, 1);
  scene.clock.move(1_000);
  assert.equal(scene.watch.stall(1)?.seconds, 0);
});

test("a group that stays without a quorum is reported again, not every second", () => {
  const scene = new Scene();
  scene.watch.begin();
  scene.peers = [];
  scene.clock.move(11 * 60_000);
  assert.equal(scene.log.messages("warning").length, 3);
});

test("a sealer with another genesis block does not count, and too many make a node not ready", () => {
  const scene = new Scene();
  scene.watch.begin();
  scene.outsiders = OTHERS.slice(0, 1);
  scene.clock.move(1_000);
  assert.equal(scene.watch.stall(1), undefined);
  const text = "another genesis block, compare conf/group.1.genesis with theirs";
  assert.deepEqual(scene.health().warnings, [`group 1: a peer has ${text} (a1a1a1a1)`]);
  assert.equal(scene.health().ready, true);
  scene.outsiders = OTHERS.slice(0, 2);
  scene.clock.move(3_000);
  assert.deepEqual(scene.health().reasons, [`group 1: 2 peers have ${text} (a1a1a1a1, a2a2a2a2)`]);
  assert.match(scene.watch.stall(1)?.cause ?? "", /^2 of 4 sealers are connected/);
});

test("those who see more sealers on their side stay ready next to a node of another chain", () => {
  const scene = new Scene();
  scene.sealers = [OWN_ID, ...OTHERS.slice(0, 2)];
  scene.peers = OTHERS.slice(0, 2);
  scene.outsiders = OTHERS.slice(0, 1);
  // No sealer of three may lie, but two of them agree.
  assert.deepEqual([scene.health().ready, scene.health().warnings.length], [true, 1]);
  scene.peers = OTHERS.slice(0, 1);
  assert.equal(scene.health().ready, false);
});

test("a sealer that is silent does not count itself", () => {
  const scene = new Scene();
  const group = scene.node.group(1) ?? assert.fail();
  Object.assign(group, { abstention: () => ({ cause: "copied", until: 9, needsOperator: false }) });
  scene.watch.begin();
  scene.peers = OTHERS.slice(0, 2);
  scene.clock.move(1_000);
  const cause =
    "2 of 4 sealers are connected and vote, 3 are needed (this node is silent; missing: a3a3a3a3)";
  assert.equal(scene.watch.stall(1)?.cause, cause);
  const said = scene.health().warnings;
  assert.match(
    said[0] ?? "",
    /^group 1 follows as a silent observer, .*until it stands at block 9/,
  );
  assert.equal(said.length, 3);
  assert.match(
    said[2] ?? "",
    /where no other copy runs, chain-node confirm DIR --group 1 on .* \(this node\)$/,
  );
});

test("a sealer that says that it does not vote does not count; of whom nothing is known does", () => {
  const scene = new Scene();
  const group = scene.node.group(1) ?? assert.fail();
  const votings: PeerVoting[] = ["votes", "unknown", "behind", "votes"];
  const voting = () => [...OTHERS, OWN_ID].map((nodeId, i) => ({ nodeId, voting: votings[i] }));
  Object.assign(group, { voting });
  scene.watch.begin();
  scene.clock.move(1_000);
  assert.equal(scene.watch.stall(1), undefined);
  const health = scene.health();
  assert.deepEqual([health.writable, health.groups[0]?.votingSealers], [true, 3]);
  const few = "3 of 4 sealers vote (1 not known to), 3 are needed; not voting: a3a3a3a3";
  assert.deepEqual(health.warnings, [`group 1: ${few} fetches blocks`]);
  assert.deepEqual(
    health.groups[0]?.sealerVotes?.map(({ voting: said }) => said),
    ["votes", "unknown", "behind", "votes"],
  );
  scene.peers = OTHERS.slice(1);
  scene.clock.move(1_000);
  const cause =
    "2 of 4 sealers are connected and vote, 3 are needed (missing: a1a1a1a1; " +
    "not voting: a3a3a3a3 fetches blocks)";
  assert.equal(scene.watch.stall(1)?.cause, cause);
  assert.equal(scene.health().groups[0]?.sealerVotes?.[0]?.voting, "missing");
  votings[2] = "other";
  scene.peers = OTHERS;
  scene.clock.move(10_000);
  assert.match(scene.health().warnings.join(), /a3a3a3a3 for a reason of a newer version$/);
  [votings[1], votings[2]] = ["silent", "quiet"];
  scene.clock.move(1_000);
  const mending = scene.health().warnings.at(-1) ?? "";
  assert.match(mending, /chain-node confirm DIR --group 1 on a2a2a2a2 \(n at h\); /);
  assert.match(mending, /chain-node doctor DIR on a3a3a3a3 \(n at h\)$/);
});

test("a sealer at the edge of a star takes part through others while views or blocks come", () => {
  const scene = new Scene();
  scene.status = { currentView: 1 };
  scene.watch.begin();
  scene.peers = OTHERS.slice(0, 1);
  scene.clock.move(1_000);
  assert.match(scene.watch.stall(1)?.cause ?? "", /^2 of 4 sealers are connected/);
  for (let view = 2; view < 30; view++) {
    scene.status = { currentView: view };
    scene.clock.move(1_000);
    assert.equal(scene.watch.stall(1), undefined);
  }
  for (let block = 0; block < 30; block++) {
    scene.height++;
    scene.clock.move(1_000);
    assert.equal(scene.watch.stall(1), undefined);
  }
  scene.clock.move(13_000);
  assert.equal(scene.watch.stall(1), undefined);
  scene.clock.move(3_000);
  assert.match(scene.watch.stall(1)?.cause ?? "", /^2 of 4 sealers are connected/);
});

test("an observer that reaches few sealers believes the blocks that come nevertheless", () => {
  const scene = new Scene();
  scene.sealers = [...OTHERS, nodeIdOf("a4")];
  scene.peers = OTHERS.slice(0, 1);
  scene.watch.begin();
  scene.clock.move(20_000);
  assert.equal(scene.watch.stall(1)?.seconds, 20);
  scene.height++;
  scene.clock.move(90_000);
  assert.equal(scene.watch.stall(1), undefined);
  scene.peers = [];
  scene.clock.move(2_000);
  assert.match(scene.watch.stall(1)?.cause ?? "", /^0 of 4 sealers are connected/);
});

test("an observer of a Raft group, which no leader speaks to, does not miss one", () => {
  const scene = new Scene();
  scene.watch.begin();
  scene.sealers = OTHERS;
  scene.status = { kind: "raft", leader: undefined };
  scene.clock.move(60_000);
  assert.equal(scene.watch.stall(1), undefined);
  assert.equal(scene.health().writable, true);
});

test("views that do not come, leaders that are not elected, transactions that wait", () => {
  const scene = new Scene();
  scene.watch.begin();
  scene.status = { leaderFailed: true, currentView: 4, toView: 6 };
  scene.clock.move(14_000);
  assert.equal(scene.watch.stall(1), undefined);
  scene.clock.move(2_000);
  assert.match(scene.watch.stall(1)?.cause ?? "", /^no view has come of view 4, view 6 is tried$/);
  scene.status = { kind: "raft", leader: undefined };
  scene.clock.move(1_000);
  assert.match(scene.watch.stall(1)?.cause ?? "", /^no leader is elected/);
  scene.status = {};
  scene.pending = 3;
  scene.clock.move(50_000);
  assert.equal(scene.watch.stall(1), undefined);
  scene.height++;
  scene.clock.move(50_000);
  assert.equal(scene.watch.stall(1), undefined);
  scene.clock.move(20_000);
  assert.match(scene.watch.stall(1)?.cause ?? "", /^transactions wait/);
});

test("a Raft group needs the majority only", () => {
  const scene = new Scene();
  scene.status = { kind: "raft", leader: { nodeId: OWN_ID, index: 0 } };
  scene.peers = OTHERS.slice(0, 2);
  scene.watch.begin();
  scene.clock.move(30_000);
  assert.equal(scene.watch.stall(1), undefined);
  scene.peers = OTHERS.slice(0, 1);
  scene.clock.move(1_000);
  assert.match(scene.watch.stall(1)?.cause ?? "", /^2 of 4 sealers are connected, 3 are needed/);
});

test("reads are answered without a quorum; who asks about writes is told", async () => {
  const scene = new Scene();
  scene.peers = [];
  const { app } = createHttpApp({ node: scene.node, maxBodyBytes: 1_000 });
  const codeOf = async (path: string) => (await app.request(path)).status;
  assert.deepEqual([await codeOf("/readyz"), await codeOf("/readyz?writes")], [200, 503]);
  const { warnings } = healthOf(scene.node);
  assert.match(warnings[0] ?? "", /^group 1 cannot write blocks: 1 of 4 sealers is connected/);
  scene.peers = OTHERS;
  assert.deepEqual([await codeOf("/readyz?writes"), await codeOf("/readyz?writes=1")], [200, 200]);
});
