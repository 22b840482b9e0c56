/** What the commands around networks and the file of one say, in Chinese. */
export const NETWORK_WORDS: Readonly<Record<string, string>> = {
  "networks that one file describes: agencies, nodes, groups":
    "由一个文件描述的网络：机构、节点、群组",
  "write what is missing, start the nodes of this host, wait until the groups have consensus":
    "写入缺少的部分，启动本机的节点，等待群组达成共识",
  "network file, or a folder whose agencies have a node_deployment.ini":
    "网络文件，或各机构含有 node_deployment.ini 的目录",
  "longest wait until groups have consensus": "等待群组达成共识的最长时间（秒）",
  "stop the nodes of this host; ledgers are kept": "停止本机的节点；账本保留",
  "name of one node; all when absent": "单个节点的名称；未给出时为全部节点",
  "show nodes and groups in tables; exit code 1 when one cannot write":
    "以表格显示节点和群组；有不能写入的则退出码为 1",
  "show everything there is to a network: addresses, folders, processes, members":
    "显示网络的全部信息：地址、目录、进程、成员",
  "print a network file in which nothing is left to defaults": "输出不依赖任何默认值的网络文件",
  "print the last lines of the nodes' logs": "输出节点日志的最后若干行",
  "go on with the lines that come, until it is interrupted": "持续输出新的日志行，直到被中断",
  "last lines of each node": "每个节点的最后行数",
  "print each line as an object with the name of its node": "将每行输出为带节点名称的对象",
  "add a node to the file, write it, start it and give it its role":
    "在文件中加入一个节点，写入并启动它，并赋予其角色",
  "name of the new node": "新节点的名称",
  "its agency; a new one is made": "所属机构；不存在时会创建",
  "address or name at which peers reach it; `chain.host` of the file when absent":
    "其他节点访问它的地址或名称；未给出时为文件中的 `chain.host`",
  "its ports; free ones when absent": "端口；未给出时使用空闲端口",
  "`RPC,CHANNEL,P2P` or `RPC,CHANNEL,P2P,WS`": "`RPC,CHANNEL,P2P` 或 `RPC,CHANNEL,P2P,WS`",
  "its role in its groups": "在各群组中的角色",
  "where it runs; a tab or edge joins from elsewhere": "运行位置；tab 或 edge 从别处加入",
  "of a tab or edge: file with its public key, or node ID": "tab 或 edge 的公钥文件，或节点 ID",
  "groups that it joins, of those that list their members; all when absent":
    "要加入的群组（限于列出成员的群组）；未给出时为全部",
  "numbers of groups, separated by commas": "群组编号，以逗号分隔",
  "add a group to the file, write it and start it on its members":
    "在文件中加入一个群组，写入并在其成员上启动",
  "number of the new group": "新群组的编号",
  "protocol of the group": "群组的共识协议",
  "nodes that decide about blocks": "参与共识的节点",
  "nodes that follow without a vote": "只跟随、不投票的节点",
  "restart node by node with this program; each votes again before the next one stops":
    "用本程序逐个重启节点；每个节点恢复投票后才停止下一个",
  "longest wait until a node votes again": "等待节点恢复投票的最长时间（秒）",
  "list what belongs to the network's folder, ask, and delete it":
    "列出网络目录中的内容，询问后删除",
  "do not ask": "不询问",
  "write what other engines run the network from": "写出供其他引擎运行该网络的文件",
  "what will run the network": "运行该网络的引擎",
  "where to write; new or empty": "写入位置；须为新目录或空目录",
  "single nodes of a chain": "链的单个节点",
  "write the folder of a node for a running chain: key, certificate, ports, groups, peers":
    "为运行中的链写出一个节点的目录：密钥、证书、端口、群组、对等节点",
  "folder of the new node; its last part is the node's name": "新节点的目录；最后一段为节点名称",
  "node of the chain to take settings, groups and peers from; one next to it when absent":
    "从链的哪个节点取得设置、群组和对等节点；未给出时取旁边的节点",
  "folder that chain-node init wrote, or its cert folder; without it a request is made":
    "chain-node init 生成的目录，或其中的 cert 目录；未给出时生成证书请求",
  "agency that certifies it; needed with `--ca`": "签发证书的机构；与 `--ca` 一起使用",
  "address or name at which peers reach it; that of the other node when absent":
    "其他节点访问它的地址或名称；未给出时与所取节点相同",
  "its ports; the next free ones when absent": "端口；未给出时为后续的空闲端口",
  "certificate request to answer, in PEM: its key stays on the node's host":
    "要签发的证书请求（PEM）：私钥留在节点所在主机",
  "Name of the chain, also in names of units and services.": "链的名称，也用于单元和服务的名称。",
  "lower-case letters, digits and `-`, a letter first, 40 at most":
    "小写字母、数字和 `-`，以字母开头，最多 40 个字符",
  "Algorithms: secp256k1 and Keccak-256, or SM2 and SM3; never changes.":
    "密码算法：secp256k1 与 Keccak-256，或国密 SM2 与 SM3；不可更改。",
  "Where certificates and nodes are, from the folder of the file on.":
    "证书和节点所在的目录，相对于该文件所在目录。",
  "the chain's name": "链的名称",
  "Address or name at which peers reach nodes that name none of their own.":
    "未写明 `host` 的节点所用的地址或主机名，供其他节点访问。",
  "Where automatic ports begin.": "自动分配的端口从这里开始。",
  "`chain.host`": "`chain.host`",
  "`RPC,CHANNEL,P2P` or `RPC,CHANNEL,P2P,WS`, ports from 1024 to 65535":
    "`RPC,CHANNEL,P2P` 或 `RPC,CHANNEL,P2P,WS`，端口 1024 到 65535",
  "Who changes groups and peers over HTTP: callers of a node's host, or with a token.":
    "谁可以通过 HTTP 管理群组与节点连接：节点本机的调用方，或持有令牌者。",
  "Container image in manifests.": "清单中使用的容器镜像。",
  "the name of a container image": "容器镜像的名称",
  "Name of an agency.": "机构的名称。",
  "Its folder, and the name in its certificate.": "节点的目录名，也是其证书中的名称。",
  "Agency that it belongs to.": "节点所属的机构。",
  "Address or name at which peers reach it.": "其他节点访问它所用的地址或主机名。",
  "Where it listens.": "监听的端口。",
  "`auto`, `RPC,CHANNEL,P2P` or `RPC,CHANNEL,P2P,WS`, ports from 1024 to 65535":
    "`auto`、`RPC,CHANNEL,P2P` 或 `RPC,CHANNEL,P2P,WS`，端口 1024 到 65535",
  "Address to listen on for JSON-RPC, which knows no users.":
    "JSON-RPC 的监听地址；JSON-RPC 不区分用户。",
  "Address to listen on for SDKs.": "SDK 端口的监听地址。",
  "127.0.0.1 where `host` is, else all": "`host` 为 127.0.0.1 时与之相同，否则为所有地址",
  "What it is in groups that list no members: an observer follows without a vote.":
    "在未列出成员的群组中的角色；观察节点只跟随、不投票。",
  "sealer; observer of a tab or edge": "sealer；tab 或 edge 为 observer",
  "Where it runs: a process, a browser tab, an edge function; the last two join.":
    "运行于何处：进程、浏览器标签页、边缘函数；后两种从别处加入。",
  "Of a tab or edge: file of its public key in PEM, or its node ID.":
    "用于 tab 或 edge：其公钥文件（PEM），或节点 ID。",
  "none yet": "尚无",
  "Number of the group.": "群组编号。",
  "Protocol of the group; never changes.": "群组的共识协议；不可更改。",
  "`all`, or a list of names": "`all`，或名称列表",
  "Nodes that decide about blocks, by name.": "共识节点，以名称列出。",
  "`all` whose role is sealer": "`all`：角色为 sealer 的节点",
  "Nodes that follow without a vote, by name.": "观察节点，以名称列出；只跟随、不投票。",
  "`all` whose role is observer": "`all`：角色为 observer 的节点",
  required: "必填",
};
