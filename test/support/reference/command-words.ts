/** What the rows of commands say, in Chinese. */
export const COMMAND_WORDS: Readonly<Record<string, string>> = {
  "run a PBFT chain in this process, ready to use": "在本进程内运行一条可直接使用的 PBFT 链",
  "number of nodes": "节点数量",
  "JSON-RPC port of node 0; node i listens on port + i":
    "节点 0 的 JSON-RPC 端口；节点 i 监听该端口加 i",
  "port of node 0 for SDKs, 20200 unless --port moves it; node i listens on port + i":
    "节点 0 的 SDK 端口，默认 20200，随 --port 移动；节点 i 监听该端口加 i",
  "RSA certificates for SDKs in place of secp256k1 ones":
    "SDK 端口使用 RSA 证书，代替 secp256k1 证书",
  "address to listen on; others than loopback open the chain to the network":
    "监听地址；非回环地址会把链开放到网络",
  "data folder": "数据目录",
  "keep nothing: a temporary folder, removed at the end": "不保留数据：使用临时目录，结束时删除",
  "remove the data folder first, if it is one of ours": "先删除数据目录（仅当它由本程序创建）",
  "print one line of JSON when ready instead of the first screen": "就绪时输出一行 JSON，代替首屏",
  "no line per block": "不为每个区块输出一行",
  "least severe log lines to print on stderr": "输出到标准错误的最低日志级别",
  "let web pages of this origin do what the chain's own page may (* for all)":
    "允许来自该来源的网页与本链自己的网页做同样的事（* 表示全部）",
  "an origin like `http://localhost:3000`, or `*`": "来源，例如 `http://localhost:3000`，或 `*`",
  "further names by which browsers reach the nodes (* for all)":
    "浏览器访问节点所用的其他主机名（* 表示全部）",
  "host names without port, separated by commas, or `*`": "以逗号分隔的主机名（不含端口），或 `*`",
  "largest request body": "请求体的最大字节数",
  "least time between blocks": "区块之间的最短时间（毫秒）",
  "national algorithms: SM2 and SM3 in place of secp256k1 and Keccak-256":
    "使用国密算法：以 SM2、SM3 代替 secp256k1、Keccak-256",
  "run one node from its folder": "从节点目录运行一个节点",
  "the node's config.ini": "节点的 config.ini",
  "least severe log lines to print on stderr; warning, unless config.ini says otherwise":
    "输出到标准错误的最低日志级别；除非 config.ini 另有设置，否则为 warning",
  "print one line of JSON when the node is ready": "节点就绪时输出一行 JSON",
  "write the folders of a new chain: keys, certificates, nodes, scripts":
    "写出新链的目录：密钥、证书、节点、脚本",
  "where to write; must not hold a chain or a node already": "写入位置；其中不能已有链或节点",
  "agencies that share the nodes, such as A,B": "分担节点的机构，例如 A,B",
  "names, separated by commas": "名称，以逗号分隔",
  "groups to begin with, such as 1:pbft,2:raft": "初始群组，例如 1:pbft,2:raft",
  "ID, `ID:pbft` or `ID:raft`, separated by commas": "ID、`ID:pbft` 或 `ID:raft`，以逗号分隔",
  "address or name at which peers reach the nodes": "其他节点访问这些节点所用的地址或主机名",
  "an IPv4 or IPv6 address, or a name": "IPv4 或 IPv6 地址，或主机名",
  "ports RPC,CHANNEL,P2P[,WS] of node 0; node i adds i":
    "节点 0 的端口 RPC,CHANNEL,P2P[,WS]；节点 i 各加 i",
  "three or four ports from 1024 to 65535, separated by commas":
    "三个或四个端口，1024 到 65535，以逗号分隔",
  "validity of node and SDK certificates": "节点证书和 SDK 证书的有效天数",
  "print one line of JSON instead of a table": "输出一行 JSON，代替表格",
  "show nodes and their groups in a table; exit code 1 when one is down or stalled":
    "以表格显示节点及其群组；有节点停止、未就绪或无法出块时退出码为 1",
  "folder of a node, or of a chain with its nodes in it": "节点目录，或包含多个节点的链目录",
  "print one line of JSON": "输出一行 JSON",
  "print one line of JSON; with code and msg when nothing was sent":
    "输出一行 JSON；未发送任何内容时含 code 和 msg",
  "talk to a chain: commands, scripts, or a session with completion (console -h lists all)":
    "与链交互：单条命令、脚本，或带补全的会话（console -h 列出全部）",
  "measure a chain: load, monitors, a report (benchmark --help lists all)":
    "测量一条链：施加负载、监视、生成报告（benchmark --help 列出全部）",
  "command and settings of the tool, as in `benchmark new hello`":
    "工具的命令与设置，如 `benchmark new hello`",
  "write certificates, genesis files and nodes of agencies (generator -h lists all)":
    "为各机构生成证书、创世文件和节点（generator -h 列出全部）",
  "flags of the tool, as in `generator --create_tool_folder tool`":
    "工具的选项，如 `generator --create_tool_folder tool`",
  "group, options and command of the console, as in `console 1 getBlockNumber`":
    "控制台的群组、选项和命令，如 `console 1 getBlockNumber`",
  "check nodes of this host and say what to do; exit code 1 when a check fails":
    "检查本机节点并给出下一步；有检查失败时退出码为 1",
  "say that no other copy of a node runs: its silent groups vote again":
    "确认该节点没有其他副本在运行：其静默的群组重新参与投票",
  "folder of the node; it may run or not": "节点目录；节点可以正在运行，也可以未运行",
  "the group that is meant; all silent ones when absent": "所指的群组；未给出时为所有静默的群组",
  "make a node a sealer or observer of a group, or take it out; waits for the block":
    "将节点设为群组的共识节点或观察节点，或移出群组；等待交易上链",
  "node ID of 128 hexadecimal digits, or the node's folder": "128 位十六进制的节点 ID，或节点目录",
  "role from the next block on; free is neither of the others":
    "从下一区块起的角色；free 表示两者都不是",
  "node that is asked: its folder on this host, or the URL of its RPC port":
    "向哪个节点发送请求：本机上的节点目录，或其 RPC 端口的 URL",
  group: "群组",
  "key that signs, in PEM; a new one when absent, for chains that are open":
    "签署交易的密钥（PEM）；未给出时使用新密钥，仅适用于未设权限的链",
  "send it although the group stands still, or would afterwards, or the node lags":
    "即使群组已停滞、更改后会停滞或节点落后，也照样发送",
  "execute a recorded ledger from its genesis and compare all that the record shows":
    "从创世块起执行已记录的账本，并比较记录中的全部内容",
  "a file that ends with .jsonl or .jsonl.gz: one block per line with header and receipts":
    "以 .jsonl 或 .jsonl.gz 结尾的文件：每行一个区块及其区块头和回执",
  "genesis file of the group; the one next to the ledger when absent":
    "群组的创世文件；未给出时使用账本旁边的文件",
  "compatibility version; that of the meta file next to the ledger, else the newest":
    "兼容版本；默认取账本旁边的 meta 文件，否则为最新版本",
  "write a group's ledger as a file that replay reads, from a folder or over RPC":
    "将群组的账本写成 replay 可读的文件，来源为节点目录或 RPC",
  "a new file that ends with .jsonl or .jsonl.gz": "以 .jsonl 或 .jsonl.gz 结尾的新文件",
  "a node, or one in the data folder of a stopped dev; with its genesis file":
    "节点目录，也可以在已停止的 dev 的数据目录中；同时给出其创世文件",
  "RPC port of any 2.x node; its public methods are asked, block 0 gives the genesis file":
    "任意 2.x 节点的 RPC 端口；只调用其公开方法，创世文件由 0 号区块还原",
  "verify the ledgers of a node, which may run: hashes, certificates, roots, indexes, rows":
    "校验节点的账本（节点可以正在运行）：哈希、证书（签名列表）、根、索引和数据行",
  "the folder of a node or a chain, the data folder of either, or of dev or a node in it":
    "节点目录、链目录、二者的数据目录，或 dev 的数据目录及其中的节点目录",
  "the folder, as an option in place of the argument": "以选项代替参数给出目录",
  "this group alone; all groups when absent": "只校验该群组；未给出时校验所有群组",
  "first block; above 0 only blocks are examined, no rows or counters":
    "起始区块；大于 0 时只校验区块，不校验数据行和计数",
  "also execute all blocks anew from block 0 and compare receipts, roots and all rows":
    "另外从 0 号区块起重新执行所有区块，并比较回执、根和所有数据行",
  "say what is damaged of a stopped node, and have its next start build that anew from peers":
    "指出已停止节点的哪些数据已损坏，并让其下次启动时从其他节点重建",
  "build it anew even when nothing is found": "即使未发现损坏也重建",
  "write a group's ledger, all blocks and rows, as one file that restore reads":
    "将群组的账本（全部区块和数据行）写成一个 restore 可读的文件",
  "folder of a node that does not run": "未运行的节点的目录",
  "folder of a node; one that runs goes on": "节点目录；正在运行的节点不受影响",
  "list ledgers that restore and import have replaced and kept, ask, and remove them":
    "列出 restore 和 import 取代后保留的账本，询问后删除",
  "folders of nodes or of chains with nodes in them, and URLs of RPC ports":
    "节点目录或包含节点的链目录，以及 RPC 端口的 URL",
  "a new file; it holds no key and no vote": "新文件；其中不含密钥和投票",
  "put a snapshot in the place of a group's ledger, once all of it has been verified":
    "在完整校验后，用快照作为群组的账本",
  "what snapshot has written": "snapshot 写出的文件",
  "take the place of a ledger that is there; that one is kept next to it":
    "取代已有的账本；原账本保留在旁边",
  "make a group's ledger of a file: a snapshot, or a recorded ledger, which is executed":
    "由文件生成群组的账本：快照，或已记录的账本（会重新执行）",
  "what snapshot or export has written; a recorded ledger ends with .jsonl or .jsonl.gz":
    "snapshot 或 export 写出的文件；已记录的账本以 .jsonl 或 .jsonl.gz 结尾",
  "certificates of a chain": "链的证书",
  "make a certificate for a further node or SDK, with a new key or for one that is there":
    "为新的节点或 SDK 生成证书：使用新密钥，或已有的密钥",
  "folder that chain-node init wrote, or its cert folder":
    "chain-node init 生成的目录，或其中的 cert 目录",
  "agency that issues it": "签发机构",
  "letters, digits, `.`, `_` and `-`, 64 at most": "字母、数字、`.`、`_` 和 `-`，最多 64 个字符",
  "where to write; must hold no certificate, and no key but that of `--key`":
    "写入位置；其中不能已有证书，也不能有 `--key` 以外的密钥",
  "name in the certificate; node or sdk when absent": "证书中的名称；未给出时为 node 或 sdk",
  "whose it is": "证书持有者的种类",
  "make the agency first; needs ca.key": "先创建该机构；需要 ca.key",
  "key to certify, in PEM: the node ID stays; a new key when absent":
    "要签发证书的密钥（PEM）：节点 ID 不变；未给出时生成新密钥",
  "public key to certify, in PEM or as a node ID: its key stays where it is, in a browser":
    "要签发证书的公钥（PEM 或节点 ID）：私钥留在原处，例如浏览器中",
  "make a new certificate for the key of a node or SDK; the node ID stays":
    "为节点或 SDK 的现有密钥生成新证书；节点 ID 不变",
  "folder of a node, or of an SDK": "节点目录或 SDK 目录",
  "look at the nodes of a folder once, as from cron; exit code 1 when something is found":
    "检查目录中的节点一次（例如由 cron 调用）；有发现时退出码为 1",
  "folder of a node, or of several": "节点目录，或包含多个节点的目录",
  "look for trouble, or count what the logs tell of blocks and views":
    "查找问题，或统计日志中的区块与视图",
  "a URL that begins with http:// or https://": "以 http:// 或 https:// 开头的 URL",
  "where findings are posted as JSON; nowhere when absent":
    "以 JSON 提交发现的地址；未给出时不提交",
  "who is meant, in what is posted": "提交内容中的接收者",
  "file that the output is appended to as well": "同时追加输出的文件",
  "group IDs, separated by commas": "群组 ID，以逗号分隔",
  "groups to look at; all when absent": "要检查的群组；未给出时为全部",
  "how much of the logs statistics count": "统计所用的日志时长（分钟）",
  "least connections of each group": "每个群组的最少连接数",
  "start a node that does not run by its start.sh": "用 start.sh 启动未运行的节点",
  "taken for scripts that give it: a node's process is known by its folder":
    "为兼容已有脚本而接受：节点进程由其目录识别",
  "check the dates of a certificate and who signed it; exit code 1 when it is not valid":
    "检查证书的有效期和签发者；证书无效时退出码为 1",
  "the certificate, in PEM, with its agency's behind it": "证书（PEM），其后为机构证书",
  "the chain's ca.crt: check the signatures too": "链的 ca.crt：同时检查签名",
  "serve a group's JSON-RPC from several nodes, and prove what is answered":
    "经由多个节点提供一个群组的 JSON-RPC，并证明所答内容",
  "JSON-RPC ports of nodes of the chain": "该链各节点的 JSON-RPC 端口",
  "the four nodes of chain-node dev": "chain-node dev 的四个节点",
  "block to begin with, NUMBER:HASH; asked for where all upstreams are on this host":
    "作为起点的可信区块，格式为 块高:哈希；上游均在本机时可自动询问",
  "the chain is of the national algorithms": "该链使用国密算法",
  "port to listen on": "监听端口",
  "address to listen on": "监听地址",
  "let web pages of this origin send transactions (* for all)":
    "允许来自该来源的网页发送交易（* 表示全部）",
  "most memory of answers that are kept": "缓存答案所用内存的上限（MiB）",
  "leave out an upstream that lacks a block for so long": "上游缺少区块达到该秒数后不再询问",
  "the gateway as a worker of an edge platform": "作为边缘平台 worker 的网关",
  "run the worker in a local workerd, against nodes that run":
    "在本机的 workerd 中针对正在运行的节点运行该 worker",
  "write a folder with the worker and its configuration, and print the sizes":
    "写出包含 worker 及其配置的目录，并打印大小",
  "where to write": "写入位置",
  "name of the worker": "worker 的名称",
};
