/** Sections and keys of config.ini. Source: groups 8 */
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import {
  BOOLEAN,
  ENDPOINT,
  HOSTS,
  IP,
  integer,
  LOG_NAME,
  NODE_ID,
  ORIGINS,
  oneOf,
  PORT,
  TEXT,
  VERSION,
} from "./config-kinds.ts";
import { idle, key, list, ours, type Schema, unset } from "./config-schema.ts";
import { FLOW_CONTROL } from "./config-schema-group.ts";

const LISTEN = "rpc.listen_ip, else 127.0.0.1";

const RPC = {
  listen_ip: unset(IP, {
    says: "Older key: address of both ports below where they have none of their own.",
    shown: "127.0.0.1",
  }),
  channel_listen_ip: unset(IP, { says: "Address of the port for SDKs.", shown: LISTEN }),
  jsonrpc_listen_ip: unset(IP, { says: "Address of the JSON-RPC port.", shown: LISTEN }),
  channel_listen_port: key(PORT, 20_200, { says: "Port for SDKs.", written: true }),
  jsonrpc_listen_port: key(PORT, 8545, { says: "JSON-RPC port.", written: true }),
  channel_max_sessions: ours(integer(1), 2_000, { says: "Most SDKs connected at one time." }),
  channel_max_memory: ours(integer(1), 136, {
    says: "MiB of frames of all SDKs: not yet worked on, or not yet read by them.",
  }),
  channel_max_unsent: ours(integer(1), 32, {
    says: "MiB that one SDK may leave unread before it is cut off.",
  }),
  channel_thread_count: idle(integer(1), 8, { says: "Threads of the SDK port." }),
  jsonrpc_thread_count: idle(integer(1), 8, { says: "Threads of the JSON-RPC port." }),
  disable_dynamic_group: key(BOOLEAN, false, {
    says: "Refuse to generate, start, stop, remove and recover groups.",
    written: true,
  }),
  act_as_group_member: key(BOOLEAN, false, {
    says: "Answer about groups that the node has no role in.",
  }),
  allowed_hosts: ours(HOSTS, [], {
    says: "Names by which browsers reach this node, next to addresses and local names.",
    shown: "none but local names",
  }),
  allowed_origins: ours(ORIGINS, [], {
    says: "Web pages that may submit, manage groups and peers, and subscribe.",
    shown: "none but the node's own",
  }),
  management: ours(oneOf("local", "token", "open"), "local", {
    says: "Who may change groups and peers over HTTP: callers of this host, with a token, all.",
    written: true,
  }),
  management_token_file: ours(TEXT, "", {
    says: "File with the token for management = token, which callers send as a bearer token.",
  }),
  page: ours(BOOLEAN, true, {
    says: "Serve the web page (explorer, workbench, theatre) to browsers at the JSON-RPC port.",
  }),
  max_call_output: ours(integer(1, 64), 4, {
    says: "MiB that the output of one call may have; a longer one is answered by an error.",
  }),
  live_view: ours(oneOf("loopback", "on", "off"), "loopback", {
    says: "Who may watch the node's consensus at the JSON-RPC port: this machine, all, nobody.",
  }),
  http_limit_req: unset(integer(1), {
    says: "Requests over HTTP per second.",
    shown: "off",
    ours: true,
  }),
} as const;

