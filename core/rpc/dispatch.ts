/**
 * One JSON-RPC body in, one body out: batches, order of checks, errors, bounds.
 * Source: rpc-semantics 2
 */
import { methodFault, RelayedFault, RpcFault, type RpcFaultName } from "../fault/rpc-fault.ts";
import { StoreFault } from "../fault/store-fault.ts";
import type { NodeApi } from "../api/node-api.ts";
import type { Log } from "../ports/log.ts";
import { type ErrorObject, failureText, successText } from "./envelope.ts";
import type { Json } from "./json.ts";
import {
  type Answer,
  answerOf,
  joined,
  MAX_LIST_BYTES,
  type Hold,
  oneByOne,
  wholeText,
} from "./long-answer.ts";
import type { Call, Method, Submissions } from "./method.ts";
import type { Asker } from "../ports/asker.ts";
import { type Pace, paceOf } from "../limits/pace.ts";
import { findMethod } from "./registry.ts";
import { type ReadRequest, readRequests, type Requests } from "./requests.ts";

/** Told when a method begins; what it gives back is told the code of the error, if any. */
export type ObserveCall = (method: string) => (code: number | undefined) => void;

/** Whether a request is answered; asked once for each, by the name of its method. */
export type Admit = (method: string) => boolean;

/** Why a request is not examined. */
export interface Turned {
  readonly fault: RpcFault;
  /** False: the answer has a null id. */
  readonly echoesId: boolean;
}

/** Asked for each request, also for each of a batch, before anything but its JSON is checked. */
export type Guard = (request: Json) => Turned | undefined;

/** A request that has passed the checks of its form. */
export interface RelayedCall {
  readonly method: Method;
  /** They fit the parameters of the method. */
  readonly values: readonly Json[];
  /** Position in its batch; 0 alone. */
  readonly index: number;
  /** What the node of the dispatcher answers itself. @throws RpcFault */
  own(): Promise<Answer>;
}

/** Answers requests in place of the methods, for a body. */
export interface Relay {
  /** The body is a batch of this many requests. */
  begin(count: number): void;
  /** JSON text of the result. @throws RpcFault; RelayedFault */
  answer(call: RelayedCall): Promise<Answer>;
}

/** Requests of one batch; a longer one is refused as a whole. */
export const MAX_BATCH_REQUESTS = 1_000;
/**
 * An answer with which those of a batch were longer than this together, in bytes, is not given, and
 * when they are as long its further requests are not run: each is told so. Source: decision 28
 */
export const MAX_BATCH_ANSWER: number = MAX_LIST_BYTES;

/** What a request of a batch holds while it waits, besides its text. */
const ELEMENT_BYTES = 128;
/** What a JSON value holds while its request is answered: an empty object, and its place. */
const VALUE_BYTES = 64;
/** A text this long takes a good part of a millisecond to read. */
const LONG_CHARS = 16 * 1024;

/** How a body came. */
export interface DispatchOptions {
  /** False for a web page of another origin: it may change nothing. Source: decision 24 */
  readonly originAllowed: boolean;
  /** Whether the caller may change groups and peers. Source: decision 31 */
  readonly mayManage: () => boolean;
  /** Answers in place of the node. */
  readonly relay?: Relay | undefined;
  /** {@link MAX_BATCH_REQUESTS} when absent. */
  readonly maxBatch?: number | undefined;
  /** Told of failures that are not the caller's. */
  readonly log?: Log | undefined;
  readonly observe?: ObserveCall | undefined;
  /** Refuses what is above the rate of the listener. Source: node-network 6 */
  readonly admit?: Admit | undefined;
  /** Who may ask for what. Source: channel-protocol 6 */
  readonly guard?: Guard | undefined;
  readonly submissions?: Submissions | undefined;
  /** Where they come from. */
  readonly asker?: Asker | undefined;
  /** Operations that only this connection has, by name. */
  readonly ownMethod?: ((name: string) => Method | undefined) | undefined;
  /** Asked between the requests of a batch, and between pieces of long answers. */
  readonly pace?: Pace | undefined;
  /**
   * Told by how many bytes a batch, its answers and what is made for them have grown or shrunk;
   * false ends the work, since no caller waits for it any more.
   */
  readonly onGrown?: Hold | undefined;
  /** Characters of the longest answer that can be sent; in place of a longer one is an error. */
  readonly maxAnswer?: number | undefined;
}

