/** What the panel of keys says. */
import { addTexts } from "../texts.ts";

addTexts({
  "keys.title": ["Keys", "密钥"],
  "keys.nodes": ["Keys of the nodes", "节点密钥"],
  "keys.lock.browser": [
    "Encrypted with a key of this browser; the chain goes on by itself after a reload.",
    "使用此浏览器的密钥加密；重新加载后链会自动继续运行。",
  ],
  "keys.lock.passphrase": [
    "Under a passphrase, which is wanted after each reload.",
    "以口令加密，每次重新加载后都需要输入。",
  ],
  "keys.before": ["Passphrase now", "当前口令"],
  "keys.after": ["New passphrase", "新口令"],
  "keys.after.none": ["empty: none", "留空：不使用口令"],
  "keys.change": ["Change", "更改"],
  "keys.changed": ["The keys are protected anew.", "密钥已重新加密。"],
  "keys.accounts": ["Keys of your accounts", "账户密钥"],
  "keys.accounts.words": [
    "Kept in this browser under one passphrase; workbench and explorer see the same accounts.",
    "以同一口令保存在此浏览器中；合约工作台与浏览器使用相同的账户。",
  ],
  "keys.passphrase": ["Passphrase", "口令"],
  "keys.create": ["Keep accounts under it", "以此口令保存账户"],
  "keys.unlock": ["Unlock", "解锁"],
  "keys.lock": ["Lock", "锁定"],
  "keys.none": ["No account is kept yet.", "尚未保存账户。"],
  "keys.label": ["Name", "名称"],
  "keys.address": ["Address", "地址"],
  "keys.standard": ["secp256k1", "secp256k1"],
  "keys.national": ["SM2", "国密 SM2"],
  "keys.actions": ["Actions", "操作"],
  "keys.export": ["Save as PEM", "导出 PEM"],
  "keys.remove": ["Delete", "删除"],
  "keys.remove.title": ["Delete this key?", "删除此密钥？"],
  "keys.remove.words": [
    "Who has no copy of the key of {address} loses the account. Save it as PEM first.",
    "若没有 {address} 的密钥副本，该账户将永久丢失。请先导出 PEM。",
  ],
  "keys.remove.yes": ["Delete it", "确认删除"],
  "keys.import": ["Add a key from a PEM file", "从 PEM 文件添加密钥"],
  "keys.new": ["Make a new key", "生成新密钥"],
  "keys.erase": ["Passphrase forgotten: delete all keys", "忘记口令：删除全部密钥"],
  "keys.erase.title": ["Delete all account keys?", "删除全部账户密钥？"],
  "keys.erase.words": [
    "The keys cannot be read without their passphrase. Deleting them makes room for new ones.",
    "没有口令，任何人都无法读取密钥。删除后可重新保存新的密钥。",
  ],
  "keys.fault.insecure": [
    "Keys cannot be kept on this page: open it through localhost or https.",
    "此页面无法保存密钥：请通过 localhost 或 https 打开。",
  ],
  "keys.fault.locked": ["The keys are locked: enter their passphrase.", "密钥已锁定：请输入口令。"],
  "keys.fault.wrongPassphrase": [
    "This is not the passphrase of these keys. Try again.",
    "口令不正确，请重试。",
  ],
  "keys.fault.noPassphrase": [
    "An empty passphrase protects nothing: choose one.",
    "空口令没有保护作用：请设置口令。",
  ],
  "keys.fault.damaged": [
    "The stored keys cannot be read. Restore them from PEM files or a backup.",
    "无法读取已保存的密钥。请从 PEM 文件或备份恢复。",
  ],
  "keys.fault.encrypted": [
    "This key has a password of its own. Decrypt it first: " +
      "openssl pkey -in key.pem -out plain.pem",
    "该密钥文件自带密码。请先解密：openssl pkey -in key.pem -out plain.pem",
  ],
  "keys.fault.unusable": [
    "The file has no private key of secp256k1 or SM2 (PEM, or 64 hexadecimal digits).",
    "文件中没有 secp256k1 或 SM2 私钥（PEM 或 64 位十六进制）。",
  ],
  "keys.fault.exists": ["This key is kept already.", "该密钥已保存。"],
  "keys.fault.missing": ["There is no such key here.", "此处没有该密钥。"],
});