const P2P = {
  listen_ip: unset(IP, {
    says: "Address for other nodes; 127.0.0.1 admits only nodes of this host.",
    shown: "127.0.0.1",
  }),
  listen_port: key(PORT, 30_300, { says: "Port for other nodes.", written: true }),
  "node.<i>": list(ENDPOINT, { says: "Addresses of nodes to connect to." }),
  enable_compress: key(BOOLEAN, true, { says: "Compress long messages." }),
  peers_param_limit: key(integer(1), 10, { says: "Most addresses of one addPeers or erasePeers." }),
  max_nodes_limit: key(integer(1), 100, { says: "Most addresses in all." }),
  connection_warning: key(BOOLEAN, true, {
    says: "Log failed handshakes with nodes as warnings; otherwise as information.",
  }),
  ws_listen_ip: unset(IP, {
    says: "Address for peers over WebSocket: browsers and edge functions.",
    shown: "p2p.listen_ip",
    ours: true,
  }),
  ws_listen_port: unset(PORT, { says: "Port for peers over WebSocket.", shown: "off", ours: true }),
  ws_cert: ours(TEXT, "", {
    says: "Certificate file for wss; together with ws_key. Read again when it is replaced.",
  }),
  ws_key: ours(TEXT, "", { says: "Key file for wss." }),
} as const;

const NETWORK_SECURITY = {
  data_path: key(TEXT, "./conf/", { says: "Folder of the files below.", written: "conf/" }),
  key: key(TEXT, "", {
    says: "Private key of the node.",
    shown: "node.key; gmnode.key with sm_crypto",
    written: "node.key",
  }),
  cert: key(TEXT, "", {
    says: "Certificate of the node.",
    shown: "node.crt; gmnode.crt with sm_crypto",
    written: "node.crt",
  }),
  ca_cert: key(TEXT, "", {
    says: "Certificate of the chain.",
    shown: "ca.crt; gmca.crt with sm_crypto",
    written: "ca.crt",
  }),
  ca_path: key(TEXT, "", { says: "Further certificates." }),
  en_key: idle(TEXT, "gmennode.key", { says: "SM: encryption key." }),
  en_cert: idle(TEXT, "gmennode.crt", { says: "SM: encryption certificate." }),
  check_cert_issuer: key(BOOLEAN, true, { says: "Refuse SDKs of other agencies." }),
  crypto_provider: key(oneOf("ssm", "hsm"), "ssm", {
    says: "Where keys are: software (ssm) or a module (hsm).",
    notOffered: { says: "keys are files here; use ssm", when: (value) => value === "hsm" },
  }),
  key_id: idle(TEXT, "", { says: "hsm: key." }),
  enckey_id: idle(TEXT, "", { says: "hsm: encryption key." }),
} as const;

const STORAGE_SECURITY = {
  enable: key(BOOLEAN, false, {
    says: "Encrypt the ledger on disk.",
    notOffered: {
      says: "the ledger is not encrypted by this node; encrypt the disk and set enable=false",
      when: (value) => value,
    },
    written: true,
  }),
  key_manager_ip: idle(TEXT, "", { says: "Host of the key manager.", written: "" }),
  key_manager_port: idle(PORT, 20_000, {
    says: "Port of the key manager; always checked.",
    written: "",
  }),
  cipher_data_key: idle(TEXT, "", { says: "Encrypted data key.", written: "" }),
} as const;

const CHAIN = {
  id: key(integer(0), 1, { says: "Number of the chain.", written: true }),
  sm_crypto: key(BOOLEAN, false, {
    says: "National algorithms SM2, SM3 and SM4, from compatibility version 2.5.0.",
    written: true,
  }),
  sm_crypto_channel: key(BOOLEAN, false, {
    says: "National TLS for SDKs.",
    notOffered: {
      says: "there is no SM TLS in this runtime; use sm_crypto_channel=false",
      when: (value) => value,
    },
    written: true,
  }),
  rsa_crypto_channel: key(BOOLEAN, false, {
    says: "RSA certificates for SDKs of a national chain.",
  }),
} as const;

