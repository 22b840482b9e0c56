/** Failures in words: what went wrong, for a person. */
import { NodeFault, TransportFault } from "../core/client/client-fault.ts";
import { sentence } from "./sentence.ts";
import { addTexts, text } from "./texts.ts";

addTexts({
  "failure.-40001": [
    "This group does not run on the node: it was stopped, or the node never had it.",
    "该节点未运行此群组：群组已停止，或节点上从未有过。",
  ],
  "failure.-40003": ["No block has this hash.", "没有此哈希的区块。"],
  "failure.-40004": ["There is no block of this number yet.", "尚无此高度的区块。"],
  "failure.-40005": ["The block has no transaction at this position.", "该区块在此位置没有交易。"],
  "failure.-40009": [
    "This node is not a member of the group, or the group is not running.",
    "该节点不是此群组的成员，或群组未运行。",
  ],
  "failure.-40011": [
    "The node is asked more often than its limit allows. Wait a moment and try again.",
    "请求频率超过节点限制，请稍后再试。",
  ],
  "failure.-32601": ["The node does not know this operation.", "节点不支持此操作。"],
  "failure.noAnswer": [
    "The node does not answer: {why}. Check that it runs; the page tries again by itself.",
    "节点没有应答：{why}。请检查节点是否运行，页面会自动重试。",
  ],
});

/** One or two sentences about a failure; the node's own messages where there are no better ones. */
export function failureText(cause: unknown): string {
  if (cause instanceof NodeFault) {
    const key = `failure.${cause.code}`;
    const known = text(key);
    return known === key ? cause.message : known;
  }
  if (cause instanceof TransportFault) return text("failure.noAnswer", { why: cause.message });
  return sentence(cause instanceof Error ? cause.message : String(cause));
}
