/** What the panels of storage and backup say. */
import { addTexts } from "../texts.ts";

addTexts({
  "storage.title": ["Storage", "存储"],
  "storage.used": ["Used by this site", "本站已用"],
  "storage.used.of": ["{used} of {quota}", "{used} / {quota}"],
  "storage.kept": ["Protection", "保护"],
  "storage.kept.yes": ["the browser deletes nothing unasked", "浏览器不会自行删除数据"],
  "storage.kept.no": [
    "the browser may delete it when space runs low",
    "空间不足时浏览器可能删除数据",
  ],
  "storage.evict": [
    "Without protection a browser that runs out of space deletes the data of a whole site at " +
      "once: the chain, its keys and everything else here. A private window forgets all of it " +
      "when it is closed. A backup is the way back.",
    "没有保护时，浏览器空间不足会一次性删除整个站点的数据：链、密钥以及此处的一切。" +
      "无痕（隐私）窗口关闭时，这一切都会消失。" +
      "只有备份可以恢复。",
  ],
  "storage.ask": ["Ask the browser to protect it", "请求浏览器保护数据"],
  "storage.granted": ["The browser protects the data now.", "浏览器现已保护数据。"],
  "storage.refused": [
    "The browser refused. Browsers grant it to sites that are bookmarked, installed or often " +
      "used: add a bookmark and ask again.",
    "浏览器拒绝了请求。通常加为书签、安装为应用或经常使用后会同意：请添加书签后重试。",
  ],
  "storage.full": [
    "The storage is nearly full: blocks cannot be written once it is. Make space.",
    "存储空间即将用尽，用尽后将无法写入区块，请清理空间。",
  ],
  "backup.title": ["Backup", "备份"],
  "backup.words": [
    "Two kinds of file bring the chain back: one backup per group, which chain-node import " +
      "reads on a server too, and the chain file with the keys of the nodes under a passphrase.",
    "恢复链需要两类文件：每个群组一个备份（服务器上的 chain-node import 也能读取），" +
      "以及链文件，其中节点密钥以口令加密。",
  ],
  "backup.group": ["Save group {group}", "保存群组 {group}"],
  "backup.running": ["Group {group}: {size}", "群组 {group}：{size}"],
  "backup.done": [
    "Group {group} saved to block {height}. Content hash {hash}",
    "群组 {group} 已保存至区块 {height}。内容哈希 {hash}",
  ],
  "backup.genesis": ["Genesis file of group {group}", "群组 {group} 的创世文件"],
  "backup.noGenesis": [
    "Block 0 does not tell its genesis file: copy it from another member.",
    "区块 0 无法还原创世文件：请从其他成员处复制。",
  ],
  "backup.chainFile": ["Save chain file", "保存链文件"],
  "backup.passphrase": ["Passphrase for the file", "文件口令"],
  "backup.again": ["The same again", "再次输入"],
  "backup.differ": ["The two passphrases differ.", "两次输入的口令不一致。"],
  "restore.title": ["Restore a backup", "恢复备份"],
  "restore.chainFile": ["Chain file", "链文件"],
  "restore.snapshots": ["Backups, one per group", "备份文件（每个群组一个）"],
  "restore.passphrase": ["Passphrase of the chain file", "链文件的口令"],
  "restore.go": ["Restore", "恢复"],
  "restore.running": ["Restoring", "正在恢复"],
  "restore.done": [
    "Restored: {groups}. Compare the content hash with that of other members, then continue.",
    "已恢复：{groups}。请与其他成员核对内容哈希，然后继续运行。",
  ],
  "restore.group": [
    "group {group} to block {height}, content hash {hash}",
    "群组 {group} 至区块 {height}，内容哈希 {hash}",
  ],
  "confirm.title": ["The nodes are silent", "节点处于静默状态"],
  "confirm.words": [
    "Restored nodes do not vote until they know that they repeat no earlier vote. Where all " +
      "sealers came back together nobody can tell them: confirm that no other copy of these " +
      "nodes runs anywhere, and they vote again.",
    "恢复的节点在确认不会重复投票之前不参与投票。若所有共识节点一同恢复，则无人可以告知：" +
      "请确认这些节点没有其他副本在运行，之后它们将重新投票。",
  ],
  "confirm.yes": ["No other copy runs: vote again", "没有其他副本：恢复投票"],
});
