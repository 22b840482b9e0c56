/** What the workbench says. */
import type { Texts } from "../texts.ts";
import { OUTCOME_TEXTS } from "./outcome-texts.ts";

const FILES: Texts = {
  "workbench.files": { en: "Files", zh: "文件" },
  "workbench.file.save": { en: "Save", zh: "保存" },
  "workbench.file.saved": { en: "Saved {name}", zh: "已保存 {name}" },
  "workbench.file.changed": { en: "not saved", zh: "未保存" },
  "workbench.file.conflict": {
    en: "Another tab saved {name}. What you changed here is in {beside} now, not saved yet.",
    zh: "另一标签页保存了 {name}。您在此处的修改现在位于 {beside}，尚未保存。",
  },
  "workbench.file.new": { en: "New", zh: "新建" },
  "workbench.file.rename": { en: "Rename", zh: "重命名" },
  "workbench.file.remove": { en: "Remove", zh: "删除" },
  "workbench.file.remove.sure": {
    en: "Remove {name} from this browser? Export it first if you want to keep it.",
    zh: "从此浏览器中删除 {name}？如需保留，请先导出。",
  },
  "workbench.file.export": { en: "Export", zh: "导出" },
  "workbench.file.import": { en: "Import …", zh: "导入……" },
  "workbench.file.take": { en: "OK", zh: "确定" },
  "workbench.file.none": {
    en: "No file is open. Make one, import one, or begin with an example.",
    zh: "没有打开的文件。可以新建、导入，或从示例开始。",
  },
  "workbench.file.name.label": { en: "File name", zh: "文件名" },
  "workbench.file.name.hint": {
    en: "Letters, digits, dots and dashes; folders with slashes; .sol at the end.",
    zh: "可用字母、数字、点和短横线；用斜杠表示文件夹；以 .sol 结尾。",
  },
  "workbench.file.name": {
    en: "This is no name of a source: letters, digits, dots and dashes, .sol at the end.",
    zh: "文件名无效：只能用字母、数字、点和短横线，并以 .sol 结尾。",
  },
  "workbench.file.taken": {
    en: "There is a file of this name already. Choose another name.",
    zh: "已有同名文件，请换一个名称。",
  },
  "workbench.file.tooMany": {
    en: "{most} files are kept already. Remove one first.",
    zh: "已保存 {most} 个文件，请先删除一个。",
  },
  "workbench.file.tooLarge": {
    en: "The file has more than {chars} characters.",
    zh: "文件超过 {chars} 个字符。",
  },
  "workbench.file.noRoom": {
    en: "The browser has no room for it. Remove files, or export this one.",
    zh: "浏览器存储空间不足。请删除文件，或导出此文件。",
  },
  "workbench.examples": { en: "Examples …", zh: "示例……" },
  "workbench.example.hello": { en: "HelloWorld", zh: "HelloWorld（入门）" },
  "workbench.example.token": { en: "Token", zh: "代币" },
  "workbench.example.table": { en: "Notes in a table (CRUD)", zh: "数据表中的笔记（CRUD）" },
  "workbench.sources": { en: "Sources", zh: "源代码" },
  "workbench.editor": { en: "Source text", zh: "源代码文本" },
  "workbench.key.save": { en: "Save the file", zh: "保存文件" },
  "workbench.key.find": { en: "Find in the source", zh: "在源代码中查找" },
  "workbench.key.leave": { en: "Leave the editor", zh: "离开编辑器" },
  "workbench.editor.leave": {
    en: "Tab indents here; Esc, then Tab leads on.",
    zh: "此处 Tab 用于缩进；按 Esc 再按 Tab 离开。",
  },
};

const COMPILING: Texts = {
  "workbench.compiler": { en: "Compiler", zh: "编译器" },
  "workbench.compiler.auto": { en: "as the source requires", zh: "按源代码要求" },
  "workbench.compiler.absent": { en: "{version} (not installed)", zh: "{version}（未安装）" },
  "workbench.optimize": { en: "optimize", zh: "优化" },
  "workbench.compile": { en: "Compile", zh: "编译" },
  "workbench.cancel": { en: "Cancel", zh: "取消" },
  "workbench.seconds": { en: "{seconds} s", zh: "{seconds} 秒" },
  "workbench.problems": { en: "Compiler messages", zh: "编译器信息" },
  "workbench.error": { en: "error", zh: "错误" },
  "workbench.warning": { en: "warning", zh: "警告" },
  "workbench.info": { en: "note", zh: "提示" },
  "workbench.compile.progress": { en: "Compilation", zh: "编译进度" },
  "workbench.compile.fetching": {
    en: "Loading compiler {version}: {received} of {total} MiB",
    zh: "正在加载编译器 {version}：{received} / {total} MiB",
  },
  "workbench.compile.starting": {
    en: "Starting compiler {version} …",
    zh: "正在启动编译器 {version}……",
  },
  "workbench.compile.compiling": {
    en: "Compiling with {version} …",
    zh: "正在用 {version} 编译……",
  },
  "workbench.compile.done": {
    en: "Compiled with {version} for {evmVersion} in {seconds} s; contracts: {count}.",
    zh: "已用 {version} 编译（{evmVersion}），用时 {seconds} 秒；合约数：{count}。",
  },
  "workbench.compile.errors": {
    en: "Errors from compiler {version}: {count}.",
    zh: "编译器 {version} 报告 {count} 个错误。",
  },
  "workbench.compile.unoptimized": {
    en:
      "Compiled without the optimizer: that of {version} needs a larger stack than this " +
      "browser has.",
    zh: "未使用优化器：{version} 的优化器需要的栈超过此浏览器的限制。",
  },
  "workbench.compile.cancelled": { en: "Cancelled.", zh: "已取消。" },
  "workbench.compile.noCompilers": {
    en:
      "The server of this page offers no compilers. Install them next to the node and reload: " +
      "npm install --include=optional",
    zh: "此页面的服务器没有提供编译器。请在节点旁安装后刷新页面：npm install --include=optional",
  },
  "workbench.compile.noneFits": {
    en:
      "No compiler is admitted by all of these: {ranges}. There are {versions}. Change the " +
      "pragma lines, or choose a compiler.",
    zh: "没有编译器同时满足：{ranges}。现有版本：{versions}。请修改 pragma 行，或手动选择编译器。",
  },
  "workbench.compile.notInstalled": {
    en: "Compiler {version} is not installed next to the node. Install it and reload the page:",
    zh: "节点旁未安装编译器 {version}。请安装后刷新页面：",
  },
  "workbench.compile.unloadable": {
    en:
      "Compiler {version} could not be loaded: {reason}. Check that the node runs, and try " +
      "again.",
    zh: "无法加载编译器 {version}：{reason}。请检查节点是否运行，然后重试。",
  },
  "workbench.compile.crashed": {
    en:
      "Compiler {version} failed by itself: {reason}. Try without the optimizer, or another " +
      "version.",
    zh: "编译器 {version} 自身出错：{reason}。请尝试关闭优化，或换一个版本。",
  },
};

