/** What the pages of lessons say besides the lessons themselves. */
import { addTexts } from "../texts.ts";

addTexts({
  "lessons.intro": [
    "Each lesson plays the production nodes of this program and ends in the theatre, where " +
      "you can go on by yourself.",
    "每节课都运行本程序的正式节点，并以剧场结束，您可以在那里继续探索。",
  ],
  "lesson.key.next": ["To the next step", "到下一步"],
  "lesson.key.back": ["To the step before", "到上一步"],
  "lesson.steps": ["{count} steps", "{count} 步"],
  "lesson.place": ["{at} of {count}", "第 {at}/{count} 步"],
  "lesson.back": ["Back", "上一步"],
  "lesson.next": ["Next", "下一步"],
  "lesson.again": ["Play again", "重新播放"],
  "lesson.open": ["Open this moment in the theatre", "在剧场中打开此刻"],
  "lesson.list": ["All lessons", "所有课程"],
  "lesson.following": ["Next lesson: {title}", "下一课：{title}"],
  "lesson.look": ["Look at: ", "请看："],
  "lesson.checked": ["Checked on what is shown", "已在所示状态上验证"],
  "lesson.holds": ["holds", "成立"],
  "lesson.fails": ["does not hold", "不成立"],
  "lesson.preparing": ["The nodes are working …", "节点正在运行……"],
  "merkle.title": ["What a Merkle proof proves", "默克尔证明能证明什么"],
  "merkle.about": [
    "Verify a real proof in the page, change a byte, and see it fail.",
    "在页面中验证真实的证明，改动一个字节，看它失败。",
  ],
  "merkle.picture": [
    "The transaction, its neighbours, the hashes above, the header and its seals",
    "交易、相邻哈希、上层哈希、区块头以及封印",
  ],
  "merkle.header": ["header with the root", "含根的区块头"],
  "merkle.transaction": ["the transaction", "交易"],
  "merkle.change": ["Change a byte", "改动一个字节"],
  "merkle.byte": ["Which byte", "哪个字节"],
  "merkle.alter": ["Change it", "改动"],
  "merkle.restore": ["Put it back", "恢复"],
  "merkle.good": [
    "Proved: the transaction is in this block, and a quorum of the sealers signed the block.",
    "已证明：交易在该区块中，且法定数量的共识节点签署了该区块。",
  ],
  "merkle.fault.transaction": [
    "Not proved: the fields of the transaction do not give its hash and sender.",
    "未证明：交易的字段与其哈希和发送者不符。",
  ],
  "merkle.fault.proof": [
    "Not proved: the hashes do not lead to the root.",
    "未证明：哈希不能推导出根。",
  ],
  "merkle.fault.headerHash": [
    "Not proved: the header does not give its hash.",
    "未证明：区块头与其哈希不符。",
  ],
  "merkle.fault.seals": [
    "Not proved: too few sealers signed this block.",
    "未证明：签署该区块的共识节点不足。",
  ],
  "merkle.fault.sealers": [
    "Not proved: the block names other sealers.",
    "未证明：区块中的共识节点不同。",
  ],
  "merkle.fault.mismatch": [
    "Not proved: the answer is of another block.",
    "未证明：返回的内容属于另一个区块。",
  ],
  "merkle.fault.malformed": ["Not proved: a field cannot be read.", "未证明：有字段无法解析。"],
  "merkle.place.input": ["The transaction's input", "交易的输入"],
  "merkle.place.sender": ["The transaction's sender", "交易的发送者"],
  "merkle.place.sibling": ["A neighbour's hash", "相邻交易的哈希"],
  "merkle.place.upper": ["A hash of the level above", "上一层的哈希"],
  "merkle.place.root": ["The root in the header", "区块头中的根"],
  "merkle.place.stateRoot": ["The header's state root", "区块头的状态根"],
  "merkle.place.seal": ["A sealer's signature", "共识节点的签名"],
});
