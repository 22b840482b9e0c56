/** getCode: the code of a contract. */
import { farBytes } from "../far-values.ts";
import { memberMethod } from "../method.ts";
import { addressArgument, CONTRACT_ADDRESS } from "../params.ts";
import { BYTES } from "../schema.ts";

/** `0x` for accounts without code and precompiled contracts. Source: rpc-semantics 5 */
export const getCode = memberMethod({
  name: "getCode",
  summary: "Code of a contract",
  params: [CONTRACT_ADDRESS],
  result: { name: "code", schema: BYTES },
  run: async ({ ledger }, [raw]) => farBytes(await ledger.code(addressArgument(raw))),
});
