/** rpc_modules: the name and version of the interface. */
import { defineMethod } from "../method.ts";
import { objectOf, TEXT } from "../schema.ts";

const MODULES = { "FISCO BCOS": "2.0" };

/** Clients probe it to recognise the interface. Source: rpc-semantics 13 */
export const rpcModules = defineMethod({
  name: "rpc_modules",
  summary: "Name and version of the interface",
  params: [],
  result: { name: "modules", schema: objectOf({ "FISCO BCOS": TEXT }) },
  errors: [],
  run: () => MODULES,
});