const LOG = {
  enable: key(BOOLEAN, true, { says: "Write log files.", written: true }),
  log_path: key(TEXT, "log", { says: "Folder of log files.", written: "./log" }),
  level: key(oneOf("trace", "debug", "info", "warning", "error"), "info", {
    says: "Least severe lines that are written.",
    written: true,
  }),
  max_log_file_size: key(integer(100), 1024, {
    says: "Size in MB at which a new log file begins.",
    written: "200",
  }),
  flush: key(BOOLEAN, true, {
    says: "Write every line at once; otherwise lines may wait for a second.",
    written: true,
  }),
  log_flush_threshold: idle(integer(1), 100, {
    says: "Lines that are gathered before they are written.",
    written: true,
  }),
  format: idle(TEXT, "", { says: "Format of a line." }),
  enable_console_output: key(BOOLEAN, false, {
    says: "Write all lines to the terminal as well, not only warnings and errors.",
  }),
  enable_rotate_by_hour: key(BOOLEAN, true, {
    says: "A new file every hour; otherwise the patterns below hold.",
  }),
  log_name_pattern: key(LOG_NAME, "log_%Y%m%d_%H%M.log", { says: "Name of the current file." }),
  rotate_name_pattern: key(LOG_NAME, "log_%Y%m%d%H.%M.log", { says: "Name of a finished file." }),
  archive_path: key(TEXT, "", { says: "Folder of finished files.", shown: "log_path" }),
  compress_archive_file: key(BOOLEAN, false, { says: "Compress finished files." }),
  max_archive_files: key(integer(0), 0, {
    says: "Most finished files; the oldest are removed; 0 is unlimited.",
  }),
  max_archive_size: key(integer(0), 0, {
    says: "Most MB of finished files in all; the oldest are removed; 0 is unlimited.",
    written: "4096",
  }),
  min_free_space: key(integer(0), 0, { says: "MB that stay free on the disk; 0 is no limit." }),
  enable_statistic: idle(BOOLEAN, false, {
    says: "Write figures of the network to a log of their own.",
    written: true,
  }),
  stat_flush_interval: idle(integer(1), 60, { says: "Seconds between such lines.", written: true }),
} as const;

/** config.ini. */
export const NODE_SCHEMA = {
  rpc: { says: "Ports for clients.", keys: RPC },
  p2p: { says: "Other nodes.", keys: P2P },
  certificate_blacklist: {
    says: "Nodes that are refused; the blacklist wins over the whitelist.",
    legacy: "crl",
    keys: {
      "crl.<i>": list(NODE_ID, { says: "Node IDs.", forgiving: true, commented: "" }),
    },
  },
  certificate_whitelist: {
    says: "Nodes that are admitted; without any, all are.",
    legacy: "cal",
    keys: {
      "cal.<i>": list(NODE_ID, {
        says: "Node IDs; one that is not allowed is skipped.",
        forgiving: true,
        reloadable: true,
        commented: "",
      }),
    },
  },
  group: {
    says: "Where groups are.",
    keys: {
      group_data_path: key(TEXT, "data/", { says: "Folder of ledgers.", written: true }),
      group_config_path: key(TEXT, "conf/", {
        says: "Folder of group.N.genesis and group.N.ini.",
        written: true,
      }),
    },
  },
  network_security: { says: "Keys and certificates.", legacy: "secure", keys: NETWORK_SECURITY },
  storage_security: { says: "Encryption on disk.", legacy: "data_secure", keys: STORAGE_SECURITY },
  chain: { says: "The chain.", keys: CHAIN },
  compatibility: {
    says: "Rules of older chains.",
    keys: {
      supported_version: key(VERSION, NEWEST_VERSION, {
        says: "Compatibility version; never changed in the life of a chain.",
        shown: "2.11.1, with a warning",
        written: "2.11.1",
      }),
    },
  },
  log: { says: "Log files.", keys: LOG },
  flow_control: { says: "Limits of the node.", keys: FLOW_CONTROL },
  metrics: {
    says: "Figures in Prometheus text.",
    keys: {
      listen_ip: ours(IP, "127.0.0.1", {
        says: "Address of the metrics port.",
        commented: "127.0.0.1",
      }),
      listen_port: unset(PORT, {
        says: "Metrics port; each node of a host needs its own.",
        shown: "off",
        ours: true,
        commented: "9300",
      }),
    },
  },
} as const satisfies Schema;
