/** What a reviewer tried beside the rows of the first attack: each by its name. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { WebSocket } from "ws";
import type { Target } from "./hostile-attackers.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const FROM = `0x${"1".repeat(40)}`;
const LARGE_FILE = "/compilers/0.8.11/soljson.js";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function rpc(method: string, params: readonly unknown[], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params: [1, ...params] });
}

function post(body: string, headers = ""): string {
  const length = Buffer.byteLength(body);
  return `POST / HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${length}\r\n\r\n${body}`;
}

/** @param host of this machine: each is a client of its own */
async function opened({ url }: Target, host = 1): Promise<Socket> {
  const { port } = new URL(url);
  const localAddress = `127.0.1.${host}`;
  const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress });
  socket.on("error", () => undefined);
  // A connection that is refused or reset is what an attacker must expect.
  await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined);
  return socket;
}

type Use = (socket: Socket) => Promise<void> | void;

/** So many connections that are opened anew when they end. */
function connections(target: Target, count: number, use: Use, hosts = 1): Promise<unknown>[] {
  return Array.from({ length: count }, async (_, i) => {
    for (;;) {
      const socket = await opened(target, 1 + (i % hosts));
      const closed = once(socket, "close").catch(() => undefined);
      await use(socket);
      if (!socket.destroyed) await closed;
      await pause(20);
    }
  });
}

/** Sends again and again, and reads all. */
function asking(text: string, everyMs = 0): Use {
  return async (socket) => {
    socket.resume();
    while (!socket.destroyed) {
      if (socket.writableLength < MIB) socket.write(text);
      await pause(everyMs);
    }
  };
}

/** Sends, waits, and hangs up. */
function hangingUp(text: string | Buffer, ms: number): Use {
  return async (socket) => {
    socket.pause();
    await new Promise((resolve) => socket.write(text, resolve));
    await pause(ms);
    socket.destroy();
  };
}

/** Sends once, reads nothing and stays. */
function unread(text: string): Use {
  return (socket) => {
    socket.pause();
    socket.write(text);
  };
}

/** Sends the parts in turn, one every so often. */
function dripping(first: string, part: string, ms: number): Use {
  return async (socket) => {
    socket.resume();
    socket.write(first);
    while (!socket.destroyed) {
      await pause(ms);
      socket.write(part);
    }
  };
}

async function webSockets(
  { url }: Target,
  count: number,
  use: (socket: WebSocket) => Promise<void> | void,
): Promise<never> {
  let open = 0;
  for (;;) {
    while (open < count) {
      const socket = new WebSocket(url.replace("http", "ws"), {});
      open++;
      socket.on("error", () => undefined);
      socket.once("close", () => open--);
      socket.once("open", () => void use(socket));
      await pause(2);
    }
    await pause(50);
  }
}

/** A connection that was made a WebSocket by hand. */
function rawWebSocket(next: () => Buffer): Use {
  return async (socket) => {
    socket.write(
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n" +
        "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
    );
    socket.resume();
    await pause(100);
    while (!socket.destroyed) {
      if (socket.writableLength < MIB) socket.write(next());
      await pause(1);
    }
  };
}

const many = (frame: readonly number[], count: number) =>
  Buffer.from(Array.from({ length: count }, () => frame).flat());

const call = (to: string) => rpc("call", [{ from: FROM, to, data: "0x00000000" }]);
const identity = (bytes: number) =>
  rpc("call", [{ from: FROM, to: `0x${"0".repeat(39)}4`, data: `0x${"ab".repeat(bytes)}` }]);
const subscribeTo = (kind: string, filter: unknown) => rpc("subscribe", [kind, filter]);
const longBatch = () =>
  `[${Array.from({ length: 900 }, (_, i) => rpc("getClientVersion", ["x".repeat(60_000)], i))}]`;
const headersOf = (count: number) =>
  Array.from({ length: count }, (_, i) => `h${i.toString(36)}: 1\r\n`).join("");
