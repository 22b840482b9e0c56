/** What the pages of lessons say besides the lessons themselves. */
import type { Texts } from "../texts.ts";

/** All of it. */
export const LESSON_TEXTS: Texts = {
  "lessons.intro": {
    en:
      "Each lesson plays the production nodes of this program and ends in the theatre, where " +
      "you can go on by yourself.",
    zh: "每节课都运行本程序的正式节点，并以剧场结束，您可以在那里继续探索。",
  },
  "lesson.key.next": { en: "To the next step", zh: "到下一步" },
  "lesson.key.back": { en: "To the step before", zh: "到上一步" },
  "lesson.steps": { en: "{count} steps", zh: "{count} 步" },
  "lesson.place": { en: "{at} of {count}", zh: "第 {at}/{count} 步" },
  "lesson.back": { en: "Back", zh: "上一步" },
  "lesson.next": { en: "Next", zh: "下一步" },
  "lesson.again": { en: "Play again", zh: "重新播放" },
  "lesson.open": { en: "Open this moment in the theatre", zh: "在剧场中打开此刻" },
  "lesson.list": { en: "All lessons", zh: "所有课程" },
  "lesson.following": { en: "Next lesson: {title}", zh: "下一课：{title}" },
  "lesson.look": { en: "Look at: ", zh: "请看：" },
  "lesson.checked": { en: "Checked on what is shown", zh: "已在所示状态上验证" },
  "lesson.holds": { en: "holds", zh: "成立" },
  "lesson.fails": { en: "does not hold", zh: "不成立" },
  "lesson.preparing": { en: "The nodes are working …", zh: "节点正在运行……" },
  "merkle.title": { en: "What a Merkle proof proves", zh: "默克尔证明能证明什么" },
  "merkle.about": {
    en: "Verify a real proof in the page, change a byte, and see it fail.",
    zh: "在页面中验证真实的证明，改动一个字节，看它失败。",
  },
  "merkle.picture": {
    en: "The transaction, its neighbours, the hashes above, the header and its seals",
    zh: "交易、相邻哈希、上层哈希、区块头以及封印",
  },
  "merkle.header": { en: "header with the root", zh: "含根的区块头" },
  "merkle.transaction": { en: "the transaction", zh: "交易" },
  "merkle.change": { en: "Change a byte", zh: "改动一个字节" },
  "merkle.byte": { en: "Which byte", zh: "哪个字节" },
  "merkle.alter": { en: "Change it", zh: "改动" },
  "merkle.restore": { en: "Put it back", zh: "恢复" },
  "merkle.good": {
    en: "Proved: the transaction is in this block, and a quorum of the sealers signed the block.",
    zh: "已证明：交易在该区块中，且法定数量的共识节点签署了该区块。",
  },
  "merkle.fault.transaction": {
    en: "Not proved: the fields of the transaction do not give its hash and sender.",
    zh: "未证明：交易的字段与其哈希和发送者不符。",
  },
  "merkle.fault.proof": {
    en: "Not proved: the hashes do not lead to the root.",
    zh: "未证明：哈希不能推导出根。",
  },
  "merkle.fault.headerHash": {
    en: "Not proved: the header does not give its hash.",
    zh: "未证明：区块头与其哈希不符。",
  },
  "merkle.fault.seals": {
    en: "Not proved: too few sealers signed this block.",
    zh: "未证明：签署该区块的共识节点不足。",
  },
  "merkle.fault.sealers": {
    en: "Not proved: the block names other sealers.",
    zh: "未证明：区块中的共识节点不同。",
  },
  "merkle.fault.mismatch": {
    en: "Not proved: the answer is of another block.",
    zh: "未证明：返回的内容属于另一个区块。",
  },
  "merkle.fault.malformed": {
    en: "Not proved: a field cannot be read.",
    zh: "未证明：有字段无法解析。",
  },
  "merkle.place.input": { en: "The transaction's input", zh: "交易的输入" },
  "merkle.place.sender": { en: "The transaction's sender", zh: "交易的发送者" },
  "merkle.place.sibling": { en: "A neighbour's hash", zh: "相邻交易的哈希" },
  "merkle.place.upper": { en: "A hash of the level above", zh: "上一层的哈希" },
  "merkle.place.root": { en: "The root in the header", zh: "区块头中的根" },
  "merkle.place.stateRoot": { en: "The header's state root", zh: "区块头的状态根" },
  "merkle.place.seal": { en: "A sealer's signature", zh: "共识节点的签名" },
};
