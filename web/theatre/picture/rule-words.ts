/** What events and guards are called in Chinese; in English they have the machines' names. */
import type { ChartTransition } from "../../../runtimes/shared/theatre/frame.ts";
import type { Language } from "../../texts.ts";

type Words = Readonly<Record<string, string>>;

const EVENT_WORDS: Words = {
  // Of all protocols.
  start: "开始",
  tick: "时钟",
  rest: "步骤结束",
  stray: "无关消息",
  proposal: "自己的提案",
  assembled: "提案已补全",
  executed: "执行完成",
  written: "写入完成",
  block: "同步到区块",
  votingRole: "投票资格改变",
  status: "状态消息",
  // PBFT.
  prepare: "预准备消息",
  sign: "准备消息",
  commit: "提交消息",
  viewChange: "视图切换消息",
  viewCertificate: "新视图证书",
  lostMessages: "自己的消息丢失",
  ownMessage: "自己的消息",
  outdated: "过时的消息",
  stale: "落后节点的消息",
  peersChanged: "连接改变",
  keptTaken: "取出保留的消息",
  // Raft.
  preVote: "预投票请求",
  preVoteReply: "预投票应答",
  vote: "投票请求",
  voteReply: "投票应答",
  append: "追加条目",
  acknowledgement: "追加应答",
  peer: "连接改变",
  syncing: "同步状态改变",
  // Block sync.
  peerUp: "节点连接",
  peerDown: "节点断开",
  requestRange: "区块请求",
  blocks: "收到区块",
  malformed: "格式错误",
  sealing: "参与共识",
  committed: "区块已提交",
  loaded: "区块已读出",
  verified: "验证完成",
  imported: "导入完成",
  // Life cycles.
  "node.start": "启动节点",
  "node.stop": "停止节点",
  "child.begin": "启动子角色",
  "child.end": "结束子角色",
  "group.generate": "生成群组",
  "group.start": "启动群组",
  "group.stop": "停止群组",
  "group.remove": "删除群组",
  "group.recover": "恢复群组",
  "group.joined": "加入群组",
  "group.left": "离开群组",
  "ledger.failed": "账本故障",
  "pool.close": "关闭交易池",
  "pool.broke": "交易池故障",
  "seal.asked": "请求提案",
  "seal.withdrawn": "撤回请求",
  "facts.changed": "条件改变",
  "peer.up": "连接建立",
  "peer.down": "连接断开",
  "session.close": "关闭会话",
  "message.rejected": "消息被拒绝",
  "time.passed": "时间已到",
};

const GUARD_WORDS: Words = {
  // Of all protocols.
  isNewBlock: "区块是新的",
  isWorkIdle: "没有工作",
  isOtherWanted: "需要另一提案",
  canExecute: "可执行",
  canWrite: "可写入",
  isRefused: "提案被拒绝",
  isExecutedOtherwise: "执行结果不同",
  // PBFT.
  isSealer: "是共识节点",
  isSealed: "有足够签名",
  isTimedOut: "已超时",
  isAcceptable: "提案可接受",
  isAheadOfTime: "时间过于超前",
  isCertifiedOtherwise: "证书对应另一结果",
  contradictsItself: "与自己的签名矛盾",
  provesOtherResult: "证明了另一结果",
  isEmpty: "区块为空",
  isFinal: "已最终确定",
  makesFinal: "提交达到法定数",
  isFreshExecuted: "新提案已执行",
  isFreshRefused: "新提案被拒绝",
  isOwnProposal: "是自己的提案",
  isRoundEmpty: "本轮没有交易",
  isWrongProposal: "提案不符",
  canLock: "可锁定",
  canPropose: "可提案",
  canProposeAgain: "可再次提案",
  canSign: "可签名",
  certifiesView: "证明新视图",
  hasAccepted: "已接受提案",
  hasLeftView: "已离开视图",
  hasLocked: "已锁定",
  hasViewQuorum: "视图切换达到法定数",
  holdsOtherLock: "锁定了另一提案",
  mustAbstain: "须弃权",
  mustJoin: "须加入视图切换",
  opensItsView: "开启其视图",
  opensWithProposal: "以提案开启视图",
  standsElsewhere: "处于另一轮",
  maySeal: "可打包",
  // Raft.
  mayFollow: "可跟随",
  mustStandBack: "须退回跟随者",
  mustSuspend: "须暂停参选",
  electsItself: "可自选",
  electionIsDue: "选举超时",
  isLed: "有领导者",
  isNewerTerm: "任期更新",
  isOlderTerm: "任期更旧",
  isOfOtherTerm: "任期不同",
  answersOtherTerm: "应答另一任期",
  isFormerLeader: "前任领导者",
  isSecondLeader: "同任期第二个领导者",
  leadsAheadOfTime: "领导者时间超前",
  canStoreIncoming: "可保存条目",
  hasWaitingEntry: "有待处理条目",
  isCommitNoticed: "已得知提交",
  isStoredByMajority: "多数已保存",
  makesMajority: "达到多数",
  canAsk: "可请求",
  isOwnRefused: "自己的条目被拒绝",
  // Block sync.
  isOfUnknownSender: "发送者未知",
  breaksRules: "违反规则",
  isOfThisLoad: "属于本次读取",
  isOfThisVerification: "属于本次验证",
  isOfThisImport: "属于本次导入",
  isOneBehind: "落后一个区块",
  hasBlocksToGet: "有区块可取",
  hasNothingToGet: "无区块可取",
  hasBlocks: "有已下载区块",
  hasTimedOut: "请求超时",
  nextIsBad: "下一区块无效",
  canVerify: "可验证",
  canRequest: "可请求区块",
  canImport: "可导入",
  hasRequests: "有未完成的请求",
  hasNoRequests: "没有未完成的请求",
  isOwnFault: "本节点的错误",
  isPeersFault: "对方的错误",
  // Life cycles.
  bootStarts: "上次在运行",
  bootDeleted: "上次已删除",
  bootInexistent: "文件不存在",
  failedMeanwhile: "期间发生故障",
  meetsDamage: "遇到损坏",
  isDamaged: "账本已损坏",
  tooManyRejections: "被拒绝的消息过多",
};

/** What the machine itself says of a child: of the step that a state runs. */
const ENDED_WORDS: readonly (readonly [begins: string, word: string])[] = [
  ["xstate.done.", "完成"],
  ["xstate.error.", "失败"],
];

function eventWord(event: string): string {
  const ended = ENDED_WORDS.find(([begins]) => event.startsWith(begins));
  return ended?.[1] ?? EVENT_WORDS[event] ?? event;
}

/** The event, and the guard in brackets, in a language. */
export function ruleWord({ event, guard }: ChartTransition, language: Language): string {
  const isNamed = language === "en";
  const guardWord = isNamed ? guard : (guard && GUARD_WORDS[guard]) || guard;
  const condition = guard === undefined ? "" : `[${guardWord}]`;
  if (event === "") return condition || (isNamed ? "always" : "总是");
  return `${isNamed ? event : eventWord(event)} ${condition}`.trimEnd();
}
