/**
 * Parameters: their JSON types and schemas, and the readers of their texts.
 * Source: rpc-semantics 2.4, 2.5, 3.1
 */
import {
  readAddress,
  readBlockNumber,
  readHash,
  readHexBytes,
  readU256,
} from "../bytes/quantity.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import { type Json, type JsonObject, isObject } from "./json.ts";
import { bytesOfText } from "./long-params.ts";
import type { Schema } from "./schema.ts";

/** One positional parameter: what it is called, which JSON it takes, and what its schema says. */
export interface Param<Value extends Json = Json> {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  /** JSON type test; a miss is -32602 without data. */
  readonly fits: (value: Json) => value is Value;
  /** Conversion test of group IDs; a miss is -32602 with data null. Source: rpc-semantics 2.5 */
  readonly converts?: (value: Json) => boolean;
}

const MAX_INT32 = 2_147_483_647;
const MIN_INT32 = -2_147_483_648;

function isText(value: Json): value is string {
  return typeof value === "string";
}

function isInteger(value: Json): value is number {
  return typeof value === "number" && Number.isInteger(value);
}

/** A parameter that is a text. */
export function textParam(name: string, description: string, schema: JsonObject): Param<string> {
  return { name, description, schema: { type: "string", ...schema }, fits: isText };
}

/** The group a request is about. Values that no group has give -40001. Source: rpc-semantics 2.5 */
export const GROUP_ID: Param<number> = {
  name: "groupID",
  description: "Number of the group, 1 to 32767",
  schema: { type: "integer", minimum: MIN_INT32, maximum: MAX_INT32 },
  fits: isInteger,
  converts: (value) => isInteger(value) && value >= MIN_INT32 && value <= MAX_INT32,
};

/**
 * A group ID that is checked for its type and then ignored. Source: rpc-semantics 4 (exceptions)
 */
export const ANY_GROUP_ID: Param<number> = {
  ...GROUP_ID,
  description: "Any integer; it is ignored",
};

function hashParam(name: string, description: string): Param<string> {
  const about = `${description}: 0x and 64 hexadecimal digits; what is shorter finds nothing`;
  return textParam(name, about, { pattern: "^(0x[0-9a-fA-F]*|(?!0x)[\\s\\S]*)$" });
}

/** Hash of a block. */
export const BLOCK_HASH = hashParam("blockHash", "Hash of the block");
/** Hash of a transaction. */
export const TRANSACTION_HASH = hashParam("transactionHash", "Hash of the transaction");

const NUMBER = { pattern: "^(0x[0-9a-fA-F]*|[0-9]*)$", format: "int64" };

/** Number of a block as text. */
export const BLOCK_NUMBER = textParam(
  "blockNumber",
  "Number of the block, decimal or 0x hexadecimal",
  NUMBER,
);

/** Position of a transaction in its block. */
export const TRANSACTION_INDEX = textParam(
  "transactionIndex",
  "Position in the block from 0, decimal or 0x hexadecimal",
  NUMBER,
);

/** First receipt of a range. Source: rpc-semantics 13 */
export const FROM_INDEX: Param<string> = { ...TRANSACTION_INDEX, name: "from" };

/** Number of receipts of a range. Source: rpc-semantics 13 */
export const RECEIPT_COUNT = textParam(
  "count",
  "How many, decimal or 0x hexadecimal; -1 for all that follow",
  { pattern: "^(-1|0x[0-9a-fA-F]*|[0-9]*)$", format: "int64" },
);

/** A yes-or-no parameter. */
export function flagParam(name: string, description: string): Param<boolean> {
  const fits = (value: Json): value is boolean => typeof value === "boolean";
  return { name, description, schema: { type: "boolean" }, fits };
}

/** Address of a contract. */
export const CONTRACT_ADDRESS = textParam(
  "address",
  "Address of the contract: 20 bytes in hexadecimal, 0x optional",
  { pattern: "^(0x)?[0-9a-fA-F]{40}$" },
);

/** A signed transaction. */
export const SIGNED_TRANSACTION: Param<string> = {
  name: "rlp",
  description: "The signed transaction in hexadecimal, 0x optional",
  schema: { type: "string", pattern: "^(0x)?([0-9a-fA-F])*$" },
  fits: (value): value is string => isText(value) || bytesOfText(value) !== undefined,
};

/** Keys of getSystemConfigByKey. Source: rpc-semantics 5 */
export const SYSTEM_CONFIG_KEYS: readonly string[] = [
  "tx_count_limit",
  "tx_gas_limit",
  "consensus_timeout",
  "rpbft_epoch_sealer_num",
  "rpbft_epoch_block_num",
  "enable_charge_mgr",
];

/** Key of a system configuration value. */
export const SYSTEM_CONFIG_KEY = textParam("key", "Name of the value", {
  enum: SYSTEM_CONFIG_KEYS,
});

/** A parameter that is a JSON object; its members are checked by its method. */
export function objectParam(
  about: Pick<Param<JsonObject>, "name" | "description" | "schema">,
): Param<JsonObject> {
  return { ...about, fits: (value): value is JsonObject => isObject(value) };
}

/** Texts of callers are quoted up to this length. */
const MAX_QUOTED_CHARS = 80;

/** Reads a text, or throws -32603 that names what was wrong. Source: rpc-semantics 3.1 */
function argument<T>(read: (raw: string) => T | undefined, kind: string): (raw: string) => T {
  return (raw) => {
    const value = read(raw);
    if (value !== undefined) return value;
    const isLong = raw.length > MAX_QUOTED_CHARS;
    const quoted = JSON.stringify(isLong ? `${raw.slice(0, MAX_QUOTED_CHARS)}...` : raw);
    throw new RpcFault("internalError", `can't read ${quoted} as ${kind}`);
  };
}

/** A hash. @throws RpcFault -32603 on a bad digit */
export const hashArgument = argument(readHash, "a hash");

/** A block number. @throws RpcFault -32603 */
export const blockNumberArgument = argument(readBlockNumber, "a block number");

/** An index. @throws RpcFault -32603 */
export const indexArgument = argument(readBlockNumber, "an index");

/** An address. @throws RpcFault -32603 */
export const addressArgument = argument(readAddress, "an address");

/** Bytes. @throws RpcFault -32603 */
export const bytesArgument = argument(
  (raw) => bytesOfText(raw) ?? readHexBytes(raw),
  "hexadecimal bytes",
);

/** A number of up to 256 bits. @throws RpcFault -32603 */
export const u256Argument = argument(readU256, "a number");

/** A count of receipts, or all. @throws RpcFault -32603 */
export const countArgument = argument(
  (raw) => (raw === "-1" ? "all" : readBlockNumber(raw)),
  "a count",
);
