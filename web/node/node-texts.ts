/** What the node part says. */
import { addTexts } from "../texts.ts";

addTexts({
  "node.intro": {
    en: "Run a chain in this browser, without installing anything. Its data stay here.",
    zh: "无需安装，直接在此浏览器中运行一条链，数据保存在本地。",
  },
  "node.insecure": {
    en:
      "This page cannot run a node: open it through localhost or https. " +
      "Explorer and workbench work here.",
    zh: "此页面无法运行节点：请通过 localhost 或 https 打开。浏览器和合约工作台仍可使用。",
  },
  "node.phase.connecting": { en: "connecting", zh: "连接中" },
  "node.phase.off": { en: "off", zh: "未运行" },
  "node.phase.starting": { en: "starting", zh: "启动中" },
  "node.phase.running": { en: "running", zh: "运行中" },
  "node.phase.stopping": { en: "stopping", zh: "停止中" },
  "node.phase.locked": { en: "waits for the passphrase", zh: "等待口令" },
  "node.phase.evicted": { en: "data lost", zh: "数据已丢失" },
  "node.phase.failed": { en: "failed", zh: "失败" },
  "node.asleep": {
    en:
      "The tab that runs the node does not answer: bring it to the front, or close it and " +
      "this one takes over.",
    zh: "运行节点的标签页没有应答：请把它切换到前台，或者关闭它，由此标签页接管。",
  },
  "node.loss": {
    en:
      "The browser has thrown away the chain that was kept here (node {node}…, about block " +
      "{height}). Put a backup back, or start a new chain, which has other keys.",
    zh:
      "浏览器删除了保存在此的链（节点 {node}…，约区块 {height}）。" +
      "请恢复备份，或启动一条使用新密钥的链。",
  },
  "node.lossPart": {
    en:
      "The browser has thrown a part of this chain's data away. Wipe what is left, then put a " +
      "backup back or start a new chain.",
    zh: "浏览器删除了此链的部分数据。请清除剩余数据，然后恢复备份或启动新链。",
  },
  "node.owner": { en: "Runs in", zh: "运行于" },
  "node.owner.this": { en: "this tab", zh: "此标签页" },
  "node.owner.other": { en: "another tab of this browser", zh: "此浏览器的另一个标签页" },
  "node.owner.none": { en: "no tab yet", zh: "尚无标签页" },
  "node.state": { en: "State", zh: "状态" },
  "node.chain": { en: "Chain", zh: "链" },
  "node.chain.pbft": { en: "{nodes} nodes, PBFT", zh: "{nodes} 个节点，PBFT" },
  "node.chain.raft": { en: "{nodes} nodes, Raft", zh: "{nodes} 个节点，Raft" },
  "node.chain.join.pbft": {
    en: "a node of chain {chainId}, PBFT",
    zh: "链 {chainId} 的一个节点，PBFT",
  },
  "node.chain.join.raft": {
    en: "a node of chain {chainId}, Raft",
    zh: "链 {chainId} 的一个节点，Raft",
  },
  "node.national": { en: "SM2 and SM3", zh: "国密 SM2 与 SM3" },
  "node.standard": { en: "secp256k1 and Keccak-256", zh: "secp256k1 与 Keccak-256" },
  "node.suite": { en: "Algorithms", zh: "算法" },
  "node.created": { en: "Made", zh: "创建时间" },
  "node.new": { en: "A new chain", zh: "新建链" },
  "node.count": { en: "Nodes", zh: "节点数" },
  "node.consensus": { en: "Consensus", zh: "共识" },
  "node.start": { en: "Start", zh: "启动" },
  "node.continue": { en: "Continue", zh: "继续运行" },
  "node.stop": { en: "Stop", zh: "停止" },
  "node.wipe": { en: "Wipe …", zh: "清除…" },
  "node.wipe.title": { en: "Wipe the chain?", zh: "清除此链？" },
  "node.wipe.words": {
    en:
      "All blocks, contracts and node keys of this chain are removed from this browser, " +
      "for good. Make a backup first if anything is to be kept.",
    zh: "此链的全部区块、合约和节点密钥将从此浏览器中永久删除。如需保留，请先备份。",
  },
  "node.wipe.yes": { en: "Wipe everything", zh: "全部清除" },
  "node.passphrase": { en: "Passphrase of the node keys", zh: "节点密钥的口令" },
  "node.passphrase.none": { en: "none", zh: "无" },
  "node.unlock": { en: "Unlock", zh: "解锁" },
  "node.nodes": { en: "Nodes", zh: "节点" },
  "node.noNodes": { en: "No node runs.", zh: "没有运行的节点。" },
  "node.column.node": { en: "Node", zh: "节点" },
  "node.column.id": { en: "ID", zh: "ID" },
  "node.column.group": { en: "Group", zh: "群组" },
  "node.column.height": { en: "Height", zh: "高度" },
  "node.column.round": { en: "View or term", zh: "视图或任期" },
  "node.column.round.why": {
    en:
      "PBFT goes on to the next view once a second while there is nothing to put into a block: " +
      "that it climbs is normal. A new block begins again at 0. Raft keeps its term.",
    zh: "没有交易时，PBFT 每秒进入下一个视图，因此该数字增长属于正常现象；新区块后从 0 开始。Raft 的任期保持不变。",
  },
  "node.column.role": { en: "Role", zh: "角色" },
  "node.column.pending": { en: "Pending", zh: "待处理" },
  "node.column.peers": { en: "Peers", zh: "连接" },
  "node.role.leader": { en: "leader", zh: "领导者" },
  "node.role.sealer": { en: "sealer", zh: "共识节点" },
  "node.role.none": { en: "no role", zh: "无角色" },
  "node.role.observer": { en: "observer", zh: "观察节点" },
  "node.role.changing": { en: "changes the view", zh: "切换视图" },
  "node.role.silent": { en: "silent", zh: "静默" },
  "node.role.syncing": { en: "catching up", zh: "同步中" },
  "node.role.candidate": { en: "candidate", zh: "候选者" },
  "node.groupFailed": { en: "group {group}: {reason}", zh: "群组 {group}：{reason}" },
  "node.explore": { en: "Show this chain in the explorer", zh: "在浏览器中查看此链" },
});
