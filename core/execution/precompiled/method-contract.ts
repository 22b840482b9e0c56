/** Contracts that answer an unknown selector with a code. Source: precompiles 0 (Conventions) */
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import { methodsBySelector, selectorText } from "./call-data.ts";
import { int256Output, type PrecompiledCall, type PrecompiledContract } from "./contract.ts";

/** A contract of these methods, by their signatures; each gives its return value in ABI form. */
export function createMethodContract(
  suite: CryptoSuite,
  methods: Readonly<Record<string, (call: PrecompiledCall) => Uint8Array>>,
): PrecompiledContract {
  const bySelector = methodsBySelector(suite, methods);
  return {
    run(call) {
      call.gas.noteMemory(call.input.length);
      const method = bySelector.get(selectorText(call.input));
      return method === undefined ? int256Output(precompiledCode("unknownFunction")) : method(call);
    },
  };
}
