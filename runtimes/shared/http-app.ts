/**
 * The JSON-RPC endpoint as a hono app, the same on Node, at the edge and in a browser.
 *
 * Source: rpc-semantics 1
 */
import { Hono, type Context } from "hono";
import type { NodeApi } from "../../core/api/node-api.ts";
import type { Log } from "../../core/ports/log.ts";
import { type Admit, dispatch, type ObserveCall, oversizeText } from "../../core/rpc/dispatch.ts";
import { failureText } from "../../core/rpc/envelope.ts";
import type { Pace } from "../../core/rpc/pace.ts";
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
  readonly doors?: ReadonlyMap<string, Door> | undefined;
  /** What `/readyz` answers; what the node's interface shows by default. */
  readonly health?: (() => NodeHealth) | undefined;
}

/** Answers what a page of this node posts to a path of its own. Source: decision 24 */
export type Door = (
  body: string,
  caller: Caller,
) => Promise<{ readonly status: 200 | 400 | 429; readonly body: string }>;

/** What a POST is answered with. */
export interface PostAnswer {
  readonly status: 200 | 400;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers POSTs whose body has been read. */
export interface PostHandler {
  /** Larger bodies are not for it. */
  readonly maxBytes: number;
  /** Paths that are not for it either. */
  readonly except?: ReadonlySet<string>;
  /** Never rejects. */
  answer(body: string, caller: Caller, onGrown?: OnGrown): Promise<PostAnswer>;
}

/** Told how the answers of a batch grow; false ends the work, since nobody waits for it. */
export type OnGrown = (characters: number) => boolean;

/** What a server may put beside a web request. */
export interface ServerEnv {
  /** Who asks; told by the request itself when absent. */
  readonly caller?: Caller;
  /** Told of each piece of a body of unknown length. */
  readonly onBody?: (bytes: number) => void;
  readonly onGrown?: OnGrown;
}

/** The endpoint in two forms. */
export interface HttpApp {
  /** `app.fetch` answers a web Request. */
  readonly app: Hono;
  /** For a server that would make web requests only for {@link app}. */
  readonly posts: PostHandler;
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
  const { node, log, observe, admit, pace, lists = NOTHING_LISTED } = options;
  const callerIn = (c: Context): Caller => serverEnv(c).caller ?? callerOfRequest(c.req.raw, lists);
  const answer = async (body: string, caller: Caller, onGrown?: OnGrown): Promise<PostAnswer> => {
    const originAllowed = caller.leave === "all";
    try {
      const how = { originAllowed, log, observe, admit, pace, onGrown };
      const text = await dispatch(node, body, how);
      return { status: 200, headers: { ...JSON_HEADERS, ...caller.cors }, body: text };
    } catch (cause) {
      return failedAnswer(log, cause);
    }
  };
  const doors = options.doors ?? new Map<string, Door>();
  const posts = { maxBytes: options.maxBodyBytes, except: new Set(doors.keys()), answer };

  const app = new Hono();
  app.use(async (c, next) => {
    const caller = callerIn(c);
    if (caller.leave === "nothing") return c.text(hostRefusal(caller), 403, NO_SNIFFING);
    await next();
    // Whatever answered: a handler, the page, or what catches failures.
    for (const [name, value] of Object.entries(NO_SNIFFING)) c.res.headers.set(name, value);
    return undefined;
  });
  for (const [path, door] of doors) addDoor(app, path, { door, callerIn });
  app.post("*", async (c) => {
    const caller = callerIn(c);
    const text = await readBody(c, options.maxBodyBytes);
    if (text === undefined) {
      const headers = { ...JSON_HEADERS, ...caller.cors };
      return c.body(oversizeText(options.maxBodyBytes), 413, headers);
    }
    const { status, headers, body } = await answer(text, caller, serverEnv(c).onGrown);
    return c.body(body, status, headers);
  });
  app.options("*", (c) => {
    return c.body(null, 200, {
      Allow: "POST, OPTIONS",
      "Access-Control-Allow-Headers": "origin, content-type, accept",
      DAV: "1",
      ...callerIn(c).cors,
    });
  });
  addHealth(app, options);
  app.all("*", async (c) => {
    const isRead = c.req.method === "GET" || c.req.method === "HEAD";
    const page = isRead ? await options.page?.(c.req.raw) : undefined;
    return page ?? c.body(REFUSED_METHOD, 405, { "Content-Type": JSON_TYPE });
  });
  app.onError((error, c) => {
    const { status, headers, body } = failedAnswer(options.log, error);
    return c.body(body, status, headers);
  });
  return { app, posts };
}

/** Longest body for a door. */
const MAX_DOOR_BYTES = 64 * 1024;

/** A page that may only read must not knock: what is behind it changes the node. */
function addDoor(
  app: Hono,
  path: string,
  { door, callerIn }: { readonly door: Door; readonly callerIn: (c: Context) => Caller },
): void {
  const headers = { "Content-Type": JSON_TYPE, "Cache-Control": "no-store" };
  app.post(path, async (c) => {
    const caller = callerIn(c);
    const refused = (message: string) => `${JSON.stringify({ message })}\n`;
    if (caller.leave !== "all") return c.body(refused(ORIGIN_REFUSAL.trimEnd()), 403, headers);
    const text = await readBody(c, MAX_DOOR_BYTES);
    if (text === undefined) return c.body(refused("the body is too large"), 413, headers);
    const { status, body } = await door(text, caller);
    return c.body(body, status, headers);
  });
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
function addHealth(app: Hono, { node, health }: HttpAppOptions): void {
  const headers = { "Content-Type": JSON_TYPE, "Cache-Control": "no-store" };
  app.get("/healthz", (c) => c.body('{"alive":true}\n', 200, headers));
  app.get("/readyz", (c) => {
    const found = health?.() ?? healthOf(node);
    const isWell = c.req.query("writes") === undefined ? found.ready : found.writable;
    return c.body(`${JSON.stringify(found)}\n`, isWell ? 200 : 503, headers);
  });
}

/** Nothing where there is no server, or one that puts nothing there. */
function serverEnv(c: Context): ServerEnv {
  return (c.env as ServerEnv | undefined) ?? {};
}

/**
 * The body as text; undefined when it is too large. A declared length is believed: servers enforce
 * it.
 */
async function readBody(c: Context, maxBytes: number): Promise<string | undefined> {
  const declared = c.req.header("content-length");
  if (declared !== undefined) {
    if (Number(declared) > maxBytes) return undefined;
    return UTF8.decode(await c.req.arrayBuffer());
  }
  return readCounting(c.req.raw.body, maxBytes, serverEnv(c).onBody);
}

async function readCounting(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  onBody?: (bytes: number) => void,
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
