/** What the start screen and the opening of scenarios say. */
import type { Texts } from "../texts.ts";

/** All of it. */
export const START_TEXTS: Texts = {
  "start.intro": {
    en:
      "Watch consensus happen, and try to break it. These are the production nodes of this " +
      "program, under a clock that you hold.",
    zh: "观察共识如何达成，并试着破坏它。这里运行的是本程序的正式节点，时钟由您掌握。",
  },
  "start.own": { en: "A scenario of your own", zh: "自定义场景" },
  "start.protocol": { en: "Protocol", zh: "协议" },
  "start.nodes": { en: "Nodes", zh: "节点数" },
  "start.load": { en: "A transaction every … ms (0: none)", zh: "每隔多少毫秒一笔交易（0：无）" },
  "start.seed": { en: "Seed of chance", zh: "随机种子" },
  "start.text": { en: "Or the text of a scenario", zh: "或输入场景文本" },
  "start.do": { en: "Open", zh: "打开" },
  "start.live": { en: "The chain that runs", zh: "正在运行的链" },
  "start.live.about": {
    en:
      "Look into the node behind this page while it works. Nothing can be changed, and no key " +
      "is shown.",
    zh: "在节点工作时观察它的内部。只读，不会显示任何密钥。",
  },
  "start.live.do": { en: "Watch it", zh: "开始观察" },
  "start.lessons": { en: "Or begin with a lesson", zh: "或从课程开始" },
  "open.opening": {
    en: "The nodes are working: step {step} …",
    zh: "节点正在运行：第 {step} 步……",
  },
  "open.short": {
    en: "The performance ends before the moment of the link: this is step {step}",
    zh: "演出在链接所指的时刻之前结束：这是第 {step} 步",
  },
  "open.failed": {
    en: "The theatre could not be opened: {why}. Go back and choose a scenario.",
    zh: "无法打开剧场：{why}。请返回并选择一个场景。",
  },
  "open.refused": {
    en: "This scenario cannot be played: {why} (part {position}: {field}).",
    zh: "无法播放此场景：{why}（第 {position} 部分：{field}）。",
  },
  "open.back": { en: "Choose a scenario", zh: "选择场景" },
  "fault.tooLong": { en: "it is too long", zh: "文本过长" },
  "fault.version": { en: "it does not begin with version 1", zh: "没有以版本 1 开头" },
  "fault.protocol": { en: "the protocol must be pbft or raft", zh: "协议必须是 pbft 或 raft" },
  "fault.unknownSetting": { en: "there is no such setting", zh: "没有这个设置" },
  "fault.unknownAction": { en: "there is no such action", zh: "没有这个操作" },
  "fault.badValue": { en: "a value cannot be read", zh: "无法读取数值" },
  "fault.outOfRange": { en: "a value is out of range", zh: "数值超出范围" },
  "fault.twice": { en: "a setting stands there twice", zh: "设置重复" },
  "fault.tooManyActions": { en: "there are too many actions", zh: "操作过多" },
  "fault.noSuchNode": { en: "there is no such node", zh: "没有这个节点" },
  "fault.notInRaft": { en: "this does not exist in Raft", zh: "Raft 中没有此操作" },
  "live.connecting": { en: "Connecting to the node …", zh: "正在连接节点……" },
  "live.watching": {
    en: "{name}, as it sees itself and its peers. Read-only; no key is shown.",
    zh: "{name}：节点自身以及它所见的其他节点。只读，不显示密钥。",
  },
  "live.node": { en: "Node of the chain in this tab", zh: "此标签页中链的节点" },
  "live.waiting": {
    en: "No connection: trying again. What you see is what was told last.",
    zh: "连接中断，正在重试。所示为最后收到的状态。",
  },
  "live.failed": { en: "The node cannot be watched: {why}", zh: "无法观察节点：{why}" },
  "live.end.slow": {
    en: "the page was too slow to follow; open it again",
    zh: "页面跟不上；请重新打开",
  },
  "live.end.stopped": { en: "the node or its group has stopped", zh: "节点或其群组已停止" },
  "live.end.tooMany": {
    en: "too many watch it already; close another one first",
    zh: "观察者过多；请先关闭其他观察页面",
  },
  "live.end.noSuchGroup": { en: "it has no such group", zh: "没有该群组" },
  "live.end.closed": {
    en:
      "it does not allow watching from here: use the machine that it runs on, or switch it on " +
      "in config.ini",
    zh: "不允许从此处观察：请在节点所在机器上打开，或在 config.ini 中开启",
  },
};
