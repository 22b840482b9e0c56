/** One JSON-RPC body in, one body out: batches, order of checks, errors. Source: rpc-semantics 2 */
import { methodFault, RpcFault, type RpcFaultName } from "../fault/rpc-fault.ts";
import type { NodeApi } from "../node/node-api.ts";
import type { Log } from "../ports/log.ts";
import {
  type ErrorObject,
  failureText,
  readEnvelope,
  type RequestPlace,
  successText,
} from "./envelope.ts";
import { type Json, parseJson } from "./json.ts";
import type { Call, Method, Submissions } from "./method.ts";
import { findMethod } from "./registry.ts";

/** Told when a method begins; what it gives back is told the code of the error, if any. */
export type ObserveCall = (method: string) => (code: number | undefined) => void;

/** Whether a request is answered; asked once for each, by the name of its method. */
export type Admit = (method: string) => boolean;

/** Why a request is not looked at. */
export interface Turned {
  readonly fault: RpcFault;
  /** False: the answer has a null id. */
  readonly echoesId: boolean;
}

/** Asked for each request, also for each of a batch, before anything but its JSON is checked. */
export type Guard = (request: Json) => Turned | undefined;

/** How a body came. */
export interface DispatchOptions {
  /** False for a request of a foreign web page. Source: spec README decision 24 */
  readonly originAllowed: boolean;
  /** Told of failures that are not the caller's. */
  readonly log?: Log | undefined;
  readonly observe?: ObserveCall | undefined;
  /** Refuses what is above the rate of the listener. Source: node-network 6 */
  readonly admit?: Admit | undefined;
  /** Who may ask for what. Source: channel-protocol 6 */
  readonly guard?: Guard | undefined;
  readonly submissions?: Submissions | undefined;
  /** Operations that only this connection has, by name. */
  readonly ownMethod?: ((name: string) => Method | undefined) | undefined;
}

/** Errors of steps 1 to 9, which carry no data. */
const FRAMEWORK = {
  parse: frameworkError("jsonParseError"),
  request: frameworkError("invalidJsonRequest"),
  method: frameworkError("methodNotFound"),
  notification: frameworkError("procedureIsMethod"),
  params: frameworkError("invalidParams"),
} as const;

function frameworkError(fault: RpcFaultName): ErrorObject {
  const { code, message } = new RpcFault(fault);
  return { code, message, hasData: false };
}

/**
 * Answers one request or a batch.
 *
 * @param body text as it came
 * @returns compact JSON and a line feed; never rejects
 * Source: rpc-semantics 2
 */
export async function dispatch(
  node: NodeApi,
  body: string,
  options: DispatchOptions,
): Promise<string> {
  const parsed = parseJson(body);
  if (parsed === undefined) return `${failureText("null", FRAMEWORK.parse)}\n`;
  const { originAllowed, submissions } = options;
  const exchange: Exchange = { call: { node, originAllowed, submissions }, options };
  if (!Array.isArray(parsed)) {
    return `${await answer(exchange, parsed, { text: body, element: undefined })}\n`;
  }
  const batch: readonly Json[] = parsed;
  if (batch.length === 0) return `${failureText("null", FRAMEWORK.request)}\n`;
  const answers: string[] = [];
  for (const [element, request] of batch.entries()) {
    answers.push(await answer(exchange, request, { text: body, element }));
  }
  return `[${answers.join(",")}]\n`;
}

interface Exchange {
  readonly call: Call;
  readonly options: DispatchOptions;
}

/** Steps 2 to 11 for one request. Source: rpc-semantics 2.1 */
async function answer(exchange: Exchange, value: Json, place: RequestPlace): Promise<string> {
  const envelope = readEnvelope(value, place);
  const turned = exchange.options.guard?.(value);
  if (turned) {
    const id = turned.echoesId ? envelope.id : undefined;
    return failureText(id ?? "null", errorOf(turned.fault));
  }
  if (!envelope.valid) return failureText(envelope.id, FRAMEWORK.request);
  const method = findMethod(envelope.method) ?? exchange.options.ownMethod?.(envelope.method);
  if (method === undefined) return failureText(envelope.id ?? "null", FRAMEWORK.method);
  // A request without id is answered, never dropped.
  if (envelope.id === undefined) return failureText("null", FRAMEWORK.notification);
  if (exchange.options.admit?.(method.name) === false) {
    return failureText(envelope.id, errorOf(methodFault("overQpsLimit", method.name)));
  }
  const values = readValues(method, envelope.params);
  if (values === undefined) return failureText(envelope.id, FRAMEWORK.params);
  const end = exchange.options.observe?.(method.name);
  try {
    requireConversions(method, values);
    const result = await method.run(exchange.call, values);
    const text = successText(envelope.id, JSON.stringify(result));
    end?.(undefined);
    return text;
  } catch (error) {
    const failure = errorObject(error, method, exchange.options.log);
    end?.(failure.code);
    return failureText(envelope.id, failure);
  }
}

/**
 * Step 9: the values by position; undefined when count or JSON types do not fit.
 *
 * Source: rpc-semantics 2.4
 */
function readValues(method: Method, params: Json | undefined): readonly Json[] | undefined {
  if (method.params.length === 0) return [];
  if (!Array.isArray(params)) return undefined;
  const { length } = method.params;
  const missing = length - params.length;
  if (missing < 0 || missing > (method.optional ?? 0)) return undefined;
  const values: readonly Json[] = [...params, ...Array<Json>(missing).fill(null)];
  const fit = method.params.every((param, index) => param.fits(values[index] ?? null));
  return fit ? values : undefined;
}

/** Step 10. @throws RpcFault -32602 */
function requireConversions(method: Method, values: readonly Json[]): void {
  for (const [index, param] of method.params.entries()) {
    if (param.converts?.(values[index] ?? null) === false) throw new RpcFault("invalidParams");
  }
}

function errorOf({ code, message }: RpcFault): ErrorObject {
  return { code, message, hasData: true };
}

function errorObject(error: unknown, method: Method, log: Log | undefined): ErrorObject {
  if (error instanceof RpcFault) return errorOf(error);
  const cause = error instanceof Error ? error.message : String(error);
  log?.write("error", "rpc method failed", { method: method.name, cause });
  const { code, message } = new RpcFault("internalError");
  return { code, message, hasData: true };
}
