/** Blocks. Source: console 4.2 */
import { requireBoolean, requireHash, requireNumber } from "../arguments.ts";
import type { ConsoleCommand, Parameter } from "../command.ts";
import { outcomeOf, said } from "../print.ts";

const HASH: Parameter = { name: "blockHash", says: "hash of the block, 0x and 64 digits" };
const NUMBER: Parameter = { name: "blockNumber", says: "number of the block, 0 to 2147483647" };
const TRANSACTIONS: Parameter = {
  name: "includeTransactions",
  says: "true for whole transactions, false for their hashes",
  isOptional: true,
  completes: "boolean",
};
const SIGNATURES: Parameter = {
  name: "includeSignatures",
  says: "true to show who signed the block",
  isOptional: true,
  completes: "boolean",
};

/** The number as the interface takes it. */
function numberText(text: string): string {
  return String(requireNumber(text, NUMBER.name));
}

type Shown =
  | "getBlockByHash"
  | "getBlockByNumber"
  | "getBlockHeaderByHash"
  | "getBlockHeaderByNumber";

/** A question about one block, and whether its answer is to be long. */
function shown(
  name: Shown,
  says: string,
  [which, whole]: readonly [Parameter, Parameter],
): ConsoleCommand {
  return {
    name,
    says,
    parameters: [which, whole],
    async run(session, [text = "", given = "false"]) {
      const isWhole = requireBoolean(given, whole.name);
      const block = which === HASH ? requireHash(text) : numberText(text);
      return outcomeOf(await session.query(name, [session.groupId, block, isWhole]));
    },
  };
}

/** The commands of this family. */
export const BLOCK_COMMANDS: readonly ConsoleCommand[] = [
  shown("getBlockByHash", "Show the block of a hash", [HASH, TRANSACTIONS]),
  shown("getBlockByNumber", "Show the block of a number", [NUMBER, TRANSACTIONS]),
  shown("getBlockHeaderByHash", "Show the header of the block of a hash", [HASH, SIGNATURES]),
  shown("getBlockHeaderByNumber", "Show the header of the block of a number", [NUMBER, SIGNATURES]),
  {
    name: "getBlockHashByNumber",
    says: "Show the hash of the block of a number",
    parameters: [NUMBER],
    async run(session, [number = ""]) {
      const params = [session.groupId, numberText(number)] as const;
      const hash = await session.query("getBlockHashByNumber", params);
      return said(JSON.stringify(hash), hash);
    },
  },
];
