/** RingSig at 0x5005: checks linkable ring signatures. Source: precompiles 16 */
import {
  readRingSignature,
  ringSignatureWork,
  verifyRingSignature,
} from "../../crypto/ring-signature.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import type { PrecompiledContract } from "./contract.ts";
import { type Answer, type MethodCall, systemContract } from "./methods.ts";

/** Work per byte of the texts: base64, JSON, numbers, two hashes; see PrecompiledCall.work. */
const BYTE_WORK = 16;

/** Creates the contract for a suite. */
export function createRingSig(suite: CryptoSuite): PrecompiledContract {
  const methods = { "ringSigVerify(string,string,string)": verify };
  return systemContract(suite, methods, { unknown: "unknownFunction" });
}

function verify(call: MethodCall): Answer {
  call.work(call.input.length * BYTE_WORK);
  const read = readRingSignature({ signature: call.text(0), parameters: call.text(2) });
  if (read === undefined) return "ringSigFailed";
  call.work(ringSignatureWork(read));
  call.gas.add("ringSigVerify");
  return verifyRingSignature(read, call.text(1)) ? 1 : 0;
}
