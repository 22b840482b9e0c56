/** What the workbench says about contracts: forms, outcomes, statuses. */
import type { Texts } from "../texts.ts";

const FORMS: Texts = {
  "workbench.acting": { en: "Deploy and call", zh: "部署与调用" },
  "workbench.contracts": { en: "Contracts", zh: "合约" },
  "workbench.signer": { en: "Signs: {label} ({address}…)", zh: "签名账户：{label}（{address}…）" },
  "workbench.signer.none": { en: "No account signs yet.", zh: "尚未选择签名账户。" },
  "workbench.contract": { en: "Contract", zh: "合约" },
  "workbench.deploy": { en: "Deploy", zh: "部署" },
  "workbench.deploy.first": {
    en: "Compile a source first: its contracts appear here.",
    zh: "请先编译源代码，合约会显示在这里。",
  },
  "workbench.deploy.failed": {
    en: "The source was not compiled: the reason is shown below the editor.",
    zh: "源代码未编译，原因见编辑器下方。",
  },
  "workbench.use": { en: "Use it", zh: "使用此合约" },
  "workbench.readAt": { en: "at block {block}", zh: "读取于区块 {block}" },
  "workbench.readAt.old": {
    en: "read at block {block}; there are newer ones: call again",
    zh: "读取于区块 {block}；已有更新的区块，请重新调用",
  },
  "workbench.deploy.nothing": {
    en:
      "The source has no contract that can be deployed: fix its errors, or write one that is " +
      "not abstract.",
    zh: "源代码中没有可部署的合约：请修正错误，或编写非抽象合约。",
  },
  "workbench.gas.hint": {
    en:
      "Gas: at most {limit} (tx_gas_limit of the group), and free. Contracts are made without " +
      "value.",
    zh: "Gas 上限为 {limit}（群组的 tx_gas_limit），不收费。创建合约时不附带金额。",
  },
  "workbench.libraries": { en: "Libraries", zh: "库" },
  "workbench.libraries.hint": { en: "Address of the deployed library.", zh: "已部署的库的地址。" },
  "workbench.parameter": { en: "parameter {number}", zh: "参数 {number}" },
  "workbench.tuple": { en: "a tuple", zh: "元组" },
  "workbench.item.add": { en: "Add an item", zh: "添加一项" },
  "workbench.item.remove": { en: "Remove {name}", zh: "删除 {name}" },
  "workbench.item.none": { en: "No items.", zh: "没有元素。" },
  "workbench.hint.integer": {
    en: "Decimal or 0x; 1_000 and 1.5e18 are fine.",
    zh: "十进制或 0x 十六进制；也可写 1_000、1.5e18。",
  },
  "workbench.hint.address": {
    en: "0x and 40 digits; accounts and contracts are suggested.",
    zh: "0x 加 40 位数字；会提示账户和合约。",
  },
  "workbench.hint.bytes": {
    en: '0x and pairs of digits, or a text in "quotation marks".',
    zh: '0x 加成对的十六进制数字，或"引号"中的文本。',
  },
  "workbench.hint.json": {
    en: 'A list in JSON: [1, "0xff", "1.5e18"].',
    zh: 'JSON 列表：[1, "0xff", "1.5e18"]。',
  },
  "workbench.field.json": {
    en: "A list in JSON is expected; large numbers as texts in quotation marks.",
    zh: "应为 JSON 列表；大数请写成带引号的文本。",
  },
  "workbench.notCallable": {
    en: "This function cannot be called from here: {why}.",
    zh: "无法在此处调用此函数：{why}。",
  },
  "workbench.field.integer": {
    en: "A whole number is expected, such as 42, -5 or 0xff.",
    zh: "应为整数，例如 42、-5 或 0xff。",
  },
  "workbench.field.range": {
    en: "{type} reaches from {least} to {most}.",
    zh: "{type} 的范围是 {least} 到 {most}。",
  },
  "workbench.field.address": {
    en: "An address is expected: 0x and 40 hexadecimal digits.",
    zh: "应为地址：0x 加 40 位十六进制数字。",
  },
  "workbench.field.bytes": {
    en: '0x and pairs of hexadecimal digits are expected, or a text in "quotation marks".',
    zh: '应为 0x 加成对的十六进制数字，或"引号"中的文本。',
  },
  "workbench.field.size": {
    en: "{size} bytes are expected; these are {count}.",
    zh: "应为 {size} 字节，实际为 {count} 字节。",
  },
  "workbench.call": { en: "Call", zh: "调用" },
  "workbench.send": { en: "Send a transaction", zh: "发送交易" },
  "workbench.trial": { en: "only try it: call without a transaction", zh: "仅试运行：不发送交易" },
  "workbench.reads": { en: "reads", zh: "只读" },
  "workbench.writes": { en: "writes", zh: "写入" },
  "workbench.value": { en: "value", zh: "金额（value）" },
  "workbench.value.hint": {
    en: "What the contract sees as msg.value; this chain transfers nothing.",
    zh: "合约看到的 msg.value；此链不会真正转账。",
  },
  "workbench.working": { en: "Working …", zh: "进行中……" },
  "workbench.obstacle.chain": {
    en: "No chain answers: start one in the part Node, or open the page of a node.",
    zh: "没有可用的链：请在“节点”中启动，或打开某个节点的页面。",
  },
  "workbench.obstacle.account": {
    en: "Choose or make an account first (tab Accounts).",
    zh: "请先选择或新建账户（“账户”标签页）。",
  },
  "workbench.obstacle.suite": {
    en: "The chosen account is for another kind of chain: choose one for this (tab Accounts).",
    zh: "所选账户属于另一种链，请选择适用的账户（“账户”标签页）。",
  },
  "workbench.obstacle.locked": {
    en: "The accounts are locked: enter the passphrase (tab Accounts).",
    zh: "账户已锁定：请输入口令（“账户”标签页）。",
  },
  "workbench.obstacle.library": {
    en: "Enter the addresses of the libraries first.",
    zh: "请先填写库的地址。",
  },
};

