/** CRUD at 0x1002: rows of user tables by name. So far only `desc`. Source: precompiles 6 */
import type { ByteString } from "../../bytes/byte-string.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { precompiledCode } from "../../fault/precompiled-code.ts";
import { familyTable } from "../../storage/system-tables.ts";
import { methodsBySelector, readStrings, selectorText } from "./call-data.ts";
import {
  int256Output,
  PrecompiledFault,
  stringsOutput,
  type PrecompiledCall,
  type PrecompiledContract,
} from "./contract.ts";

/** Creates the contract for a suite. */
export function createCrud(suite: CryptoSuite): PrecompiledContract {
  const methods = methodsBySelector(suite, {
    "insert(string,string,string,string)": notBuilt,
    "update(string,string,string,string,string)": notBuilt,
    "remove(string,string,string,string)": notBuilt,
    "select(string,string,string,string)": notBuilt,
    "desc(string)": describe,
  });
  return {
    run(call) {
      call.gas.noteMemory(call.input.length);
      const method = methods.get(selectorText(call.input));
      return method === undefined ? int256Output(precompiledCode("unknownFunction")) : method(call);
    },
  };
}

/** Key column and value columns of a user table; both empty when there is no such table. */
function describe(call: PrecompiledCall): Uint8Array {
  const { overlay } = call.scope;
  const [name = ""] = readStrings(call.input, 1);
  const schema = overlay.open(familyTable("user", name, overlay.options.version))?.schema;
  // Charged for a missing table too, as a recorded receipt shows.
  call.gas.add("openTable");
  const fields: ByteString = schema?.fields.join(",") ?? "";
  return stringsOutput([schema?.keyField ?? "", fields]);
}

function notBuilt(): never {
  throw new PrecompiledFault("contract", "CRUD (0x1002): the method is not built in this version");
}
