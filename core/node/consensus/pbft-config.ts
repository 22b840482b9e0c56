/** What consensus is told of the group's configuration. */
import type { NodeId } from "../../bytes/ids.ts";
import type { PbftConfig, Voice } from "../../consensus/pbft/input.ts";
import type { GroupConfig } from "../../model/config.ts";

/**
 * The configuration of the next height. The core compares lists by identity: an unchanged list
 * stays the same array.
 */
export function pbftConfigOf(
  self: NodeId,
  config: GroupConfig,
  before: PbftConfig | undefined,
  voice: Voice | undefined,
): PbftConfig {
  const sorted = [...config.sealers].sort();
  const same = before?.sealers.join() === sorted.join();
  return {
    self,
    sealers: before && same ? before.sealers : sorted,
    consensusTimeoutMs: config.consensusTimeoutSeconds * 1000,
    voice,
  };
}