const CONTRACTS: Texts = {
  "workbench.contracts.none": {
    en: "No contracts yet: deploy one, or attach one that exists.",
    zh: "还没有合约：请部署，或关联已有合约。",
  },
  "workbench.precompiled": { en: "Precompiled contracts", zh: "预编译合约" },
  "workbench.precompiled.hint": {
    en: "Every chain has them. Some want permissions; a negative result is a failure.",
    zh: "每条链都有。部分需要权限；负数结果表示失败。",
  },
  "workbench.attach.title": { en: "Attach a contract that exists", zh: "关联已有合约" },
  "workbench.attach": { en: "Attach", zh: "关联" },
  "workbench.attach.label": { en: "contract", zh: "合约" },
  "workbench.attach.what": { en: "Address or registered name", zh: "地址或已注册名称" },
  "workbench.attach.what.hint": {
    en: "0x and 40 digits, or Name, or Name:version of the name service (CNS).",
    zh: "0x 加 40 位数字，或名称服务（CNS）中的 Name、Name:version。",
  },
  "workbench.attach.compiled": { en: "ABI of", zh: "ABI 来源" },
  "workbench.attach.pasted": {
    en: "the text below, or of the name",
    zh: "下方文本，或名称对应的 ABI",
  },
  "workbench.attach.abi.hint": {
    en: "JSON: the list, or an object with abi. Not needed for a name that has one.",
    zh: "JSON：列表，或含 abi 的对象。名称自带 ABI 时可留空。",
  },
  "workbench.attach.noName": {
    en: "No contract is registered under this name.",
    zh: "没有以此名称注册的合约。",
  },
  "workbench.attach.noAbi": {
    en: "The ABI is missing: paste it, or choose a compiled contract.",
    zh: "缺少 ABI：请粘贴，或选择已编译的合约。",
  },
  "workbench.attach.badAbi": { en: "This text is no JSON ABI.", zh: "此文本不是 JSON ABI。" },
  "workbench.attach.noCode": {
    en: "There is no contract at this address in this group.",
    zh: "此群组中该地址没有合约。",
  },
  "workbench.abi": { en: "ABI", zh: "ABI" },
  "workbench.address": { en: "address", zh: "地址" },
  "workbench.forget.sure": {
    en: "Forget {label} and its ABI in this browser? The contract itself stays on the chain.",
    zh: "从此浏览器移除 {label} 及其 ABI？合约本身仍在链上。",
  },
  "workbench.unchecked": {
    en: "The receipt reports success; whether the code is there could not be checked.",
    zh: "回执显示成功；但未能查看代码是否存在。",
  },
  "workbench.deploy.stale": {
    en:
      "This was compiled from another text, for another chain, or before a compilation that " +
      "failed.",
    zh: "编译结果与当前文本或链不符，或之后的编译未成功。",
  },
  "workbench.deploy.again": { en: "Compile and deploy", zh: "编译并部署" },
  "workbench.deploy.uncompiled": {
    en: "Nothing was deployed: the source does not compile as it is.",
    zh: "未部署：当前源代码无法编译。",
  },
  "workbench.deploy.other": {
    en: "Nothing was deployed: the constructor is another one now. Fill its fields in.",
    zh: "未部署：构造函数已改变，请重新填写参数。",
  },
  "workbench.forget": { en: "Forget", zh: "移除" },
  "workbench.register": { en: "Register a name", zh: "注册名称" },
  "workbench.register.hint": {
    en: "In the name service of the chain (CNS): others find the contract by name and version.",
    zh: "写入链上名称服务（CNS）：他人可按名称和版本找到合约。",
  },
  "workbench.register.name": { en: "Name", zh: "名称" },
  "workbench.register.version": { en: "Version", zh: "版本" },
  "workbench.full": {
    en: "The contract is deployed at {address}, but the browser has no room to remember it.",
    zh: "合约已部署在 {address}，但浏览器没有空间保存它。",
  },
};

