/** The nodes of this browser as they stand. */
import type { TabGroupState, TabNodeState } from "../../runtimes/browser/link/api.ts";
import { HashText } from "../parts/hash-text.tsx";
import { Problem } from "../parts/problem.tsx";
import { StatusBadge, type Tone } from "../parts/status-badge.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { text } from "../texts.ts";

interface Row {
  readonly node: TabNodeState;
  /** A node without a running group has a row, too. */
  readonly group: TabGroupState | undefined;
}

function roleOf(group: TabGroupState): readonly [Tone, string] {
  const { consensus, silence, isSyncing, isMember } = group;
  if (!isMember) return ["warn", "node.role.none"];
  if (silence !== undefined) return ["warn", "node.role.silent"];
  if (isSyncing) return ["busy", "node.role.syncing"];
  if (!consensus.isSealer) return ["plain", "node.role.observer"];
  if (consensus.kind === "pbft" && consensus.isChangingView) return ["warn", "node.role.changing"];
  if (consensus.kind === "raft" && /andidate/.test(consensus.role))
    return ["warn", "node.role.candidate"];
  return consensus.isLeader ? ["good", "node.role.leader"] : ["plain", "node.role.sealer"];
}

function Role({ group }: { readonly group: TabGroupState }) {
  const [tone, key] = roleOf(group);
  return <StatusBadge tone={tone}>{text(key)}</StatusBadge>;
}

function roundOf({ consensus }: TabGroupState): number {
  return consensus.kind === "pbft" ? consensus.view : consensus.term;
}

function Round() {
  return (
    <abbr class="hint" title={text("node.column.round.why")}>
      {text("node.column.round")}
    </abbr>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  ["node.column.node", ({ node }) => node.index + 1, "numeric"],
  ["node.column.id", ({ node }) => <HashText value={node.nodeId} what={text("node.column.id")} />],
  ["node.column.group", ({ group }) => group?.groupId ?? "", "numeric"],
  ["node.column.height", ({ group }) => group?.height ?? "", "numeric"],
  [<Round key="round" />, ({ group }) => (group ? roundOf(group) : ""), "numeric"],
  ["node.column.role", ({ group }) => group && <Role group={group} />],
  ["node.column.pending", ({ group }) => group?.pending ?? "", "numeric"],
  ["node.column.peers", ({ node }) => node.peers, "numeric"],
];

function rowsOf(nodes: readonly TabNodeState[]): readonly Row[] {
  return nodes.flatMap((node): Row[] =>
    node.groups.length === 0
      ? [{ node, group: undefined }]
      : node.groups.map((group) => ({ node, group })),
  );
}

/** A row per node and group, and what failed. */
export function NodeTable({ nodes }: { readonly nodes: readonly TabNodeState[] }) {
  const failures = nodes.flatMap((node) => node.failures);
  return (
    <section class="panel" aria-labelledby="node-nodes">
      <h2 id="node-nodes">{text("node.nodes")}</h2>
      <Table
        label={text("node.nodes")}
        columns={COLUMNS}
        rows={rowsOf(nodes)}
        keyOf={({ node, group }) => `${node.index}.${group?.groupId ?? ""}`}
        empty={text("node.noNodes")}
      />
      {failures.map(({ groupId, reason }, i) => (
        <Problem key={i}>{text("node.groupFailed", { group: groupId ?? "?", reason })}</Problem>
      ))}
    </section>
  );
}
