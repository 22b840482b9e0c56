/** What the explorer says of whose word its certificates rest on. */
import { addTexts } from "../texts.ts";

addTexts({
  "explorer.page.trust": ["Trust", "信任"],
  "explorer.ground.seen": [
    "Rests on the sealers that this browser saw first, on {date} in block {block}. " +
      "Nobody has compared them yet.",
    "依据：此浏览器于 {date} 在区块 {block} 首次看到的共识节点，尚未经人工核对。",
  ],
  "explorer.ground.confirmed": [
    "Rests on the sealers of block {block}, which you compared on {date}.",
    "依据：区块 {block} 的共识节点，您已于 {date} 核对。",
  ],
  "explorer.ground.entered": [
    "Rests on the sealers that you entered on {date}.",
    "依据：您于 {date} 输入的共识节点。",
  ],
  "explorer.ground.look": ["Look at them", "查看"],
  "explorer.check.first.good": [
    "It is the first block of the chain that this browser trusts. First blocks carry " +
      "no signatures: the hash is the chain's identity.",
    "这是此浏览器所信任的链的创世区块。创世区块没有签名，其哈希就是链的标识。",
  ],
  "explorer.check.first.warn": [
    "Whether this first block is the one of your chain is not shown:",
    "无法证明这是您的链的创世区块：",
  ],
  "explorer.check.first.bad": [
    "This is not the first block of the chain that this browser trusts:",
    "这不是此浏览器所信任的链的创世区块：",
  ],
  "explorer.check.sealers.good": [
    "They are the trusted sealers, or came to seal through changes that those before " +
      "them agreed on.",
    "它们是受信任的共识节点，或经由先前共识节点同意的变更而来。",
  ],
  "explorer.check.sealers.warn": [
    "Whether they are the sealers of your chain is not shown:",
    "无法证明它们是您的链的共识节点：",
  ],
  "explorer.check.sealers.bad": [
    "They contradict what this browser trusts of the chain:",
    "与此浏览器信任的链相矛盾：",
  ],
  "explorer.trust.words": [
    "A certificate is worth what its sealers are worth. This browser keeps the sealers that it " +
      "saw first of a chain, or those that you enter, and follows every change of their list " +
      "through blocks that the sealers before it agreed on. It asks the node for blocks, and " +
      "believes none that does not follow from those.",
    "证明的可信度取决于共识节点。此浏览器保存首次看到的（或您输入的）共识节点，" +
      "并通过经先前共识节点同意的区块跟踪列表的每次变更。它向节点查询区块，但不相信不能由此推出的内容。",
  ],
  "explorer.trust.state.seen": ["seen first, not compared", "首次所见，未核对"],
  "explorer.trust.state.confirmed": ["compared by you", "您已核对"],
  "explorer.trust.state.entered": ["entered by you", "由您输入"],
  "explorer.trust.first": ["First block of the chain", "链的创世区块"],
  "explorer.trust.since": ["Sealers kept since", "共识节点保存于"],
  "explorer.trust.sinceBlock": ["{date}, as of block {block}", "{date}，区块 {block}"],
  "explorer.trust.confirmedAt": ["Compared", "核对于"],
  "explorer.trust.reached": ["Followed up to", "已跟踪至"],
  "explorer.trust.gap": ["Not shown", "无法证明"],
  "explorer.trust.gap.words": [
    "How these sealers came from those of the first block: compare them.",
    "这些共识节点如何由创世区块的共识节点变更而来：请核对。",
  ],
  "explorer.trust.sealers.none": ["None are known.", "暂无。"],
  "explorer.trust.kept": ["Kept", "已保存"],
  "explorer.trust.at": ["In block {block}", "区块 {block}"],
  "explorer.trust.told": ["Reported by the node", "节点所报"],
  "explorer.trust.yes": ["yes", "是"],
  "explorer.trust.no": ["no", "否"],
  "explorer.trust.differs": [
    "The node names other sealers than the latest block that is followed. After a change that " +
      "lasts until the next block; if it stays, the node is wrong.",
    "节点所报的共识节点与已跟踪的最新区块不同。刚变更时属正常，到下一区块为止；若持续如此，则节点有误。",
  ],
  "explorer.trust.changes": ["Changes of the list", "列表的变更"],
  "explorer.trust.changes.none": [
    "None was met between the blocks that were examined.",
    "在已查看的区块之间没有发现变更。",
  ],
  "explorer.trust.change": ["from block {block} on", "自区块 {block} 起"],
  "explorer.trust.came": ["came", "加入"],
  "explorer.trust.went": ["went", "退出"],
  "explorer.trust.unsigned": [
    "The blocks of this group carry no signatures (Raft): nobody can show who agreed on them, " +
      "and you rely on the node.",
    "此群组的区块没有签名（Raft）：无法证明由谁同意，只能信任节点。",
  ],
  "explorer.trust.problem": [
    "The latest block is not reached from what is trusted:",
    "最新区块无法由受信任的内容推出：",
  ],
  "explorer.trust.other": [
    "Another chain answered here before: its first block was {hash}. If a new chain was " +
      "started, say so; otherwise somebody has exchanged the chain.",
    "此地址先前是另一条链，其创世区块为 {hash}。如果新建了链，请确认；否则链已被替换。",
  ],
  "explorer.trust.other.dev": [
    "Another chain answered here before: its first block was {hash}. A development chain that " +
      "begins anew, as with --ephemeral at every start, is another chain: if you started it so, " +
      "say so; otherwise somebody has exchanged the chain.",
    "此地址先前是另一条链，其创世区块为 {hash}。开发链重新开始（如每次以 --ephemeral 启动）就是另一条链：" +
      "如果是您这样启动的，请确认；否则链已被替换。",
  ],
  "explorer.trust.other.accept": ["I mean this new chain", "我要使用这条新链"],
  "explorer.trust.confirm": ["I have compared them", "我已核对"],
  "explorer.trust.confirm.words": [
    "Compare the node IDs with those that the operators of the other nodes gave you.",
    "请将节点 ID 与其他节点运维者提供的逐一核对。",
  ],
  "explorer.trust.confirm.tab": [
    "All nodes of this chain run in this browser: their node IDs stand on the page Node, and " +
      "there is no other operator to ask.",
    "此链的所有节点都在此浏览器中运行：节点 ID 见顶部导航的“节点”页面，没有其他运维者可询问。",
  ],
  "explorer.trust.confirm.dev": [
    "A development chain starts with all its nodes in one process. If you started it, compare " +
      "only sealers that joined later, such as browser tabs of others; if somebody else did, " +
      "compare the node IDs with those that they gave you.",
    "开发链启动时，所有节点在同一进程中运行。如果由您启动，只需核对后来加入的共识节点，" +
      "例如他人的浏览器标签页；如果由他人启动，请将节点 ID 与其提供的逐一核对。",
  ],
  "explorer.trust.enter": ["Enter the sealers", "输入共识节点"],
  "explorer.trust.enter.label": [
    "Node IDs that you were given, one per line (128 hexadecimal digits each)",
    "您得到的节点 ID，每行一个（各 128 位十六进制数字）",
  ],
  "explorer.trust.enter.do": ["Trust these", "信任这些节点"],
  "explorer.trust.enter.bad": [
    "These are no node IDs: each has 128 hexadecimal digits.",
    "这不是节点 ID：每个 ID 为 128 位十六进制数字。",
  ],
  "explorer.trust.enter.other": [
    "The latest block is sealed by others: only on your list: {missing}; only in the " +
      "block: {more}.",
    "最新区块由其他节点签署。仅在您的列表中：{missing}；仅在区块中：{more}。",
  ],
  "explorer.trust.entered": ["These sealers are trusted now.", "现在信任这些共识节点。"],
  "explorer.trust.forget": ["Forget and begin anew", "清除并重新开始"],
  "explorer.trust.forget.ask": ["Trust what the node shows now?", "信任节点当前所示？"],
  "explorer.trust.forget.words": [
    "What this browser has seen of the chain is forgotten. The sealers of the latest block " +
      "that the node shows are taken as seen first.",
    "清除此浏览器对该链的所有记录，并以节点所示最新区块的共识节点作为首次所见。",
  ],
  "explorer.trust.forget.do": ["Forget", "清除"],
});
