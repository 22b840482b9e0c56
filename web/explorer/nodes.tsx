/** Who makes the blocks: sealers, observers, peers, consensus and synchronisation. */
import type { ConsensusStatus, Peer, SyncStatus } from "../../core/client/rpc-objects.ts";
import { Told } from "../parts/proof-mark.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { type Fact, Facts, Table } from "../parts/table.tsx";
import { numberText } from "../format.ts";
import { text } from "../texts.ts";
import { Heading, NodeText, type Place, usePlace, Waiting } from "./read/place.tsx";
import { useRead } from "./read/use-read.ts";

const EVERY_MS = 2_000;

async function readNodes({ reads, groupId }: Place) {
  const [sealers, observers, connected, peers, own, consensus, sync] = await Promise.all([
    reads.request("getSealerList", [groupId]),
    reads.request("getObserverList", [groupId]),
    reads.request("getNodeIDList", [groupId]),
    reads.request("getPeers", [groupId]),
    reads.request("getNodeInfo", []),
    reads.request("getConsensusStatus", [groupId]),
    reads.request("getSyncStatus", [groupId]),
  ]);
  return { sealers, observers, connected, peers, own, consensus, sync };
}

type Nodes = Awaited<ReturnType<typeof readNodes>>;

/** A member of the group as all answers together tell it. */
interface Member {
  readonly id: string;
  readonly role: "sealer" | "observer";
  readonly index: number | undefined;
  readonly isOwn: boolean;
  readonly isConnected: boolean;
  readonly isLeader: boolean;
  readonly view: number | undefined;
  readonly height: number | undefined;
  readonly peer: Peer | undefined;
}

/** Who leads: in PBFT by turns, in Raft whom the followers voted for. */
function leaderOf(consensus: ConsensusStatus, sealers: readonly string[]): string | undefined {
  const [state] = consensus;
  if ("leaderId" in state) return state.leaderId;
  if (state.leaderFailed || sealers.length === 0) return undefined;
  return sealers[(state.currentView + state.highestblockNumber) % sealers.length];
}

/** The sealers in the order of consensus: the answers name them by number. */
function sealersOf([state]: ConsensusStatus): readonly string[] {
  const names = Object.keys(state).filter((name) => /^sealer\.\d+$/.test(name));
  const byIndex = names.sort((a, b) => Number(a.slice(7)) - Number(b.slice(7)));
  return byIndex.map((name) => String(state[name as `sealer.${number}`]));
}

function membersOf(nodes: Nodes): readonly Member[] {
  const { consensus, sync, own } = nodes;
  const order = sealersOf(consensus);
  const leader = leaderOf(consensus, order);
  const views = new Map((consensus[1] ?? []).map(({ nodeId, view }) => [nodeId, view]));
  const heights = new Map(sync.peers.map(({ nodeId, blockNumber }) => [nodeId, blockNumber]));
  const [state] = consensus;
  const ownView = "currentView" in state ? state.currentView : undefined;
  const memberOf = (id: string, role: Member["role"]): Member => {
    const isOwn = id === own.NodeID || id === sync.nodeId;
    const index = order.indexOf(id);
    return {
      id,
      role,
      index: index < 0 ? undefined : index,
      isOwn,
      isConnected: isOwn || nodes.connected.includes(id),
      isLeader: id === leader,
      view: isOwn ? ownView : views.get(id),
      height: isOwn ? sync.blockNumber : heights.get(id),
      peer: isOwn ? own : nodes.peers.find((it) => it.NodeID === id),
    };
  };
  return [
    ...nodes.sealers.map((id) => memberOf(id, "sealer")),
    ...nodes.observers.map((id) => memberOf(id, "observer")),
  ];
}

