/** What the doctor can see of ports, peers and clocks. */
import { reasonOf } from "../../folder/folder-fault.ts";
import { connect } from "node:net";
import { CLOCK_WARN_MS } from "../../../core/network/clock-skew.ts";
import type { ListenAddress, NodeConfig } from "../../formats/config/node-config.ts";
import { codeOf } from "../../folder/durable-folder.ts";
import { type PeerHealth, peersSkew } from "../../shared/health.ts";
import type { EndpointState } from "../../shared/p2p/static-peers.ts";
import { type KeyedPort, portsOf, tryPort } from "./keyed-ports.ts";
import { type PortUser, userText } from "./port-user.ts";
import { reachable } from "../machine/listen-url.ts";
import { portHolder, processText } from "../machine/processes.ts";
import type { NodeProbe } from "./node-probe.ts";
import { failure, note, ok, type Verdict, warning } from "./verdict.ts";

const PATIENCE_MS = 2_000;

/** As operators read it in config.ini. */
function keyOf({ section, portKey }: KeyedPort): string {
  return `[${section}] ${portKey}`;
}

/** Whether somebody listens at an address. */
function answers(address: KeyedPort): Promise<boolean> {
  const { ip: host, port } = reachable({ ip: address.host, port: address.port });
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS });
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}

/** What to do about two nodes with one key. */
export const STOP_COPY = "Stop one of the two: nodes with one key vote twice and break the chain.";

const OBSTACLES: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses it",
  EACCES: "this user may not listen there",
  EADDRNOTAVAIL: "this host does not have the address",
};

/** Who has the RPC port instead of this node. */
function checkRpcUser({ user }: NodeProbe, { ip, port }: ListenAddress): Verdict | undefined {
  if (!user || user.kind === "own" || user.kind === "silent") return undefined;
  const says = `[rpc] jsonrpc_listen_port = ${port} at ${ip} is answered by ${userText(user)}`;
  const next = {
    copy: STOP_COPY,
    otherNode: "Stop that node, or choose another [rpc] jsonrpc_listen_port.",
    program: "Stop that program, or choose another [rpc] jsonrpc_listen_port.",
  }[user.kind];
  return failure("ports", says, next);
}

/** A port of a node that runs: whether somebody listens, and whether it is the node. */
async function checkHeldPort(named: KeyedPort, nodePid: number | undefined): Promise<Verdict> {
  const place = `${keyOf(named)} = ${named.port}`;
  const next = "Restart the node and read its log.";
  if (!(await answers(named))) return failure("ports", `${place} does not answer`, next);
  const holder = nodePid === undefined ? undefined : await portHolder(named.port);
  if (!holder || holder.pid === nodePid) return ok("ports", `${place} is held by this node`);
  const says = `${place} is held by ${processText(holder)}, not by this node`;
  return failure("ports", says, `Stop that program, then restart the node.`);
}

/** A port of a node that does not run: whether it is free. */
async function checkFreePort(named: KeyedPort, user: PortUser | undefined): Promise<Verdict> {
  const { host: ip, port } = named;
  const key = keyOf(named);
  const place = `${key} = ${port}`;
  const fault = await tryPort(named);
  if (!fault) return ok("ports", `${place} is free`);
  const code = codeOf(fault.cause) || reasonOf(fault.cause);
  const holder = code === "EADDRINUSE" ? await portHolder(port) : undefined;
  if (holder && user?.kind === "copy" && holder.pid === user.health.pid)
    return failure("ports", `${place} at ${ip}: the node with the same key has it`, STOP_COPY);
  const why = holder ? `${processText(holder)} has it` : (OBSTACLES[code] ?? code);
  const next =
    code === "EADDRNOTAVAIL"
      ? `Set an address of this host, or 0.0.0.0 for all, as ${key.replace(/port$/, "ip")}.`
      : `Stop the other program, or choose another ${key}.`;
  return failure("ports", `${place} at ${ip}: ${why}`, next);
}

/** Whether the ports are held by this node, or free for it. */
export async function checkPorts(
  probe: NodeProbe,
  config: NodeConfig,
): Promise<readonly Verdict[]> {
  const { health, pid } = probe;
  const taken = checkRpcUser(probe, config.rpc.jsonrpc);
  const [rpc, ...others] = portsOf(config);
  const rest = taken || !rpc ? others : [rpc, ...others];
  const isRunning = health !== undefined || pid !== undefined;
  // In a container the node may know itself by another number: then nothing can be compared.
  const rpcHolder = health && rpc ? await portHolder(rpc.port) : undefined;
  const nodePid = rpcHolder?.pid === health?.pid ? rpcHolder?.pid : undefined;
  const verdicts = rest.map((named) =>
    isRunning ? checkHeldPort(named, nodePid) : checkFreePort(named, probe.user),
  );
  return [...(taken ? [taken] : []), ...(await Promise.all(verdicts))];
}

