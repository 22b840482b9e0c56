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
    help: "Older key: address of both ports below where they have none of their own.",
    shown: "127.0.0.1",
  }),
  channel_listen_ip: unset(IP, { help: "Address of the port for SDKs.", shown: LISTEN }),
  jsonrpc_listen_ip: unset(IP, { help: "Address of the JSON-RPC port.", shown: LISTEN }),
  channel_listen_port: key(PORT, 20_200, { help: "Port for SDKs.", written: true }),
  jsonrpc_listen_port: key(PORT, 8545, { help: "JSON-RPC port.", written: true }),
  channel_max_sessions: ours(integer(1), 2_000, { help: "Most SDKs connected at one time." }),
  channel_max_memory: ours(integer(1), 136, {
    help: "MiB of frames of all SDKs: not yet worked on, or not yet read by them.",
  }),
  channel_max_unsent: ours(integer(1), 32, {
    help: "MiB that one SDK may leave unread before it is cut off.",
  }),
  channel_thread_count: idle(integer(1), 8, { help: "Threads of the SDK port." }),
  jsonrpc_thread_count: idle(integer(1), 8, { help: "Threads of the JSON-RPC port." }),
  disable_dynamic_group: key(BOOLEAN, false, {
    help: "Refuse to generate, start, stop, remove and recover groups.",
    written: true,
  }),
  act_as_group_member: key(BOOLEAN, false, {
    help: "Answer about groups that the node has no role in.",
  }),
  allowed_hosts: ours(HOSTS, [], {
    help: "Names by which browsers reach this node, in addition to addresses and local names.",
    shown: "none but local names",
  }),
  allowed_origins: ours(ORIGINS, [], {
    help: "Web pages that may submit, manage groups and peers, and subscribe.",
    shown: "none but the node's own",
  }),
  management: ours(oneOf("local", "token", "open"), "local", {
    help: "Who may change groups and peers over HTTP: callers of this host, with a token, all.",
    written: true,
  }),
  management_token_file: ours(TEXT, "", {
    help: "File with the token for management = token, which callers send as a bearer token.",
  }),
  page: ours(BOOLEAN, true, {
    help: "Serve the web page (explorer, workbench, theatre) to browsers at the JSON-RPC port.",
  }),
  max_call_output: ours(integer(1, 64), 4, {
    help: "MiB that the output of one call may have; a longer one is answered by an error.",
  }),
  live_view: ours(oneOf("loopback", "on", "off"), "loopback", {
    help: "Who may watch the node's consensus at the JSON-RPC port: this machine, all, nobody.",
  }),
  http_limit_req: unset(integer(1), {
    help: "Requests over HTTP per second.",
    shown: "off",
    ours: true,
  }),
} as const;

const P2P = {
  listen_ip: unset(IP, {
    help: "Address for other nodes; 127.0.0.1 admits only nodes of this host.",
    shown: "127.0.0.1",
  }),
  listen_port: key(PORT, 30_300, { help: "Port for other nodes.", written: true }),
  "node.<i>": list(ENDPOINT, { help: "Addresses of nodes to connect to." }),
  enable_compress: key(BOOLEAN, true, { help: "Compress long messages." }),
  peers_param_limit: key(integer(1), 10, { help: "Most addresses of one addPeers or erasePeers." }),
  max_nodes_limit: key(integer(1), 100, { help: "Most addresses in all." }),
  connection_warning: key(BOOLEAN, true, {
    help: "Log failed handshakes with nodes as warnings; otherwise as information.",
  }),
  ws_listen_ip: unset(IP, {
    help: "Address for peers over WebSocket: browsers and edge functions.",
    shown: "p2p.listen_ip",
    ours: true,
  }),
  ws_listen_port: unset(PORT, { help: "Port for peers over WebSocket.", shown: "off", ours: true }),
  ws_cert: ours(TEXT, "", {
    help: "Certificate file for wss; together with ws_key. Read again when it is replaced.",
  }),
  ws_key: ours(TEXT, "", { help: "Key file for wss." }),
} as const;

const NETWORK_SECURITY = {
  data_path: key(TEXT, "./conf/", { help: "Folder of the files below.", written: "conf/" }),
  key: key(TEXT, "", {
    help: "Private key of the node.",
    shown: "node.key; gmnode.key with sm_crypto",
    written: "node.key",
  }),
  cert: key(TEXT, "", {
    help: "Certificate of the node.",
    shown: "node.crt; gmnode.crt with sm_crypto",
    written: "node.crt",
  }),
  ca_cert: key(TEXT, "", {
    help: "Certificate of the chain.",
    shown: "ca.crt; gmca.crt with sm_crypto",
    written: "ca.crt",
  }),
  ca_path: key(TEXT, "", { help: "Further certificates." }),
  en_key: idle(TEXT, "gmennode.key", { help: "SM: encryption key." }),
  en_cert: idle(TEXT, "gmennode.crt", { help: "SM: encryption certificate." }),
  check_cert_issuer: key(BOOLEAN, true, { help: "Refuse SDKs of other agencies." }),
  crypto_provider: key(oneOf("ssm", "hsm"), "ssm", {
    help: "Where keys are: software (ssm) or a module (hsm).",
    notOffered: { help: "keys are files here; use ssm", when: (value) => value === "hsm" },
  }),
  key_id: idle(TEXT, "", { help: "hsm: key." }),
  enckey_id: idle(TEXT, "", { help: "hsm: encryption key." }),
} as const;

