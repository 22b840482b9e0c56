/**
 * POST requests over few connections that stay open, one at a time on each: a third of what
 * `node:http` costs, which is much of what a generator costs.
 */
import { connect, type Socket } from "node:net";
import { TransportFault } from "../../../../core/client/client-fault.ts";
import type { Post, PostAnswer, SendPost } from "../../../../core/client/http-transport.ts";

/** Connections to one node at one time; further requests wait for one. */
const MOST_SOCKETS = 64;
const HTTP_PORT = 80;
const NOTHING = Buffer.alloc(0);

interface Waiting {
  readonly post: Post;
  readonly resolve: (answer: PostAnswer) => void;
  readonly reject: (cause: Error) => void;
}

function headOf(host: string, path: string, headers: Post["headers"]): string {
  const all = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${all.join("")}content-length: `;
}

class Line {
  readonly #url: URL;
  readonly #queue: Waiting[] = [];
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  #head = "";
  #headers: Post["headers"] | undefined;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  post(waiting: Waiting): void {
    const idle = this.#idle.pop();
    if (idle) return idle.post(waiting, this.#headFor(waiting.post));
    if (this.#open.size >= MOST_SOCKETS) {
      this.#queue.push(waiting);
      return;
    }
    const { hostname, port } = this.#url;
    const connection = new Connection(hostname.replace(/^\[|\]$/g, ""), Number(port || HTTP_PORT), {
      onFree: () => this.#free(connection),
      onGone: () => this.#forget(connection),
    });
    this.#open.add(connection);
    connection.post(waiting, this.#headFor(waiting.post));
  }

  close(): void {
    for (const connection of this.#open) connection.end("the transport was closed");
  }

  #headFor({ headers }: Post): string {
    if (headers === this.#headers) return this.#head;
    this.#headers = headers;
    this.#head = headOf(this.#url.host, this.#url.pathname, headers);
    return this.#head;
  }

  #free(connection: Connection): void {
    const next = this.#queue.shift();
    if (next) connection.post(next, this.#headFor(next.post));
    else this.#idle.push(connection);
  }

  #forget(connection: Connection): void {
    this.#open.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    const next = this.#queue.shift();
    if (next) this.post(next);
  }
}

interface ConnectionListener {
  onFree(): void;
  onGone(): void;
}

/** One connection with at most one request. */
class Connection {
  readonly #socket: Socket;
  readonly #listener: ConnectionListener;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Fewer bytes are no answer. */
  #needed = 0;
  #waiting: Waiting | undefined;
  #isGone = false;

  constructor(host: string, port: number, listener: ConnectionListener) {
    this.#listener = listener;
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#socket.on("timeout", () => this.#late());
    this.#socket.on("error", (cause) => this.end(cause.message, cause));
    this.#socket.on("end", () => this.#read(true));
    this.#socket.on("close", () => this.end("the node closed the connection"));
  }

  post(waiting: Waiting, head: string): void {
    this.#waiting = waiting;
    const { body, timeoutMs } = waiting.post;
    if (this.#socket.timeout !== timeoutMs) this.#socket.setTimeout(timeoutMs);
    this.#socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  end(reason: string, cause?: Error): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#socket.destroy();
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const text = `${waiting?.post.url}: ${reason}`;
    waiting?.reject(new TransportFault(text, cause ? { cause } : {}));
    this.#listener.onGone();
  }

  /** One that has nothing to do may rest as long as it likes. */
  #late(): void {
    if (this.#waiting) this.end(`no answer in ${this.#waiting.post.timeoutMs} ms`);
  }

  #take(chunk: Buffer): void {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes >= this.#needed) this.#read(false);
  }

  #read(isEnd: boolean): void {
    if (this.#isGone) return;
    const [first = NOTHING] = this.#held;
    const bytes = this.#held.length > 1 ? Buffer.concat(this.#held) : first;
    const answer = readAnswer(bytes, isEnd);
    if (typeof answer === "number") {
      this.#needed = answer;
      this.#held = [bytes];
      return;
    }
    this.#held = [];
    this.#heldBytes = this.#needed = 0;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
    // What no caller has asked for is no answer either.
    if (answer.isLast || !waiting || answer.used < bytes.length) this.end("it ends here");
    else this.#listener.onFree();
  }
}

/** Sends over connections of its own; `close` ends them. */
export function createPosts(): { readonly send: SendPost; close(): void } {
  const lines = new Map<string, Line>();
  const lineOf = (url: string): Line => {
    const known = lines.get(url) ?? new Line(url);
    lines.set(url, known);
    return known;
  };
  return {
    send: (post) =>
      new Promise((resolve, reject) => lineOf(post.url).post({ post, resolve, reject })),
    close() {
      for (const line of lines.values()) line.close();
    },
  };
}

/** An answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** Bytes of the answer; behind the last one the connection ends. */
  readonly used: number;
  readonly isLast: boolean;
}

const LINE_END = "\r\n";
const HEAD_END = "\r\n\r\n";
/** Where the three digits of the status are. */
const STATUS_AT = 9;
const STATUS_END = 12;
const LENGTH = /\r\ncontent-length: *(\d+)/;
const CHUNKED = /\r\ntransfer-encoding: *chunked/;
const CLOSING = /\r\nconnection: *close/;

/**
 * An answer of HTTP/1.1, or how many bytes it needs. Source: RFC 9112 6
 * @param isEnd no more bytes follow
 */
export function readAnswer(data: Buffer, isEnd: boolean): HttpAnswer | number {
  const more = data.length + 1;
  const headEnd = data.indexOf(HEAD_END);
  if (headEnd < 0) return more;
  const head = data.toString("latin1", 0, headEnd).toLowerCase();
  const start = headEnd + HEAD_END.length;
  const status = Number(head.slice(STATUS_AT, STATUS_END));
  const isLast = CLOSING.test(head) || head.startsWith("http/1.0");
  const [, length] = LENGTH.exec(head) ?? [];
  if (length !== undefined) {
    const used = start + Number(length);
    if (data.length < used) return used;
    return { status, body: data.toString("utf8", start, used), used, isLast };
  }
  if (CHUNKED.test(head)) {
    const chunks = readChunks(data, start);
    return chunks ? { status, ...chunks, isLast } : more;
  }
  // Without a length the end of the connection is that of the answer.
  if (!isEnd) return more;
  return { status, body: data.toString("utf8", start), used: data.length, isLast: true };
}

function readChunks(data: Buffer, start: number): { body: string; used: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = data.indexOf(LINE_END, at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(data.toString("latin1", at, lineEnd), 16);
    const from = lineEnd + LINE_END.length;
    const next = from + size + LINE_END.length;
    if (!(data.length >= next)) return undefined;
    if (size === 0) return { body: Buffer.concat(parts).toString("utf8"), used: next };
    parts.push(data.subarray(from, from + size));
    at = next;
  }
}
