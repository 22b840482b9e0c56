/** getClientVersion: which build this is and which rules it follows. */
import { defineMethod } from "../method.ts";
import { presentVersion } from "../present-status.ts";
import { reference } from "../schema.ts";

/** Answers at any time. Source: interface 2.6; rpc-semantics 5 */
export const getClientVersion = defineMethod({
  name: "getClientVersion",
  summary: "Versions of the node and of the chain",
  params: [],
  result: { name: "version", schema: reference("Version") },
  errors: [],
  run: ({ node }) => presentVersion(node),
});
