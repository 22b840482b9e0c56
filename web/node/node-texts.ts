/** What the node part says. */
import { addTexts } from "../texts.ts";

addTexts({
  "node.intro": [
    "Run a chain in this browser, without installing anything. Its data stay here.",
    "无需安装，直接在此浏览器中运行一条链，数据保存在本地。",
  ],
  "node.insecure": [
    "This page cannot run a node: open it through localhost or https. " +
      "Explorer and workbench work here.",
    "此页面无法运行节点：请通过 localhost 或 https 打开。浏览器和合约工作台仍可使用。",
  ],
  "node.phase.connecting": ["connecting", "连接中"],
  "node.phase.off": ["off", "未运行"],
  "node.phase.starting": ["starting", "启动中"],
  "node.phase.running": ["running", "运行中"],
  "node.phase.stopping": ["stopping", "停止中"],
  "node.phase.locked": ["waits for the passphrase", "等待口令"],
  "node.phase.evicted": ["data lost", "数据已丢失"],
  "node.phase.failed": ["failed", "失败"],
  "node.asleep": [
    "The tab that runs the node does not answer: bring it to the front, or close it and " +
      "this one takes over.",
    "运行节点的标签页没有应答：请把它切换到前台，或者关闭它，由此标签页接管。",
  ],
  "node.loss": [
    "The browser has thrown away the chain that was kept here (node {node}…, about block " +
      "{height}). Put a backup back, or start a new chain, which has other keys.",
    "浏览器删除了保存在此的链（节点 {node}…，约区块 {height}）。" +
      "请恢复备份，或启动一条使用新密钥的链。",
  ],
  "node.lossPart": [
    "The browser has thrown a part of this chain's data away. Wipe what is left, then put a " +
      "backup back or start a new chain.",
    "浏览器删除了此链的部分数据。请清除剩余数据，然后恢复备份或启动新链。",
  ],
  "node.owner": ["Runs in", "运行于"],
  "node.owner.this": ["this tab", "此标签页"],
  "node.owner.other": ["another tab of this browser", "此浏览器的另一个标签页"],
  "node.owner.none": ["no tab yet", "尚无标签页"],
  "node.state": ["State", "状态"],
  "node.chain": ["Chain", "链"],
  "node.chain.pbft": ["{nodes} nodes, PBFT", "{nodes} 个节点，PBFT"],
  "node.chain.raft": ["{nodes} nodes, Raft", "{nodes} 个节点，Raft"],
  "node.chain.join.pbft": ["a node of chain {chainId}, PBFT", "链 {chainId} 的一个节点，PBFT"],
  "node.chain.join.raft": ["a node of chain {chainId}, Raft", "链 {chainId} 的一个节点，Raft"],
  "node.national": ["SM2 and SM3", "国密 SM2 与 SM3"],
  "node.standard": ["secp256k1 and Keccak-256", "secp256k1 与 Keccak-256"],
  "node.suite": ["Algorithms", "算法"],
  "node.created": ["Made", "创建时间"],
  "node.new": ["A new chain", "新建链"],
  "node.count": ["Nodes", "节点数"],
  "node.consensus": ["Consensus", "共识"],
  "node.start": ["Start", "启动"],
  "node.continue": ["Continue", "继续运行"],
  "node.stop": ["Stop", "停止"],
  "node.wipe": ["Wipe …", "清除…"],
  "node.wipe.title": ["Wipe the chain?", "清除此链？"],
  "node.wipe.words": [
    "All blocks, contracts and node keys of this chain are removed from this browser, " +
      "for good. Make a backup first if anything is to be kept.",
    "此链的全部区块、合约和节点密钥将从此浏览器中永久删除。如需保留，请先备份。",
  ],
  "node.wipe.yes": ["Wipe everything", "全部清除"],
  "node.passphrase": ["Passphrase of the node keys", "节点密钥的口令"],
  "node.passphrase.none": ["none", "无"],
  "node.unlock": ["Unlock", "解锁"],
  "node.nodes": ["Nodes", "节点"],
  "node.noNodes": ["No node runs.", "没有运行的节点。"],
  "node.column.node": ["Node", "节点"],
  "node.column.id": ["ID", "ID"],
  "node.column.group": ["Group", "群组"],
  "node.column.height": ["Height", "高度"],
  "node.column.round": ["View or term", "视图或任期"],
  "node.column.round.why": [
    "PBFT goes on to the next view once a second while there is nothing to put into a block: " +
      "that it climbs is normal. A new block begins again at 0. Raft keeps its term.",
    "没有交易时，PBFT 每秒进入下一个视图，因此该数字增长属于正常现象；新区块后从 0 开始。Raft 的任期保持不变。",
  ],
  "node.column.role": ["Role", "角色"],
  "node.column.pending": ["Pending", "待处理"],
  "node.column.peers": ["Peers", "连接"],
  "node.role.leader": ["leader", "领导者"],
  "node.role.sealer": ["sealer", "共识节点"],
  "node.role.none": ["no role", "无角色"],
  "node.role.observer": ["observer", "观察节点"],
  "node.role.changing": ["changes the view", "切换视图"],
  "node.role.silent": ["silent", "静默"],
  "node.role.syncing": ["catching up", "同步中"],
  "node.role.candidate": ["candidate", "候选者"],
  "node.groupFailed": ["group {group}: {reason}", "群组 {group}：{reason}"],
  "node.explore": ["Show this chain in the explorer", "在浏览器中查看此链"],
});
