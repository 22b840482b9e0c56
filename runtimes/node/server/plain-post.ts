/**
 * A POST whose length is known, as the endpoint sees it: the little of a web request that it asks
 * for, and an answer that is written at once. Web requests and responses would cost a third of what
 * a small POST does.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Requests } from "../../../core/rpc/requests.ts";
import type {
  LongRequestBody,
  PlainPost,
  PlainPosts,
  PostAnswer,
  ServerEnv,
} from "../../shared/http-app.ts";
import type { Caller } from "../../shared/http-caller.ts";
import type { LongText } from "../../../core/rpc/long-answer.ts";
import { refuseHttpVersion } from "../../shared/http-text.ts";
import { freeBytes } from "../machine/free-bytes.ts";
import { LONG_BODY_BYTES, type LongBody } from "../threads/body-host.ts";
import type { RequestLoad } from "./http-load.ts";
import { PacedReading } from "./paced-reading.ts";

/** Answers a request, with what the server knows of it. */
export type Answer = (request: Request, env: ServerEnv) => Response | Promise<Response>;

/** A path is all that is read of the address. */
const SOMEWHERE = "http://localhost";

/** True for a body of known and allowed size, in a version that is spoken. */
export function isPlainPost(
  { method, url = "", headers, httpVersion }: IncomingMessage,
  { maxBytes, except }: PlainPosts,
): boolean {
  if (except?.has(url)) return false;
  if (method !== "POST" || headers["transfer-encoding"] !== undefined) return false;
  if (refuseHttpVersion(httpVersion)) return false;
  return Number(headers["content-length"] ?? Number.NaN) <= maxBytes;
}

type BeginBody = () => LongBody;

/** A body of a request: wanted no more when the request is over. */
export function longBodyOf(load: RequestLoad, begin: BeginBody): LongRequestBody {
  const body = begin();
  load.whenOver(() => body.drop());
  return { add: (bytes) => body.add(bytes), read: () => body.read(load.asker.address) };
}

const hungUp = (): Error => new Error("the client has hung up");

function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  if (first && chunks.length === 1) return first.toString("utf8");
  const whole = Buffer.concat(chunks);
  const text = whole.toString("utf8");
  for (const bytes of [...chunks, whole]) freeBytes(bytes);
  return text;
}

/** The request and the response of one POST. */
class NodePost implements PlainPost {
  readonly method = "POST";
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  answer: PostAnswer | undefined;
  readonly #incoming: IncomingMessage;
  readonly #load: RequestLoad;
  readonly #longBody: BeginBody | undefined;

  constructor(incoming: IncomingMessage, load: RequestLoad, longBody: BeginBody | undefined) {
    const { url = "/", headers } = incoming;
    this.url = url.startsWith("/") ? SOMEWHERE + url : url;
    this.headers = { get: (name) => headers[name.toLowerCase()]?.toString() ?? null };
    this.#incoming = incoming;
    this.#load = load;
    const isLong = Number(headers["content-length"]) > LONG_BODY_BYTES;
    this.#longBody = isLong ? longBody : undefined;
  }

  /**
   * Resolves when the request may be answered. Rejects when the client hangs up, which ends the
   * response too.
   */
  read(): Promise<string | Requests> {
    const long = this.#longBody && longBodyOf(this.#load, this.#longBody);
    const chunks: Buffer[] = [];
    const reading = long && new PacedReading(this.#incoming, () => this.#load.pause());
    this.#incoming.on("data", (chunk: Buffer) => {
      const { length } = chunk;
      this.#load.read(long ? long.add(chunk) : length);
      if (!reading) return void chunks.push(chunk);
      freeBytes(chunk);
      reading.took(length);
    });
    return new Promise((resolve, reject) => {
      let isWhole = false;
      // An error costs more than all else of a small request.
      this.#load.whenOver(() => isWhole || reject(hungUp()));
      this.#incoming.once("end", () => {
        isWhole = true;
        resolve(long ? long.read() : textOf(chunks));
      });
    });
  }

  respond(answer: PostAnswer): Response {
    this.answer = answer;
    return this as unknown as Response;
  }
}

/** A response of the web's own form, such as that to a request without leave. */
async function plainAnswer(response: Response): Promise<PostAnswer> {
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: await response.text() };
}

/** Most bytes of a character, and characters of most pieces of an answer. */
const CHARACTER_BYTES = 3;
const PIECE_CHARS = 32 * 1024;

/** Resolves when the system has taken the bytes, or the connection has ended. */
function written(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once("close", resolve);
    outgoing.write(bytes, () => {
      outgoing.off("close", resolve);
      resolve();
    });
  });
}

/**
 * Writes a long answer as its client reads it: what is held of it is a piece. All pieces are
 * written from one buffer: fresh memory for each would cost more than all else.
 */
async function writePieces(
  outgoing: ServerResponse,
  text: LongText,
  load: RequestLoad,
): Promise<void> {
  load.answerInPieces(outgoing);
  let room = Buffer.allocUnsafeSlow(PIECE_CHARS * CHARACTER_BYTES);
  for await (const piece of text.pieces()) {
    if (!load.grow(piece.length)) return;
    const most = piece.length * CHARACTER_BYTES;
    if (most > room.length) room = Buffer.allocUnsafeSlow(most);
    await written(outgoing, room.subarray(0, room.write(piece)));
    await load.pause();
    load.grow(-piece.length);
    if (load.isOver) return;
  }
  outgoing.end();
}

/** Waits until answers in front have left. @returns false when no caller waits for this one then */
async function isItsTurn(load: RequestLoad, bytes: number): Promise<boolean> {
  load.grow(bytes);
  await load.turn;
  load.grow(-bytes);
  return !load.isOver;
}

/** Has a POST answered, and writes the answer. */
export function answerPost(
  [incoming, outgoing]: readonly [IncomingMessage, ServerResponse],
  {
    answer,
    caller,
    longBody,
  }: { readonly answer: Answer; readonly caller: Caller; readonly longBody: BeginBody | undefined },
  load: RequestLoad,
): void {
  const post = new NodePost(incoming, load, longBody);
  const respond = async () => {
    const env: ServerEnv = { caller, asker: load.asker, onGrown: load.grow, plain: post };
    const response = await answer(post as unknown as Request, env);
    const { status, headers, body } = post.answer ?? (await plainAnswer(response));
    if (load.isOver) return;
    const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.bytes;
    if (load.turn && !(await isItsTurn(load, typeof body === "string" ? bytes : 0))) return;
    // Names and values in turn are what Node writes fastest.
    const list: string[] = [];
    for (const name in headers) list.push(name, headers[name] ?? "");
    list.push("Content-Length", String(bytes));
    outgoing.writeHead(status, list);
    if (typeof body !== "string") return await writePieces(outgoing, body, load);
    outgoing.end(body);
    load.answer(outgoing, bytes);
  };
  // A client that hung up gets no answer; without a listener the error would end the process.
  incoming.on("error", () => undefined);
  // What cannot be sent ends its connection, not the process.
  void respond().then(load.done, () => {
    outgoing.destroy();
    load.done();
  });
}
