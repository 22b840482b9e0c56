/** What the panels of storage and backup say. */
import { addTexts } from "../texts.ts";

addTexts({
  "storage.title": { en: "Storage", zh: "存储" },
  "storage.used": { en: "Used by this site", zh: "本站已用" },
  "storage.used.of": { en: "{used} of {quota}", zh: "{used} / {quota}" },
  "storage.kept": { en: "Protection", zh: "保护" },
  "storage.kept.yes": { en: "the browser deletes nothing unasked", zh: "浏览器不会自行删除数据" },
  "storage.kept.no": {
    en: "the browser may delete it when space runs low",
    zh: "空间不足时浏览器可能删除数据",
  },
  "storage.evict": {
    en:
      "Without protection a browser that runs out of space deletes the data of a whole site at " +
      "once: the chain, its keys and everything else here. A private window forgets all of it " +
      "when it is closed. A backup is the way back.",
    zh:
      "没有保护时，浏览器空间不足会一次性删除整个站点的数据：链、密钥以及此处的一切。" +
      "无痕（隐私）窗口关闭时，这一切都会消失。" +
      "只有备份可以恢复。",
  },
  "storage.ask": { en: "Ask the browser to protect it", zh: "请求浏览器保护数据" },
  "storage.granted": { en: "The browser protects the data now.", zh: "浏览器现已保护数据。" },
  "storage.refused": {
    en:
      "The browser refused. Browsers grant it to sites that are bookmarked, installed or often " +
      "used: add a bookmark and ask again.",
    zh: "浏览器拒绝了请求。通常加为书签、安装为应用或经常使用后会同意：请添加书签后重试。",
  },
  "storage.full": {
    en: "The storage is nearly full: blocks cannot be written once it is. Make space.",
    zh: "存储空间即将用尽，用尽后将无法写入区块，请清理空间。",
  },
  "backup.title": { en: "Backup", zh: "备份" },
  "backup.words": {
    en:
      "Two kinds of file bring the chain back: one backup per group, which chain-node import " +
      "reads on a server too, and the chain file with the keys of the nodes under a passphrase.",
    zh:
      "恢复链需要两类文件：每个群组一个备份（服务器上的 chain-node import 也能读取），" +
      "以及链文件，其中节点密钥以口令加密。",
  },
  "backup.group": { en: "Save group {group}", zh: "保存群组 {group}" },
  "backup.running": { en: "Group {group}: {size}", zh: "群组 {group}：{size}" },
  "backup.done": {
    en: "Group {group} saved to block {height}. Content hash {hash}",
    zh: "群组 {group} 已保存至区块 {height}。内容哈希 {hash}",
  },
  "backup.genesis": { en: "Genesis file of group {group}", zh: "群组 {group} 的创世文件" },
  "backup.noGenesis": {
    en: "Block 0 does not tell its genesis file: copy it from another member.",
    zh: "区块 0 无法还原创世文件：请从其他成员处复制。",
  },
  "backup.chainFile": { en: "Save chain file", zh: "保存链文件" },
  "backup.passphrase": { en: "Passphrase for the file", zh: "文件口令" },
  "backup.again": { en: "The same again", zh: "再次输入" },
  "backup.differ": { en: "The two passphrases differ.", zh: "两次输入的口令不一致。" },
  "restore.title": { en: "Restore a backup", zh: "恢复备份" },
  "restore.chainFile": { en: "Chain file", zh: "链文件" },
  "restore.snapshots": { en: "Backups, one per group", zh: "备份文件（每个群组一个）" },
  "restore.passphrase": { en: "Passphrase of the chain file", zh: "链文件的口令" },
  "restore.go": { en: "Restore", zh: "恢复" },
  "restore.running": { en: "Restoring", zh: "正在恢复" },
  "restore.done": {
    en: "Restored: {groups}. Compare the content hash with that of other members, then continue.",
    zh: "已恢复：{groups}。请与其他成员核对内容哈希，然后继续运行。",
  },
  "restore.group": {
    en: "group {group} to block {height}, content hash {hash}",
    zh: "群组 {group} 至区块 {height}，内容哈希 {hash}",
  },
  "confirm.title": { en: "The nodes are silent", zh: "节点处于静默状态" },
  "confirm.words": {
    en:
      "Restored nodes do not vote until they know that they repeat no earlier vote. Where all " +
      "sealers came back together nobody can tell them: confirm that no other copy of these " +
      "nodes runs anywhere, and they vote again.",
    zh:
      "恢复的节点在确认不会重复投票之前不参与投票。若所有共识节点一同恢复，则无人可以告知：" +
      "请确认这些节点没有其他副本在运行，之后它们将重新投票。",
  },
  "confirm.yes": { en: "No other copy runs: vote again", zh: "没有其他副本：恢复投票" },
});
