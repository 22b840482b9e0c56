/** What the workbench says. */
import { addTexts } from "../texts.ts";

addTexts({
  "workbench.files": ["Files", "文件"],
  "workbench.file.save": ["Save", "保存"],
  "workbench.file.saved": ["Saved {name}", "已保存 {name}"],
  "workbench.file.changed": ["not saved", "未保存"],
  "workbench.file.conflict": [
    "Another tab saved {name}. What you changed here is in {beside} now, not saved yet.",
    "另一标签页保存了 {name}。您在此处的修改现在位于 {beside}，尚未保存。",
  ],
  "workbench.file.new": ["New", "新建"],
  "workbench.file.rename": ["Rename", "重命名"],
  "workbench.file.remove": ["Remove", "删除"],
  "workbench.file.remove.sure": [
    "Remove {name} from this browser? Export it first if you want to keep it.",
    "从此浏览器中删除 {name}？如需保留，请先导出。",
  ],
  "workbench.file.export": ["Export", "导出"],
  "workbench.file.import": ["Import …", "导入……"],
  "workbench.file.take": ["OK", "确定"],
  "workbench.file.none": [
    "No file is open. Make one, import one, or begin with an example.",
    "没有打开的文件。可以新建、导入，或从示例开始。",
  ],
  "workbench.file.name.label": ["File name", "文件名"],
  "workbench.file.name.hint": [
    "Letters, digits, dots and dashes; folders with slashes; .sol at the end.",
    "可用字母、数字、点和短横线；用斜杠表示文件夹；以 .sol 结尾。",
  ],
  "workbench.file.name": [
    "This is no name of a source: letters, digits, dots and dashes, .sol at the end.",
    "文件名无效：只能用字母、数字、点和短横线，并以 .sol 结尾。",
  ],
  "workbench.file.taken": [
    "There is a file of this name already. Choose another name.",
    "已有同名文件，请换一个名称。",
  ],
  "workbench.file.tooMany": [
    "{most} files are kept already. Remove one first.",
    "已保存 {most} 个文件，请先删除一个。",
  ],
  "workbench.file.tooLarge": [
    "The file has more than {chars} characters.",
    "文件超过 {chars} 个字符。",
  ],
  "workbench.file.noRoom": [
    "The browser has no room for it. Remove files, or export this one.",
    "浏览器存储空间不足。请删除文件，或导出此文件。",
  ],
  "workbench.examples": ["Examples …", "示例……"],
  "workbench.example.hello": ["HelloWorld", "HelloWorld（入门）"],
  "workbench.example.token": ["Token", "代币"],
  "workbench.example.table": ["Notes in a table (CRUD)", "数据表中的笔记（CRUD）"],
  "workbench.sources": ["Sources", "源代码"],
  "workbench.editor": ["Source text", "源代码文本"],
  "workbench.key.save": ["Save the file", "保存文件"],
  "workbench.key.find": ["Find in the source", "在源代码中查找"],
  "workbench.key.leave": ["Leave the editor", "离开编辑器"],
  "workbench.editor.leave": [
    "Tab indents here; Esc, then Tab leads on.",
    "此处 Tab 用于缩进；按 Esc 再按 Tab 离开。",
  ],
  "workbench.compiler": ["Compiler", "编译器"],
  "workbench.compiler.auto": ["as the source requires", "按源代码要求"],
  "workbench.compiler.absent": ["{version} (not installed)", "{version}（未安装）"],
  "workbench.optimize": ["optimize", "优化"],
  "workbench.compile": ["Compile", "编译"],
  "workbench.cancel": ["Cancel", "取消"],
  "workbench.seconds": ["{seconds} s", "{seconds} 秒"],
  "workbench.problems": ["Compiler messages", "编译器信息"],
  "workbench.error": ["error", "错误"],
  "workbench.warning": ["warning", "警告"],
  "workbench.info": ["note", "提示"],
  "workbench.compile.progress": ["Compilation", "编译进度"],
  "workbench.compile.fetching": [
    "Loading compiler {version}: {received} of {total} MiB",
    "正在加载编译器 {version}：{received} / {total} MiB",
  ],
  "workbench.compile.starting": ["Starting compiler {version} …", "正在启动编译器 {version}……"],
  "workbench.compile.compiling": ["Compiling with {version} …", "正在用 {version} 编译……"],
  "workbench.compile.done": [
    "Compiled with {version} for {evmVersion} in {seconds} s; contracts: {count}.",
    "已用 {version} 编译（{evmVersion}），用时 {seconds} 秒；合约数：{count}。",
  ],
  "workbench.compile.errors": [
    "Errors from compiler {version}: {count}.",
    "编译器 {version} 报告 {count} 个错误。",
  ],
  "workbench.compile.unoptimized": [
    "Compiled without the optimizer: that of {version} needs a larger stack than this " +
      "browser has.",
    "未使用优化器：{version} 的优化器需要的栈超过此浏览器的限制。",
  ],
  "workbench.compile.cancelled": ["Cancelled.", "已取消。"],
  "workbench.compile.noCompilers": [
    "The server of this page offers no compilers. Install them next to the node and reload: " +
      "npm install --include=optional",
    "此页面的服务器没有提供编译器。请在节点旁安装后刷新页面：npm install --include=optional",
  ],
  "workbench.compile.noneFits": [
    "No compiler is admitted by all of these: {ranges}. There are {versions}. Change the " +
      "pragma lines, or choose a compiler.",
    "没有编译器同时满足：{ranges}。现有版本：{versions}。请修改 pragma 行，或手动选择编译器。",
  ],
  "workbench.compile.notInstalled": [
    "Compiler {version} is not installed next to the node. Install it and reload the page:",
    "节点旁未安装编译器 {version}。请安装后刷新页面：",
  ],
  "workbench.compile.unloadable": [
    "Compiler {version} could not be loaded: {reason}. Check that the node runs, and try " +
      "again.",
    "无法加载编译器 {version}：{reason}。请检查节点是否运行，然后重试。",
  ],
  "workbench.compile.crashed": [
    "Compiler {version} failed by itself: {reason}. Try without the optimizer, or another " +
      "version.",
    "编译器 {version} 自身出错：{reason}。请尝试关闭优化，或换一个版本。",
  ],
  "workbench.accounts": ["Accounts", "账户"],
  "workbench.account.make": ["Make an account", "新建账户"],
  "workbench.account.named": ["account {count}", "账户 {count}"],
  "workbench.account.import": ["Import a key", "导入私钥"],
  "workbench.account.imported": ["imported", "已导入"],
  "workbench.account.none": [
    "No account yet: make one to sign transactions.",
    "还没有账户：请新建一个以签署交易。",
  ],
  "workbench.account.dev": [
    "The accounts marked public are the same on every development chain: never use them " +
      "elsewhere.",
    "标为“公开”的账户在所有开发链上相同，切勿在别处使用。",
  ],
  "workbench.account.key": ["Private key", "私钥"],
  "workbench.account.key.short": ["Key", "私钥"],
  "workbench.account.key.hint": [
    "A PEM file's text (EC PRIVATE KEY or PKCS#8), or 64 hexadecimal digits.",
    "PEM 文件内容（EC PRIVATE KEY 或 PKCS#8），或 64 位十六进制数字。",
  ],
  "workbench.account.file": ["or choose a file", "或选择文件"],
  "workbench.account.export.warning": [
    "Who has this key can sign for the account.",
    "任何拥有此私钥的人都可以代表该账户签名。",
  ],
  "workbench.account.remove": ["Remove the account", "删除账户"],
  "workbench.account.remove.sure": [
    "Remove {label}? Without a copy of its key the account is lost.",
    "删除 {label}？如果没有私钥备份，账户将无法找回。",
  ],
  "workbench.origin.kept": ["kept", "已保存"],
  "workbench.origin.open": ["this page only", "仅此页面"],
  "workbench.origin.dev": ["public", "公开"],
  "workbench.label": ["Label", "标签"],
  "workbench.key.unusable": [
    "There is no private key of the chain's curve in it.",
    "其中没有适用于此链曲线的私钥。",
  ],
  "workbench.key.exists": ["This account is listed already.", "此账户已在列表中。"],
  "workbench.key.encrypted": [
    "This key has a password of its own. Decrypt it first, as with openssl pkcs8.",
    "此私钥带有密码，请先解密（例如用 openssl pkcs8）。",
  ],
  "workbench.key.wrongPassphrase": ["This is not the passphrase.", "口令不正确。"],
  "workbench.key.locked": [
    "The accounts are locked: enter the passphrase first.",
    "账户已锁定，请先输入口令。",
  ],
  "workbench.vault.insecure": [
    "Accounts last only until this page closes: open it through localhost or https to keep " +
      "them.",
    "账户仅在此页面关闭前有效：请通过 localhost 或 https 打开页面以保存账户。",
  ],
  "workbench.vault.choose": [
    "Choose a passphrase to keep accounts in this browser",
    "设置口令以便在此浏览器中保存账户",
  ],
  "workbench.vault.enter": ["Passphrase of the kept accounts", "已保存账户的口令"],
  "workbench.vault.hint": [
    "Keys are encrypted under it. It cannot be recovered.",
    "私钥用此口令加密。口令无法找回。",
  ],
  "workbench.vault.unkept": [
    "Accounts marked “this page only” are lost when it closes, until you enter it.",
    "标为“仅此页面”的账户会在页面关闭时丢失，输入口令后才会保存。",
  ],
  "workbench.vault.keep": ["Keep accounts", "保存账户"],
  "workbench.vault.unlock": ["Unlock", "解锁"],
  "workbench.vault.lock": ["Lock", "锁定"],
  "workbench.vault.open": [
    "Accounts are kept, encrypted under your passphrase.",
    "账户已用您的口令加密保存。",
  ],
});
