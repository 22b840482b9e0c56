/**
 * Parameters: their JSON types and schemas, and the readers of their texts.
 *
 * Source: rpc-semantics 2.4, 2.5, 3.1
 */
import {
  readAddress,
  readBlockNumber,
  readHash,
  readHexBytes,
  readU256,
} from "../bytes/quantity.ts";
import type { Address, Hash } from "../bytes/ids.ts";
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

function isInt32(value: Json): boolean {
  return isInteger(value) && value >= MIN_INT32 && value <= MAX_INT32;
}

function isFlag(value: Json): value is boolean {
  return typeof value === "boolean";
}

function isStructure(value: Json): value is JsonObject {
  return isObject(value);
}

/** The group a request is about. Values that no group has give -40001. Source: rpc-semantics 2.5 */
export const GROUP_ID: Param<number> = {
  name: "groupID",
  description: "Number of the group, 1 to 32767",
  schema: { type: "integer", minimum: MIN_INT32, maximum: MAX_INT32 },
  fits: isInteger,
  converts: isInt32,
};

/**
 * A group ID that is checked for its type and then ignored.
 *
 * Source: rpc-semantics 4 (exceptions)
 */
export const ANY_GROUP_ID: Param<number> = {
  ...GROUP_ID,
  description: "Any integer; it is ignored",
};

const NUMBER_PATTERN = "^(0x[0-9a-fA-F]*|[0-9]*)$";

function hashParam(name: string, description: string): Param<string> {
  return {
    name,
    description: `${description}: 0x and 64 hexadecimal digits; what is shorter finds nothing`,
    schema: { type: "string", pattern: "^(0x[0-9a-fA-F]*|(?!0x)[\\s\\S]*)$" },
    fits: isText,
  };
}

/** Hash of a block. */
export const BLOCK_HASH = hashParam("blockHash", "Hash of the block");
/** Hash of a transaction. */
export const TRANSACTION_HASH = hashParam("transactionHash", "Hash of the transaction");

/** Number of a block as text. */
export const BLOCK_NUMBER: Param<string> = {
  name: "blockNumber",
  description: "Number of the block, decimal or 0x hexadecimal",
  schema: { type: "string", pattern: NUMBER_PATTERN, format: "int64" },
  fits: isText,
};

/** Position of a transaction in its block. */
export const TRANSACTION_INDEX: Param<string> = {
  name: "transactionIndex",
  description: "Position in the block from 0, decimal or 0x hexadecimal",
  schema: { type: "string", pattern: NUMBER_PATTERN, format: "int64" },
  fits: isText,
};

/** First receipt of a range. Source: rpc-semantics 13 */
export const FROM_INDEX: Param<string> = { ...TRANSACTION_INDEX, name: "from" };

/** Number of receipts of a range. Source: rpc-semantics 13 */
export const RECEIPT_COUNT: Param<string> = {
  name: "count",
  description: "How many, decimal or 0x hexadecimal; -1 for all that follow",
  schema: {
    type: "string",
    pattern: "^(-1|0x[0-9a-fA-F]*|[0-9]*)$",
    format: "int64",
  },
  fits: isText,
};

/** A yes-or-no parameter. */
export function flagParam(name: string, description: string): Param<boolean> {
  return { name, description, schema: { type: "boolean" }, fits: isFlag };
}

/** Address of a contract. */
export const CONTRACT_ADDRESS: Param<string> = {
  name: "address",
  description: "Address of the contract: 20 bytes in hexadecimal, 0x optional",
  schema: { type: "string", pattern: "^(0x)?[0-9a-fA-F]{40}$" },
  fits: isText,
};

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
export const SYSTEM_CONFIG_KEY: Param<string> = {
  name: "key",
  description: "Name of the value",
  schema: { type: "string", enum: SYSTEM_CONFIG_KEYS },
  fits: isText,
};

/** A parameter that is a JSON object; its members are checked by its method. */
export function objectParam(
  about: Pick<Param<JsonObject>, "name" | "description" | "schema">,
): Param<JsonObject> {
  return { ...about, fits: isStructure };
}

/** The value, or -32603 that names what was wrong. Source: rpc-semantics 3.1 */
function required<T>(value: T | undefined, kind: string, raw: string): T {
  if (value !== undefined) return value;
  throw new RpcFault("internalError", `can't read ${JSON.stringify(excerpt(raw))} as ${kind}`);
}

/** Texts of callers are quoted up to this length. */
const MAX_QUOTED_CHARS = 80;

function excerpt(raw: string): string {
  return raw.length <= MAX_QUOTED_CHARS ? raw : `${raw.slice(0, MAX_QUOTED_CHARS)}...`;
}

/** A hash. @throws RpcFault -32603 on a bad digit */
export function hashArgument(raw: string): Hash {
  return required(readHash(raw), "a hash", raw);
}

/** A block number. @throws RpcFault -32603 */
export function blockNumberArgument(raw: string): number {
  return required(readBlockNumber(raw), "a block number", raw);
}

/** An index. @throws RpcFault -32603 */
export function indexArgument(raw: string): number {
  return required(readBlockNumber(raw), "an index", raw);
}

/** An address. @throws RpcFault -32603 */
export function addressArgument(raw: string): Address {
  return required(readAddress(raw), "an address", raw);
}

/** Bytes. @throws RpcFault -32603 */
export function bytesArgument(raw: string): Uint8Array {
  return bytesOfText(raw) ?? required(readHexBytes(raw), "hexadecimal bytes", raw);
}

/** A number of up to 256 bits. @throws RpcFault -32603 */
export function u256Argument(raw: string): bigint {
  return required(readU256(raw), "a number", raw);
}

/** A count of receipts, or all. @throws RpcFault -32603 */
export function countArgument(raw: string): number | "all" {
  return raw === "-1" ? "all" : required(readBlockNumber(raw), "a count", raw);
}