/** Of a caller who may do all. */
export const ALL_LEAVE = { originAllowed: true, mayManage: () => true } as const;

/** Errors of steps 1 to 9, which carry no data. */
const FRAMEWORK = {
  parse: frameworkError("jsonParseError"),
  request: frameworkError("invalidJsonRequest"),
  method: frameworkError("methodNotFound"),
  notification: frameworkError("procedureIsMethod"),
  params: frameworkError("invalidParams"),
} as const;

function frameworkError(fault: RpcFaultName, detail?: string): ErrorObject {
  const { code, message } = new RpcFault(fault, detail);
  return { code, message, hasData: false };
}

/** Step 2 for what is too large to be examined. */
function refusal(detail: string): string {
  return `${failureText("null", frameworkError("invalidJsonRequest", detail))}\n`;
}

/** The answer to a body that is not even read. */
export function oversizeText(maxBytes: number): string {
  return refusal(`The body is larger than ${maxBytes} bytes`);
}

/**
 * Answers one request or a batch with a text, however long.
 *
 * @param body text as it came
 * @returns compact JSON and a line feed, nothing when `onGrown` said so; never rejects
 * Source: rpc-semantics 2
 */
export async function dispatch(
  node: NodeApi,
  body: string,
  options: DispatchOptions,
): Promise<string> {
  return wholeText(await dispatchAnswer(node, body, options), options.pace);
}

/**
 * As {@link dispatch}, but a long answer is made while it is sent. What fails meanwhile rejects its
 * pieces.
 */
export async function dispatchAnswer(
  node: NodeApi,
  body: string | Requests,
  options: DispatchOptions,
): Promise<Answer> {
  // What takes a while to read waits for its turn.
  if (typeof body === "string" && body.length >= LONG_CHARS) {
    await options.pace?.(options.asker);
    // Many may go at once, and none of them waits for a turn any more.
    if (options.onGrown?.(0) === false) return "";
  }
  const requests = typeof body === "string" ? readRequests(body) : body;
  if (requests.kind === "tooMany")
    return refusal(`The body holds more than ${requests.most} values`);
  if (requests.kind === "malformed") return `${failureText("null", FRAMEWORK.parse)}\n`;
  if (requests.values && options.onGrown?.(requests.values * VALUE_BYTES) === false) return "";
  const { asker, submissions, maxAnswer = Number.POSITIVE_INFINITY } = options;
  const exchange: Exchange = {
    call: { node, asker, submissions, pace: paceOf(options.pace, asker) },
    options,
    maxAnswer,
    batchRoom: Number.POSITIVE_INFINITY,
    room: maxAnswer,
    index: 0,
  };
  if (requests.kind === "batch")
    return await answerBatch(exchange, requests).finally(() => requests.done?.());
  const only = await answer(exchange, requests.request);
  return typeof only === "string" ? `${only}\n` : joined([only, "\n"]);
}

/** What the requests of one body share. */
interface Exchange {
  readonly call: Call;
  readonly options: DispatchOptions;
  readonly maxAnswer: number;
  /** Characters until no further request of a batch is run. */
  batchRoom: number;
  /** Characters that can still be sent. */
  room: number;
  /** Position of the request that is answered. */
  index: number;
}

type Batch = Extract<Requests, { readonly kind: "batch" }>;

/** Source: rpc-semantics 2.3 */
async function answerBatch(exchange: Exchange, { count, at }: Batch): Promise<Answer> {
  if (count === 0) return `${failureText("null", FRAMEWORK.request)}\n`;
  const { pace, onGrown, relay, maxBatch = MAX_BATCH_REQUESTS } = exchange.options;
  if (count > maxBatch) return refusal(`A batch has at most ${maxBatch} requests`);
  if (onGrown?.(count * ELEMENT_BYTES) === false) return "";
  relay?.begin(count);
  exchange.batchRoom = MAX_BATCH_ANSWER;
  const answers: Answer[] = [];
  for (let element = 0; element < count; element++) {
    if (element > 0) {
      await pace?.(exchange.call.asker);
      // A batch that is read elsewhere is dropped there once its client has gone.
      if (onGrown?.(0) === false) return "";
    }
    exchange.index = element;
    const text = await answer(exchange, await at(element));
    answers.push(element > 0 ? "," : "[", text);
    const bytes = sizeOf(text);
    exchange.batchRoom -= bytes;
    exchange.room -= bytes + 1;
    // Of a long answer nothing is held until it is sent.
    if (onGrown?.(typeof text === "string" ? bytes : 0) === false) return "";
  }
  return joined([...answers, "]\n"]);
}