const STORAGE_SECURITY = {
  enable: key(BOOLEAN, false, {
    help: "Encrypt the ledger on disk.",
    notOffered: {
      help: "the ledger is not encrypted by this node; encrypt the disk and set enable=false",
      when: (value) => value,
    },
    written: true,
  }),
  key_manager_ip: idle(TEXT, "", { help: "Host of the key manager.", written: "" }),
  key_manager_port: idle(PORT, 20_000, {
    help: "Port of the key manager; always checked.",
    written: "",
  }),
  cipher_data_key: idle(TEXT, "", { help: "Encrypted data key.", written: "" }),
} as const;

const CHAIN = {
  id: key(integer(0), 1, { help: "Number of the chain.", written: true }),
  sm_crypto: key(BOOLEAN, false, {
    help: "National algorithms SM2, SM3 and SM4, from compatibility version 2.5.0.",
    written: true,
  }),
  sm_crypto_channel: key(BOOLEAN, false, {
    help: "National TLS for SDKs.",
    notOffered: {
      help: "there is no SM TLS in this runtime; use sm_crypto_channel=false",
      when: (value) => value,
    },
    written: true,
  }),
  rsa_crypto_channel: key(BOOLEAN, false, {
    help: "RSA certificates for SDKs of a national chain.",
  }),
} as const;

const LOG = {
  enable: key(BOOLEAN, true, { help: "Write log files.", written: true }),
  log_path: key(TEXT, "log", { help: "Folder of log files.", written: "./log" }),
  level: key(oneOf("trace", "debug", "info", "warning", "error"), "info", {
    help: "Least severe lines that are written.",
    written: true,
  }),
  max_log_file_size: key(integer(100), 1024, {
    help: "Size in MB at which a new log file begins.",
    written: "200",
  }),
  flush: key(BOOLEAN, true, {
    help: "Write every line at once; otherwise lines may wait for a second.",
    written: true,
  }),
  log_flush_threshold: idle(integer(1), 100, {
    help: "Lines that are gathered before they are written.",
    written: true,
  }),
  format: idle(TEXT, "", { help: "Format of a line." }),
  enable_console_output: key(BOOLEAN, false, {
    help: "Write all lines to the terminal as well, not only warnings and errors.",
  }),
  enable_rotate_by_hour: key(BOOLEAN, true, {
    help: "A new file every hour; otherwise the patterns below hold.",
  }),
  log_name_pattern: key(LOG_NAME, "log_%Y%m%d_%H%M.log", { help: "Name of the current file." }),
  rotate_name_pattern: key(LOG_NAME, "log_%Y%m%d%H.%M.log", { help: "Name of a finished file." }),
  archive_path: key(TEXT, "", { help: "Folder of finished files.", shown: "log_path" }),
  compress_archive_file: key(BOOLEAN, false, { help: "Compress finished files." }),
  max_archive_files: key(integer(0), 0, {
    help: "Most finished files; the oldest are removed; 0 is unlimited.",
  }),
  max_archive_size: key(integer(0), 0, {
    help: "Most MB of finished files in all; the oldest are removed; 0 is unlimited.",
    written: "4096",
  }),
  min_free_space: key(integer(0), 0, { help: "MB that stay free on the disk; 0 is no limit." }),
  enable_statistic: idle(BOOLEAN, false, {
    help: "Write figures of the network to a log of their own.",
    written: true,
  }),
  stat_flush_interval: idle(integer(1), 60, { help: "Seconds between such lines.", written: true }),
} as const;

/** config.ini. */
export const NODE_SCHEMA = {
  rpc: { help: "Ports for clients.", keys: RPC },
  p2p: { help: "Other nodes.", keys: P2P },
  certificate_blacklist: {
    help: "Nodes that are refused; the blacklist wins over the whitelist.",
    legacy: "crl",
    keys: {
      "crl.<i>": list(NODE_ID, { help: "Node IDs.", forgiving: true, commented: "" }),
    },
  },
  certificate_whitelist: {
    help: "Nodes that are admitted; without any, all are.",
    legacy: "cal",
    keys: {
      "cal.<i>": list(NODE_ID, {
        help: "Node IDs; one that is not allowed is skipped.",
        forgiving: true,
        reloadable: true,
        commented: "",
      }),
    },
  },
  group: {
    help: "Where groups are.",
    keys: {
      group_data_path: key(TEXT, "data/", { help: "Folder of ledgers.", written: true }),
      group_config_path: key(TEXT, "conf/", {
        help: "Folder of group.N.genesis and group.N.ini.",
        written: true,
      }),
    },
  },
  network_security: { help: "Keys and certificates.", legacy: "secure", keys: NETWORK_SECURITY },
  storage_security: { help: "Encryption on disk.", legacy: "data_secure", keys: STORAGE_SECURITY },
  chain: { help: "The chain.", keys: CHAIN },
  compatibility: {
    help: "Rules of older chains.",
    keys: {
      supported_version: key(VERSION, NEWEST_VERSION, {
        help: "Compatibility version; never changed in the life of a chain.",
        shown: "2.11.1, with a warning",
        written: "2.11.1",
      }),
    },
  },
  log: { help: "Log files.", keys: LOG },
  flow_control: { help: "Limits of the node.", keys: FLOW_CONTROL },
  metrics: {
    help: "Figures in Prometheus text.",
    keys: {
      listen_ip: ours(IP, "127.0.0.1", {
        help: "Address of the metrics port.",
        commented: "127.0.0.1",
      }),
      listen_port: unset(PORT, {
        help: "Metrics port; each node of a host needs its own.",
        shown: "off",
        ours: true,
        commented: "9300",
      }),
    },
  },
} as const satisfies Schema;
