/** getSystemConfigByKey: a value of the system configuration. */
import { RpcFault } from "../../fault/rpc-fault.ts";
import { memberMethod } from "../method.ts";
import { SYSTEM_CONFIG_KEY, SYSTEM_CONFIG_KEYS } from "../params.ts";
import { DECIMAL } from "../schema.ts";

/**
 * In force for the next block; empty for a key without a value. @throws RpcFault -40008.
 * Source: rpc-semantics 5
 */
export const getSystemConfigByKey = memberMethod({
  name: "getSystemConfigByKey",
  summary: "Value of a system configuration key for the next block",
  params: [SYSTEM_CONFIG_KEY],
  result: { name: "value", schema: DECIMAL },
  errors: ["invalidSystemConfig"],
  run: async ({ ledger }, [key]) => {
    if (!SYSTEM_CONFIG_KEYS.includes(key)) throw new RpcFault("invalidSystemConfig");
    return (await ledger.systemConfig(key)) ?? "";
  },
});