/** Steps 2 to 11 for one request. Source: rpc-semantics 2.1 */
async function answer(exchange: Exchange, request: ReadRequest): Promise<Answer> {
  const { value, envelope } = request;
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
    requireLeave(method, exchange.options);
    requireConversions(method, values);
    requireBatchRoom(exchange);
    const text = successText(envelope.id, await resultOf(exchange, method, values));
    const bytes = sizeOf(text);
    if (bytes > exchange.room) throw tooLong(exchange.maxAnswer);
    if (bytes > exchange.batchRoom) {
      // Nor are those behind it run: their answers would be wasted work.
      exchange.batchRoom = 0;
      throw tooLongForBatch(bytes);
    }
    end?.(undefined);
    return text;
  } catch (error) {
    const failure = errorObject(error, method, exchange.options.log);
    end?.(failure.code);
    return failureText(envelope.id, failure);
  }
}

/** Characters of a text that is there: those of the texts of callers count as one byte each. */
function sizeOf(text: Answer): number {
  return typeof text === "string" ? text.length : text.bytes;
}

/** Step 11: the result as JSON. @throws RpcFault */
function resultOf(exchange: Exchange, method: Method, values: readonly Json[]): Promise<Answer> {
  const { relay } = exchange.options;
  const own = () => ownAnswer(exchange, method, values);
  return relay ? relay.answer({ method, values, index: exchange.index, own }) : own();
}

async function ownAnswer(
  { call, options }: Exchange,
  method: Method,
  values: readonly Json[],
): Promise<Answer> {
  const { onGrown } = options;
  const { pace } = call;
  if (!method.isLong || !pace) return await answerOf(await method.run(call, values), pace, onGrown);
  return await oneByOne(call.node, call.asker, async () => {
    // Who has gone while others were answered needs no answer.
    if (onGrown?.(0) === false) return "null";
    return await answerOf(await method.run(call, values), pace, onGrown);
  });
}

/**
 * Step 9: the values by position; undefined when count or JSON types do not fit.
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
  const isWrong = method.params.some((param, at) => param.converts?.(values[at] ?? null) === false);
  if (isWrong) throw new RpcFault("invalidParams");
}

/** @throws RpcFault -32603 */
function requireBatchRoom({ batchRoom }: Exchange): void {
  if (batchRoom > 0) return;
  const bound = `the answers before this one have ${MAX_BATCH_ANSWER} bytes`;
  throw new RpcFault("internalError", `Not run in this batch: ${bound}`);
}

function tooLongForBatch(bytes: number): RpcFault {
  const said = `The answer has ${bytes} bytes; those of a batch have ${MAX_BATCH_ANSWER} together`;
  return new RpcFault("internalError", `${said}: ask for it alone`);
}

const PAGES_READ = "web pages of this origin may only read, unless rpc.allowed_origins lists it";
const NOT_MANAGED_HERE =
  "ask from the node's own host and through no proxy, or over the port of SDKs; " +
  "rpc.management lets others in";

/** @throws RpcFault -100001. Source: decision 24; decision 31 */
function requireLeave(method: Method, { originAllowed, mayManage }: DispatchOptions): void {
  if (method.changes && !originAllowed) throw forbidden(PAGES_READ);
  if (method.manages && !mayManage()) throw forbidden(NOT_MANAGED_HERE);
}

/** With the table's text in front. */
function forbidden(advice: string): RpcFault {
  const { message } = new RpcFault("dynamicGroupForbidden");
  return new RpcFault("dynamicGroupForbidden", `${message}: ${advice}`);
}

function tooLong(maxBytes: number): RpcFault {
  return new RpcFault("internalError", `The answer is longer than ${maxBytes} bytes`);
}

function errorOf({ code, message }: RpcFault | RelayedFault): ErrorObject {
  return { code, message, hasData: true };
}

function errorObject(error: unknown, method: Method, log: Log | undefined): ErrorObject {
  if (error instanceof RpcFault || error instanceof RelayedFault) return errorOf(error);
  const cause = error instanceof Error ? error.message : String(error);
  log?.write("error", "rpc method failed", { method: method.name, cause });
  // The group stops with damage, and is answered so from then on.
  const said =
    error instanceof StoreFault && error.kind === "corrupt" ? `${error.name}: ${cause}` : undefined;
  return errorOf(new RpcFault("internalError", said));
}
