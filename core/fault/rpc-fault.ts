/**
 * Errors that a JSON-RPC caller is told: code and text from one table. Source: interface 7.1, 7.2
 */

/**
 * One error. With a `token` it belongs to the framework: its message is the token, `: ` and a
 * sentence.
 */
interface RpcFaultRow {
  readonly code: number;
  readonly message: string;
  readonly token?: string;
}

/**
 * Every error of the JSON-RPC interface by name. Source: interface 7.1, 7.2; rpc-semantics 2.7, 4
 */
export const RPC_FAULTS = {
  invalidJsonRequest: {
    code: -32600,
    token: "INVALID_JSON_REQUEST",
    message: "The JSON sent is not a valid JSON-RPC Request object",
  },
  methodNotFound: {
    code: -32601,
    token: "METHOD_NOT_FOUND",
    message: "The method being requested is not available on this server",
  },
  invalidParams: {
    code: -32602,
    token: "INVALID_PARAMS",
    message: "Invalid method parameters (invalid name and/or type) recognised",
  },
  internalError: {
    code: -32603,
    token: "INTERNAL_ERROR",
    message: "The request could not be completed",
  },
  procedureIsMethod: {
    code: -32604,
    token: "PROCEDURE_IS_METHOD",
    message: "The requested notification is declared as a method",
  },
  jsonParseError: {
    code: -32700,
    token: "JSON_PARSE_ERROR",
    message: "The JSON-Object is not JSON-Valid",
  },
  groupUnknown: { code: -40001, message: "GroupID does not exist" },
  responseUnreadable: { code: -40002, message: "Response json parse error" },
  blockHashUnknown: { code: -40003, message: "BlockHash does not exist" },
  blockNumberUnknown: { code: -40004, message: "BlockNumber does not exist" },
  transactionIndexOutOfRange: { code: -40005, message: "TransactionIndex is out of range" },
  callWithoutFrom: { code: -40006, message: "Call needs a 'from' field" },
  viewUnsupported: {
    code: -40007,
    message: "Only pbft consensus supports the view property",
  },
  invalidSystemConfig: { code: -40008, message: "Invalid System Config" },
  notInGroup: {
    code: -40009,
    message: "Don't send requests to this group, the node doesn't belong to the group",
  },
  notReady: { code: -40010, message: "RPC module initialization is incomplete" },
  overQpsLimit: { code: -40011, message: "Over QPS limit" },
  sdkNotAllowed: { code: -40012, message: "The SDK is not allowed to access this group" },
  receiptIndexOutOfRange: { code: -40099, message: "start index out of range" },
  dynamicGroupForbidden: {
    code: -100001,
    message: "Dynamic group related interfaces are forbidden to access",
  },
} as const satisfies Readonly<Record<string, RpcFaultRow>>;

/** Name of an error in {@link RPC_FAULTS}. */
export type RpcFaultName = keyof typeof RPC_FAULTS;

/** An error for the caller of a method. Source: interface 7.1, 7.2 */
export class RpcFault extends Error {
  override readonly name = "RpcFault";
  /** Row of the table. */
  readonly fault: RpcFaultName;
  readonly code: number;

  /**
   * The error of that name with the table's text.
   *
   * @param detail for framework errors, the sentence after the token; for others, the whole message
   */
  constructor(fault: RpcFaultName, detail?: string) {
    super(messageOf(RPC_FAULTS[fault], detail));
    this.fault = fault;
    this.code = RPC_FAULTS[fault].code;
  }
}

function messageOf(row: RpcFaultRow, detail: string | undefined): string {
  const sentence = detail ?? row.message;
  return row.token === undefined ? sentence : `${row.token}: ${sentence}`;
}

/** An error of another node on its way to the caller: code and text are that node's. */
export class RelayedFault extends Error {
  override readonly name = "RelayedFault";
  readonly code: number;

  /** The error as it came. */
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Errors that name the method they refuse. */
export type MethodFaultName = "overQpsLimit" | "sdkNotAllowed";

/** A refusal that carries the method's name in front of its text. Source: decision 10 */
export function methodFault(fault: MethodFaultName, method: string): RpcFault {
  return new RpcFault(fault, `${method} ${RPC_FAULTS[fault].message}`);
}