const ADMIT = "Admit this node there, or give it a certificate of that chain.";

/** What to do about a dial that failed. */
function nextStep(endpoint: string, reason: string): string {
  if (/refused by the peer: blacklisted/.test(reason))
    return `Remove this node's ID from [certificate_blacklist] of the node at ${endpoint}.`;
  if (/refused by the peer: not on the whitelist/.test(reason))
    return `Add this node's ID to [certificate_whitelist] of the node at ${endpoint}.`;
  if (/^blacklisted/.test(reason))
    return "This node's own [certificate_blacklist] names it: remove it there.";
  if (/^not on the whitelist/.test(reason))
    return "Add its ID to this node's own [certificate_whitelist].";
  if (/not valid yet|not yet valid|has expired|its clock is/.test(reason))
    return `Set the clocks of this host and of ${endpoint} by NTP; then look at the certificates.`;
  if (/during the handshake/.test(reason))
    return `Compare the clocks of both hosts (date -u), and read the log of ${endpoint}.`;
  if (/refused by the peer/.test(reason)) return `${endpoint} refuses this node. ${ADMIT}`;
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|no answer|timed out/.test(reason))
    return `Start the node at ${endpoint}, or open the way to it: firewall, address, port.`;
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return `Correct the name in [p2p]: ${endpoint}.`;
  if (/no common protocol/.test(reason)) return `Upgrade the older one of the two nodes.`;
  return `Compare the log of this node with that of ${endpoint}.`;
}

/** The reason of a failed dial without what the system adds to it. */
function plainReason(reason: string): string {
  if (/ECONNREFUSED/.test(reason)) return "nothing listens there";
  if (/EHOSTUNREACH|ENETUNREACH/.test(reason)) return "there is no way to that host";
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return "the name is not known";
  return reason;
}

/**
 * Each configured peer: whether it is reached and accepts this node. Nobody knows at which address
 * a peer listens that has connected by itself: as many unreached addresses may be theirs.
 */
export function checkPeers(
  endpoints: readonly EndpointState[],
  peers: readonly PeerHealth[],
): readonly Verdict[] {
  const others = endpoints.filter(({ state }) => state !== "self");
  if (others.length === 0) return [note("peers", "no other node is configured")];
  const dialled = new Set(others.map(({ nodeId }) => nodeId));
  const came = peers.filter(({ nodeId }) => !dialled.has(nodeId)).length;
  const waiting = others.filter(({ state }) => state === "waiting").length;
  return others.map(({ endpoint, state, reason = "no session yet" }) => {
    if (state === "connected") return ok("peers", `${endpoint} is connected`);
    if (waiting <= came)
      return note("peers", `${endpoint}: ${plainReason(reason)}; it may have connected itself`);
    return failure("peers", `${endpoint}: ${plainReason(reason)}`, nextStep(endpoint, reason));
  });
}

/** The clocks of peers against the own one; when most differ, the own one is wrong. */
export function checkClocks(peers: readonly PeerHealth[]): readonly Verdict[] {
  const known = peers.flatMap(({ node, clockSkewMs }) =>
    clockSkewMs === undefined ? [] : [{ node, clockSkewMs }],
  );
  if (known.length === 0) return [note("clock", "no peer has reported its time")];
  const middle = peersSkew(peers) ?? 0;
  const seconds = (ms: number) => `${Math.abs(Math.round(ms / 1_000))} s`;
  const direction = (ms: number) => (ms > 0 ? "ahead of" : "behind");
  if (Math.abs(middle) > CLOCK_WARN_MS) {
    const says = `this host's clock is ${seconds(middle)} ${direction(-middle)} that of most peers`;
    return [warning("clock", says, "Set the clock of this host by NTP.")];
  }
  const far = known.filter(({ clockSkewMs }) => Math.abs(clockSkewMs) > CLOCK_WARN_MS);
  const count = `${known.length} ${known.length === 1 ? "peer" : "peers"}`;
  if (far.length === 0) return [ok("clock", `agrees with ${count} within 30 s`)];
  return far.map(({ node, clockSkewMs }) => {
    const says = `the clock of ${node} is ${seconds(clockSkewMs)} ${direction(clockSkewMs)} ours`;
    return warning("clock", says, "Set the clocks of both hosts by NTP.");
  });
}
