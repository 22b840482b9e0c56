/** A node of a network as it stands: its peers, why some are missing, and its role. */
import { useState } from "preact/hooks";
import type { TabPeer, TabStatus } from "../../runtimes/browser/link/api.ts";
import { pageFacts } from "../data/open-source.ts";
import { useAnswer } from "../data/use-answer.ts";
import { Button } from "../parts/button.tsx";
import { StatusBadge, type Tone } from "../parts/status-badge.tsx";
import { Table } from "../parts/table.tsx";
import { toast } from "../parts/toast.tsx";
import { text } from "../texts.ts";
import { changeRole, type RoleChange } from "./join-serving.ts";
import "./join-texts.ts";

const TONES: Readonly<Record<TabPeer["state"], Tone>> = {
  connected: "good",
  self: "plain",
  waiting: "warn",
};

/** Words for what a network says of a connection. */
const REASONS: readonly (readonly [pattern: RegExp, key: string])[] = [
  [/blacklisted/, "join.why.blacklisted"],
  [/whitelist/, "join.why.whitelist"],
  [/refused by the peer.*(no valid certificate|key does not match)/, "join.why.certificate"],
  [/no valid certificate|key does not match/, "join.why.theirs"],
  [/other chain/, "join.why.chain"],
  [/too many peers/, "join.why.full"],
  [/banned/, "join.why.banned"],
];

/** Why a peer is missing, in words. */
export function reasonText({ state, reason }: TabPeer): string {
  if (state === "connected" || reason === undefined) return "";
  const [, key = "join.why.silent"] = REASONS.find(([pattern]) => pattern.test(reason)) ?? [];
  return text(key, { reason });
}

/** Every multiaddress as a user would write it. */
function addressText(endpoint: string): string {
  const found = /^\/(?:ip4|ip6|dns[46]?)\/([^/]+)\/tcp\/(\d+)\/(tls\/ws|wss|ws)$/.exec(endpoint);
  const [, host = "", port, kind] = found ?? [];
  if (!found) return endpoint;
  const name = host.includes(":") ? `[${host}]` : host;
  return `${kind === "ws" ? "ws" : "wss"}://${name}:${port}`;
}

function PeerTable({ peers }: { readonly peers: readonly TabPeer[] }) {
  return (
    <Table
      label={text("join.peers.title")}
      columns={[
        ["join.peers.address", ({ endpoint }) => <code>{addressText(endpoint)}</code>],
        [
          "join.peers.state",
          ({ state }) => (
            <StatusBadge tone={TONES[state]}>{text(`join.state.${state}`)}</StatusBadge>
          ),
        ],
        ["join.peers.why", reasonText],
      ]}
      rows={peers}
      keyOf={({ endpoint }) => endpoint}
      empty={text("join.peers.none")}
    />
  );
}

interface RoleProps {
  readonly nodeId: string;
  readonly groupId: number;
  readonly isSealer: boolean;
  readonly hasRole: boolean;
}

const CHANGES: readonly (readonly [RoleChange, string])[] = [
  ["addObserver", "join.role.observer"],
  ["addSealer", "join.role.sealer"],
  ["remove", "join.role.leave"],
];

/** On a development chain everybody may change roles; elsewhere the operator's command is shown. */
function Role({ nodeId, groupId, isSealer, hasRole }: RoleProps) {
  const isDev = useAnswer(pageFacts, [])?.dev === true;
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState("");
  const change = (wanted: RoleChange) => {
    setBusy(true);
    setSaid("");
    changeRole(wanted, nodeId, groupId)
      .then(({ code, account }) => {
        if (code === 1n) setSaid(text(`join.role.done.${wanted}`, { account }));
        else toast(text("join.role.refused", { code: String(code) }), "bad");
      })
      .catch((cause: Error) => toast(cause.message, "bad"))
      .finally(() => setBusy(false));
  };
  const command = `chain-node role ${nodeId} --as observer --through mychain/node0`;
  const isPossible: Readonly<Record<RoleChange, boolean>> = {
    addObserver: isSealer || !hasRole,
    addSealer: !isSealer,
    remove: hasRole,
  };
  return (
    <>
      {!hasRole && <p class="soft">{text("join.noRole")}</p>}
      {!hasRole && !isDev && <pre class="join-command">{command}</pre>}
      {isSealer && <p class="soft">{text("join.sealer")}</p>}
      {isDev && (
        <div class="actions">
          {CHANGES.filter(([wanted]) => isPossible[wanted]).map(([wanted, title]) => (
            <Button key={wanted} says={title} isOff={isBusy} onClick={() => change(wanted)} />
          ))}
        </div>
      )}
      <p role="status" class="join-said">
        {said}
      </p>
    </>
  );
}

/** Peers and role; nothing for a chain that lies in the tab alone. */
export function JoinPeers({ status }: { readonly status: TabStatus }) {
  const [own] = status.nodes;
  if (!status.peers || !own) return null;
  return (
    <section class="panel" aria-labelledby="join-peers">
      <h2 id="join-peers">{text("join.peers.title")}</h2>
      {status.isQuiet && <p class="soft">{text("join.quiet")}</p>}
      <PeerTable peers={status.peers} />
      {own.groups.map(({ groupId, isMember, consensus: { isSealer } }) => (
        <Role
          key={groupId}
          nodeId={own.nodeId}
          groupId={groupId}
          isSealer={isSealer}
          hasRole={isMember}
        />
      ))}
    </section>
  );
}
