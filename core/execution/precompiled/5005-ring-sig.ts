/** RingSig at 0x5005: checks linkable ring signatures. Source: precompiles 16 */
import {
  readRingSignature,
  ringSignatureWork,
  verifyRingSignature,
} from "../../crypto/ring-signature.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import { methodsBySelector, readStrings, selectorText } from "./call-data.ts";
import {
  boolOutput,
  int256Output,
  type PrecompiledCall,
  type PrecompiledContract,
} from "./contract.ts";

/** Work units per multiplication step of the check; see PrecompiledCall.work. */
const WORK_PER_STEP = 0.5;

/** Creates the contract for a suite. */
export function createRingSig(suite: CryptoSuite): PrecompiledContract {
  const methods = methodsBySelector(suite, { "ringSigVerify(string,string,string)": verify });
  return {
    run(call) {
      call.gas.noteMemory(call.input.length);
      const method = methods.get(selectorText(call.input));
      return method === undefined ? int256Output(precompiledCode("unknownFunction")) : method(call);
    },
  };
}

function verify(call: PrecompiledCall): Uint8Array {
  // Reading the texts takes a unit for each byte, whether they turn out well or not.
  call.work(call.input.length);
  const [signature = "", message = "", parameters = ""] = readStrings(call.input, 3);
  const read = readRingSignature({ signature, parameters });
  if (read === undefined) return int256Output(precompiledCode("ringSigFailed"));
  call.work(Math.ceil(ringSignatureWork(read) * WORK_PER_STEP));
  call.gas.add("ringSigVerify");
  return boolOutput(verifyRingSignature(read, message));
}