const ACCOUNTS: Texts = {
  "workbench.accounts": { en: "Accounts", zh: "账户" },
  "workbench.account.make": { en: "Make an account", zh: "新建账户" },
  "workbench.account.named": { en: "account {count}", zh: "账户 {count}" },
  "workbench.account.import": { en: "Import a key", zh: "导入私钥" },
  "workbench.account.imported": { en: "imported", zh: "已导入" },
  "workbench.account.none": {
    en: "No account yet: make one to sign transactions.",
    zh: "还没有账户：请新建一个以签署交易。",
  },
  "workbench.account.dev": {
    en:
      "The accounts marked public are the same on every development chain: never use them " +
      "elsewhere.",
    zh: "标为“公开”的账户在所有开发链上相同，切勿在别处使用。",
  },
  "workbench.account.key": { en: "Private key", zh: "私钥" },
  "workbench.account.key.short": { en: "Key", zh: "私钥" },
  "workbench.account.key.hint": {
    en: "A PEM file's text (EC PRIVATE KEY or PKCS#8), or 64 hexadecimal digits.",
    zh: "PEM 文件内容（EC PRIVATE KEY 或 PKCS#8），或 64 位十六进制数字。",
  },
  "workbench.account.file": { en: "or choose a file", zh: "或选择文件" },
  "workbench.account.export.warning": {
    en: "Who has this key can sign for the account.",
    zh: "任何拥有此私钥的人都可以代表该账户签名。",
  },
  "workbench.account.remove": { en: "Remove the account", zh: "删除账户" },
  "workbench.account.remove.sure": {
    en: "Remove {label}? Without a copy of its key the account is lost.",
    zh: "删除 {label}？如果没有私钥备份，账户将无法找回。",
  },
  "workbench.origin.kept": { en: "kept", zh: "已保存" },
  "workbench.origin.open": { en: "this page only", zh: "仅此页面" },
  "workbench.origin.dev": { en: "public", zh: "公开" },
  "workbench.label": { en: "Label", zh: "标签" },
  "workbench.key.unusable": {
    en: "There is no private key of the chain's curve in it.",
    zh: "其中没有适用于此链曲线的私钥。",
  },
  "workbench.key.exists": { en: "This account is listed already.", zh: "此账户已在列表中。" },
  "workbench.key.encrypted": {
    en: "This key has a password of its own. Decrypt it first, as with openssl pkcs8.",
    zh: "此私钥带有密码，请先解密（例如用 openssl pkcs8）。",
  },
  "workbench.key.wrongPassphrase": { en: "This is not the passphrase.", zh: "口令不正确。" },
  "workbench.key.locked": {
    en: "The accounts are locked: enter the passphrase first.",
    zh: "账户已锁定，请先输入口令。",
  },
  "workbench.vault.insecure": {
    en:
      "Accounts last only until this page closes: open it through localhost or https to keep " +
      "them.",
    zh: "账户仅在此页面关闭前有效：请通过 localhost 或 https 打开页面以保存账户。",
  },
  "workbench.vault.choose": {
    en: "Choose a passphrase to keep accounts in this browser",
    zh: "设置口令以便在此浏览器中保存账户",
  },
  "workbench.vault.enter": { en: "Passphrase of the kept accounts", zh: "已保存账户的口令" },
  "workbench.vault.hint": {
    en: "Keys are encrypted under it. It cannot be recovered.",
    zh: "私钥用此口令加密。口令无法找回。",
  },
  "workbench.vault.unkept": {
    en: "Accounts marked “this page only” are lost when it closes, until you enter it.",
    zh: "标为“仅此页面”的账户会在页面关闭时丢失，输入口令后才会保存。",
  },
  "workbench.vault.keep": { en: "Keep accounts", zh: "保存账户" },
  "workbench.vault.unlock": { en: "Unlock", zh: "解锁" },
  "workbench.vault.lock": { en: "Lock", zh: "锁定" },
  "workbench.vault.open": {
    en: "Accounts are kept, encrypted under your passphrase.",
    zh: "账户已用您的口令加密保存。",
  },
};

/** All of them. */
export const TEXTS: Texts = { ...FILES, ...COMPILING, ...ACCOUNTS, ...OUTCOME_TEXTS };