const OUTCOMES: Texts = {
  "workbench.outcome.called": { en: "Result", zh: "结果" },
  "workbench.outcome.sent": { en: "In a block", zh: "已上链" },
  "workbench.outcome.deployed": { en: "Deployed", zh: "部署成功" },
  "workbench.outcome.deployFailed": { en: "Deployment failed", zh: "部署失败" },
  "workbench.outcome.callFailed": { en: "Call failed", zh: "调用失败" },
  "workbench.outcome.sendFailed": { en: "Transaction failed", zh: "交易失败" },
  "workbench.result": { en: "result", zh: "结果" },
  "workbench.value.empty": { en: "empty", zh: "空" },
  "workbench.events": { en: "Events", zh: "事件" },
  "workbench.events.live": { en: "Events as they come", zh: "实时事件" },
  "workbench.events.none": { en: "None since the page looks.", zh: "打开后暂无事件。" },
  "workbench.events.new": { en: "New events: {count}", zh: "新事件：{count}" },
  "workbench.transaction": { en: "transaction", zh: "交易" },
  "workbench.block": { en: "block", zh: "区块" },
  "workbench.gasUsed": { en: "gas used", zh: "已用 gas" },
  "workbench.noReason": { en: "The contract gave no reason.", zh: "合约没有给出原因。" },
  "workbench.noCode": {
    en: "The receipt reports success, but there is no code at the address: nothing was created.",
    zh: "回执显示成功，但该地址没有代码：合约并未创建。",
  },
  "workbench.timeout": {
    en:
      "No receipt came in time. The transaction may still be executed: look for {hash} in the " +
      "explorer before sending it again.",
    zh: "未及时收到回执，交易仍可能被执行。再次发送前，请先在浏览器中查找 {hash}。",
  },
  "workbench.expired": {
    en:
      "The block limit has passed: the transaction was not and will not be executed. Send it " +
      "again.",
    zh: "已超过 block limit：交易未执行，也不会再执行。请重新发送。",
  },
  "workbench.status.BlockLimitCheckFail": {
    en: "The node is behind or ahead of what this page saw of the chain: try again.",
    zh: "节点高度与页面所见不一致，请重试。",
  },
  "workbench.status.NoTxPermission": {
    en: "The account may not send transactions in this group.",
    zh: "该账户无权在此群组发送交易。",
  },
  "workbench.status.OutOfGas": {
    en: "It ran out of gas: the group's tx_gas_limit is too low for it, or it runs without end.",
    zh: "Gas 耗尽：群组的 tx_gas_limit 过低，或程序无法结束。",
  },
  "workbench.status.OutOfGasBase": {
    en: "The group's tx_gas_limit does not cover even its data.",
    zh: "群组的 tx_gas_limit 不足以支付其数据的基本 gas。",
  },
  "workbench.status.RevertInstruction": {
    en: "The contract reverted without a reason.",
    zh: "合约回滚，未给出原因。",
  },
  "workbench.status.BadInstruction": {
    en:
      "The contract met an invalid instruction. Before 0.8 compilers put one where an assert " +
      "fails, a division is by zero or an index is out of range; else the code has opcodes that " +
      "this chain does not have.",
    zh:
      "合约遇到无效指令。0.8 之前的编译器在 assert 失败、除以零或下标越界时使用它；" +
      "否则是代码含有此链不支持的操作码。",
  },
  "workbench.status.CallAddressError": {
    en: "There is no contract at this address.",
    zh: "该地址没有合约。",
  },
  "workbench.status.NoDeployPermission": {
    en: "The account may not deploy contracts in this group.",
    zh: "该账户无权在此群组部署合约。",
  },
  "workbench.status.PermissionDenied": {
    en: "The account has no permission for this.",
    zh: "该账户没有此操作的权限。",
  },
  "workbench.status.ContractFrozen": { en: "The contract is frozen.", zh: "合约已被冻结。" },
  "workbench.status.AccountFrozen": { en: "The account is frozen.", zh: "账户已被冻结。" },
  "workbench.status.TxPoolIsFull": {
    en: "The node's pool is full: try again in a moment.",
    zh: "节点交易池已满，请稍后重试。",
  },
};

/** All of them. */
export const OUTCOME_TEXTS: Texts = { ...FORMS, ...CONTRACTS, ...OUTCOMES };
