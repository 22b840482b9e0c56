/** What hostile clients do to one node, until they are ended: each row by its name. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import { CHANNEL_ROWS } from "./hostile-channel.ts";
import { FURTHER_ROWS } from "./hostile-further.ts";

/** Whom they attack, and with what it was prepared. */
export interface Target {
  readonly url: string;
  /** A transaction whose receipt has tens of megabytes of logs. */
  readonly longReceipt: string;
  /** A contract that burns all its gas. */
  readonly burner: string;
  /** Signed transactions to it. */
  readonly heavy: readonly string[];
  readonly channelPort: number;
  readonly peerPort: number;
  /** Folder with the files of an SDK. */
  readonly sdk: string;
}

const MIB = 1024 * 1024;
const IDENTITY = `0x${"0".repeat(39)}4`;
const FROM = `0x${"1".repeat(40)}`;
/** Half-sent requests and idle WebSockets at one time. */
const HALF_SENT = 4_000;
const IDLE_SOCKETS = 1_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function rpc(method: string, params: readonly unknown[], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: [1, ...params] });
}

function post(body: string, length = Buffer.byteLength(body)): string {
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

async function opened({ url }: Target): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  // A connection that is refused or reset is what an attacker must expect.
  await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined);
  return socket;
}

/** Asks and reads, again and again. */
async function asking(target: Target, body: string): Promise<never> {
  for (;;) {
    await fetch(target.url, { method: "POST", body })
      .then((answer) => answer.arrayBuffer())
      .catch(() => pause(50));
  }
}

/** Asks so much in one go, does not read, and hangs up. */
async function hangingUp(target: Target, [text, ms]: readonly [string, number]): Promise<never> {
  for (;;) {
    const socket = await opened(target);
    socket.pause();
    socket.write(text);
    await pause(ms);
    socket.destroy();
  }
}

/** Keeps so many connections open on which nothing goes on. */
async function holding(target: Target, count: number, text: string): Promise<never> {
  const open = new Set<Socket>();
  for (;;) {
    while (open.size < count) {
      const socket = await opened(target);
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      socket.write(text);
      if (open.size % 50 === 0) await pause(5);
    }
    await pause(100);
  }
}

async function sockets(target: Target, count: number, use: (socket: WebSocket) => void) {
  const url = target.url.replace("http", "ws");
  let open = 0;
  for (;;) {
    while (open < count) {
      const socket = new WebSocket(url, {});
      open++;
      socket.on("error", () => undefined);
      socket.once("close", () => open--);
      socket.once("open", () => use(socket));
      await pause(2);
    }
    await pause(100);
  }
}

/** Pings and never reads. */
function pinging(socket: WebSocket): void {
  socket.pause();
  const timer = setInterval(() => {
    if (socket.bufferedAmount > MIB) return;
    for (let i = 0; i < 1_000; i++) socket.ping("x".repeat(100));
  }, 10);
  socket.once("close", () => clearInterval(timer));
}

const call = (to: string, bytes: number): string =>
  rpc("call", [{ from: FROM, to, data: `0x${"ab".repeat(bytes)}` }]);
const subscribe = rpc("subscribe", ["blocks"]);
const near64 = (kind: string): string => {
  const text = "ab".repeat(31 * MIB);
  if (kind === "transaction") return rpc("sendRawTransaction", [`0x${text}`]);
  if (kind === "id") return rpc("getBlockNumber", [], text);
  return `[${`${rpc("none", ["x".repeat(60_000)])},`.repeat(990)}1]`;
};

/** Texts that are none, as one frame and as many. */
function notText(socket: WebSocket): void {
  for (const length of [100, 60_000, 600_000])
    socket.send(Buffer.alloc(length, 0xff), { binary: false });
}

type Rows = Readonly<Record<string, (target: Target) => readonly Promise<unknown>[]>>;

/** What once had a node fall: all of it at once is held. */
export const FALLEN_ROWS: Rows = {
  ...CHANNEL_ROWS,
  "not-utf8": (it) => [sockets(it, 8, notText)],
  outputs: (it) => [4, 4, 12, 30].map((mib) => asking(it, call(IDENTITY, mib * MIB * 0.95))),
  receipts: (it) =>
    [1, 2, 3, 4].map(() => asking(it, rpc("getTransactionReceipt", [it.longReceipt]))),
  "unread-receipts": (it) =>
    [1, 2, 3, 4].map(() =>
      hangingUp(it, [post(rpc("getTransactionReceipt", [it.longReceipt])).repeat(16), 3_000]),
    ),
  calls: (it) => [hangingUp(it, [post(call(it.burner, 4)).repeat(16), 300])],
  bodies: (it) => [1, 2, 3].map(() => hangingUp(it, [post("x".repeat(50 * MIB), 60 * MIB), 2_000])),
  "near-64": (it) => ["transaction", "id", "batch"].map((kind) => asking(it, near64(kind))),
  "slow-bodies": (it) => [holding(it, 100, post("{", MIB))],
  pings: (it) => [sockets(it, 8, pinging)],
  "half-sent": (it) => [holding(it, HALF_SENT, "POST / HTTP/1.1\r\nHost: loc")],
  silent: (it) => [holding(it, 500, "")],
  "idle-sockets": (it) => [sockets(it, IDLE_SOCKETS, () => undefined)],
  subscribers: (it) => [sockets(it, 50, (socket) => void socket.send(subscribe))],
  "long-lists": (it) => [
    asking(it, rpc("getPendingTransactions", [])),
    asking(
      it,
      `[${Array.from({ length: 1_000 }, () => rpc("getBlockByNumber", ["1", true])).join()}]`,
    ),
  ],
  "many-values": (it) => [asking(it, `[${"[],".repeat(199_000)}1]`)],
  deep: (it) => [asking(it, `${"[".repeat(200_000)}1${"]".repeat(200_000)}`)],
  escapes: (it) => [asking(it, rpc("none", ["\\u0041".repeat(30_000)]))],
  numbers: (it) => [asking(it, rpc("getBlockByNumber", ["9".repeat(200_000), true]))],
  heavy: (it) => [
    (async () => {
      for (const raw of it.heavy) {
        await fetch(it.url, { method: "POST", body: rpc("sendRawTransaction", [raw]) })
          .then((answer) => answer.text())
          .catch(() => "");
        await pause(10_000);
      }
    })(),
  ],
};

/** With those that were thought of since. */
export const ROWS: Rows = { ...FALLEN_ROWS, ...FURTHER_ROWS };
