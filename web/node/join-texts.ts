/** What joining a network says. */
import { addTexts } from "../texts.ts";

addTexts({
  "join.title": ["Join a network", "加入网络"],
  "join.intro": [
    "This browser becomes a node of a chain of other machines: it verifies every block itself. " +
      "Its key stays here.",
    "此浏览器将成为其他机器所运行的链的一个节点，自行验证每个区块。私钥不会离开此处。",
  ],
  "join.dev": ["Join the chain of this page", "加入本页面所属的链"],
  "join.dev.words": [
    "The development chain that served this page certifies this browser at once.",
    "提供本页面的开发链会立即为此浏览器签发证书。",
  ],
  "join.keyOnly": ["a key to join a network with", "用于加入网络的密钥"],
  "join.key": ["1. Key", "1. 密钥"],
  "join.key.make": ["Make a key", "生成密钥"],
  "join.key.import": ["or use one from a file (PEM)", "或使用文件中的密钥（PEM）"],
  "join.key.id": ["Node ID", "节点 ID"],
  "join.key.save": ["Save the public key", "保存公钥"],
  "join.key.next": [
    "An agency of the chain makes the certificate from it:",
    "由链的机构据此签发证书：",
  ],
  "join.papers": ["2. Certificate and chain", "2. 证书与链"],
  "join.papers.drop": [
    "Files: node.crt, ca.crt and group.1.genesis of a node. Choose them or drop them here.",
    "文件：node.crt、ca.crt 和节点的 group.1.genesis。请选择或拖放到此处。",
  ],
  "join.paper.certificate": ["certificate of this node", "本节点证书"],
  "join.paper.authority": ["certificate of the chain", "链证书"],
  "join.paper.genesis": ["genesis file of group {group}", "群组 {group} 的创世文件"],
  "join.paper.unknown": [
    "{name} is no certificate and no genesis file",
    "{name} 不是证书，也不是创世文件",
  ],
  "join.genesis.take": [
    "Take group, version and algorithms from the node of this page",
    "从本页面的节点读取群组、版本与算法",
  ],
  "join.genesis.none": [
    "Block 0 of that node does not match the genesis that it reports",
    "该节点的区块 0 与其自述的配置不符",
  ],
  "join.network": ["3. Network", "3. 网络"],
  "join.peers": ["Peers, one per line (wss://host:port)", "节点地址，每行一个（wss://host:port）"],
  "join.chainId": ["Chain ID", "链 ID"],
  "join.version": ["Compatibility version", "兼容版本"],
  "join.version.newest": ["the newest", "最新"],
  "join.hash": ["Hash of block 0, if you know it", "区块 0 的哈希（如已知）"],
  "join.passphrase": ["Passphrase of the key", "密钥口令"],
  "join.go": ["Join", "加入"],
  "join.again": ["Join with other files", "使用其他文件重新加入"],
  "join.problem.noCertificate": [
    "There is no certificate of this node. Ask an agency of the chain for one.",
    "缺少本节点的证书，请向链的机构申请。",
  ],
  "join.problem.noAuthority": [
    "The certificate of the chain (ca.crt) is missing.",
    "缺少链证书（ca.crt）。",
  ],
  "join.problem.badCertificate": [
    "The certificate of this node cannot be used: {detail}",
    "本节点的证书无法使用：{detail}",
  ],
  "join.problem.otherKey": [
    "The certificate is of another key than the one of this browser. Have this key certified.",
    "该证书不属于此浏览器的密钥，请为此密钥签发证书。",
  ],
  "join.problem.expired": [
    "A certificate has expired: ask for a new one. {detail}",
    "证书已过期，请申请新证书。{detail}",
  ],
  "join.problem.notYetValid": [
    "A certificate is not yet valid. Look at the clock of this device. {detail}",
    "证书尚未生效，请检查本设备的时钟。{detail}",
  ],
  "join.problem.otherChain": [
    "The certificate of this node belongs to another chain than ca.crt. {detail}",
    "本节点的证书与 ca.crt 不属于同一条链。{detail}",
  ],
  "join.problem.noGenesis": [
    "The genesis file of a group is missing: conf/group.1.genesis of any node of the chain.",
    "缺少群组的创世文件：链上任一节点的 conf/group.1.genesis。",
  ],
  "join.problem.badGenesis": [
    "The genesis file cannot be read: {detail}",
    "创世文件无法读取：{detail}",
  ],
  "join.problem.otherGenesis": [
    "The genesis file is another one: its block 0 does not have that hash ({detail}).",
    "创世文件不符：其区块 0 的哈希不同（{detail}）。",
  ],
  "join.problem.badVersion": [
    "{detail} is no compatibility version, such as 2.11.1.",
    "{detail} 不是兼容版本（例如 2.11.1）。",
  ],
  "join.problem.noPeer": [
    "Name at least one peer: the WebSocket port of a node ([p2p] ws_listen_port).",
    "请至少填写一个节点的 WebSocket 端口（[p2p] ws_listen_port）。",
  ],
  "join.problem.badPeer": [
    "{detail} is no WebSocket address, such as wss://host:port.",
    "{detail} 不是 WebSocket 地址（例如 wss://host:port）。",
  ],
  "join.problem.needsWss": [
    "{detail}: this page came over https, so it may open wss addresses only.",
    "{detail}：此页面通过 https 打开，只能连接 wss 地址。",
  ],
  "join.peers.title": ["Peers", "网络节点"],
  "join.peers.address": ["Address", "地址"],
  "join.peers.state": ["State", "状态"],
  "join.peers.why": ["Why", "原因"],
  "join.peers.none": ["No address was given.", "未提供地址。"],
  "join.state.connected": ["connected", "已连接"],
  "join.state.self": ["this node", "本节点"],
  "join.state.waiting": ["tried again", "重试中"],
  "join.why.blacklisted": [
    "That node has this node on its blacklist. Its operator can remove it.",
    "该节点已将本节点列入黑名单，需由其运维人员移除。",
  ],
  "join.why.whitelist": [
    "That node admits only nodes of its whitelist. Its operator can add this one.",
    "该节点只接受白名单中的节点，需由其运维人员添加。",
  ],
  "join.why.certificate": [
    "That node refuses the certificate of this one: it is of another chain or has ended.",
    "该节点不接受本节点的证书：证书属于其他链或已过期。",
  ],
  "join.why.theirs": [
    "The certificate of that node is not of this chain: {reason}",
    "该节点的证书不属于本链：{reason}",
  ],
  "join.why.chain": ["That node is of a chain with another ID.", "该节点属于另一个链 ID 的链。"],
  "join.why.full": ["That node has too many peers.", "该节点的连接数已满。"],
  "join.why.banned": [
    "That node keeps this one out for a minute.",
    "该节点将本节点暂时拒绝一分钟。",
  ],
  "join.why.silent": [
    "No answer from there. Check address, port and certificate of the port. ({reason})",
    "无应答，请检查地址、端口和端口证书。（{reason}）",
  ],
  "join.quiet": [
    "This tab was hidden: the node follows the chain and votes again once the tab is shown.",
    "此标签页处于隐藏状态：节点仅跟随链，显示后恢复投票。",
  ],
  "join.noRole": [
    "This node has no role in the group yet. An operator of the chain gives it one:",
    "本节点在群组中尚无角色，需由链的运维人员添加：",
  ],
  "join.role.observer": ["Make it an observer", "设为观察节点"],
  "join.role.sealer": ["Make it a sealer", "设为共识节点"],
  "join.role.leave": ["Take it out of the group", "移出群组"],
  "join.role.done.addObserver": [
    "It is an observer now. Account {account} of this development chain has signed that.",
    "现在是观察节点。该交易由此开发链的账户 {account} 签名。",
  ],
  "join.role.done.addSealer": [
    "It is a sealer now. Account {account} of this development chain has signed that.",
    "现在是共识节点。该交易由此开发链的账户 {account} 签名。",
  ],
  "join.role.done.remove": [
    "It is out of the group. Account {account} of this development chain has signed that.",
    "已移出群组。该交易由此开发链的账户 {account} 签名。",
  ],
  "join.sealer": [
    "The chain counts on this tab: when it is closed, blocks whose turn is its own wait some " +
      "seconds. Take the node out of the group before you close it for good.",
    "链依赖此标签页：关闭后，轮到它出块时会等待数秒。若不再使用，请在关闭前先将其移出群组。",
  ],
  "join.role.refused": ["The chain refused: code {code}", "链拒绝了请求：代码 {code}"],
});
