/**
 * A minimal keep-alive HTTP/1.1 client: one request at a time per socket, as cheap as a client can
 * be.
 */
import { connect, type Socket } from "node:net";

/** One keep-alive connection that posts JSON bodies. */
export interface HttpConnection {
  /** Resolves with the response body. Rejects when the socket closes or the status is not 200. */
  post(body: string): Promise<string>;
  close(): void;
}

interface Waiting {
  readonly resolve: (body: string) => void;
  readonly reject: (cause: Error) => void;
}

/** Reads one response off the buffered bytes; undefined while it is incomplete. */
function readResponse(data: Buffer): { status: number; body: string; used: number } | undefined {
  const headEnd = data.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = data.toString("latin1", 0, headEnd).toLowerCase();
  const status = Number(head.slice(9, 12));
  const start = headEnd + 4;
  const length = /\r\ncontent-length: *(\d+)/.exec(head);
  if (length) {
    const end = start + Number(length[1]);
    return data.length < end
      ? undefined
      : { status, body: data.toString("utf8", start, end), used: end };
  }
  return readChunks(data, start, status);
}

function readChunks(data: Buffer, start: number, status: number) {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = data.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(data.toString("latin1", at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (data.length < next) return undefined;
    if (size === 0) return { status, body: Buffer.concat(parts).toString("utf8"), used: next };
    parts.push(data.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

/** Connects to `http://host:port`. */
export async function openConnection(url: string): Promise<HttpConnection> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  let buffered: Buffer = Buffer.alloc(0);
  let waiting: Waiting | undefined;
  const settle = (use: (waiter: Waiting) => void) => {
    const waiter = waiting;
    waiting = undefined;
    if (waiter) use(waiter);
  };
  socket.on("data", (chunk: Buffer) => {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    const response = readResponse(buffered);
    if (!response) return;
    buffered = buffered.subarray(response.used);
    settle(({ resolve, reject }) =>
      response.status === 200
        ? resolve(response.body)
        : reject(new Error(`HTTP ${response.status}: ${response.body.slice(0, 200)}`)),
    );
  });
  socket.on("error", (cause) => settle(({ reject }) => reject(cause)));
  socket.on("close", () =>
    settle(({ reject }) => reject(new Error(`${url} closed the connection`))),
  );
  const lines = ["POST / HTTP/1.1", `host: ${hostname}`, "content-type: application/json"];
  const head = `${lines.join("\r\n")}\r\ncontent-length: `;
  return {
    post: (body) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(`${head}${Buffer.byteLength(body)}\r\n\r\n${body}`);
      }),
    close: () => socket.destroy(),
  };
}

/** One JSON-RPC call on a connection; throws on an error answer. */
export async function rpc(connection: HttpConnection, method: string, params: readonly unknown[]) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = JSON.parse(await connection.post(body)) as {
    result?: unknown;
    error?: { message: string };
  };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}
