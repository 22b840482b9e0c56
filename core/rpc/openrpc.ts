/** The self-description: an OpenRPC document made from the operations' descriptors. */
import { RPC_FAULTS, RpcFault, type RpcFaultName } from "../fault/rpc-fault.ts";
import type { JsonObject } from "./json.ts";
import type { Method } from "./method.ts";
import { LEDGER_SCHEMAS } from "./present.ts";
import { STATUS_SCHEMAS } from "./present-status.ts";
import { SUBSCRIPTION_METHODS } from "./subscription.ts";

const OPENRPC_VERSION = "1.3.2";

/** Errors that any request may get before its method runs. Source: rpc-semantics 2.1 */
const FRAMEWORK_ERRORS: readonly RpcFaultName[] = [
  "jsonParseError",
  "invalidJsonRequest",
  "methodNotFound",
  "procedureIsMethod",
];

/** The OpenRPC document of these operations and of the subscriptions. */
export function openRpcDocument(methods: readonly Method[], version: string): JsonObject {
  return {
    openrpc: OPENRPC_VERSION,
    info: {
      title: "Chain Node JSON-RPC",
      description: `Any request: ${FRAMEWORK_ERRORS.map(describeFault).join("; ")}`,
      version,
    },
    methods: methods.map(describeMethod),
    components: { schemas: { ...LEDGER_SCHEMAS, ...STATUS_SCHEMAS } },
    // Next to the others, because they cannot be asked over HTTP.
    "x-websocket-methods": SUBSCRIPTION_METHODS.map(describeMethod),
  };
}

function describeMethod(method: Method): JsonObject {
  return {
    name: method.name,
    summary: method.summary,
    paramStructure: "by-position",
    params: method.params.map(({ name, description, schema }, index) => {
      const required = index < method.params.length - (method.optional ?? 0);
      return { name, description, required, schema };
    }),
    result: { name: method.result.name, schema: method.result.schema },
    errors: errorsOf(method).map((fault) => {
      const { code, message } = new RpcFault(fault);
      return { code, message };
    }),
  };
}

/** What a method's caller, its parameters and its body can be answered with. */
function errorsOf(method: Method): readonly RpcFaultName[] {
  const ofParams: readonly RpcFaultName[] =
    method.params.length === 0 ? [] : ["invalidParams", "internalError"];
  const ofPages: readonly RpcFaultName[] = method.changes ? ["dynamicGroupForbidden"] : [];
  return [...new Set([...ofParams, ...method.errors, ...ofPages])];
}

function describeFault(fault: RpcFaultName): string {
  const { code, message } = RPC_FAULTS[fault];
  return `${code} ${message}`;
}
