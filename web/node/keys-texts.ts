/** What the panel of keys says. */
import { addTexts } from "../texts.ts";

addTexts({
  "keys.title": { en: "Keys", zh: "密钥" },
  "keys.nodes": { en: "Keys of the nodes", zh: "节点密钥" },
  "keys.lock.browser": {
    en: "Encrypted with a key of this browser; the chain goes on by itself after a reload.",
    zh: "使用此浏览器的密钥加密；重新加载后链会自动继续运行。",
  },
  "keys.lock.passphrase": {
    en: "Under a passphrase, which is wanted after each reload.",
    zh: "以口令加密，每次重新加载后都需要输入。",
  },
  "keys.before": { en: "Passphrase now", zh: "当前口令" },
  "keys.after": { en: "New passphrase", zh: "新口令" },
  "keys.after.none": { en: "empty: none", zh: "留空：不使用口令" },
  "keys.change": { en: "Change", zh: "更改" },
  "keys.changed": { en: "The keys are protected anew.", zh: "密钥已重新加密。" },
  "keys.accounts": { en: "Keys of your accounts", zh: "账户密钥" },
  "keys.accounts.words": {
    en: "Kept in this browser under one passphrase; workbench and explorer see the same accounts.",
    zh: "以同一口令保存在此浏览器中；合约工作台与浏览器使用相同的账户。",
  },
  "keys.passphrase": { en: "Passphrase", zh: "口令" },
  "keys.create": { en: "Keep accounts under it", zh: "以此口令保存账户" },
  "keys.unlock": { en: "Unlock", zh: "解锁" },
  "keys.lock": { en: "Lock", zh: "锁定" },
  "keys.none": { en: "No account is kept yet.", zh: "尚未保存账户。" },
  "keys.label": { en: "Name", zh: "名称" },
  "keys.address": { en: "Address", zh: "地址" },
  "keys.standard": { en: "secp256k1", zh: "secp256k1" },
  "keys.national": { en: "SM2", zh: "国密 SM2" },
  "keys.actions": { en: "Actions", zh: "操作" },
  "keys.export": { en: "Save as PEM", zh: "导出 PEM" },
  "keys.remove": { en: "Delete", zh: "删除" },
  "keys.remove.title": { en: "Delete this key?", zh: "删除此密钥？" },
  "keys.remove.words": {
    en: "Who has no copy of the key of {address} loses the account. Save it as PEM first.",
    zh: "若没有 {address} 的密钥副本，该账户将永久丢失。请先导出 PEM。",
  },
  "keys.remove.yes": { en: "Delete it", zh: "确认删除" },
  "keys.import": { en: "Add a key from a PEM file", zh: "从 PEM 文件添加密钥" },
  "keys.new": { en: "Make a new key", zh: "生成新密钥" },
  "keys.erase": { en: "Passphrase forgotten: delete all keys", zh: "忘记口令：删除全部密钥" },
  "keys.erase.title": { en: "Delete all account keys?", zh: "删除全部账户密钥？" },
  "keys.erase.words": {
    en: "The keys cannot be read without their passphrase. Deleting them makes room for new ones.",
    zh: "没有口令，任何人都无法读取密钥。删除后可重新保存新的密钥。",
  },
  "keys.fault.insecure": {
    en: "Keys cannot be kept on this page: open it through localhost or https.",
    zh: "此页面无法保存密钥：请通过 localhost 或 https 打开。",
  },
  "keys.fault.locked": {
    en: "The keys are locked: enter their passphrase.",
    zh: "密钥已锁定：请输入口令。",
  },
  "keys.fault.wrongPassphrase": {
    en: "This is not the passphrase of these keys. Try again.",
    zh: "口令不正确，请重试。",
  },
  "keys.fault.noPassphrase": {
    en: "An empty passphrase protects nothing: choose one.",
    zh: "空口令没有保护作用：请设置口令。",
  },
  "keys.fault.damaged": {
    en: "The stored keys cannot be read. Restore them from PEM files or a backup.",
    zh: "无法读取已保存的密钥。请从 PEM 文件或备份恢复。",
  },
  "keys.fault.encrypted": {
    en:
      "This key has a password of its own. Decrypt it first: " +
      "openssl pkey -in key.pem -out plain.pem",
    zh: "该密钥文件自带密码。请先解密：openssl pkey -in key.pem -out plain.pem",
  },
  "keys.fault.unusable": {
    en: "The file has no private key of secp256k1 or SM2 (PEM, or 64 hexadecimal digits).",
    zh: "文件中没有 secp256k1 或 SM2 私钥（PEM 或 64 位十六进制）。",
  },
  "keys.fault.exists": { en: "This key is kept already.", zh: "该密钥已保存。" },
  "keys.fault.missing": { en: "There is no such key here.", zh: "此处没有该密钥。" },
});
