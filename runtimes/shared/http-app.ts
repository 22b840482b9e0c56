/**
 * The JSON-RPC endpoint as a hono app, the same on Node, at the edge and in a browser.
 *
 * Source: rpc-semantics 1
 */
import { Hono, type Context } from "hono";
import type { NodeApi } from "../../core/api/node-api.ts";
import type { Log } from "../../core/ports/log.ts";
import {
  type Admit,
  dispatchAnswer,
  type ObserveCall,
  oversizeText,
  type Relay,
} from "../../core/rpc/dispatch.ts";
import { failureText } from "../../core/rpc/envelope.ts";
import type { Requests } from "../../core/rpc/requests.ts";
import type { Answer, LongText } from "../../core/rpc/long-answer.ts";
import type { Asker } from "../../core/ports/asker.ts";
import type { Pace } from "../../core/limits/pace.ts";
import { healthOf, type NodeHealth } from "./health.ts";
import {
  type Caller,
  callerOfRequest,
  hostRefusal,
  NO_SNIFFING,
  NOTHING_LISTED,
  ORIGIN_REFUSAL,
  type PageLists,
} from "./http-caller.ts";

/**
 * Bodies up to this size are read unless the configuration says otherwise.
 *
 * Source: rpc-semantics 1 (PICK)
 */
export const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;

/** What the endpoint needs. */
export interface HttpAppOptions {
  readonly node: NodeApi;
  readonly maxBodyBytes: number;
  /** Listed hosts and pages; {@link NOTHING_LISTED} when absent. */
  readonly lists?: PageLists | undefined;
  /** Answers GET and HEAD first, for the page and subscriptions. Source: decision 23 */
  readonly page?:
    | ((request: Request) => Response | undefined | Promise<Response | undefined>)
    | undefined;
  readonly log?: Log | undefined;
  /** Told of each call, for metrics. */
  readonly observe?: ObserveCall | undefined;
  /** `rpc.http_limit_req`: refuses what is above the rate. */
  readonly admit?: Admit | undefined;
  /** Lets others have a turn during long batches. */
  readonly pace?: Pace | undefined;
  /** Paths whose POSTs are none of JSON-RPC, for pages of this node. */
  readonly routes?: ReadonlyMap<string, PostRoute> | undefined;
  /** What `/readyz` answers; what the node's interface shows by default. */
  readonly health?: (() => Readiness | Promise<Readiness>) | undefined;
  /** Answers the requests of each body in place of the node. */
  readonly relay?: (() => HeaderedRelay) | undefined;
  /** Requests of a batch; the dispatcher's own bound when absent. */
  readonly maxBatch?: number | undefined;
}

/** What decides about the status of `/readyz`; all of it is told. */
export type Readiness = Pick<NodeHealth, "ready" | "writable">;

/** A relay that says something of its answers next to them. */
export interface HeaderedRelay extends Relay {
  /** Headers of the response, when all is answered. */
  headers(): Readonly<Record<string, string>>;
}

/** Answers what a page of this node posts to a path of its own. Source: decision 24 */
export type PostRoute = (
  body: string,
  caller: Caller,
) => Promise<{ readonly status: 200 | 400 | 429; readonly body: string }>;

/** What a POST is answered with. */
export interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Answer;
}

/** POSTs that a server may pass on in a plainer form than that of web requests. */
export interface PlainPosts {
  /** Not with larger bodies. */
  readonly maxBytes: number;
  /** Not to these paths. */
  readonly except?: ReadonlySet<string>;
}

/** Told how the answers of a batch grow; false ends the work, since no caller waits for it. */
export type OnGrown = (characters: number) => boolean;

/** What a server may put next to a web request. */
export interface ServerEnv {
  /** Who asks; told by the request itself when absent. */
  readonly caller?: Caller;
  /** The connection that asks. */
  readonly asker?: Asker;
  /** Told of each piece of a body of unknown length. */
  readonly onBody?: ((bytes: number) => void) | undefined;
  readonly onGrown?: OnGrown;
  /** Begins a body that is read elsewhere, when it is long. */
  readonly longBody?: (() => LongRequestBody) | undefined;
  /** The request is of the server's own form, and so is its response. */
  readonly plain?: PlainPost;
}

/** A body that is read elsewhere. */
export interface LongRequestBody {
  /** @returns how many bytes more it holds */
  add(bytes: Uint8Array): number;
  read(): Promise<Requests>;
}

