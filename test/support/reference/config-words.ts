/** What the schemas of configuration files say, in Chinese. */
export const CONFIG_WORDS: Readonly<Record<string, string>> = {
  "One for each node, in its folder. Changes need a restart unless a key says otherwise.":
    "每个节点一个，位于节点目录。除非另有说明，修改后需要重启。",
  "Ports for clients.": "面向客户端的端口。",
  "Older key: address of both ports below where they have none of their own.":
    "旧键：以下两个端口未单独设置时使用的地址。",
  "127.0.0.1": "127.0.0.1",
  "an IPv4 or IPv6 address": "IPv4 或 IPv6 地址",
  "Address of the port for SDKs.": "SDK 端口的监听地址。",
  "rpc.listen_ip, else 127.0.0.1": "rpc.listen_ip，否则 127.0.0.1",
  "Address of the JSON-RPC port.": "JSON-RPC 端口的监听地址。",
  "Port for SDKs.": "SDK 端口。",
  "JSON-RPC port.": "JSON-RPC 端口。",
  "Most SDKs connected at one time.": "同时连接的 SDK 数上限。",
  "MiB of frames of all SDKs: not yet worked on, or not yet read by them.":
    "所有 SDK 的帧占用的内存上限（MiB），含未处理的与客户端未读取的。",
  "MiB that one SDK may leave unread before it is cut off.":
    "单个 SDK 未读取的数据上限（MiB），超过则断开。",
  "Threads of the SDK port.": "SDK 端口的线程数。",
  "Threads of the JSON-RPC port.": "JSON-RPC 端口的线程数。",
  "Refuse to generate, start, stop, remove and recover groups.":
    "禁止生成、启动、停止、删除与恢复群组。",
  "true or false": "true 或 false",
  "Answer about groups that the node has no role in.": "对节点不属于的群组也作应答。",
  "Names by which browsers reach this node, in addition to addresses and local names.":
    "浏览器访问本节点所用的主机名；IP 地址与本地名称无需列出。",
  "none but local names": "仅本地名称",
  "host names such as chain.example.org, without port, separated by commas, or *":
    "以逗号分隔的主机名，例如 chain.example.org（不含端口），或 *",
  "Web pages that may submit, manage groups and peers, and subscribe.":
    "允许提交交易、管理群组与节点以及订阅的网页来源。",
  "none but the node's own": "仅节点自身",
  "origins such as https://example.org, separated by commas, or *":
    "以逗号分隔的来源，例如 https://example.org，或 *",
  "Serve the web page (explorer, workbench, theatre) to browsers at the JSON-RPC port.":
    "在 JSON-RPC 端口向浏览器提供网页（浏览器、合约工作台、共识剧场）。",
  "Who may change groups and peers over HTTP: callers of this host, with a token, all.":
    "谁可以通过 HTTP 更改群组与节点连接：仅本机调用方、持有令牌者、所有人。",
  "File with the token for management = token, which callers send as a bearer token.":
    "management = token 时存放令牌的文件，调用方以 Bearer 令牌发送。",
  "MiB that the output of one call may have; a longer one is answered by an error.":
    "一次 call 的输出最多多少 MiB；更长的输出以错误作答。",
  "Who may watch the node's consensus at the JSON-RPC port: this machine, all, nobody.":
    "谁可以在 JSON-RPC 端口实时观看本节点的共识：仅本机程序、所有人、无人。",
  "Requests over HTTP per second.": "HTTP 每秒请求数。",
  off: "关闭",
  "Other nodes.": "其他节点。",
  "Address for other nodes; 127.0.0.1 admits only nodes of this host.":
    "面向其他节点的监听地址，127.0.0.1 只允许本机节点。",
  "Port for other nodes.": "节点间端口。",
  "Addresses of nodes to connect to.": "要连接的节点地址。",
  "host:port or [IPv6]:port": "host:port 或 [IPv6]:port",
  "Compress long messages.": "压缩较长的消息。",
  "Most addresses of one addPeers or erasePeers.": "一次 addPeers 或 erasePeers 的最大地址数。",
  "Most addresses in all.": "地址总数上限。",
  "Log failed handshakes with nodes as warnings; otherwise as information.":
    "以警告级别记录与其他节点握手的失败，否则为信息级别。",
  "Address for peers over WebSocket: browsers and edge functions.":
    "WebSocket 节点（浏览器与边缘）的监听地址。",
  "p2p.listen_ip": "p2p.listen_ip",
  "Port for peers over WebSocket.": "WebSocket 节点端口。",
  "Certificate file for wss; together with ws_key. Read again when it is replaced.":
    "wss 的证书文件，与 ws_key 同时设置；文件被替换后重新读取。",
  "any text": "任意文本",
  "Key file for wss.": "wss 的私钥文件。",
  "Nodes that are refused; the blacklist wins over the whitelist.":
    "拒绝的节点，黑名单优先于白名单。",
  "Node IDs.": "节点 ID。",
  "128 hexadecimal digits without 0x": "128 位十六进制数字，不带 0x",
  "Nodes that are admitted; without any, all are.": "允许的节点，为空时允许所有节点。",
  "Node IDs; one that is not allowed is skipped.": "节点 ID，无效的条目会被跳过。",
  "Where groups are.": "群组的位置。",
  "Folder of ledgers.": "账本目录。",
  "Folder of group.N.genesis and group.N.ini.": "group.N.genesis 与 group.N.ini 的目录。",
  "Keys and certificates.": "密钥与证书。",
  "Folder of the files below.": "以下文件所在的目录。",
  "Private key of the node.": "节点私钥。",
  "node.key; gmnode.key with sm_crypto": "node.key；国密为 gmnode.key",
  "Certificate of the node.": "节点证书。",
  "node.crt; gmnode.crt with sm_crypto": "node.crt；国密为 gmnode.crt",
  "Certificate of the chain.": "链证书。",
  "ca.crt; gmca.crt with sm_crypto": "ca.crt；国密为 gmca.crt",
  "Further certificates.": "更多证书的路径。",
  "SM: encryption key.": "国密：加密私钥。",
  "SM: encryption certificate.": "国密：加密证书。",
  "Refuse SDKs of other agencies.": "拒绝其他机构的 SDK。",
  "Where keys are: software (ssm) or a module (hsm).": "密钥所在：软件（ssm）或加密机（hsm）。",
  "keys are files here; use ssm": "此处密钥为文件，请使用 ssm",
  "hsm: key.": "hsm：密钥编号。",
  "hsm: encryption key.": "hsm：加密密钥编号。",
  "Encryption on disk.": "落盘加密。",
  "Encrypt the ledger on disk.": "落盘加密。",
  "the ledger is not encrypted by this node; encrypt the disk and set enable=false":
    "本节点不提供落盘加密，请加密磁盘并设置 enable=false",
  "Host of the key manager.": "密钥管理服务的主机。",
  "Port of the key manager; always checked.": "密钥管理服务的端口，总是检查。",
  "Encrypted data key.": "加密后的数据密钥。",
  "The chain.": "链。",
  "Number of the chain.": "链编号。",
  "National algorithms SM2, SM3 and SM4, from compatibility version 2.5.0.":
    "国密算法 SM2、SM3、SM4，兼容版本 2.5.0 起。",
  "National TLS for SDKs.": "SDK 使用国密 TLS。",
  "there is no SM TLS in this runtime; use sm_crypto_channel=false":
    "此运行时没有国密 TLS，请设置 sm_crypto_channel=false",
  "RSA certificates for SDKs of a national chain.": "国密链的 SDK 使用 RSA 证书。",
  "Rules of older chains.": "旧链的规则。",
  "Compatibility version; never changed in the life of a chain.":
    "兼容版本，链的生命周期内不可更改。",
  "2.11.1, with a warning": "2.11.1，并给出警告",
  "a version x.y.z from 2.0.0 to 2.11.1": "版本号 x.y.z，2.0.0 到 2.11.1",
  "Log files.": "日志文件。",
  "Write log files.": "写日志文件。",
  "Folder of log files.": "日志目录。",
  "Least severe lines that are written.": "最低日志级别。",
  "Size in MB at which a new log file begins.": "日志文件达到该 MB 数时新建文件。",
  "Write every line at once; otherwise lines may wait for a second.":
    "每行立即写入，否则最多等待一秒。",
  "Lines that are gathered before they are written.": "写入前累积的行数。",
  "Format of a line.": "行格式。",
  "Write all lines to the terminal as well, not only warnings and errors.":
    "所有日志同时输出到终端，而不仅是警告和错误。",
  "A new file every hour; otherwise the patterns below hold.":
    "每小时一个新文件，否则使用以下模式。",
  "Name of the current file.": "当前文件名。",
  "a file name, in which %Y %m %d %H %M %S stand for the time":
    "文件名，其中 %Y %m %d %H %M %S 表示时间",
  "Name of a finished file.": "归档文件名。",
  "Folder of finished files.": "归档目录。",
  log_path: "log_path",
  "Compress finished files.": "压缩归档文件。",
  "Most finished files; the oldest are removed; 0 is unlimited.":
    "归档文件数上限，超出时删除最旧的，0 表示不限。",
  "Most MB of finished files in all; the oldest are removed; 0 is unlimited.":
    "归档文件总 MB 上限，超出时删除最旧的，0 表示不限。",
  "MB that stay free on the disk; 0 is no limit.": "磁盘保留的 MB 数，0 表示不限。",
  "Write figures of the network to a log of their own.": "将网络统计写入单独的日志。",
  "Seconds between such lines.": "统计输出间隔（秒）。",
  "Limits of the node.": "节点的流量限制。",
  "Requests of SDKs per second.": "SDK 每秒请求数。",
  unlimited: "不限",
  "Outgoing bandwidth in Mbit/s.": "出带宽（Mbit/s）。",
  "a number above 0; decimals are allowed": "大于 0 的数字，可以是小数",
  "Figures in Prometheus text.": "Prometheus 文本格式的指标。",
  "Address of the metrics port.": "指标端口的监听地址。",
  "Metrics port; each node of a host needs its own.": "指标端口，同一主机上的每个节点须各用一个。",
  "One for each group, the same on all its members; `group.id` and a sealer are required.":
    "每个群组一个，所有成员相同。缺少 `group.id` 或共识节点时无法建立群组。",
  "Who agrees on blocks, and how. Part of block 0: the same on all members, for ever.":
    "由谁、以何种方式对区块达成共识。属于创世块：所有成员必须相同，且永不更改。",
  "Consensus algorithm.": "共识算法。",
  "rpbft is not offered yet; use pbft or raft": "暂不提供 rpbft，请使用 pbft 或 raft",
  "Most transactions of a block: the first value of tx_count_limit.":
    "一个区块的最大交易数，即 tx_count_limit 的初始值。",
  "Seconds until a leader is given up.": "放弃领导者之前等待的秒数。",
  "Raft: shortest election timeout in milliseconds.": "Raft：最短选举超时（毫秒）。",
  "Raft: longest election timeout in milliseconds.": "Raft：最长选举超时（毫秒）。",
  "rPBFT: sealers of an epoch.": "rPBFT：每个周期的共识节点数。",
  "number of sealers": "共识节点数",
  "rPBFT: blocks of an epoch.": "rPBFT：每个周期的区块数。",
  "Node IDs of the first sealers.": "初始共识节点的节点 ID。",
  "State of contracts.": "合约状态。",
  "How the state is kept.": "状态的存储方式。",
  "only the state type storage is built here": "此处只实现了 storage 状态类型",
  "Transactions.": "交易。",
  "Gas limit of a transaction: the first value of tx_gas_limit.":
    "单个交易的 gas 上限，即 tx_gas_limit 的初始值。",
  "a whole number from 0 to 2^63 - 1": "整数，0 到 2^63 - 1",
  "The group itself.": "群组本身。",
  "Number of the group; required.": "群组编号，必填。",
  "Timestamp of block 0 in milliseconds.": "创世块时间戳（毫秒）。",
  "2^63 - 1": "2^63 - 1",
  "The virtual machine.": "虚拟机。",
  "Storage is cheap in gas, from compatibility version 2.4.0.":
    "降低存储的 gas 消耗，兼容版本 2.4.0 起有效。",
  "Event filters of SDKs.": "SDK 的事件过滤器。",
  "Most blocks between the ends of a filter; 0 is unlimited.": "过滤器的最大区块跨度，0 表示不限。",
  "Most blocks examined in one turn; 0 is the built-in value.":
    "每轮处理的最大区块数，0 表示内置值。",
  "Only of chains before 2.0.0.": "仅用于 2.0.0 之前的链。",
  "Old place of storage.type.": "旧的存储类型位置。",
  "Old place of storage.topic.": "旧的主题位置。",
  "Old place of storage.max_retry.": "旧的重试次数位置。",
  "One for each group and node. Changes need a stop and a start of the group.":
    "每个节点的每个群组一个。修改后需要停止并重新启动群组。",
  "Making blocks.": "出块。",
  "Hops of a consensus message where it is passed on without a list; pbft only.":
    "不带名单转发共识消息时的跳数；仅用于 pbft。",
  "Milliseconds that a proposal may be ahead of the sealers' clocks to be voted for.":
    "提案时间可超前共识节点时钟的毫秒数，超过则不投票。",
  "Shortest time between blocks in milliseconds; 1000 and more act as 999.":
    "最短出块间隔（毫秒），大于等于 1000 时按 999 处理。",
  "Shrink blocks after a timeout and let them grow again.": "超时后缩小区块，随后再逐步增大。",
  "By how much blocks grow again.": "区块重新增大的比例。",
  "Consensus messages are passed on to sealers that lack them, by list; false: by ttl.":
    "共识消息按名单转发给尚未收到的共识节点；false 表示按跳数转发。",
  "true; false below version 2.2.0": "true；版本低于 2.2.0 时为 false",
  "Proposals carry hashes instead of transactions.": "提案只携带交易哈希。",
  "rPBFT: proposals travel along a tree.": "rPBFT：以树状拓扑广播提案。",
  "rPBFT: share of nodes that are notified of a proposal.": "rPBFT：接收提案状态的节点百分比。",
  "Longest wait before missing transactions are asked for, in milliseconds.":
    "请求缺失交易前的最长等待（毫秒）。",
  "Longest wait before a missing proposal is asked for, in milliseconds.":
    "请求缺失提案前的最长等待（毫秒）。",
  "The ledger on disk.": "磁盘上的账本。",
  "Store of the ledger. rocksdb, scalable and leveldb mean this node's own store.":
    "账本的存储。rocksdb、scalable 与 leveldb 均表示本节点自带的存储。",
  "this node keeps ledgers in its own store; use rocksdb": "本节点使用自带的存储，请使用 rocksdb",
  "Write a binary log next to the ledger.": "在账本之外写二进制日志。",
  "scalable: blocks of a part in thousands; 0 acts as 2.":
    "scalable：每段的区块数（千），0 按 2 处理。",
  "Keep rows in memory.": "在内存中缓存数据行。",
  "Memory of the row cache in MB.": "行缓存的内存（MB）。",
  "Blocks that the cache may be ahead of the disk.": "缓存可领先磁盘的区块数。",
  "external: tries; 0 and 1 act as 60.": "external：重试次数，0 和 1 按 60 处理。",
  "external: topic.": "external：主题。",
  "A committee of one member restricts nobody yet; equal on all nodes of the group.":
    "委员会只有一名成员时不限制任何人；群组内所有节点须一致。",
  "mysql: host.": "mysql：主机。",
  "mysql: port.": "mysql：端口。",
  "mysql: user.": "mysql：用户。",
  "mysql: password.": "mysql：密码。",
  "mysql: database.": "mysql：数据库名。",
  "mysql: character set.": "mysql：字符集。",
  "mysql: connections at start.": "mysql：初始连接数。",
  "mysql: most connections.": "mysql：最大连接数。",
  "The pool. A value that is not allowed here gives the default.":
    "交易池。此节中不允许的值使用默认值。",
  "Most transactions in the pool.": "交易池的最大交易数。",
  "Most memory of the pool in MB.": "交易池的最大内存（MB）。",
  "Threads that notify about receipts.": "回执通知的线程数。",
  "Seconds that a transaction may wait; never less than the consensus timeout.":
    "交易可等待的秒数，不小于共识超时。",
  "Blocks and transactions between nodes.": "节点间的区块与交易同步。",
  "Most memory for downloaded blocks in MB.": "下载区块的最大内存（MB）。",
  "Pause of the download loop in milliseconds.": "下载循环的间隔（毫秒）。",
  "Block status travels along a tree; not in raft groups.":
    "以树状拓扑广播区块状态，raft 群组无效。",
  "true; false up to version 2.1.0": "true；版本不高于 2.1.0 时为 false",
  "Transactions travel along a tree; not in raft groups.": "以树状拓扑广播交易，raft 群组无效。",
  "Time between gossip about block status in milliseconds.": "区块状态 gossip 的间隔（毫秒）。",
  "Peers of one gossip.": "每次 gossip 的节点数。",
  "Most peers that hear about a transaction's hash.": "接收交易哈希的最大节点数。",
  "Nodes without a role may read blocks.": "允许游离节点读取区块。",
  "Minutes between log lines about sync.": "同步日志的间隔（分钟）。",
  "Limits of this group.": "本群组的流量限制。",
  "SDKs that may use the group.": "可以使用本群组的 SDK。",
  "Public keys of SDKs; none admits everyone.": "SDK 公钥，为空时允许所有 SDK。",
  "Execution.": "交易执行。",
  "Execute in parallel.": "并行执行交易。",
};
