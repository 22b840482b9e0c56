/** What a network that is joined decides by. */
import type { TabRecord } from "./tab-record.ts";

/** How the groups of genesis files decide; by PBFT where they do not say it. */
export function consensusIn(groups: readonly string[]): TabRecord["consensus"] {
  const isRaft = groups.some((group) => /^\s*consensus_type\s*=\s*raft\b/im.test(group));
  return isRaft ? "raft" : "pbft";
}
