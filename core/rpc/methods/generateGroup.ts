/** generateGroup: writes the files of a new group. */
import { groupOperation } from "../group-management.ts";
import { objectParam } from "../params.ts";
import type { Schema } from "../schema.ts";

const SEALER_INPUT: Schema = { type: "string", pattern: "^[0-9a-fA-F]{128}$" };
const TIMESTAMP_INPUT: Schema = {
  type: ["integer", "string"],
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  format: "int64",
  pattern: "^(0|[1-9][0-9]*)$",
};

/** Violations inside the object are outcomes with code 0x7, not errors. */
const GENESIS_PARAMS = objectParam({
  name: "genesisParams",
  description: "Genesis timestamp in milliseconds, sealers, and the storage gas rule",
  schema: {
    type: "object",
    properties: {
      timestamp: TIMESTAMP_INPUT,
      sealers: { type: "array", items: SEALER_INPUT, minItems: 1 },
      enable_free_storage: { type: "boolean" },
    },
    required: ["timestamp", "sealers"],
  },
});

/** The group is then stopped. Source: rpc-semantics 10; groups 3 */
export const generateGroup = groupOperation(
  "generateGroup",
  "Writes the files of a new group; it is started with startGroup",
  GENESIS_PARAMS,
);
