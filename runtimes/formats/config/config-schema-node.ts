/** Sections and keys of config.ini. Source: groups 8 */
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import * as kinds from "./config-kinds.ts";
import { key, list, type Schema, unset } from "./config-schema.ts";
import { LOG_KEYS } from "./config-schema-log.ts";

const { BOOLEAN, integer, IP, NODE_ID, oneOf, PORT, POSITIVE, TEXT } = kinds;
const OFF = { en: "off", zh: "关闭" };
const LISTEN = { en: "rpc.listen_ip, else 127.0.0.1", zh: "rpc.listen_ip，否则 127.0.0.1" };
const UNLIMITED = { en: "unlimited", zh: "不限" };

const RPC = {
  listen_ip: unset(IP, {
    en: "Older key: address of both ports below where they have none of their own.",
    zh: "旧键：以下两个端口未单独设置时使用的地址。",
    shown: { en: "127.0.0.1", zh: "127.0.0.1" },
  }),
  channel_listen_ip: unset(IP, {
    en: "Address of the port for SDKs.",
    zh: "SDK 端口的监听地址。",
    shown: LISTEN,
  }),
  jsonrpc_listen_ip: unset(IP, {
    en: "Address of the JSON-RPC port.",
    zh: "JSON-RPC 端口的监听地址。",
    shown: LISTEN,
  }),
  channel_listen_port: key(PORT, 20_200, {
    en: "Port for SDKs.",
    zh: "SDK 端口。",
    written: "20200",
  }),
  jsonrpc_listen_port: key(PORT, 8545, {
    en: "JSON-RPC port.",
    zh: "JSON-RPC 端口。",
    written: "8545",
  }),
  channel_max_sessions: key(integer(1), 2_000, {
    en: "Most SDKs connected at one time.",
    zh: "同时连接的 SDK 数上限。",
    ours: true,
  }),
  channel_max_memory: key(integer(1), 256, {
    en: "MiB of frames of all SDKs: not yet worked on, or not yet read by them.",
    zh: "所有 SDK 的帧占用的内存上限（MiB），含未处理的与客户端未读取的。",
    ours: true,
  }),
  channel_max_unsent: key(integer(1), 32, {
    en: "MiB that one SDK may leave unread before it is cut off.",
    zh: "单个 SDK 未读取的数据上限（MiB），超过则断开。",
    ours: true,
  }),
  channel_thread_count: key(integer(1), 8, {
    en: "Threads of the SDK port.",
    zh: "SDK 端口的线程数。",
    noEffect: true,
  }),
  jsonrpc_thread_count: key(integer(1), 8, {
    en: "Threads of the JSON-RPC port.",
    zh: "JSON-RPC 端口的线程数。",
    noEffect: true,
  }),
  disable_dynamic_group: key(BOOLEAN, false, {
    en: "Refuse to generate, start, stop, remove and recover groups.",
    zh: "禁止生成、启动、停止、删除与恢复群组。",
    written: "false",
  }),
  act_as_group_member: key(BOOLEAN, false, {
    en: "Answer about groups that the node has no role in.",
    zh: "对节点不属于的群组也作应答。",
  }),
  allowed_hosts: key(kinds.HOSTS, [], {
    en: "Names by which browsers reach this node, beside addresses and local names.",
    zh: "浏览器访问本节点所用的主机名；IP 地址与本地名称无需列出。",
    shown: { en: "none but local names", zh: "仅本地名称" },
    ours: true,
  }),
  allowed_origins: key(kinds.ORIGINS, [], {
    en: "Web pages that may submit, manage groups and peers, and subscribe.",
    zh: "允许提交交易、管理群组与节点以及订阅的网页来源。",
    shown: { en: "none but the node's own", zh: "仅节点自身" },
    ours: true,
  }),
  page: key(BOOLEAN, true, {
    en: "Serve the web page (explorer, workbench, theatre) to browsers at the JSON-RPC port.",
    zh: "在 JSON-RPC 端口向浏览器提供网页（浏览器、合约工作台、共识剧场）。",
    ours: true,
  }),
  live_view: key(oneOf("loopback", "on", "off"), "loopback", {
    en: "Who may watch the node's consensus at the JSON-RPC port: this machine, all, nobody.",
    zh: "谁可以在 JSON-RPC 端口实时观看本节点的共识：仅本机程序、所有人、无人。",
    ours: true,
  }),
  http_limit_req: unset(integer(1), {
    en: "Requests over HTTP per second.",
    zh: "HTTP 每秒请求数。",
    shown: OFF,
    ours: true,
  }),
} as const;

