/**
 * Configuration of groups as JSON texts, for the virtual files of a browser tab, the edge, and
 * tests; servers use ini files.
 */
import type { NodeId } from "../../core/bytes/ids.ts";
import { GroupFault } from "../../core/fault/group-fault.ts";
import { DEFAULT_TUNING, type GenesisConfig, type GroupTuning } from "../../core/model/config.ts";
import type { GroupFormat } from "../../core/node/group/group-files.ts";

/** The format, with the local settings that all groups of the runtime share. */
export function jsonGroupFormat(tuning: Partial<GroupTuning> = {}): GroupFormat {
  return {
    readGenesis,
    writeGenesis,
    readTuning: (text) => ({ ...DEFAULT_TUNING, ...parseObject(text || "{}"), ...tuning }),
    writeTuning: () => "{}\n",
  };
}

function writeGenesis(genesis: GenesisConfig): string {
  const { timestamp, gasLimit } = genesis;
  const texts = { timestamp: String(timestamp), gasLimit: String(gasLimit) };
  return `${JSON.stringify({ ...genesis, ...texts })}\n`;
}

function readGenesis(text: string): GenesisConfig {
  const value = parseObject(text);
  const { groupId, consensusType, sealers } = value;
  if (typeof groupId !== "number" || !Number.isSafeInteger(groupId))
    throw new GroupFault("the genesis text has no group id");
  if (consensusType !== "pbft" && consensusType !== "raft")
    throw new GroupFault(`the consensus type ${String(consensusType)} is not known`);
  if (!Array.isArray(sealers) || !sealers.every(isNodeIdText))
    throw new GroupFault("the genesis text has no list of sealers");
  return {
    groupId,
    timestamp: bigintOf(value["timestamp"]),
    consensusType,
    sealers,
    maxTransactions: numberOf(value["maxTransactions"]),
    gasLimit: bigintOf(value["gasLimit"]),
    consensusTimeoutSeconds: numberOf(value["consensusTimeoutSeconds"]),
    freeStorage: value["freeStorage"] === true,
    ...electTime("minElectTimeMs", value),
    ...electTime("maxElectTimeMs", value),
  };
}

function electTime(
  key: "minElectTimeMs" | "maxElectTimeMs",
  value: Record<string, unknown>,
): Pick<GenesisConfig, typeof key> {
  return value[key] === undefined ? {} : { [key]: numberOf(value[key]) };
}

function isNodeIdText(value: unknown): value is NodeId {
  return typeof value === "string" && /^[0-9a-f]{128}$/.test(value);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return { ...value };
  } catch {
    // Told below.
  }
  throw new GroupFault("the text is not a JSON object");
}

function bigintOf(value: unknown): bigint {
  if (typeof value === "string" && /^\d{1,20}$/.test(value)) return BigInt(value);
  throw new GroupFault(`${String(value)} is not a whole number`);
}

function numberOf(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  throw new GroupFault(`${String(value)} is not a whole number above zero`);
}
