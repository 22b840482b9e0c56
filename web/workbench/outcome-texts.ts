/** What the workbench says about contracts: forms, outcomes, statuses. */
import { addTexts } from "../texts.ts";

addTexts({
  "workbench.acting": ["Deploy and call", "部署与调用"],
  "workbench.contracts": ["Contracts", "合约"],
  "workbench.signer": ["Signs: {label} ({address}…)", "签名账户：{label}（{address}…）"],
  "workbench.signer.none": ["No account signs yet.", "尚未选择签名账户。"],
  "workbench.contract": ["Contract", "合约"],
  "workbench.deploy": ["Deploy", "部署"],
  "workbench.deploy.first": [
    "Compile a source first: its contracts appear here.",
    "请先编译源代码，合约会显示在这里。",
  ],
  "workbench.deploy.failed": [
    "The source was not compiled: the reason is shown below the editor.",
    "源代码未编译，原因见编辑器下方。",
  ],
  "workbench.use": ["Use it", "使用此合约"],
  "workbench.readAt": ["at block {block}", "读取于区块 {block}"],
  "workbench.readAt.old": [
    "read at block {block}; there are newer ones: call again",
    "读取于区块 {block}；已有更新的区块，请重新调用",
  ],
  "workbench.deploy.nothing": [
    "The source has no contract that can be deployed: fix its errors, or write one that is " +
      "not abstract.",
    "源代码中没有可部署的合约：请修正错误，或编写非抽象合约。",
  ],
  "workbench.gas.hint": [
    "Gas: at most {limit} (tx_gas_limit of the group), and free. Contracts are made without " +
      "value.",
    "Gas 上限为 {limit}（群组的 tx_gas_limit），不收费。创建合约时不附带金额。",
  ],
  "workbench.libraries": ["Libraries", "库"],
  "workbench.libraries.hint": ["Address of the deployed library.", "已部署的库的地址。"],
  "workbench.parameter": ["parameter {number}", "参数 {number}"],
  "workbench.tuple": ["a tuple", "元组"],
  "workbench.item.add": ["Add an item", "添加一项"],
  "workbench.item.remove": ["Remove {name}", "删除 {name}"],
  "workbench.item.none": ["No items.", "没有元素。"],
  "workbench.hint.integer": [
    "Decimal or 0x; 1_000 and 1.5e18 are fine.",
    "十进制或 0x 十六进制；也可写 1_000、1.5e18。",
  ],
  "workbench.hint.address": [
    "0x and 40 digits; accounts and contracts are suggested.",
    "0x 加 40 位数字；会提示账户和合约。",
  ],
  "workbench.hint.bytes": [
    '0x and pairs of digits, or a text in "quotation marks".',
    '0x 加成对的十六进制数字，或"引号"中的文本。',
  ],
  "workbench.hint.json": [
    'A list in JSON: [1, "0xff", "1.5e18"].',
    'JSON 列表：[1, "0xff", "1.5e18"]。',
  ],
  "workbench.field.json": [
    "A list in JSON is expected; large numbers as texts in quotation marks.",
    "应为 JSON 列表；大数请写成带引号的文本。",
  ],
  "workbench.notCallable": [
    "This function cannot be called from here: {why}.",
    "无法在此处调用此函数：{why}。",
  ],
  "workbench.field.integer": [
    "A whole number is expected, such as 42, -5 or 0xff.",
    "应为整数，例如 42、-5 或 0xff。",
  ],
  "workbench.field.range": [
    "{type} reaches from {least} to {most}.",
    "{type} 的范围是 {least} 到 {most}。",
  ],
  "workbench.field.address": [
    "An address is expected: 0x and 40 hexadecimal digits.",
    "应为地址：0x 加 40 位十六进制数字。",
  ],
  "workbench.field.bytes": [
    '0x and pairs of hexadecimal digits are expected, or a text in "quotation marks".',
    '应为 0x 加成对的十六进制数字，或"引号"中的文本。',
  ],
  "workbench.field.size": [
    "{size} bytes are expected; these are {count}.",
    "应为 {size} 字节，实际为 {count} 字节。",
  ],
  "workbench.call": ["Call", "调用"],
  "workbench.send": ["Send a transaction", "发送交易"],
  "workbench.trial": ["only try it: call without a transaction", "仅试运行：不发送交易"],
  "workbench.reads": ["reads", "只读"],
  "workbench.writes": ["writes", "写入"],
  "workbench.value": ["value", "金额（value）"],
  "workbench.value.hint": [
    "What the contract sees as msg.value; this chain transfers nothing.",
    "合约看到的 msg.value；此链不会真正转账。",
  ],
  "workbench.working": ["Working …", "进行中……"],
  "workbench.obstacle.chain": [
    "No chain answers: start one in the part Node, or open the page of a node.",
    "没有可用的链：请在“节点”中启动，或打开某个节点的页面。",
  ],
  "workbench.obstacle.account": [
    "Choose or make an account first (tab Accounts).",
    "请先选择或新建账户（“账户”标签页）。",
  ],
  "workbench.obstacle.suite": [
    "The chosen account is for another kind of chain: choose one for this (tab Accounts).",
    "所选账户属于另一种链，请选择适用的账户（“账户”标签页）。",
  ],
  "workbench.obstacle.locked": [
    "The accounts are locked: enter the passphrase (tab Accounts).",
    "账户已锁定：请输入口令（“账户”标签页）。",
  ],
  "workbench.obstacle.library": [
    "Enter the addresses of the libraries first.",
    "请先填写库的地址。",
  ],
  "workbench.contracts.none": [
    "No contracts yet: deploy one, or attach one that exists.",
    "还没有合约：请部署，或关联已有合约。",
  ],
  "workbench.precompiled": ["Precompiled contracts", "预编译合约"],
  "workbench.precompiled.hint": [
    "Every chain has them. Some want permissions; a negative result is a failure.",
    "每条链都有。部分需要权限；负数结果表示失败。",
  ],
  "workbench.attach.title": ["Attach a contract that exists", "关联已有合约"],
  "workbench.attach": ["Attach", "关联"],
  "workbench.attach.label": ["contract", "合约"],
  "workbench.attach.what": ["Address or registered name", "地址或已注册名称"],
  "workbench.attach.what.hint": [
    "0x and 40 digits, or Name, or Name:version of the name service (CNS).",
    "0x 加 40 位数字，或名称服务（CNS）中的 Name、Name:version。",
  ],
  "workbench.attach.compiled": ["ABI of", "ABI 来源"],
  "workbench.attach.pasted": ["the text below, or of the name", "下方文本，或名称对应的 ABI"],
  "workbench.attach.abi.hint": [
    "JSON: the list, or an object with abi. Not needed for a name that has one.",
    "JSON：列表，或含 abi 的对象。名称自带 ABI 时可留空。",
  ],
  "workbench.attach.noName": [
    "No contract is registered under this name.",
    "没有以此名称注册的合约。",
  ],
  "workbench.attach.noAbi": [
    "The ABI is missing: paste it, or choose a compiled contract.",
    "缺少 ABI：请粘贴，或选择已编译的合约。",
  ],
  "workbench.attach.badAbi": ["This text is no JSON ABI.", "此文本不是 JSON ABI。"],
  "workbench.attach.noCode": [
    "There is no contract at this address in this group.",
    "此群组中该地址没有合约。",
  ],
  "workbench.abi": ["ABI", "ABI"],
  "workbench.address": ["address", "地址"],
  "workbench.forget.sure": [
    "Forget {label} and its ABI in this browser? The contract itself stays on the chain.",
    "从此浏览器移除 {label} 及其 ABI？合约本身仍在链上。",
  ],
  "workbench.unchecked": [
    "The receipt reports success; whether the code is there could not be checked.",
    "回执显示成功；但未能查看代码是否存在。",
  ],
  "workbench.deploy.stale": [
    "This was compiled from another text, for another chain, or before a compilation that " +
      "failed.",
    "编译结果与当前文本或链不符，或之后的编译未成功。",
  ],
  "workbench.deploy.again": ["Compile and deploy", "编译并部署"],
  "workbench.deploy.uncompiled": [
    "Nothing was deployed: the source does not compile as it is.",
    "未部署：当前源代码无法编译。",
  ],
  "workbench.deploy.other": [
    "Nothing was deployed: the constructor is another one now. Fill its fields in.",
    "未部署：构造函数已改变，请重新填写参数。",
  ],
  "workbench.forget": ["Forget", "移除"],
  "workbench.register": ["Register a name", "注册名称"],
  "workbench.register.hint": [
    "In the name service of the chain (CNS): others find the contract by name and version.",
    "写入链上名称服务（CNS）：他人可按名称和版本找到合约。",
  ],
  "workbench.register.name": ["Name", "名称"],
  "workbench.register.version": ["Version", "版本"],
  "workbench.full": [
    "The contract is deployed at {address}, but the browser has no room to remember it.",
    "合约已部署在 {address}，但浏览器没有空间保存它。",
  ],
  "workbench.outcome.called": ["Result", "结果"],
  "workbench.outcome.sent": ["In a block", "已上链"],
  "workbench.outcome.deployed": ["Deployed", "部署成功"],
  "workbench.outcome.deployFailed": ["Deployment failed", "部署失败"],
  "workbench.outcome.callFailed": ["Call failed", "调用失败"],
  "workbench.outcome.sendFailed": ["Transaction failed", "交易失败"],
  "workbench.result": ["result", "结果"],
  "workbench.value.empty": ["empty", "空"],
  "workbench.events": ["Events", "事件"],
  "workbench.events.live": ["Events as they come", "实时事件"],
  "workbench.events.none": ["None since the page looks.", "打开后暂无事件。"],
  "workbench.events.new": ["New events: {count}", "新事件：{count}"],
  "workbench.transaction": ["transaction", "交易"],
  "workbench.block": ["block", "区块"],
  "workbench.gasUsed": ["gas used", "已用 gas"],
  "workbench.noReason": ["The contract gave no reason.", "合约没有给出原因。"],
  "workbench.noCode": [
    "The receipt reports success, but there is no code at the address: nothing was created.",
    "回执显示成功，但该地址没有代码：合约并未创建。",
  ],
  "workbench.timeout": [
    "No receipt came in time. The transaction may still be executed: look for {hash} in the " +
      "explorer before sending it again.",
    "未及时收到回执，交易仍可能被执行。再次发送前，请先在浏览器中查找 {hash}。",
  ],
  "workbench.expired": [
    "The block limit has passed: the transaction was not and will not be executed. Send it " +
      "again.",
    "已超过 block limit：交易未执行，也不会再执行。请重新发送。",
  ],
  "workbench.status.BlockLimitCheckFail": [
    "The node is behind or ahead of what this page saw of the chain: try again.",
    "节点高度与页面所见不一致，请重试。",
  ],
  "workbench.status.NoTxPermission": [
    "The account may not send transactions in this group.",
    "该账户无权在此群组发送交易。",
  ],
  "workbench.status.OutOfGas": [
    "It ran out of gas: the group's tx_gas_limit is too low for it, or it runs without end.",
    "Gas 耗尽：群组的 tx_gas_limit 过低，或程序无法结束。",
  ],
  "workbench.status.OutOfGasBase": [
    "The group's tx_gas_limit does not cover even its data.",
    "群组的 tx_gas_limit 不足以支付其数据的基本 gas。",
  ],
  "workbench.status.RevertInstruction": [
    "The contract reverted without a reason.",
    "合约回滚，未给出原因。",
  ],
  "workbench.status.BadInstruction": [
    "The contract met an invalid instruction. Before 0.8 compilers put one where an assert " +
      "fails, a division is by zero or an index is out of range; else the code has opcodes that " +
      "this chain does not have.",
    "合约遇到无效指令。0.8 之前的编译器在 assert 失败、除以零或下标越界时使用它；" +
      "否则是代码含有此链不支持的操作码。",
  ],
  "workbench.status.CallAddressError": [
    "There is no contract at this address.",
    "该地址没有合约。",
  ],
  "workbench.status.NoDeployPermission": [
    "The account may not deploy contracts in this group.",
    "该账户无权在此群组部署合约。",
  ],
  "workbench.status.PermissionDenied": [
    "The account has no permission for this.",
    "该账户没有此操作的权限。",
  ],
  "workbench.status.ContractFrozen": ["The contract is frozen.", "合约已被冻结。"],
  "workbench.status.AccountFrozen": ["The account is frozen.", "账户已被冻结。"],
  "workbench.status.TxPoolIsFull": [
    "The node's pool is full: try again in a moment.",
    "节点交易池已满，请稍后重试。",
  ],
});
