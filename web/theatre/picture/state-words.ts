/** What the states of charts are called in Chinese; in English they have the machines' names. */
import type { Language } from "../../texts.ts";

type Words = Readonly<Record<string, string>>;

/** By chart, then by the name of the state. */
const STATE_WORDS: Readonly<Record<string, Words>> = {
  node: {
    idle: "未启动",
    networking: "启动网络",
    loadingGroups: "加载群组",
    serving: "服务中",
    draining: "停止中",
    failed: "启动失败",
    stopped: "已停止",
  },
  group: {
    booting: "读取状态",
    inexistent: "不存在",
    generating: "生成中",
    stopped: "已停止",
    resuming: "恢复运行",
    starting: "启动中",
    insisting: "记录为运行",
    announcing: "记录已启动",
    abandoning: "撤销启动",
    running: "运行中",
    beginningStop: "记录停止中",
    stopping: "停止中",
    endingStop: "记录已停止",
    removing: "删除中",
    deleted: "已删除",
    recovering: "恢复中",
    failing: "故障停止中",
    failed: "故障",
    retrying: "重新启动",
    repairing: "修复账本",
    endingRepair: "终止修复",
    droppingRepair: "放弃修复",
    adopting: "启用新账本",
    settling: "故障后停止",
    removingFailed: "故障后删除",
    closing: "关闭中",
    closed: "已关闭",
  },
  consensus: {
    member: "群组成员",
    observer: "观察节点",
    sealer: "共识节点",
    idle: "等待提案",
    prePrepared: "预准备",
    prepared: "已准备",
    viewChanging: "视图切换",
    decided: "已达成共识",
    committed: "已提交",
    catchingUp: "追赶区块",
    stopped: "已停止",
  },
  raft: {
    member: "群组成员",
    suspended: "不参与选举",
    follower: "跟随者",
    electing: "选举中",
    preCandidate: "预候选人",
    candidate: "候选人",
    leader: "领导者",
    stopped: "已停止",
  },
  sealing: { off: "未请求", collecting: "收集交易", handed: "已交出提案" },
  sync: {
    running: "运行中",
    idle: "空闲",
    behind: "落后",
    requesting: "请求区块",
    downloading: "下载区块",
    importing: "导入区块",
    stopped: "已停止",
  },
  txpool: { open: "开放", outside: "不在群组内", closed: "已关闭" },
  session: { down: "未连接", up: "已连接", blocked: "已屏蔽", closed: "已关闭" },
};

/** What a state is called in a language. */
export function stateWord(chart: string, key: string, language: Language): string {
  return (language === "zh" && STATE_WORDS[chart]?.[key]) || key;
}
