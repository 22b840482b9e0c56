/** GroupSig at 0x5004: checks group signatures. Source: precompiles 16 */
import { readGroupSignature } from "../../crypto/group-signature-text.ts";
import { verifyGroupSignature } from "../../crypto/group-signature.ts";
import { systemContract } from "./methods.ts";

/** Work per byte of the texts: base64, JSON, numbers, a hash; see PrecompiledCall.work. */
const BYTE_WORK = 16;

/** The contract. */
export const GROUP_SIG = systemContract({
  unknown: "unknownFunction",
  methods: {
    "groupSigVerify(string,string,string,string)": ({ work, input, text, gas }) => {
      work(input.length * BYTE_WORK);
      const [signature, message, group, parameters] = [text(0), text(1), text(2), text(3)];
      const read = readGroupSignature({ signature, message, group, parameters });
      if (read === undefined) return "groupSigFailed";
      gas.add("groupSigVerify");
      return verifyGroupSignature(read, work) ? 1 : 0;
    },
  },
});
