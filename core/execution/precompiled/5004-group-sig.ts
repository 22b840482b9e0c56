/** GroupSig at 0x5004: checks group signatures. Source: precompiles 16 */
import { readGroupSignature } from "../../crypto/group-signature-text.ts";
import { verifyGroupSignature } from "../../crypto/group-signature.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import type { PrecompiledContract } from "./contract.ts";
import { type Answer, type MethodCall, systemContract } from "./methods.ts";

/** Work per byte of the texts: base64, JSON, numbers, a hash; see PrecompiledCall.work. */
const BYTE_WORK = 16;

/** Creates the contract for a suite. */
export function createGroupSig(suite: CryptoSuite): PrecompiledContract {
  const methods = { "groupSigVerify(string,string,string,string)": verify };
  return systemContract(suite, methods, { unknown: "unknownFunction" });
}

function verify(call: MethodCall): Answer {
  call.work(call.input.length * BYTE_WORK);
  const [signature, message] = [call.text(0), call.text(1)];
  const [group, parameters] = [call.text(2), call.text(3)];
  const read = readGroupSignature({ signature, message, group, parameters });
  if (read === undefined) return "groupSigFailed";
  call.gas.add("groupSigVerify");
  return verifyGroupSignature(read, call.work) ? 1 : 0;
}
