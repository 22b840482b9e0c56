/** Subscriptions over WebSockets at the node's RPC port: what is told, bounds, other origins. */
// rules: README 23-24
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { WebSocket } from "ws";
import type { Block } from "../../../../core/model/block.ts";
import type { WrittenBlock } from "../../../../core/node/options/group-options.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { type HttpServer, serve } from "../../../../runtimes/node/server/http-server.ts";
import { createWebSocketEnd } from "../../../../runtimes/node/server/websocket.ts";
import { createHttpApp } from "../../../../runtimes/shared/http-app.ts";
import { dataGroup, dataNode, nodeIdOf, OWN_ID } from "../../../support/data-node.ts";
import { memoryLedger } from "../../../support/ledger/memory-ledger.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { CONTRACT, SENDER, smallChain, TOPIC } from "../../../support/ledger/small-chain.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const MAX_BODY = 100_000;
const HOST = "127.0.0.1";
const [GENESIS, FIRST, SECOND] = smallChain() as [Block, Block, Block];

/** A node whose ledger grows when it is told to, with its port. */
async function growing() {
  const blocks: Block[] = [GENESIS, FIRST];
  const suite = STANDARD_SUITE;
  const members = { sealers: [OWN_ID], observers: [nodeIdOf("b0")] };
  const ledger = () => memoryLedger({ suite, blocks, ...members });
  const group = { ...dataGroup(ledger()) };
  Object.defineProperty(group, "ledger", { get: ledger });
  const node = dataNode([group]);
  const listeners: ((block: WrittenBlock) => void)[] = [];
  const rpc = { node, maxBodyBytes: MAX_BODY, log: { write: () => {} } };
  const lists = { allowedHosts: [], allowedOrigins: ["https://page.example"] };
  const onBlock = (listener: (typeof listeners)[number]) => void listeners.push(listener);
  const { app, posts } = createHttpApp(rpc);
  const end = createWebSocketEnd({ onBlock }, rpc, createNodeClock());
  const server = await serve(app.fetch, { host: HOST, port: 0, lists }, posts, end);
  const grow = (block: Block) => {
    blocks.push(block);
    const { number, timestamp } = block.header;
    const written = { groupId: 1, number, hash: block.hash, transactions: 5, failed: 1, sealer: 0 };
    for (const listener of listeners) listener({ ...written, timestamp: Number(timestamp) });
  };
  return { server, grow };
}

interface Message {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly method?: string;
  readonly params?: { readonly id: string; readonly result: Record<string, unknown> | null };
}

/** A client: asks, and keeps what it is told. */
class Client {
  readonly told: { id: string; result: Record<string, unknown> | null }[] = [];
  readonly order: string[] = [];
  readonly ended: Promise<{ code: number; reason: string }>;
  readonly socket: WebSocket;
  readonly #waiting = new Map<unknown, (message: Message) => void>();
  #wakers: (() => void)[] = [];
  #lastId = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.ended = new Promise((resolve) =>
      socket.once("close", (code: number, reason: Buffer) =>
        resolve({ code, reason: reason.toString() }),
      ),
    );
    socket.on("message", (data: Buffer) => this.#take(JSON.parse(data.toString()) as Message));
  }

  static async open(server: HttpServer, path = "/", origin?: string): Promise<Client> {
    const headers = origin === undefined ? {} : { origin };
    const socket = new WebSocket(`ws://${HOST}:${server.port}${path}`, { headers });
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return new Client(socket);
  }

  ask(method: string, params: readonly unknown[]): Promise<Message> {
    const id = ++this.#lastId;
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async subscribe(kind: string, filter: object = {}): Promise<string> {
    const { result, error } = await this.ask("subscribe", [1, kind, filter]);
    assert.equal(typeof result, "string", error?.message);
    return result as string;
  }

  /** Waits until it was told this much. */
  async heard(count: number): Promise<typeof this.told> {
    while (this.told.length < count) {
      await new Promise<void>((resolve) => this.#wakers.push(resolve));
    }
    return this.told;
  }

  #take(message: Message): void {
    if (message.params) {
      this.order.push(`told ${message.params.id}`);
      this.told.push(message.params);
    } else {
      this.order.push(`answer ${String(message.result)}`);
      this.#waiting.get(message.id)?.(message);
    }
    for (const wake of this.#wakers.splice(0)) wake();
  }
}

/** What a raw request is answered with, until the connection ends or a text was seen. */
function raw(port: number, request: string, until = /\r\n\r\n[\s\S]+/): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.write(request));
    let text = "";
    const end = () => {
      socket.destroy();
      resolve(text);
    };
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (until.test(text)) end();
    });
    socket.on("close", end);
  });
}

