/** Transactions and receipts. Source: console 4.2 */
import type { Receipt } from "../../../../core/client/rpc-objects.ts";
import { requireAddress, requireHash, requireNumber } from "../arguments.ts";
import { type ConsoleCommand, ConsoleFault, type Outcome, type Parameter } from "../command.ts";
import { formatJson, outcomeOf, said } from "../print.ts";
import type { Session } from "../session.ts";
import { statusText } from "../status-text.ts";

const TX_HASH: Parameter = {
  name: "transactionHash",
  says: "hash of the transaction, 0x and 64 digits",
};
const BLOCK_HASH: Parameter = { name: "blockHash", says: "hash of the block, 0x and 64 digits" };
const BLOCK_NUMBER: Parameter = { name: "blockNumber", says: "number of the block" };
const INDEX: Parameter = { name: "index", says: "place in the block, from 0 on, decimal" };
const FROM: Parameter = {
  name: "from",
  says: "the first receipt, 0 when absent",
  isOptional: true,
};
const COUNT: Parameter = {
  name: "count",
  says: "how many receipts; -1, all, when absent",
  isOptional: true,
};
const ALL = -1;

function missing(hash: string): ConsoleFault {
  return new ConsoleFault(`This transaction hash doesn't exist: ${hash}`);
}

type ByHash =
  | "getTransactionByHash"
  | "getTransactionByHashWithProof"
  | "getTransactionReceiptByHashWithProof";

function byHash(name: ByHash, says: string): ConsoleCommand {
  return {
    name,
    says,
    parameters: [TX_HASH],
    ...(name === "getTransactionByHash" ? {} : { since: "2.2.0" }),
    async run(session, [text = ""]) {
      const hash = requireHash(text);
      const found = await session.query(name, [session.groupId, hash]);
      if (found === null) throw missing(hash);
      return outcomeOf(found);
    },
  };
}

function numberText(text: string, name: string): string {
  return String(requireNumber(text, name));
}

/** A receipt with a sentence for a status that is not 0. */
function receiptOutcome(receipt: Receipt, decoded: unknown): Outcome {
  const shown = decoded === undefined ? receipt : { ...receipt, decoded };
  const status = Number(receipt.status);
  const note = status === 0 ? "" : `\nstatus ${receipt.status}: ${statusText(status)}`;
  return { text: `${formatJson(shown)}${note}`, data: shown };
}

async function getReceipt(session: Session, text: string, isDecoded: boolean): Promise<Outcome> {
  const hash = requireHash(text);
  const receipt = await session.query("getTransactionReceipt", [session.groupId, hash]);
  if (receipt === null) throw missing(hash);
  if (!isDecoded) return receiptOutcome(receipt, undefined);
  const { decodeReceipt } = await import("../decoded-receipt.ts");
  const { suite } = await session.chain();
  const { folder, groupId } = session;
  return receiptOutcome(receipt, await decodeReceipt(receipt, { folder, groupId, suite }));
}

/** The commands of this family. */
export const TRANSACTION_COMMANDS: readonly ConsoleCommand[] = [
  byHash("getTransactionByHash", "Show the transaction of a hash"),
  {
    name: "getTransactionReceipt",
    says: "Show the receipt of a transaction",
    parameters: [TX_HASH],
    flags: [
      { name: "--decode", says: "show input, output and events by the ABIs of deployed contracts" },
    ],
    run: (session, [hash = ""], flags) => getReceipt(session, hash, flags.has("--decode")),
  },
  byHash("getTransactionByHashWithProof", "Show the transaction of a hash with its Merkle proof"),
  byHash(
    "getTransactionReceiptByHashWithProof",
    "Show the receipt of a transaction with its Merkle proof",
  ),
  {
    name: "getTransactionByBlockHashAndIndex",
    says: "Show a transaction by the hash of its block and its place in it",
    parameters: [BLOCK_HASH, INDEX],
    async run(session, [hash = "", index = ""]) {
      const params = [session.groupId, requireHash(hash), numberText(index, INDEX.name)] as const;
      return outcomeOf(await session.query("getTransactionByBlockHashAndIndex", params));
    },
  },
  {
    name: "getTransactionByBlockNumberAndIndex",
    says: "Show a transaction by the number of its block and its place in it",
    parameters: [BLOCK_NUMBER, INDEX],
    async run(session, [number = "", index = ""]) {
      const block = numberText(number, BLOCK_NUMBER.name);
      const params = [session.groupId, block, numberText(index, INDEX.name)] as const;
      return outcomeOf(await session.query("getTransactionByBlockNumberAndIndex", params));
    },
  },
  {
    name: "getBatchReceiptsByBlockHashAndRange",
    says: "Show receipts of the block of a hash",
    parameters: [BLOCK_HASH, FROM, COUNT],
    async run(session, [hash = "", from = "0", count = "-1"]) {
      const start = numberText(from, FROM.name);
      const most = String(requireNumber(count, COUNT.name, ALL));
      const params = [session.groupId, requireHash(hash), start, most, false] as const;
      return outcomeOf(await session.query("getBatchReceiptsByBlockHashAndRange", params));
    },
  },
  {
    name: "getBatchReceiptsByBlockNumberAndRange",
    says: "Show receipts of the block of a number",
    parameters: [BLOCK_NUMBER, FROM, COUNT],
    async run(session, [number = "", from = "0", count = "-1"]) {
      const block = numberText(number, BLOCK_NUMBER.name);
      const start = numberText(from, FROM.name);
      const most = String(requireNumber(count, COUNT.name, ALL));
      const params = [session.groupId, block, start, most, false] as const;
      return outcomeOf(await session.query("getBatchReceiptsByBlockNumberAndRange", params));
    },
  },
  {
    name: "getCode",
    says: "Show the code of a contract",
    parameters: [{ name: "address", says: "0x and up to 40 digits" }],
    async run(session, [text = ""]) {
      const address = requireAddress(text);
      const code = await session.query("getCode", [session.groupId, address]);
      if (code === "0x") throw new ConsoleFault(`This address doesn't exist: ${address}`);
      return said(code);
    },
  },
];
