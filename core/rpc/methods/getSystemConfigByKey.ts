/** getSystemConfigByKey: a value of the system configuration. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { GROUP_ID, SYSTEM_CONFIG_KEY, SYSTEM_CONFIG_KEYS } from "../params.ts";
import { DECIMAL } from "../schema.ts";

/**
 * In force for the next block; empty for a key without a value. @throws RpcFault -40008.
 *
 * Source: rpc-semantics 5
 */
export const getSystemConfigByKey = defineMethod({
  name: "getSystemConfigByKey",
  summary: "Value of a system configuration key for the next block",
  params: [GROUP_ID, SYSTEM_CONFIG_KEY],
  result: { name: "value", schema: DECIMAL },
  errors: [...MEMBER_ERRORS, "invalidSystemConfig"],
  run: async ({ node }, [groupId, key]) => {
    const { ledger } = requireMember(node, groupId);
    if (!SYSTEM_CONFIG_KEYS.includes(key)) throw new RpcFault("invalidSystemConfig");
    return (await ledger.systemConfig(key)) ?? "";
  },
});