/** Longer than the longest that is read here, of which one byte has come. */
const BEGUN = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000000\r\n\r\n{";

const junk = (bytes: number) => Buffer.alloc(bytes, 0x16);

/** All rows. */
export const FURTHER_ROWS: Readonly<
  Record<string, (target: Target) => readonly Promise<unknown>[]>
> = {
  // One client each.
  "slow-calls": (it) => connections(it, 24, asking(post(call(it.burner)), 500), 24),
  "slow-calls-of-one": (it) => connections(it, 24, asking(post(call(it.burner)), 500)),
  "paused-sockets": (it) => [
    webSockets(it, 4, async (socket) => {
      for (let i = 0; i < 200; i++) socket.send(call(it.burner));
      await pause(1_000);
      socket.terminate();
    }),
  ],
  "unread-batches": (it) => connections(it, 12, unread(post(longBatch()) + post(longBatch()))),
  "gone-bodies": (it) =>
    connections(it, 8, hangingUp(post(rpc("none", ["x".repeat(60 * MIB)])), 30), 2),
  "begun-bodies": (it) => [
    ...connections(it, 3, hangingUp(post(rpc("none", ["x".repeat(40 * MIB)])), 500)),
    ...connections(it, 1_000, dripping(BEGUN, "x", 2_000)),
  ],
  "wide-texts": (it) =>
    connections(it, 3, asking(post(rpc("none", [`€${"x".repeat(62 * MIB)}`])), 1_000), 3),
  "long-names": (it) => {
    const name = "n".repeat(40 * MIB);
    return [
      ...connections(it, 2, asking(post(rpc("getBlockNumber", [], name)), 500)),
      ...connections(it, 2, asking(post(rpc(name, [])), 500)),
    ];
  },
  drips: (it) => [
    ...connections(it, 1_000, dripping("POST / HTTP/1.1\r\n", "a: b\r\n", 1_000)),
    ...connections(
      it,
      1_000,
      dripping(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
        `1;${"e".repeat(4_000)}\r\n{\r\n`,
        200,
      ),
    ),
  ],
  "many-headers": (it) => connections(it, 16, asking(post("{}", headersOf(1_800)))),
  pipelines: (it) =>
    connections(it, 32, hangingUp(post(rpc("getBlockNumber", [])).repeat(5_000), 200)),
  "unread-files": (it) =>
    connections(it, 2_000, unread(`GET ${LARGE_FILE} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(4))),
  "long-reads": (it) =>
    connections(
      it,
      500,
      asking(post(rpc("getBatchReceiptsByBlockNumberAndRange", ["2", "0", "-1", true])), 1_000),
    ),
  "subscribed-receipts": (it) => [
    webSockets(it, 4, async (socket) => {
      const ask = subscribeTo("receipts", { transactionHash: it.longReceipt });
      while (socket.readyState === WebSocket.OPEN) {
        socket.send(ask);
        await pause(200);
      }
    }),
  ],
  "log-history": (it) => [
    webSockets(it, 50, async (socket) => {
      for (let i = 0; i < 32; i++) socket.send(subscribeTo("logs", { fromBlock: "0x0" }));
    }),
  ],
  "many-subscriptions": (it) => [
    webSockets(it, 100, async (socket) => {
      const one = subscribeTo("logs", { addresses: [FROM] });
      for (let i = 0; i < 10; i++) {
        socket.send(`[${Array.from({ length: 100 }, () => one).join()}]`);
        await pause(50);
      }
    }),
  ],
  "empty-messages": (it) =>
    connections(
      it,
      8,
      rawWebSocket(() => many([0x81, 0x80, 0, 0, 0, 0], 2_000)),
    ),
  "empty-fragments": (it) =>
    connections(it, 8, (socket) => {
      let opcode = 1;
      return rawWebSocket(() => {
        const frames = many([opcode, 0x80, 0, 0, 0, 0], opcode === 1 ? 1 : 2_000);
        opcode = 0;
        return frames;
      })(socket);
    }),
  "one-byte-fragments": (it) =>
    connections(
      it,
      64,
      rawWebSocket(() => many([0x01, 0x81, 0, 0, 0, 0, 0x20, 0x80, 0x81, 0, 0, 0, 0, 0x20], 500)),
    ),
  compressed: (it) =>
    connections(
      it,
      8,
      rawWebSocket(() => many([0xc1, 0x81, 0, 0, 0, 0, 1], 200)),
    ),
  "call-outputs": (it) => connections(it, 12, asking(post(identity(120_000)), 20), 12),
  "batches-in-batches": (it) => connections(it, 8, asking(post(`[${"[[]],".repeat(900)}[]]`), 5)),
  "other-groups": (it) => {
    const ask = (group: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[${group}]}`;
    const batch = Array.from({ length: 900 }, (_, i) => ask(i + 2));
    return connections(it, 8, asking(post(`[${batch.join()}]`), 5));
  },
  // TLS records that are none, and connections that say nothing.
  "half-peers": (it) =>
    [it.peerPort, it.channelPort].flatMap((port) => [
      ...connections({ ...it, url: `http://127.0.0.1:${port}` }, 200, unread("")),
      ...connections({ ...it, url: `http://127.0.0.1:${port}` }, 50, hangingUp(junk(60_000), 100)),
      ...connections(
        { ...it, url: `http://127.0.0.1:${port}` },
        50,
        dripping("\u0016", "\u0003", 300),
      ),
    ]),
  "bad-signatures": (it) => {
    const [raw = ""] = it.heavy;
    const batch = Array.from({ length: 500 }, (_, i) => {
      // Its s is above the order of the curve: any other would be the signature of somebody.
      const s = i.toString(16).padStart(64, "f");
      return rpc("sendRawTransaction", [raw.slice(0, -64) + s]);
    });
    return connections(it, 8, asking(post(`[${batch.join()}]`), 20));
  },
};
