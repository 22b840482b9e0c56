/**
 * Checks that group operations share, before the state of the group is examined.
 * Source: rpc-semantics 10; groups 3
 */
import type { NodeId } from "../bytes/ids.ts";
import { GROUP_CODE } from "../fault/group-code.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import type { GenerateGroupParams, GroupOperation, GroupOperationResult } from "../api/node-api.ts";
import type { Json, JsonObject } from "./json.ts";
import { defineMethod, type Method, requireReady, requireVersion } from "./method.ts";
import { GROUP_ID, type Param } from "./params.ts";
import { presentOperation } from "./present-status.ts";
import { reference } from "./schema.ts";

const MAX_GROUP_ID = 32_767;

/**
 * What a group ID out of range is answered with; undefined for one in range.
 * Source: rpc-semantics 10
 */
export function refuseGroupId(groupId: number): GroupOperationResult | undefined {
  if (groupId >= 1 && groupId <= MAX_GROUP_ID) return undefined;
  return invalid(`GroupID should be between 1 and ${MAX_GROUP_ID}`);
}

function invalid(message: string): GroupOperationResult {
  return { code: GROUP_CODE.INVALID_PARAMS, message };
}

/**
 * An operation on a group; its outcome is a code and a message.
 *
 * @param argument of generateGroup, whose members are checked in order
 * @throws RpcFault -100001 where the interface is closed, -40009 below version 2.2.0, -40010
 * Source: rpc-semantics 10; groups 3
 */
export function groupOperation(
  name: GroupOperation,
  summary: string,
  ...argument: readonly Param<JsonObject>[]
): Method {
  return defineMethod({
    name,
    summary,
    params: [GROUP_ID, ...argument],
    result: { name: "outcome", schema: reference("GroupOperation") },
    errors: ["notReady", "notInGroup", "dynamicGroupForbidden"],
    changes: true,
    manages: true,
    run: async ({ node }, [groupId, raw]) => {
      if (node.dynamicGroupDisabled) throw new RpcFault("dynamicGroupForbidden");
      requireVersion(node, name);
      const refused = refuseGroupId(groupId);
      if (refused) return presentOperation(refused);
      const params = raw && readGenerateParams(raw);
      if (params && "code" in params) return presentOperation(params);
      requireReady(node);
      return presentOperation(await node.manageGroup(name, groupId, params));
    },
  });
}

/**
 * The arguments of generateGroup, or what is wrong with the first wrong one.
 * Source: rpc-semantics 10; decision 6
 */
function readGenerateParams(raw: JsonObject): GenerateGroupParams | GroupOperationResult {
  const { timestamp: rawTimestamp, sealers: rawSealers, enable_free_storage: free = false } = raw;
  const written = timestampText(rawTimestamp);
  if (written === undefined) return invalid("invalid `timestamp` field");
  const timestamp = readTimestamp(written);
  if (timestamp === undefined) return invalid(`invalid timestamp: ${written.slice(0, 80)}`);

  if (!Array.isArray(rawSealers)) return invalid("invalid `sealers` field");
  const sealers: readonly Json[] = rawSealers;
  if (sealers.length === 0) {
    return invalid("GenerateGroup failed for empty sealer list, expect at least one sealer");
  }
  const wrong = sealers.findIndex((sealer) => !isSealerId(sealer));
  if (wrong >= 0) return invalid(`invalid sealer ID at position ${wrong + 1}`);

  if (typeof free !== "boolean") return invalid("invalid `enable_free_storage` field");
  return { timestamp, sealers: distinctAscending(sealers), freeStorage: free };
}

function timestampText(raw: Json | undefined): string | undefined {
  if (typeof raw === "string") return raw;
  if (typeof raw !== "number" || !Number.isInteger(raw)) return undefined;
  // Larger numbers were rounded when they were parsed, so they are not what was meant.
  return Number.isSafeInteger(raw) ? String(raw) : raw.toExponential();
}

const MAX_TIMESTAMP = 2n ** 63n - 1n;

function readTimestamp(written: string): bigint | undefined {
  if (written.length > 19 || !/^(0|[1-9][0-9]*)$/.test(written)) return undefined;
  const value = BigInt(written);
  return value <= MAX_TIMESTAMP ? value : undefined;
}

function isSealerId(sealer: Json): sealer is string {
  return typeof sealer === "string" && /^[0-9a-fA-F]{128}$/.test(sealer);
}

function distinctAscending(sealers: readonly Json[]): readonly NodeId[] {
  const ids = sealers.filter(isSealerId).map((sealer) => sealer.toLowerCase() as NodeId);
  return [...new Set(ids)].sort();
}
