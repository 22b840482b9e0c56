/** RingSig at 0x5005: checks linkable ring signatures. Source: precompiles 16 */
import {
  readRingSignature,
  ringSignatureWork,
  verifyRingSignature,
} from "../../crypto/ring-signature.ts";
import { systemContract } from "./methods.ts";

/** Work per byte of the texts: base64, JSON, numbers, two hashes; see PrecompiledCall.work. */
const BYTE_WORK = 16;

/** The contract. */
export const RING_SIG = systemContract({
  unknown: "unknownFunction",
  methods: {
    "ringSigVerify(string,string,string)": ({ work, input, text, gas }) => {
      work(input.length * BYTE_WORK);
      const read = readRingSignature({ signature: text(0), parameters: text(2) });
      if (read === undefined) return "ringSigFailed";
      work(ringSignatureWork(read));
      gas.add("ringSigVerify");
      return verifyRingSignature(read, text(1)) ? 1 : 0;
    },
  },
});
