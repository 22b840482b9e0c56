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

/** The commands of this family. */
export const BLOCK_COMMANDS: readonly ConsoleCommand[] = [
  {
    name: "getBlockByHash",
    says: "Show the block of a hash",
    parameters: [HASH, TRANSACTIONS],
    async run(session, [hash = "", whole = "false"]) {
      const includes = requireBoolean(whole, TRANSACTIONS.name);
      const params = [session.groupId, requireHash(hash), includes] as const;
      return outcomeOf(await session.query("getBlockByHash", params));
    },
  },
  {
    name: "getBlockByNumber",
    says: "Show the block of a number",
    parameters: [NUMBER, TRANSACTIONS],
    async run(session, [number = "", whole = "false"]) {
      const includes = requireBoolean(whole, TRANSACTIONS.name);
      const params = [session.groupId, numberText(number), includes] as const;
      return outcomeOf(await session.query("getBlockByNumber", params));
    },
  },
  {
    name: "getBlockHeaderByHash",
    says: "Show the header of the block of a hash",
    parameters: [HASH, SIGNATURES],
    async run(session, [hash = "", signatures = "false"]) {
      const includes = requireBoolean(signatures, SIGNATURES.name);
      const params = [session.groupId, requireHash(hash), includes] as const;
      return outcomeOf(await session.query("getBlockHeaderByHash", params));
    },
  },
  {
    name: "getBlockHeaderByNumber",
    says: "Show the header of the block of a number",
    parameters: [NUMBER, SIGNATURES],
    async run(session, [number = "", signatures = "false"]) {
      const includes = requireBoolean(signatures, SIGNATURES.name);
      const params = [session.groupId, numberText(number), includes] as const;
      return outcomeOf(await session.query("getBlockHeaderByNumber", params));
    },
  },
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