const P2P = {
  listen_ip: unset(IP, {
    en: "Address for other nodes; 127.0.0.1 admits only nodes of this host.",
    zh: "面向其他节点的监听地址，127.0.0.1 只允许本机节点。",
    shown: { en: "127.0.0.1", zh: "127.0.0.1" },
  }),
  listen_port: key(PORT, 30_300, {
    en: "Port for other nodes.",
    zh: "节点间端口。",
    written: "30300",
  }),
  "node.<i>": list(kinds.ENDPOINT, {
    en: "Addresses of nodes to connect to.",
    zh: "要连接的节点地址。",
  }),
  enable_compress: key(BOOLEAN, true, {
    en: "Compress long messages.",
    zh: "压缩较长的消息。",
  }),
  peers_param_limit: key(integer(1), 10, {
    en: "Most addresses of one addPeers or erasePeers.",
    zh: "一次 addPeers 或 erasePeers 的最大地址数。",
  }),
  max_nodes_limit: key(integer(1), 100, {
    en: "Most addresses in all.",
    zh: "地址总数上限。",
  }),
  connection_warning: key(BOOLEAN, true, {
    en: "Log failed handshakes with nodes as warnings; otherwise as information.",
    zh: "以警告级别记录与其他节点握手的失败，否则为信息级别。",
  }),
  ws_listen_ip: unset(IP, {
    en: "Address for peers over WebSocket: browsers and edge functions.",
    zh: "WebSocket 节点（浏览器与边缘）的监听地址。",
    shown: { en: "p2p.listen_ip", zh: "p2p.listen_ip" },
    ours: true,
  }),
  ws_listen_port: unset(PORT, {
    en: "Port for peers over WebSocket.",
    zh: "WebSocket 节点端口。",
    shown: OFF,
    ours: true,
  }),
  ws_cert: key(TEXT, "", {
    en: "Certificate file for wss; together with ws_key. Read again when it is replaced.",
    zh: "wss 的证书文件，与 ws_key 同时设置；文件被替换后重新读取。",
    ours: true,
  }),
  ws_key: key(TEXT, "", { en: "Key file for wss.", zh: "wss 的私钥文件。", ours: true }),
} as const;

const NETWORK_SECURITY = {
  data_path: key(TEXT, "./conf/", {
    en: "Folder of the files below.",
    zh: "以下文件所在的目录。",
    written: "conf/",
  }),
  key: key(TEXT, "", {
    en: "Private key of the node.",
    zh: "节点私钥。",
    shown: { en: "node.key; gmnode.key with sm_crypto", zh: "node.key；国密为 gmnode.key" },
    written: "node.key",
  }),
  cert: key(TEXT, "", {
    en: "Certificate of the node.",
    zh: "节点证书。",
    shown: { en: "node.crt; gmnode.crt with sm_crypto", zh: "node.crt；国密为 gmnode.crt" },
    written: "node.crt",
  }),
  ca_cert: key(TEXT, "", {
    en: "Certificate of the chain.",
    zh: "链证书。",
    shown: { en: "ca.crt; gmca.crt with sm_crypto", zh: "ca.crt；国密为 gmca.crt" },
    written: "ca.crt",
  }),
  ca_path: key(TEXT, "", { en: "Further certificates.", zh: "更多证书的路径。" }),
  en_key: key(TEXT, "gmennode.key", {
    en: "SM: encryption key.",
    zh: "国密：加密私钥。",
    noEffect: true,
  }),
  en_cert: key(TEXT, "gmennode.crt", {
    en: "SM: encryption certificate.",
    zh: "国密：加密证书。",
    noEffect: true,
  }),
  check_cert_issuer: key(BOOLEAN, true, {
    en: "Refuse SDKs of other agencies.",
    zh: "拒绝其他机构的 SDK。",
  }),
  crypto_provider: key(oneOf("ssm", "hsm"), "ssm", {
    en: "Where keys are: software (ssm) or a module (hsm).",
    zh: "密钥所在：软件（ssm）或加密机（hsm）。",
    notOffered: {
      en: "keys are files here; use ssm",
      zh: "此处密钥为文件，请使用 ssm",
      when: (value) => value === "hsm",
    },
  }),
  key_id: key(TEXT, "", { en: "hsm: key.", zh: "hsm：密钥编号。", noEffect: true }),
  enckey_id: key(TEXT, "", {
    en: "hsm: encryption key.",
    zh: "hsm：加密密钥编号。",
    noEffect: true,
  }),
} as const;

const STORAGE_SECURITY = {
  enable: key(BOOLEAN, false, {
    en: "Encrypt the ledger on disk.",
    zh: "落盘加密。",
    notOffered: {
      en: "the ledger is not encrypted by this node; encrypt the disk and set enable=false",
      zh: "本节点不提供落盘加密，请加密磁盘并设置 enable=false",
      when: (value) => value,
    },
    written: "false",
  }),
  key_manager_ip: key(TEXT, "", {
    en: "Host of the key manager.",
    zh: "密钥管理服务的主机。",
    noEffect: true,
  }),
  key_manager_port: key(PORT, 20_000, {
    en: "Port of the key manager; always checked.",
    zh: "密钥管理服务的端口，总是检查。",
    noEffect: true,
  }),
  cipher_data_key: key(TEXT, "", {
    en: "Encrypted data key.",
    zh: "加密后的数据密钥。",
    noEffect: true,
  }),
} as const;

