/**
 * The page at the RPC port: explorer, workbench, theatre, lessons and the node of the tab, as files
 * of dist/web. Nothing here is asked for POSTs. Source: decision 23
 */
import { hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";

/** What a script may do that connects to these places. */
function policyWith(places: string): string {
  return [
    "default-src 'self'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    `connect-src ${places}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** The page connects to the port that served it and to nothing else. */
export const PAGE_POLICY = policyWith("'self'");
/**
 * The worker of the tab's node dials the peers of its network, at addresses that its user enters
 * and that no list can name; it speaks the protocol of nodes with them and nothing else.
 */
export const PAGE_POLICIES: ReadonlyMap<string, string> = new Map([
  ["/node-worker.js", policyWith("'self' ws: wss:")],
]);

/** An answer that another module gives: a text, or a file to send. */
export type PageAnswer =
  | { readonly contentType: string; readonly text: string; readonly isImmutable: boolean }
  | { readonly contentType: string; readonly file: string; readonly isImmutable: boolean };

/** What the page is told. */
export interface PageOptions {
  /** Folder with index.html; that of the build when absent. */
  readonly folder?: string;
  /** Whether the chain is for development: its accounts are public. */
  readonly dev: boolean;
  /** Answers paths that are no files of the folder, such as the compilers. */
  readonly service?: (path: string) => PageAnswer | undefined;
  /** Policies of further paths in place of {@link PAGE_POLICY}. */
  readonly policies?: ReadonlyMap<string, string>;
}

/** Answers GET and HEAD; undefined for what is none of its business. */
export type PageHook = (request: Request) => Promise<Response | undefined>;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".png": "image/png",
  ".webp": "image/webp",
  ".txt": "text/plain; charset=utf-8",
};
const UNKNOWN_TYPE = "application/octet-stream";
/** Names without anything that a file system could take for another folder, or hide. */
const PATH = /^\/(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;
/** Files whose name has the hash of their content. */
const HASHED = /^\/(chunks|assets)\/.*-[0-9A-Z]{8}\.\w+$/;
const YEAR_S = 31_536_000;
/** Larger files are sent from the disk each time, and as they are. */
const MOST_KEPT_BYTES = 4 * 1024 * 1024;
/** This many of them are sent at a time: disks have more to do. */
const MOST_STREAMS = 32;
/** Below it compressing gains nothing. */
const LEAST_ZIPPED_BYTES = 1_024;
const ZIPPABLE = /^(text\/|application\/(json|wasm)|image\/svg)/;

const MISSING = `The page of this node is not built.

The RPC port works. To have the page too, run "npm run build" in the folder of chain-node and start
the node again.
`;

const zip = promisify(gzip);

/** A file that is kept in memory. */
interface Kept {
  /** Of the file, to notice another one. */
  readonly mark: string;
  readonly etag: string;
  readonly body: Buffer;
  /** Compressed by the first request that takes it. */
  zipped: Promise<Buffer> | undefined;
}

/** What is sent. */
interface Found {
  readonly path: string;
  readonly contentType: string;
  readonly isImmutable: boolean;
  readonly etag: string;
  readonly size: number;
  /** The content, or the file that holds it when that is large. */
  readonly content: Kept | string;
}

/** dist/web next to the running bundle, or next to the folder that CHAIN_NODE_DIST names. */
export function builtPageFolder(): string {
  const dist = process.env["CHAIN_NODE_DIST"];
  if (dist !== undefined && dist !== "") return resolve(dist, "..", "web");
  return fileURLToPath(new URL("../web", import.meta.url));
}

/** Reads files once, and again when they are others. */
class FileCache {
  readonly #kept = new Map<string, Kept>();

  async find(file: string, answer: Omit<Found, "etag" | "size" | "content">) {
    const facts = await stat(file).catch(() => undefined);
    if (!facts?.isFile()) return undefined;
    const mark = `${facts.size}:${facts.mtimeMs}`;
    if (facts.size > MOST_KEPT_BYTES)
      return { ...answer, etag: `W/"${mark}"`, size: facts.size, content: file };
    const kept = await this.#load(file, mark);
    return { ...answer, etag: kept.etag, size: kept.body.length, content: kept };
  }

  async #load(file: string, mark: string): Promise<Kept> {
    const known = this.#kept.get(file);
    if (known?.mark === mark) return known;
    const kept = keptOf(await readFile(file), mark);
    this.#kept.set(file, kept);
    return kept;
  }
}

function keptOf(body: Buffer, mark: string): Kept {
  const etag = `W/"${hash("sha256", body, "base64url").slice(0, 22)}"`;
  return { mark, etag, body, zipped: undefined };
}

function foundText(path: string, contentType: string, text: string): Found {
  const content = keptOf(Buffer.from(text), "");
  const { etag, body } = content;
  return { path, contentType, isImmutable: false, etag, size: body.length, content };
}

/** True when one of the tags that the client has is the file's. */
function isKnown(request: Request, etag: string): boolean {
  const tags = request.headers.get("if-none-match");
  if (tags === null) return false;
  const plain = etag.replace(/^W\//, "");
  return tags.split(",").some((tag) => {
    const wanted = tag.trim().replace(/^W\//, "");
    return wanted === "*" || wanted === plain;
  });
}

function takesGzip(request: Request): boolean {
  const accepted = request.headers.get("accept-encoding") ?? "";
  return /(^|,)\s*(gzip|\*)\s*(;\s*q=(1|0\.\d*[1-9]))?\s*(,|$)/i.test(accepted);
}

/** The headers of every answer. */
function headersOf(found: Found, policy: string): Record<string, string> {
  return {
    "Content-Type": found.contentType,
    "Content-Security-Policy": policy,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": found.isImmutable ? `public, max-age=${YEAR_S}, immutable` : "no-cache",
    ETag: found.etag,
    Vary: "Accept-Encoding",
  };
}

/** Files that are sent from the disk. A class because it counts them. */
class FileStreams {
  #count = 0;

  get isFull(): boolean {
    return this.#count >= MOST_STREAMS;
  }

  open(file: string): ReadableStream<Uint8Array> {
    const stream = createReadStream(file);
    this.#count += 1;
    stream.once("close", () => {
      this.#count -= 1;
    });
    return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
  }
}

/** The body, compressed where that is asked for and helps. */
async function bodyOf(found: Found, request: Request, streams: FileStreams) {
  const { content, contentType, size } = found;
  if (typeof content === "string")
    return { stream: () => streams.open(content), size, zipped: false };
  if (!takesGzip(request) || !ZIPPABLE.test(contentType) || size < LEAST_ZIPPED_BYTES)
    return { bytes: content.body, size, zipped: false };
  content.zipped ??= zip(content.body, { level: constants.Z_BEST_COMPRESSION });
  const bytes = await content.zipped;
  return { bytes, size: bytes.length, zipped: true };
}

function busy(): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "5" };
  return new Response("too many large files are being sent\n", { status: 503, headers });
}

async function answer(
  found: Found,
  request: Request,
  { policy, streams }: { readonly policy: string; readonly streams: FileStreams },
): Promise<Response> {
  const headers = headersOf(found, policy);
  if (isKnown(request, found.etag)) return new Response(null, { status: 304, headers });
  const { bytes, stream, size, zipped } = await bodyOf(found, request, streams);
  if (zipped) headers["Content-Encoding"] = "gzip";
  headers["Content-Length"] = String(size);
  if (request.method === "HEAD") return new Response(null, { headers });
  if (bytes === undefined && streams.isFull) return busy();
  return new Response(bytes === undefined ? stream() : new Uint8Array(bytes), { headers });
}

function wantsPage(request: Request): boolean {
  return /\btext\/html\b/i.test(request.headers.get("accept") ?? "");
}

function missing(): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  return new Response(MISSING, { status: 404, headers });
}

/** The page's hook of the RPC port. */
export function createPage({ folder = builtPageFolder(), dev, ...options }: PageOptions): PageHook {
  const files = new FileCache();
  const streams = new FileStreams();
  const policies = new Map([...PAGE_POLICIES, ...(options.policies ?? [])]);
  const facts = foundText(
    "/page.json",
    CONTENT_TYPES[".json"] ?? UNKNOWN_TYPE,
    `${JSON.stringify({ node: true, dev })}\n`,
  );
  const find = async (path: string): Promise<Found | undefined> => {
    if (!PATH.test(path)) return undefined;
    if (path === facts.path) return facts;
    const given = options.service?.(path);
    if (given === undefined) {
      const contentType = CONTENT_TYPES[extname(path)] ?? UNKNOWN_TYPE;
      const isImmutable = HASHED.test(path);
      return await files.find(join(folder, path), { path, contentType, isImmutable });
    }
    const { contentType, isImmutable } = given;
    if ("text" in given) return { ...foundText(path, contentType, given.text), isImmutable };
    return await files.find(given.file, { path, contentType, isImmutable });
  };
  return async (request) => {
    const { pathname } = new URL(request.url);
    const isPage = pathname === "/" && wantsPage(request);
    const found = await find(isPage ? "/index.html" : pathname);
    const policy = policies.get(pathname) ?? PAGE_POLICY;
    if (found) return await answer(found, request, { policy, streams });
    if (!wantsPage(request)) return undefined;
    // Any other address that a person opens leads to the page.
    return isPage ? missing() : new Response(null, { status: 302, headers: { Location: "/" } });
  };
}
