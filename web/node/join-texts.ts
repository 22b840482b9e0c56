/** What joining a network says. */
import { addTexts } from "../texts.ts";

addTexts({
  "join.title": { en: "Join a network", zh: "加入网络" },
  "join.intro": {
    en:
      "This browser becomes a node of a chain of other machines: it verifies every block itself. " +
      "Its key stays here.",
    zh: "此浏览器将成为其他机器所运行的链的一个节点，自行验证每个区块。私钥不会离开此处。",
  },
  "join.dev": { en: "Join the chain of this page", zh: "加入本页面所属的链" },
  "join.dev.words": {
    en: "The development chain that served this page certifies this browser at once.",
    zh: "提供本页面的开发链会立即为此浏览器签发证书。",
  },
  "join.keyOnly": { en: "a key to join a network with", zh: "用于加入网络的密钥" },
  "join.key": { en: "1. Key", zh: "1. 密钥" },
  "join.key.make": { en: "Make a key", zh: "生成密钥" },
  "join.key.import": { en: "or use one from a file (PEM)", zh: "或使用文件中的密钥（PEM）" },
  "join.key.id": { en: "Node ID", zh: "节点 ID" },
  "join.key.save": { en: "Save the public key", zh: "保存公钥" },
  "join.key.next": {
    en: "An agency of the chain makes the certificate from it:",
    zh: "由链的机构据此签发证书：",
  },
  "join.papers": { en: "2. Certificate and chain", zh: "2. 证书与链" },
  "join.papers.drop": {
    en: "Files: node.crt, ca.crt and group.1.genesis of a node. Choose them or drop them here.",
    zh: "文件：node.crt、ca.crt 和节点的 group.1.genesis。请选择或拖放到此处。",
  },
  "join.paper.certificate": { en: "certificate of this node", zh: "本节点证书" },
  "join.paper.authority": { en: "certificate of the chain", zh: "链证书" },
  "join.paper.genesis": { en: "genesis file of group {group}", zh: "群组 {group} 的创世文件" },
  "join.paper.unknown": {
    en: "{name} is no certificate and no genesis file",
    zh: "{name} 不是证书，也不是创世文件",
  },
  "join.genesis.take": {
    en: "Take group, version and algorithms from the node of this page",
    zh: "从本页面的节点读取群组、版本与算法",
  },
  "join.genesis.none": {
    en: "Block 0 of that node does not match the genesis that it reports",
    zh: "该节点的区块 0 与其自述的配置不符",
  },
  "join.network": { en: "3. Network", zh: "3. 网络" },
  "join.peers": {
    en: "Peers, one per line (wss://host:port)",
    zh: "节点地址，每行一个（wss://host:port）",
  },
  "join.chainId": { en: "Chain ID", zh: "链 ID" },
  "join.version": { en: "Compatibility version", zh: "兼容版本" },
  "join.version.newest": { en: "the newest", zh: "最新" },
  "join.hash": { en: "Hash of block 0, if you know it", zh: "区块 0 的哈希（如已知）" },
  "join.passphrase": { en: "Passphrase of the key", zh: "密钥口令" },
  "join.go": { en: "Join", zh: "加入" },
  "join.again": { en: "Join with other files", zh: "使用其他文件重新加入" },
  "join.problem.noCertificate": {
    en: "There is no certificate of this node. Ask an agency of the chain for one.",
    zh: "缺少本节点的证书，请向链的机构申请。",
  },
  "join.problem.noAuthority": {
    en: "The certificate of the chain (ca.crt) is missing.",
    zh: "缺少链证书（ca.crt）。",
  },
  "join.problem.badCertificate": {
    en: "The certificate of this node cannot be used: {detail}",
    zh: "本节点的证书无法使用：{detail}",
  },
  "join.problem.otherKey": {
    en: "The certificate is of another key than the one of this browser. Have this key certified.",
    zh: "该证书不属于此浏览器的密钥，请为此密钥签发证书。",
  },
  "join.problem.expired": {
    en: "A certificate has expired: ask for a new one. {detail}",
    zh: "证书已过期，请申请新证书。{detail}",
  },
  "join.problem.notYetValid": {
    en: "A certificate is not yet valid. Look at the clock of this device. {detail}",
    zh: "证书尚未生效，请检查本设备的时钟。{detail}",
  },
  "join.problem.otherChain": {
    en: "The certificate of this node belongs to another chain than ca.crt. {detail}",
    zh: "本节点的证书与 ca.crt 不属于同一条链。{detail}",
  },
  "join.problem.noGenesis": {
    en: "The genesis file of a group is missing: conf/group.1.genesis of any node of the chain.",
    zh: "缺少群组的创世文件：链上任一节点的 conf/group.1.genesis。",
  },
  "join.problem.badGenesis": {
    en: "The genesis file cannot be read: {detail}",
    zh: "创世文件无法读取：{detail}",
  },
  "join.problem.otherGenesis": {
    en: "The genesis file is another one: its block 0 does not have that hash ({detail}).",
    zh: "创世文件不符：其区块 0 的哈希不同（{detail}）。",
  },
  "join.problem.badVersion": {
    en: "{detail} is no compatibility version, such as 2.11.1.",
    zh: "{detail} 不是兼容版本（例如 2.11.1）。",
  },
  "join.problem.noPeer": {
    en: "Name at least one peer: the WebSocket port of a node ([p2p] ws_listen_port).",
    zh: "请至少填写一个节点的 WebSocket 端口（[p2p] ws_listen_port）。",
  },
  "join.problem.badPeer": {
    en: "{detail} is no WebSocket address, such as wss://host:port.",
    zh: "{detail} 不是 WebSocket 地址（例如 wss://host:port）。",
  },
  "join.problem.needsWss": {
    en: "{detail}: this page came over https, so it may open wss addresses only.",
    zh: "{detail}：此页面通过 https 打开，只能连接 wss 地址。",
  },
  "join.peers.title": { en: "Peers", zh: "网络节点" },
  "join.peers.address": { en: "Address", zh: "地址" },
  "join.peers.state": { en: "State", zh: "状态" },
  "join.peers.why": { en: "Why", zh: "原因" },
  "join.peers.none": { en: "No address was given.", zh: "未提供地址。" },
  "join.state.connected": { en: "connected", zh: "已连接" },
  "join.state.self": { en: "this node", zh: "本节点" },
  "join.state.waiting": { en: "tried again", zh: "重试中" },
  "join.why.blacklisted": {
    en: "That node has this node on its blacklist. Its operator can remove it.",
    zh: "该节点已将本节点列入黑名单，需由其运维人员移除。",
  },
  "join.why.whitelist": {
    en: "That node admits only nodes of its whitelist. Its operator can add this one.",
    zh: "该节点只接受白名单中的节点，需由其运维人员添加。",
  },
  "join.why.certificate": {
    en: "That node refuses the certificate of this one: it is of another chain or has ended.",
    zh: "该节点不接受本节点的证书：证书属于其他链或已过期。",
  },
  "join.why.theirs": {
    en: "The certificate of that node is not of this chain: {reason}",
    zh: "该节点的证书不属于本链：{reason}",
  },
  "join.why.chain": {
    en: "That node is of a chain with another ID.",
    zh: "该节点属于另一个链 ID 的链。",
  },
  "join.why.full": { en: "That node has too many peers.", zh: "该节点的连接数已满。" },
  "join.why.banned": {
    en: "That node keeps this one out for a minute.",
    zh: "该节点将本节点暂时拒绝一分钟。",
  },
  "join.why.silent": {
    en: "No answer from there. Check address, port and certificate of the port. ({reason})",
    zh: "无应答，请检查地址、端口和端口证书。（{reason}）",
  },
  "join.quiet": {
    en: "This tab was hidden: the node follows the chain and votes again once the tab is shown.",
    zh: "此标签页处于隐藏状态：节点仅跟随链，显示后恢复投票。",
  },
  "join.noRole": {
    en: "This node has no role in the group yet. An operator of the chain gives it one:",
    zh: "本节点在群组中尚无角色，需由链的运维人员添加：",
  },
  "join.role.observer": { en: "Make it an observer", zh: "设为观察节点" },
  "join.role.sealer": { en: "Make it a sealer", zh: "设为共识节点" },
  "join.role.leave": { en: "Take it out of the group", zh: "移出群组" },
  "join.role.done.addObserver": {
    en: "It is an observer now. Account {account} of this development chain has signed that.",
    zh: "现在是观察节点。该交易由此开发链的账户 {account} 签名。",
  },
  "join.role.done.addSealer": {
    en: "It is a sealer now. Account {account} of this development chain has signed that.",
    zh: "现在是共识节点。该交易由此开发链的账户 {account} 签名。",
  },
  "join.role.done.remove": {
    en: "It is out of the group. Account {account} of this development chain has signed that.",
    zh: "已移出群组。该交易由此开发链的账户 {account} 签名。",
  },
  "join.sealer": {
    en:
      "The chain counts on this tab: when it is closed, blocks whose turn is its own wait some " +
      "seconds. Take the node out of the group before you close it for good.",
    zh: "链依赖此标签页：关闭后，轮到它出块时会等待数秒。若不再使用，请在关闭前先将其移出群组。",
  },
  "join.role.refused": { en: "The chain refused: code {code}", zh: "链拒绝了请求：代码 {code}" },
});