/** A POST in the form of a server. */
export interface PlainPost {
  /** The whole body as text, a byte order mark included; a long one as it was read elsewhere. */
  read(): Promise<string | Requests>;
  respond(answer: PostAnswer): Response;
}

/** The endpoint. */
export interface HttpApp {
  /** `app.fetch` answers a web Request, or a POST in its plain form. */
  readonly app: Hono;
  readonly posts: PlainPosts;
}

const JSON_TYPE = "application/json";
const REFUSED_METHOD = "Not allowed HTTP Method";
const INTERNAL_ERROR_CODE = -32_603;

/** A byte order mark is kept, so that it is refused as JSON refuses it. */
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Of what JSON-RPC is answered with. */
const JSON_HEADERS = { "Content-Type": JSON_TYPE, ...NO_SNIFFING };

/** Builds the endpoint. Source: rpc-semantics 1 */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { maxBodyBytes, lists = NOTHING_LISTED } = options;
  const callerIn = (c: Context): Caller => serverEnv(c).caller ?? callerOfRequest(c.req.raw, lists);
  const guarded = guard(callerIn);
  const routes = options.routes ?? new Map<string, PostRoute>();
  const app = new Hono();
  for (const [path, route] of routes) app.post(path, guarded(knock(route, callerIn)));
  // One handler and nothing before it: hono then takes its shortest way.
  app.post("*", answerRpc(options, callerIn));
  app.options(
    "*",
    guarded((c) =>
      c.body(null, 200, {
        Allow: "POST, OPTIONS",
        "Access-Control-Allow-Headers": "origin, content-type, accept",
        DAV: "1",
        ...callerIn(c).cors,
      }),
    ),
  );
  addHealth(app, options, guarded);
  app.notFound(
    guarded(async (c) => {
      const isRead = c.req.method === "GET" || c.req.method === "HEAD";
      const page = isRead ? await options.page?.(c.req.raw) : undefined;
      return page ?? c.body(REFUSED_METHOD, 405, { "Content-Type": JSON_TYPE });
    }),
  );
  app.onError((error, c) => respond(c, failedAnswer(options.log, error)));
  return { app, posts: { maxBytes: maxBodyBytes, except: new Set(routes.keys()) } };
}

type Handler = (c: Context) => Response | Promise<Response>;

/** Answers JSON-RPC. */
function answerRpc(options: HttpAppOptions, callerIn: (c: Context) => Caller): Handler {
  const { node, log, observe, admit, pace, maxBodyBytes, maxBatch } = options;
  return async (c) => {
    const caller = callerIn(c);
    if (caller.leave === "nothing") return refuseHost(c, caller);
    try {
      const relay = options.relay?.();
      const given = { ...JSON_HEADERS, ...caller.cors };
      const body = await readBody(c, maxBodyBytes);
      if (body === undefined)
        return respond(c, { status: 413, headers: given, body: oversizeText(maxBodyBytes) });
      const { asker, onGrown } = serverEnv(c);
      const originAllowed = caller.leave === "all";
      const { mayManage } = caller;
      const turns = { observe, admit, pace, asker, onGrown };
      const how = { originAllowed, mayManage, log, relay, maxBatch, ...turns };
      const answer = await dispatchAnswer(node, body, how);
      const headers = relay ? { ...given, ...withSight(relay.headers(), caller) } : given;
      return respond(c, { status: 200, headers, body: answer });
    } catch (cause) {
      return respond(c, failedAnswer(log, cause));
    }
  };
}

/** Pages of other origins see no header that is not named to them. */
function withSight(headers: Readonly<Record<string, string>>, { cors }: Caller) {
  const isCross = cors["Access-Control-Allow-Origin"] !== undefined;
  const names = Object.keys(headers).join(", ");
  return isCross ? { ...headers, "Access-Control-Expose-Headers": names } : headers;
}

function respond(c: Context, answer: PostAnswer): Response {
  const { plain } = serverEnv(c);
  if (plain) return plain.respond(answer);
  const { status, headers, body } = answer;
  if (typeof body === "string") return new Response(body, { status, headers });
  const length = { "Content-Length": String(body.bytes) };
  return new Response(streamOf(body), { status, headers: { ...headers, ...length } });
}

/** A long text as it is read. */
function streamOf(text: LongText): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = text.pieces()[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await pieces.return?.()),
  });
}

function refuseHost(c: Context, caller: Caller): Response {
  return c.text(hostRefusal(caller), 403, NO_SNIFFING);
}