const CHAIN = {
  id: key(integer(0), 1, { en: "Number of the chain.", zh: "链编号。", written: "1" }),
  sm_crypto: key(BOOLEAN, false, {
    en: "National algorithms SM2, SM3 and SM4, from compatibility version 2.5.0.",
    zh: "国密算法 SM2、SM3、SM4，兼容版本 2.5.0 起。",
    written: "false",
  }),
  sm_crypto_channel: key(BOOLEAN, false, {
    en: "National TLS for SDKs.",
    zh: "SDK 使用国密 TLS。",
    notOffered: {
      en: "there is no SM TLS in this runtime; use sm_crypto_channel=false",
      zh: "此运行时没有国密 TLS，请设置 sm_crypto_channel=false",
      when: (value) => value,
    },
    written: "false",
  }),
  rsa_crypto_channel: key(BOOLEAN, false, {
    en: "RSA certificates for SDKs of a national chain.",
    zh: "国密链的 SDK 使用 RSA 证书。",
  }),
} as const;

/** config.ini. */
export const NODE_SCHEMA = {
  rpc: { en: "Ports for clients.", zh: "面向客户端的端口。", keys: RPC },
  p2p: { en: "Other nodes.", zh: "其他节点。", keys: P2P },
  certificate_blacklist: {
    en: "Nodes that are refused; the blacklist wins over the whitelist.",
    zh: "拒绝的节点，黑名单优先于白名单。",
    legacy: "crl",
    keys: {
      "crl.<i>": list(NODE_ID, { en: "Node IDs.", zh: "节点 ID。", forgiving: true }),
    },
  },
  certificate_whitelist: {
    en: "Nodes that are admitted; without any, all are.",
    zh: "允许的节点，为空时允许所有节点。",
    legacy: "cal",
    keys: {
      "cal.<i>": list(NODE_ID, {
        en: "Node IDs; one that is not allowed is skipped.",
        zh: "节点 ID，无效的条目会被跳过。",
        forgiving: true,
        reloadable: true,
      }),
    },
  },
  group: {
    en: "Where groups are.",
    zh: "群组的位置。",
    keys: {
      group_data_path: key(TEXT, "data/", {
        en: "Folder of ledgers.",
        zh: "账本目录。",
        written: "data/",
      }),
      group_config_path: key(TEXT, "conf/", {
        en: "Folder of group.N.genesis and group.N.ini.",
        zh: "group.N.genesis 与 group.N.ini 的目录。",
        written: "conf/",
      }),
    },
  },
  network_security: {
    en: "Keys and certificates.",
    zh: "密钥与证书。",
    legacy: "secure",
    keys: NETWORK_SECURITY,
  },
  storage_security: {
    en: "Encryption on disk.",
    zh: "落盘加密。",
    legacy: "data_secure",
    keys: STORAGE_SECURITY,
  },
  chain: { en: "The chain.", zh: "链。", keys: CHAIN },
  compatibility: {
    en: "Rules of older chains.",
    zh: "旧链的规则。",
    keys: {
      supported_version: key(kinds.VERSION, NEWEST_VERSION, {
        en: "Compatibility version; never changed in the life of a chain.",
        zh: "兼容版本，链的生命周期内不可更改。",
        shown: {
          en: "2.11.1, with a warning",
          zh: "2.11.1，并给出警告",
        },
        written: "2.11.1",
      }),
    },
  },
  log: { en: "Log files.", zh: "日志文件。", keys: LOG_KEYS },
  flow_control: {
    en: "Limits of the node.",
    zh: "节点的流量限制。",
    keys: {
      limit_req: unset(integer(1), {
        en: "Requests of SDKs per second.",
        zh: "SDK 每秒请求数。",
        shown: UNLIMITED,
        commented: "1000",
      }),
      outgoing_bandwidth_limit: unset(POSITIVE, {
        en: "Outgoing bandwidth in Mbit/s.",
        zh: "出带宽（Mbit/s）。",
        shown: UNLIMITED,
        commented: "2",
      }),
    },
  },
  metrics: {
    en: "Figures in Prometheus text.",
    zh: "Prometheus 文本格式的指标。",
    keys: {
      listen_ip: key(IP, "127.0.0.1", {
        en: "Address of the metrics port.",
        zh: "指标端口的监听地址。",
        ours: true,
        commented: "127.0.0.1",
      }),
      listen_port: unset(PORT, {
        en: "Metrics port; each node of a host needs its own.",
        zh: "指标端口，同一主机上的每个节点须各用一个。",
        shown: OFF,
        ours: true,
        commented: "9300",
      }),
    },
  },
} as const satisfies Schema;