describe("subscriptions", () => {
  let place: Awaited<ReturnType<typeof growing>>;
  beforeAll(async () => {
    place = await growing();
  });
  afterAll(() => place.server.close());

  test("requests are answered as over HTTP, batches included, at both paths", async () => {
    for (const path of ["/", "/ws", "/?token=1"]) {
      const client = await Client.open(place.server, path);
      assert.equal((await client.ask("getBlockNumber", [1])).result, "0x1");
      const wrong = await client.ask("getBlockNumber", ["x"]);
      assert.equal(wrong.error?.code, -32602);
      client.socket.close();
      await client.ended;
    }
  });

  test("over HTTP there is no method subscribe", async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"subscribe","params":[1,"blocks",{}]}';
    const answer = await fetch(place.server.url, { method: "POST", body });
    assert.match(await answer.text(), /-32601/);
  });

  test("what does not fit is refused with code and reason", async () => {
    const client = await Client.open(place.server);
    for (const [params, code, about] of [
      [[2, "blocks", {}], -40001, /GroupID/],
      [[1], -32602, /./],
      [[1, "blocks", {}, 5], -32602, /./],
      [[1, "blocks", 5], -32602, /./],
      [[1, "news", {}], -32602, /kind/],
      [[1, "logs", { adresses: [] }], -32602, /adresses/],
      [[1, "logs", { toBlock: 0 }], -32602, /below/],
    ] as const) {
      const { error } = await client.ask("subscribe", params);
      assert.equal(error?.code, code);
      assert.match(error?.message ?? "", about);
    }
    for (const params of [
      [1, "blocks"],
      [1, "receipts", null],
    ]) {
      assert.equal(typeof (await client.ask("subscribe", params)).result, "string");
    }
    assert.equal((await client.ask("unsubscribe", ["0x9"])).result, false);
    client.socket.close();
  });

  test("history, its end, and receipts that are there already come after the answer", async () => {
    const client = await Client.open(place.server);
    const logs = await client.subscribe("logs", { fromBlock: 0, toBlock: 1, topics: [TOPIC] });
    const [log, last] = await client.heard(2);
    assert.deepEqual(log, {
      id: logs,
      result: {
        address: CONTRACT,
        blockHash: FIRST.hash,
        blockNumber: "0x1",
        data: "0x2a",
        logIndex: "0x0",
        topics: [TOPIC],
        transactionHash: FIRST.transactions[1]?.hash,
        transactionIndex: "0x1",
      },
    });
    assert.deepEqual(last, { id: logs, result: null });
    const transactionHash = FIRST.transactions[0]?.hash;
    const receipt = await client.subscribe("receipts", { transactionHash });
    const [, , known] = await client.heard(3);
    assert.deepEqual([known?.id, known?.result?.["transactionHash"]], [receipt, transactionHash]);
    const { result } = await client.ask("getTransactionReceipt", [1, transactionHash]);
    assert.deepEqual(known?.result, result);
    // Both have ended by themselves.
    assert.equal((await client.ask("unsubscribe", [logs])).result, false);
    assert.equal((await client.ask("unsubscribe", [receipt])).result, false);
    const first = client.order.indexOf(`told ${receipt}`);
    assert.ok(client.order.indexOf(`answer ${receipt}`) < first);
    client.socket.close();
  });

  test("a block is told to all who follow it, each what it asked for, in order", async () => {
    const { server, grow } = await growing();
    const client = await Client.open(server);
    const other = await Client.open(server);
    const wanted = SECOND.transactions[3]?.hash;
    const [blocks, all, one, own, foreign, logs, ended] = [
      await client.subscribe("blocks"),
      await client.subscribe("receipts"),
      await client.subscribe("receipts", { transactionHash: wanted }),
      await client.subscribe("receipts", { from: SENDER }),
      await client.subscribe("receipts", { from: CONTRACT }),
      await client.subscribe("logs", { addresses: [CONTRACT], topics: [[TOPIC]], fromBlock: "2" }),
      await client.subscribe("blocks"),
    ];
    assert.equal((await client.ask("unsubscribe", [ended])).result, true);
    await other.subscribe("blocks");
    grow(SECOND);
    const told = await client.heard(1 + 5 + 1 + 5 + 5);
    const of = (id: string) => told.filter((it) => it.id === id).map(({ result }) => result);
    const header = await client.ask("getBlockHeaderByNumber", [1, "2", false]);
    assert.deepEqual(of(blocks), [header.result]);
    const hashes = SECOND.transactions.map(({ hash }) => hash);
    assert.deepEqual(
      of(all).map((it) => it?.["transactionHash"]),
      hashes,
    );
    assert.deepEqual(
      of(one).map((it) => it?.["transactionHash"]),
      [wanted],
    );
    assert.deepEqual(
      of(own).map((it) => it?.["transactionHash"]),
      hashes,
    );
    assert.deepEqual(of(foreign), []);
    assert.deepEqual(
      of(logs).map((it) => it?.["transactionHash"]),
      hashes,
    );
    await other.heard(1);
    assert.equal(told.length, 17);
    await server.close();
    for (const { ended: over } of [client, other]) {
      assert.deepEqual(await over, { code: 1001, reason: "the node stops" });
    }
  });

  test("the example of the page prints what it was told", async () => {
    const { server, grow } = await growing();
    const script = join(ROOT, "docs/examples/subscribe.mjs");
    const child = spawn(process.execPath, [script, `ws://${HOST}:${server.port}`]);
    let text = "";
    await new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk) => {
        text += String(chunk);
        if (text.split("subscribed").length === 4) resolve();
      });
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    grow(SECOND);
    const all = 3 + 1 + 2 * SECOND.transactions.length + 1;
    while (text.split("\n").length <= all) await new Promise((resolve) => setTimeout(resolve, 5));
    await server.close();
    await ended;
    const lines = text
      .trim()
      .split("\n")
      .map((line) => line.trim())
      .sort();
    const hashes = SECOND.transactions.map(({ hash }) => hash);
    const former = FIRST.transactions[1]?.hash;
    assert.deepEqual(
      lines,
      [
        "blocks 2",
        "closed 1001 the node stops",
        ...hashes.map((hash) => `receipts ${hash}`),
        ...[former, ...hashes].map((hash) => `logs ${hash} ${TOPIC}`),
        ...["blocks", "logs", "receipts"].map((kind) => `subscribed ${kind}`),
      ].sort(),
    );
  });

  test("pages of foreign origins are refused, the node's own and listed ones are not", async () => {
    for (const origin of ["https://evil.example", "null"]) {
      await assert.rejects(Client.open(place.server, "/", origin), /403/);
    }
    for (const origin of ["https://page.example", `http://${HOST}:${place.server.port}`]) {
      const client = await Client.open(place.server, "/", origin);
      client.socket.close();
    }
    await assert.rejects(Client.open(place.server, "/elsewhere"), /404/);
  });

  test("a thousand subscriptions are admitted, one more ends the connection with a reason", async () => {
    const client = await Client.open(place.server);
    const open = Array.from({ length: 1_000 }, () => client.subscribe("blocks"));
    await Promise.all(open);
    void client.ask("subscribe", [1, "blocks", {}]);
    const { code, reason } = await client.ended;
    assert.deepEqual([code, reason], [1008, "more than 1000 subscriptions"]);
  });

  test("a binary message and one that is too long end the connection", async () => {
    const binary = await Client.open(place.server);
    binary.socket.send(new Uint8Array([1]));
    assert.equal((await binary.ended).code, 1003);
    const long = await Client.open(place.server);
    long.socket.send("x".repeat(MAX_BODY + 1));
    assert.equal((await long.ended).code, 1009);
  });

  test("a client that does not read is cut off once 8 MiB wait", async () => {
    const client = await Client.open(place.server);
    client.socket.pause();
    // Refused methods are answered with their long id.
    const refused = { jsonrpc: "2.0", id: "y".repeat(1_000), method: "none" };
    const batch = JSON.stringify(Array.from({ length: 90 }, () => refused));
    for (let i = 0; i < 260; i++) client.socket.send(batch);
    // Each question of another client leaves the node a turn to read what was sent.
    const other = await Client.open(place.server);
    for (let turn = 0; turn < 400; turn++) await other.ask("getBlockNumber", [1]);
    other.socket.close();
    client.socket.resume();
    const { code, reason } = await client.ended;
    // Who takes longer to read on than the grace of a close is cut without a word.
    const words = code === 1006 ? "" : "more than 8 MiB are unread";
    assert.deepEqual([code, reason], [code === 1006 ? code : 1013, words]);
  });

  test("a request that asks for another protocol is answered as if it did not", async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[1]}';
    const request = [
      "POST / HTTP/1.1",
      "Host: localhost",
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABkAAQAAP__",
      `Content-Length: ${body.length}`,
      "",
      body,
    ].join("\r\n");
    const answer = await raw(place.server.port, request);
    assert.match(answer, /^HTTP\/1\.1 200 OK/);
    assert.match(answer, /"result":"0x1"/);
    const get = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
    assert.match(await raw(place.server.port, get), /^HTTP\/1\.1 405 /);
  });

  test("a handshake that is none is refused without harm", async () => {
    const upgrade =
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket";
    const answer = await raw(place.server.port, `${upgrade}\r\n\r\n`, /\r\n\r\n/);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    const client = await Client.open(place.server);
    assert.equal((await client.ask("getBlockNumber", [1])).result, "0x1");
    client.socket.close();
  });
});