/** Who has no leave is told so; no browser takes an answer for something else than it says. */
function guard(callerIn: (c: Context) => Caller): (handler: Handler) => Handler {
  return (handler) => async (c) => {
    const caller = callerIn(c);
    if (caller.leave === "nothing") return refuseHost(c, caller);
    const response = await handler(c);
    for (const [name, value] of Object.entries(NO_SNIFFING)) response.headers.set(name, value);
    return response;
  };
}

/** Longest body for a route. */
const MAX_ROUTE_BYTES = 64 * 1024;

/** A page that may only read must not knock: what is behind it changes the node. */
function knock(route: PostRoute, callerIn: (c: Context) => Caller): Handler {
  const headers = { "Content-Type": JSON_TYPE, "Cache-Control": "no-store" };
  return async (c) => {
    const caller = callerIn(c);
    const refused = (message: string) => `${JSON.stringify({ message })}\n`;
    if (caller.leave !== "all") return c.body(refused(ORIGIN_REFUSAL.trimEnd()), 403, headers);
    const text = await readText(c, MAX_ROUTE_BYTES);
    if (text === undefined) return c.body(refused("the body is too large"), 413, headers);
    const { status, body } = await route(text, caller);
    return c.body(body, status, headers);
  };
}

/** Mostly to a client that hung up. */
function failedAnswer(log: Log | undefined, cause: unknown): PostAnswer {
  const reason = cause instanceof Error ? cause.message : String(cause);
  log?.write("debug", "http request failed", { cause: reason });
  const message = "INTERNAL_ERROR: The request body could not be read";
  const text = failureText("null", { code: INTERNAL_ERROR_CODE, message, hasData: true });
  return { status: 400, headers: JSON_HEADERS, body: `${text}\n` };
}

/**
 * GET `/healthz` answers while the process turns, GET `/readyz` says whether the node should be
 * asked: 503 with reasons until then. `/readyz?writes` says whether it should be given
 * transactions: 503 also while a group cannot write blocks.
 */
function addHealth(
  app: Hono,
  { node, health }: HttpAppOptions,
  guarded: (handler: Handler) => Handler,
): void {
  const headers = { "Content-Type": JSON_TYPE, "Cache-Control": "no-store" };
  const alive: Handler = (c) => c.body('{"alive":true}\n', 200, headers);
  const ready: Handler = async (c) => {
    const found = (await health?.()) ?? healthOf(node);
    const isWell = c.req.query("writes") === undefined ? found.ready : found.writable;
    return c.body(`${JSON.stringify(found)}\n`, isWell ? 200 : 503, headers);
  };
  app.get("/healthz", guarded(alive));
  app.get("/readyz", guarded(ready));
}

/** Nothing where there is no server, or one that puts nothing there. */
function serverEnv(c: Context): ServerEnv {
  return (c.env as ServerEnv | undefined) ?? {};
}

/**
 * The body as text; undefined when it is too large. A declared length is believed: servers enforce
 * it.
 */
async function readBody(c: Context, maxBytes: number): Promise<string | Requests | undefined> {
  const { plain, onBody, longBody } = serverEnv(c);
  if (plain) return plain.read();
  const declared = c.req.header("content-length");
  if (Number(declared ?? 0) > maxBytes) return undefined;
  if (longBody) return readElsewhere(c.req.raw.body, maxBytes, { onBody, longBody });
  if (declared !== undefined) return UTF8.decode(await c.req.raw.arrayBuffer());
  return readCounting(c.req.raw.body, maxBytes, onBody);
}

/** As {@link readBody} for what is a text, however long. */
async function readText(c: Context, maxBytes: number): Promise<string | undefined> {
  const { onBody } = serverEnv(c);
  if (Number(c.req.header("content-length") ?? 0) > maxBytes) return undefined;
  return readCounting(c.req.raw.body, maxBytes, onBody);
}

/** A long body of unknown length. */
async function readElsewhere(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  { onBody, longBody }: Required<Pick<ServerEnv, "longBody">> & Pick<ServerEnv, "onBody">,
): Promise<Requests | undefined> {
  const long = longBody?.();
  if (body === null || !long) return { kind: "malformed" };
  const reader = body.getReader();
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    onBody?.(long.add(part.value));
  }
  return long.read();
}

async function readCounting(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  onBody: ServerEnv["onBody"],
): Promise<string | undefined> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let size = 0;
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    onBody?.(part.value.length);
    if (size > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
