/** call: runs a contract on the latest state without a transaction. */
import { EMPTY_BYTES } from "../../bytes/bytes.ts";
import { ZERO_ADDRESS, type Address } from "../../bytes/ids.ts";
import { RpcFault } from "../../fault/rpc-fault.ts";
import type { CallOutcome, CallRequest } from "../../ports/executor.ts";
import type { Json, JsonObject } from "../json.ts";
import { bytesOfText } from "../long-params.ts";
import { memberMethod } from "../method.ts";
import { addressArgument, bytesArgument, objectParam, u256Argument } from "../params.ts";
import { presentCall } from "../present-status.ts";
import { reference, type Schema } from "../schema.ts";

const ADDRESS_INPUT: Schema = { type: "string", pattern: "^(0x)?[0-9a-fA-F]{40}$" };
const RECEIVER_INPUT: Schema = {
  type: ["string", "null"],
  pattern: "^(|0x|(0x)?[0-9a-fA-F]{40})$",
};
const VALUE_INPUT: Schema = {
  type: ["string", "integer", "null"],
  pattern: "^(0x[0-9a-fA-F]*|[0-9]*)$",
  format: "uint256",
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
};
/** Of another type than text it counts as absent, hence no type. */
const DATA_INPUT: Schema = { pattern: "^(0x)?[0-9a-fA-F]*$" };

/** Members of a transaction that a call may carry: texts are read as numbers, and not used. */
const IDLE_NUMBERS = ["gas", "gasPrice", "randomid", "blockLimit"] as const;
/** Of another type than text it counts as absent, hence no type. */
const IDLE_INPUT: Schema = { pattern: "^(0x[0-9a-fA-F]*|[0-9]*)$", format: "uint256" };

const REQUEST = objectParam({
  name: "request",
  description:
    "Sender, receiver, value and ABI-encoded data; gas, gasPrice, randomid and blockLimit must " +
    "be numbers, and change nothing; other members are ignored",
  schema: {
    type: "object",
    properties: {
      from: ADDRESS_INPUT,
      to: RECEIVER_INPUT,
      value: VALUE_INPUT,
      data: DATA_INPUT,
      code: DATA_INPUT,
      ...Object.fromEntries(IDLE_NUMBERS.map((name) => [name, IDLE_INPUT])),
    },
    required: ["from"],
  },
});

/** Text of a member; numbers stand for their decimal text, null for no text. */
function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  throw new RpcFault("internalError", "a member of the call has the wrong type");
}

function senderOf(request: JsonObject): Address {
  const raw = textOf(request.from);
  if (raw === "") throw new RpcFault("callWithoutFrom");
  return addressArgument(raw);
}

function receiverOf(request: JsonObject): Address {
  const raw = textOf(request.to);
  return raw === "" || raw === "0x" ? ZERO_ADDRESS : addressArgument(raw);
}

/** `code` overrides `data`; a value that is not text counts as absent. */
function dataOf({ code, data }: JsonObject): Uint8Array {
  if (typeof code === "string") return bytesArgument(code);
  const long = bytesOfText(code) ?? bytesOfText(data);
  return long ?? (typeof data === "string" ? bytesArgument(data) : EMPTY_BYTES);
}

function readRequest(request: JsonObject): CallRequest {
  const read = {
    from: senderOf(request),
    to: receiverOf(request),
    value: u256Argument(textOf(request.value)),
    data: dataOf(request),
  };
  for (const name of IDLE_NUMBERS) {
    const idle = request[name];
    if (typeof idle === "string") u256Argument(idle);
  }
  return read;
}

/** Longest output of a call unless it is set. Source: decision 28 */
export const DEFAULT_MAX_CALL_OUTPUT: number = 4 * 1024 * 1024;

/** @throws RpcFault -32603. Source: decision 28 */
function requireShort({ output }: CallOutcome, most = DEFAULT_MAX_CALL_OUTPUT): void {
  if (output.length <= most) return;
  const said = `The output has ${output.length} bytes; [rpc] max_call_output allows ${most}`;
  throw new RpcFault("internalError", said);
}

/**
 * @throws RpcFault -40006 without `from`; -32603 for members that do not read, and for
 *   an output above `rpc.max_call_output`.
 *
 * Source: rpc-semantics 7
 */
export const call = memberMethod({
  name: "call",
  summary: "Runs a contract on the latest state; nothing is stored",
  params: [REQUEST],
  result: { name: "outcome", schema: reference("CallResult") },
  errors: ["callWithoutFrom", "blockNumberUnknown"],
  run: async (group, [raw], { node, asker }) => {
    const outcome = await group.call(readRequest(raw), asker);
    requireShort(outcome, node.maxCallOutputBytes);
    return presentCall(outcome);
  },
});
