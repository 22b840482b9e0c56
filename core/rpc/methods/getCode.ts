/** getCode: the code of a contract. */
import { farBytes } from "../far-values.ts";
import { defineMethod, MEMBER_ERRORS, requireMember } from "../method.ts";
import { addressArgument, CONTRACT_ADDRESS, GROUP_ID } from "../params.ts";
import { BYTES } from "../schema.ts";

/** `0x` for accounts without code and precompiled contracts. Source: rpc-semantics 5 */
export const getCode = defineMethod({
  name: "getCode",
  summary: "Code of a contract",
  params: [GROUP_ID, CONTRACT_ADDRESS],
  result: { name: "code", schema: BYTES },
  errors: MEMBER_ERRORS,
  run: async ({ node }, [groupId, rawAddress]) => {
    const { ledger } = requireMember(node, groupId);
    return farBytes(await ledger.code(addressArgument(rawAddress)));
  },
});