function Members({ nodes }: { readonly nodes: Nodes }) {
  return (
    <Table
      label={text("explorer.members")}
      rows={membersOf(nodes)}
      keyOf={({ id }) => id}
      empty={text("explorer.members.none")}
      columns={[
        ["#", ({ index }) => index ?? "–", "numeric"],
        ["explorer.nodeId", ({ id }) => <NodeText id={id} />],
        [
          "explorer.role",
          ({ role, isLeader, isOwn }) => (
            <>
              {text(`explorer.role.${role}`)}
              {isLeader && <> · {text("explorer.role.leader")}</>}
              {isOwn && <> · {text("explorer.role.own")}</>}
            </>
          ),
        ],
        [
          "explorer.link",
          ({ isConnected }) => (
            <StatusBadge tone={isConnected ? "told" : "bad"}>
              {text(isConnected ? "explorer.link.up" : "explorer.link.down")}
            </StatusBadge>
          ),
        ],
        ["explorer.view", ({ view }) => view ?? "–", "numeric"],
        [
          "explorer.height",
          ({ height }) => (height === undefined ? "–" : numberText(height)),
          "numeric",
        ],
        [
          "explorer.peer",
          ({ peer }) =>
            peer ? [peer.Node, peer.Agency, peer.IPAndPort].filter(Boolean).join(" · ") : "–",
        ],
      ]}
    />
  );
}

function consensusFacts(consensus: ConsensusStatus): readonly Fact[] {
  const [state] = consensus;
  const own = sealersOf(consensus)[state.node_index];
  const shared: Fact[] = [
    ["explorer.consensus.nodes", state.nodeNum],
    ["explorer.consensus.faulty", state.max_faulty_leader],
    ["explorer.height", numberText(state.highestblockNumber)],
    ["explorer.consensus.next", numberText(state.consensusedBlockNumber)],
    [
      "explorer.consensus.index",
      own === undefined ? (
        state.node_index
      ) : (
        <span key="own">
          {state.node_index} <NodeText id={own} plain />
        </span>
      ),
    ],
  ];
  if ("leaderId" in state) {
    const leader = state.leaderId === "" ? text("explorer.consensus.noLeader") : undefined;
    return [
      ["explorer.consensus", "Raft"],
      ["explorer.role.leader", leader ?? <NodeText key="id" id={state.leaderId} />],
      ...shared,
    ];
  }
  const isChanging = state.leaderFailed || state.toView > state.currentView;
  return [
    ["explorer.consensus", "PBFT"],
    ["explorer.view", state.currentView],
    ["explorer.consensus.toView", state.toView],
    [
      "explorer.state",
      <StatusBadge key="state" tone={isChanging ? "warn" : "told"}>
        {text(isChanging ? "explorer.consensus.changing" : "explorer.consensus.stable")}
      </StatusBadge>,
    ],
    ...shared,
  ];
}

function syncFacts(sync: SyncStatus): readonly Fact[] {
  return [
    [
      "explorer.state",
      <StatusBadge key="state" tone={sync.isSyncing ? "warn" : "told"}>
        {text(sync.isSyncing ? "explorer.sync.busy" : "explorer.sync.done")}
      </StatusBadge>,
    ],
    ["explorer.height", numberText(sync.blockNumber)],
    ["explorer.sync.known", numberText(sync.knownHighestNumber)],
    ["explorer.sync.pool", numberText(sync.txPoolSize)],
    ["explorer.sync.peers", sync.peers.length],
  ];
}

/** The page. */
export function NodesPage() {
  const place = usePlace();
  const read = useRead({
    id: `nodes:${place.groupId}:${place.reads.id}`,
    everyMs: EVERY_MS,
    load: () => readNodes(place),
  });
  const nodes = read.value;
  return (
    <>
      <Heading>{text("explorer.page.nodes")}</Heading>
      {(nodes === undefined || read.failure !== undefined) && <Waiting read={read} />}
      {nodes && (
        <Told>
          <Members nodes={nodes} />
          <div class="columns">
            <section>
              <h2>{text("explorer.consensus")}</h2>
              <Facts facts={consensusFacts(nodes.consensus)} />
            </section>
            <section>
              <h2>{text("explorer.sync")}</h2>
              <Facts facts={syncFacts(nodes.sync)} />
            </section>
          </div>
          <section>
            <h2>{text("explorer.peers")}</h2>
            <Table
              label={text("explorer.peers")}
              rows={nodes.peers}
              keyOf={({ NodeID }, i) => `${NodeID}:${i}`}
              empty={text("explorer.peers.none")}
              columns={[
                ["explorer.nodeId", ({ NodeID }) => <NodeText id={NodeID} />],
                ["explorer.address", ({ IPAndPort }) => IPAndPort || "–"],
                ["explorer.peer.agency", ({ Agency }) => Agency || "–"],
                ["explorer.peer.topics", ({ Topic }) => Topic.join(", ") || "–"],
              ]}
            />
          </section>
        </Told>
      )}
    </>
  );
}
