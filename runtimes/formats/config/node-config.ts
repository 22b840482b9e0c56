/** config.ini as text and as values. Source: groups 8 */
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import type { ChainConfig } from "../../../core/model/config.ts";
import { formatVersion, version } from "../../../core/model/version.ts";
import type { Reading } from "./config-fault.ts";
import type { Endpoint } from "./config-kinds.ts";
import { Findings, readValues, writeValues } from "./config-reader.ts";
import type { SomeValues, Values } from "./config-schema.ts";
import { NODE_SCHEMA } from "./config-schema-node.ts";
import type { FlowControl } from "./group-file.ts";
import { suiteFile } from "./suite-files.ts";

/** Where a port listens. */
export interface ListenAddress {
  readonly ip: string;
  readonly port: number;
}

/** The WebSocket listener for peers. */
export interface WebSocketListener extends ListenAddress {
  /** Files of wss, relative to the node's folder; undefined for ws. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
}

/** Files of identity, relative to the node's folder unless absolute. */
export interface IdentityFiles {
  /** Of the chain: which curve the key is of. */
  readonly suite: SuiteName;
  readonly dataPath: string;
  readonly key: string;
  readonly cert: string;
  readonly caCert: string;
  /** Undefined when there are no further certificates. */
  readonly caPath: string | undefined;
}

/** Bounds of the SDK port. */
export interface ChannelBounds {
  /** Sessions at one time. */
  readonly sessions: number;
  /** Bytes of frames of all sessions together. */
  readonly heldBytes: number;
  /** Bytes that one client may leave unread. */
  readonly unsentBytes: number;
}

type NodeValues = Values<typeof NODE_SCHEMA>;

/** Who may change groups and peers over HTTP. Source: decision 31 */
export interface ManagementSettings {
  readonly mode: "local" | "token" | "open";
  /** Empty in the other modes. */
  readonly tokenFile: string;
}

/** All that config.ini sets. */
export interface NodeConfig {
  readonly chain: ChainConfig;
  readonly rsaChannel: boolean;
  readonly rpc: {
    readonly jsonrpc: ListenAddress;
    readonly channel: ListenAddress;
    readonly channelLimits: ChannelBounds;
    readonly disableDynamicGroup: boolean;
    readonly actAsGroupMember: boolean;
    readonly allowedHosts: readonly string[];
    readonly allowedOrigins: readonly string[];
    readonly management: ManagementSettings;
    /** Whether browsers get the page. */
    readonly page: boolean;
    /** Longest output of one call. */
    readonly maxCallOutputBytes: number;
    /** Who may watch the node. */
    readonly liveView: "loopback" | "on" | "off";
    /** Requests over HTTP per second; undefined is unlimited. */
    readonly httpRequestsPerSecond: number | undefined;
  };
  readonly p2p: {
    readonly listen: ListenAddress;
    readonly webSocket: WebSocketListener | undefined;
    readonly peers: readonly Endpoint[];
    readonly compress: boolean;
    readonly peersParamLimit: number;
    readonly maxNodesLimit: number;
    readonly connectionWarning: boolean;
  };
  readonly blacklist: readonly NodeId[];
  /** Empty is off. Reloadable. */
  readonly whitelist: readonly NodeId[];
  readonly groups: { readonly dataPath: string; readonly configPath: string };
  readonly identity: IdentityFiles;
  readonly checkCertIssuer: boolean;
  readonly flowControl: FlowControl;
  readonly log: NodeValues["log"];
  /** Undefined is off. */
  readonly metrics: ListenAddress | undefined;
}

const LOOPBACK = "127.0.0.1";
const MEBIBYTE = 1024 * 1024;
const NATIONAL_FROM = version(2, 5, 0);

function checkChain({ chain, compatibility }: NodeValues, findings: Findings): void {
  const { supported_version: value } = compatibility;
  const set = findings.entry("compatibility", "supported_version") !== undefined;
  const place = { line: undefined, section: "compatibility", key: "supported_version" };
  if (!set) findings.warn(place, `is missing; ${formatVersion(value)} is used`);
  if (chain.sm_crypto && value < NATIONAL_FROM) {
    const allowed = `false with supported_version ${formatVersion(value)}; true from 2.5.0 on`;
    findings.refuseKey("notAllowed", "chain", "sm_crypto", allowed);
  }
}

function checkWebSocket({ p2p }: NodeValues, findings: Findings): void {
  const { ws_cert: cert, ws_key: key } = p2p;
  if (cert !== "" && key === "")
    findings.refuseKey("missing", "p2p", "ws_key", "ws_cert and ws_key are set together");
  if (cert === "" && key !== "")
    findings.refuseKey("missing", "p2p", "ws_cert", "ws_cert and ws_key are set together");
  if (p2p.peers_param_limit > p2p.max_nodes_limit) {
    const place = { line: findings.entry("p2p", "peers_param_limit")?.line, section: "p2p" };
    findings.warn({ ...place, key: "peers_param_limit" }, "is above max_nodes_limit");
  }
}

/** Two listeners of one node cannot share a port. */
function checkPorts({ rpc, p2p, metrics }: NodeValues, findings: Findings): void {
  const ports = [
    ["rpc", "channel_listen_port", rpc.channel_listen_port],
    ["rpc", "jsonrpc_listen_port", rpc.jsonrpc_listen_port],
    ["p2p", "listen_port", p2p.listen_port],
    ["p2p", "ws_listen_port", p2p.ws_listen_port],
    ["metrics", "listen_port", metrics.listen_port],
  ] as const;
  const taken = new Map<number, string>();
  for (const [section, key, port] of ports) {
    if (port === undefined) continue;
    const other = taken.get(port);
    const allowed = `another port than ${other}`;
    if (other !== undefined) findings.refuseKey("notAllowed", section, key, allowed);
    else taken.set(port, `[${section}] ${key}`);
  }
}

/**
 * An address that is not in the file: our default differs from the reference's, so it is reported.
 */
function addressOr(own: string | undefined, section: string, key: string, findings: Findings) {
  if (own !== undefined) return own;
  const place = { line: undefined, section, key };
  findings.warn(place, `is not set: listening on ${LOOPBACK}, reachable from here only`);
  return LOOPBACK;
}

function inFolder(folder: string, name: string): string {
  if (name.startsWith("/") || folder === "") return name;
  return folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`;
}

function identityOf({ network_security: own, chain }: NodeValues): IdentityFiles {
  const suite = chain.sm_crypto ? "national" : "standard";
  const place = (name: string, fallback: string): string =>
    inFolder(own.data_path, name === "" ? suiteFile(fallback, suite) : name);
  return {
    suite,
    dataPath: own.data_path,
    key: place(own.key, "node.key"),
    cert: place(own.cert, "node.crt"),
    caCert: place(own.ca_cert, "ca.crt"),
    caPath: own.ca_path || undefined,
  };
}

function managementOf(rpc: NodeValues["rpc"], findings: Findings): ManagementSettings {
  const { management: mode, management_token_file: tokenFile } = rpc;
  if (mode !== "token") {
    const line = findings.entry("rpc", "management_token_file")?.line;
    const place = { line, section: "rpc", key: "management_token_file" };
    if (tokenFile !== "") findings.warn(place, `has no effect with management = ${mode}`);
    return { mode, tokenFile: "" };
  }
  if (tokenFile === "") {
    const allowed = "with management = token, the file that holds the token";
    findings.refuseKey("missing", "rpc", "management_token_file", allowed);
  }
  return { mode, tokenFile };
}

function rpcOf({ rpc }: NodeValues, findings: Findings): NodeConfig["rpc"] {
  const common = rpc.listen_ip;
  const jsonrpc = rpc.jsonrpc_listen_ip ?? common;
  const channel = rpc.channel_listen_ip ?? common;
  return {
    jsonrpc: {
      ip: addressOr(jsonrpc, "rpc", "jsonrpc_listen_ip", findings),
      port: rpc.jsonrpc_listen_port,
    },
    channel: {
      ip: addressOr(channel, "rpc", "channel_listen_ip", findings),
      port: rpc.channel_listen_port,
    },
    channelLimits: {
      sessions: rpc.channel_max_sessions,
      heldBytes: rpc.channel_max_memory * MEBIBYTE,
      unsentBytes: rpc.channel_max_unsent * MEBIBYTE,
    },
    disableDynamicGroup: rpc.disable_dynamic_group,
    actAsGroupMember: rpc.act_as_group_member,
    allowedHosts: rpc.allowed_hosts,
    allowedOrigins: rpc.allowed_origins,
    management: managementOf(rpc, findings),
    page: rpc.page,
    maxCallOutputBytes: rpc.max_call_output * MEBIBYTE,
    liveView: rpc.live_view,
    httpRequestsPerSecond: rpc.http_limit_req,
  };
}

function p2pOf({ p2p }: NodeValues, findings: Findings): NodeConfig["p2p"] {
  const ip = addressOr(p2p.listen_ip, "p2p", "listen_ip", findings);
  const { ws_cert: cert, ws_key: key } = p2p;
  const tls = cert === "" ? undefined : { cert, key };
  const port = p2p.ws_listen_port;
  return {
    listen: { ip, port: p2p.listen_port },
    webSocket: port === undefined ? undefined : { ip: p2p.ws_listen_ip ?? ip, port, tls },
    peers: p2p["node.<i>"],
    compress: p2p.enable_compress,
    peersParamLimit: p2p.peers_param_limit,
    maxNodesLimit: p2p.max_nodes_limit,
    connectionWarning: p2p.connection_warning,
  };
}

/**
 * Reads config.ini.
 * @param file its name, for messages
 * @throws ConfigFault when the node cannot start with it
 * Source: groups 8
 */
export function readNodeConfig(text: string, file: string): Reading<NodeConfig> {
  const findings = new Findings(file);
  const values = readValues(NODE_SCHEMA, text, findings);
  checkChain(values, findings);
  checkWebSocket(values, findings);
  if (findings.problems.length === 0) checkPorts(values, findings);
  const rpc = rpcOf(values, findings);
  const p2p = p2pOf(values, findings);
  return findings.finish(() => configOf(values, rpc, p2p));
}

function configOf(values: NodeValues, rpc: NodeConfig["rpc"], p2p: NodeConfig["p2p"]): NodeConfig {
  const { chain, group, metrics, flow_control: flow } = values;
  const { listen_ip: ip, listen_port: port } = metrics;
  return {
    chain: {
      chainId: chain.id,
      nationalCrypto: chain.sm_crypto,
      supportedVersion: values.compatibility.supported_version,
    },
    rsaChannel: chain.rsa_crypto_channel,
    rpc,
    p2p,
    blacklist: values.certificate_blacklist["crl.<i>"],
    whitelist: values.certificate_whitelist["cal.<i>"],
    groups: { dataPath: group.group_data_path, configPath: group.group_config_path },
    identity: identityOf(values),
    checkCertIssuer: values.network_security.check_cert_issuer,
    flowControl: {
      requestsPerSecond: flow.limit_req,
      outgoingMbit: flow.outgoing_bandwidth_limit,
    },
    log: values.log,
    metrics: port === undefined ? undefined : { ip, port },
  };
}

/**
 * The text of a config.ini: what is given by section and key, and the usual values of the rest.
 * Source: groups 8; generator 6.1
 */
export function writeNodeConfig(values: SomeValues<typeof NODE_SCHEMA>): string {
  return writeValues(NODE_SCHEMA, values);
}
