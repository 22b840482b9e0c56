/** GroupSig at 0x5004: checks group signatures. Source: precompiles 16 */
import { readGroupSignature } from "../../crypto/group-signature-text.ts";
import { verifyGroupSignature } from "../../crypto/group-signature.ts";
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

/** Work per byte of the texts: base64, JSON, numbers, a hash; see PrecompiledCall.work. */
const BYTE_WORK = 16;

/** Creates the contract for a suite. */
export function createGroupSig(suite: CryptoSuite): PrecompiledContract {
  return createMethodContract(suite, {
    "groupSigVerify(string,string,string,string)": verify,
  });
}

function verify(call: PrecompiledCall): Uint8Array {
  call.work(call.input.length * BYTE_WORK);
  const [signature = "", message = "", group = "", parameters = ""] = readStrings(call.input, 4);
  const read = readGroupSignature({ signature, message, group, parameters });
  if (read === undefined) return int256Output(precompiledCode("groupSigFailed"));
  call.gas.add("groupSigVerify");
  return boolOutput(verifyGroupSignature(read, call.work));
}
