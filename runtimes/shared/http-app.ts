/**
 * The JSON-RPC endpoint as a hono app, the same on Node, at the edge and in a browser.
 *
 * Source: rpc-semantics 1
 */
import { Hono, type Context } from "hono";
import type { NodeApi } from "../../core/node/node-api.ts";
import type { Log } from "../../core/ports/log.ts";
import { type Admit, dispatch, type ObserveCall, oversizeText } from "../../core/rpc/dispatch.ts";
import { failureText } from "../../core/rpc/envelope.ts";
import type { Pace } from "../../core/rpc/pace.ts";
import { healthOf, type NodeHealth } from "./health.ts";
import { isOriginAllowed, type Sender } from "./http-origin.ts";

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
  /** Value of Access-Control-Allow-Origin; without it only allowed origins are named. */
  readonly corsOrigin?: string | undefined;
  /** `rpc.allowed_origins`: pages that may manage groups. Source: spec README decision 24 */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Answers GET and HEAD first, for the page and subscriptions. Source: spec README decision 23 */
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

/** Answers what a page of this node posts to a path of its own. Source: spec README decision 24 */
export type Door = (
  body: string,
  sender: Sender,
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
  answer(body: string, sender: Sender, onGrown?: OnGrown): Promise<PostAnswer>;
}

/** Told how the answers of a batch grow; false ends the work, since nobody waits for it. */
export type OnGrown = (characters: number) => boolean;

/** What a server may put beside a web request. */
export interface BodyEnv {
  /** Told of each piece of a body of unknown length. */
  readonly onBody?: (bytes: number) => void;
  readonly onGrown?: OnGrown;
}

/** The endpoint in three forms. */
export interface HttpApp {
  /** `app.fetch` answers a web Request. */
  readonly app: Hono;
  /** For a server that would make web requests only for {@link app}. */
  readonly posts: PostHandler;
  /** Answers the text of a POST body, for servers that read bodies themselves. */
  readonly handlePost: (body: string, sender: Sender) => Promise<string>;
}

const JSON_TYPE = "application/json";
const REFUSED_METHOD = "Not allowed HTTP Method";
const INTERNAL_ERROR_CODE = -32_603;

/** A byte order mark is kept, so that it is refused as JSON refuses it. */
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Builds the endpoint. Source: rpc-semantics 1 */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const allowedOrigins = options.allowedOrigins ?? [];
  const handlePost = (body: string, sender: Sender, onGrown?: OnGrown): Promise<string> => {
    const originAllowed = isOriginAllowed(sender, allowedOrigins);
    const { log, observe, admit, pace } = options;
    return dispatch(options.node, body, { originAllowed, log, observe, admit, pace, onGrown });
  };
  const corsFor = (origin: string | undefined): Readonly<Record<string, string>> => {
    if (options.corsOrigin !== undefined) {
      return { "Access-Control-Allow-Origin": options.corsOrigin };
    }
    const isNamed = origin !== undefined && allowedOrigins.includes(origin);
    return isNamed ? { "Access-Control-Allow-Origin": origin, Vary: "Origin" } : {};
  };

  const headersFor = (origin: string | undefined) => {
    return { "Content-Type": JSON_TYPE, ...corsFor(origin) };
  };
  const answer = async (body: string, sender: Sender, onGrown?: OnGrown): Promise<PostAnswer> => {
    try {
      const text = await handlePost(body, sender, onGrown);
      return { status: 200, headers: headersFor(sender.origin), body: text };
    } catch (cause) {
      return failedAnswer(options.log, cause);
    }
  };
  const doors = options.doors ?? new Map<string, Door>();
  const posts = { maxBytes: options.maxBodyBytes, except: new Set(doors.keys()), answer };

  const app = new Hono();
  for (const [path, door] of doors) addDoor(app, path, { door, allowedOrigins });
  app.post("*", async (c) => {
    const origin = headerOf(c, "origin");
    const text = await readBody(c, options.maxBodyBytes);
    if (text === undefined)
      return c.body(oversizeText(options.maxBodyBytes), 413, headersFor(origin));
    const { onGrown } = bodyEnv(c);
    const sender = { origin, host: headerOf(c, "host") };
    const { status, headers, body } = await answer(text, sender, onGrown);
    return c.body(body, status, headers);
  });
  app.options("*", (c) => {
    const cors = corsFor(c.req.header("origin"));
    return c.body(null, 200, {
      Allow: "POST, OPTIONS",
      "Access-Control-Allow-Headers": "origin, content-type, accept",
      DAV: "1",
      ...cors,
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
  return { app, posts, handlePost };
}

/** Longest body for a door. */
const MAX_DOOR_BYTES = 64 * 1024;

/** A page of another origin must not knock: what is behind it changes the node. */
function addDoor(
  app: Hono,
  path: string,
  { door, allowedOrigins }: { readonly door: Door; readonly allowedOrigins: readonly string[] },
): void {
  const headers = { "Content-Type": JSON_TYPE, "Cache-Control": "no-store" };
  app.post(path, async (c) => {
    const sender = { origin: headerOf(c, "origin"), host: headerOf(c, "host") };
    const refused = (message: string) => `${JSON.stringify({ message })}\n`;
    if (!isOriginAllowed(sender, allowedOrigins))
      return c.body(refused("only a page of this node may ask"), 403, headers);
    const text = await readBody(c, MAX_DOOR_BYTES);
    if (text === undefined) return c.body(refused("the body is too large"), 413, headers);
    const { status, body } = await door(text, sender);
    return c.body(body, status, headers);
  });
}

/** Mostly to a client that hung up. */
function failedAnswer(log: Log | undefined, cause: unknown): PostAnswer {
  const reason = cause instanceof Error ? cause.message : String(cause);
  log?.write("debug", "http request failed", { cause: reason });
  const message = "INTERNAL_ERROR: The request body could not be read";
  const text = failureText("null", { code: INTERNAL_ERROR_CODE, message, hasData: true });
  return { status: 400, headers: { "Content-Type": JSON_TYPE }, body: `${text}\n` };
}

/**
 * GET `/healthz` answers while the process turns, GET `/readyz` says whether the node should be
 * asked: 503 with reasons until then. `/readyz?writes` says whether it should be given
 * transactions: 503 also while a group cannot write blocks. Source: issue 3 (observability)
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

/** What servers on Node put beside a request. */
interface ServerBindings {
  readonly incoming?: { readonly headers: Readonly<Record<string, unknown>> };
}

/** Nothing where there is no server, or one that puts nothing there. */
function bodyEnv(c: Context): BodyEnv {
  return (c.env as BodyEnv | undefined) ?? {};
}

/**
 * A request header. On Node it comes from the parsed message, which spares making a Headers object.
 */
function headerOf(c: Context, name: string): string | undefined {
  const bindings = c.env as ServerBindings | undefined;
  if (bindings?.incoming === undefined) return c.req.header(name);
  const value = bindings.incoming.headers[name];
  return typeof value === "string" ? value : undefined;
}

/**
 * The body as text; undefined when it is too large. A declared length is believed: servers enforce
 * it.
 */
async function readBody(c: Context, maxBytes: number): Promise<string | undefined> {
  const declared = headerOf(c, "content-length");
  if (declared !== undefined) {
    if (Number(declared) > maxBytes) return undefined;
    return UTF8.decode(await c.req.arrayBuffer());
  }
  return readCounting(c.req.raw.body, maxBytes, bodyEnv(c).onBody);
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
