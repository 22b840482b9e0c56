/** RingSig at 0x5005: checks linkable ring signatures. Source: precompiles 16 */
import {
  readRingSignature,
  ringSignatureWork,
  verifyRingSignature,
} from "../../crypto/ring-signature.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import { readStrings } from "./call-data.ts";
import {
  boolOutput,
  int256Output,
  type PrecompiledCall,
  type PrecompiledContract,
} from "./contract.ts";
import { createMethodContract } from "./method-contract.ts";

/** Work per byte of the texts: base64, JSON, numbers, two hashes; see PrecompiledCall.work. */
const BYTE_WORK = 16;

/** Creates the contract for a suite. */
export function createRingSig(suite: CryptoSuite): PrecompiledContract {
  return createMethodContract(suite, { "ringSigVerify(string,string,string)": verify });
}

function verify(call: PrecompiledCall): Uint8Array {
  call.work(call.input.length * BYTE_WORK);
  const [signature = "", message = "", parameters = ""] = readStrings(call.input, 3);
  const read = readRingSignature({ signature, parameters });
  if (read === undefined) return int256Output(precompiledCode("ringSigFailed"));
  call.work(ringSignatureWork(read));
  call.gas.add("ringSigVerify");
  return boolOutput(verifyRingSignature(read, message));
}
