/** Listening and closing. */
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { Agent, request, Server } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "vitest";
import { SocketMemory } from "../../../../core/limits/memory-account.ts";
import type { HttpBounds } from "../../../../runtimes/node/server/http-load.ts";
import { serve } from "../../../../runtimes/node/server/http-server.ts";
import { ListenFault } from "../../../../runtimes/node/machine/listen-fault.ts";
import type { ListenProblem } from "../../../../runtimes/node/machine/listen-fault.ts";
import {
  createHttpApp,
  type OnGrown,
  type PostAnswer,
  type ServerEnv,
} from "../../../../runtimes/shared/http-app.ts";
import { rpcNode } from "../../../support/rpc-node.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const HERE = { host: "127.0.0.1", port: 0 };
const echo = async (incoming: Request) => new Response(`got ${await incoming.text()}`);

function isListenFault(problem: ListenProblem, words: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof ListenFault, String(error));
    assert.equal(error.problem, problem);
    assert.match(error.message, words);
    return true;
  };
}

/** What a POST is answered with, by an endpoint that knows nothing else. */
type AnswerPost = (body: string, onGrown: OnGrown | undefined) => Promise<PostAnswer>;

/** Serves it. */
function servePosts(answer: AnswerPost, bounds: HttpBounds = {}) {
  const endpoint = async (_: Request, { plain, onGrown }: ServerEnv) => {
    assert.ok(plain, "a POST of known length comes in its plain form");
    return plain.respond(await answer(String(await plain.read()), onGrown));
  };
  return serve(endpoint, { ...HERE, ...bounds }, { maxBytes: 100_000_000 });
}

test("port 0 binds a free port, which is reported and answers", async () => {
  const server = await serve(echo, HERE);
  assert.ok(server.port > 0);
  assert.equal(server.url, `http://127.0.0.1:${server.port}`);
  const answer = await fetch(server.url, { method: "POST", body: "hello" });
  assert.equal(await answer.text(), "got hello");
  await server.close();
});

test("a port in use is refused in one sentence that names it", async () => {
  const first = await serve(echo, HERE);
  const again = serve(echo, { host: "127.0.0.1", port: first.port });
  const words = new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${first.port}: the port is in use`);
  await assert.rejects(again, isListenFault("inUse", words));
  await first.close();
});

test("an address of another machine is refused", async () => {
  const elsewhere = serve(echo, { host: "192.0.2.1", port: 0 });
  await assert.rejects(elsewhere, isListenFault("noSuchAddress", /192\.0\.2\.1/));
});

test("a running request is answered before the server closes", async () => {
  let begun: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let finish: () => void = () => {};
  const server = await serve(async () => {
    begun();
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return new Response("late");
  }, HERE);
  const answer = fetch(server.url);
  await started;
  const closed = server.close();
  finish();
  assert.equal(await (await answer).text(), "late");
  await closed;
});

test("idle keep-alive connections do not hold up closing", async () => {
  const server = await serve(echo, HERE);
  const agent = new Agent({ keepAlive: true });
  await new Promise((resolve, reject) => {
    const sent = request(server.url, { agent, method: "POST" }, (response) => {
      response.resume().on("end", resolve);
    });
    sent.on("error", reject).end("x");
  });
  const silent = connect(server.port, "127.0.0.1");
  await new Promise((resolve) => silent.once("connect", resolve));
  const { closeAllConnections } = Server.prototype;
  let cuts = 0;
  Server.prototype.closeAllConnections = function cut(this: Server) {
    cuts++;
    return closeAllConnections.call(this);
  };
  await server.close();
  Server.prototype.closeAllConnections = closeAllConnections;
  assert.equal(cuts, 0, "closing waited for the grace time");
  agent.destroy();
  silent.destroy();
});

test("after closing the port is free, and closing twice is harmless", async () => {
  const server = await serve(echo, HERE);
  const { port } = server;
  await Promise.all([server.close(), server.close()]);
  const again = await serve(echo, { host: "127.0.0.1", port });
  await again.close();
});

test("an answer that fails, or that no caller waits for any more, ends no process", async () => {
  let isLast = false;
  let asked: () => void = () => {};
  const server = await servePosts(async (body) => {
    if (body === "fails") throw new Error("the answer failed");
    if (body === "unsendable")
      return { status: 200, headers: { "Access-Control-Allow-Origin": "a\nb" }, body };
    asked();
    await new Promise((resolve) => setTimeout(resolve, isLast ? 0 : 50));
    return { status: 200, headers: {}, body };
  });
  for (const body of ["fails", "unsendable"])
    await assert.rejects(fetch(server.url, { method: "POST", body }));
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const socket = connect(server.port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nlate");
  await waiting;
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  isLast = true;
  const answer = await fetch(server.url, { method: "POST", body: "well" });
  assert.equal(await answer.text(), "well");
  await server.close();
});

test("posts in one packet are answered in order, and one that asks first is told to go on", async () => {
  const server = await servePosts(async (body) => {
    await new Promise((resolve) => setTimeout(resolve, body === "one" ? 30 : 0));
    return { status: 200, headers: {}, body };
  });
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n";
  socket.write(`${head}\r\none${head}\r\ntwo${head}Expect: 100-continue\r\n\r\n`);
  while (!text.includes("100 Continue")) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.write("six");
  while (!text.endsWith("six")) await new Promise((resolve) => setTimeout(resolve, 5));
  socket.destroy();
  assert.match(text, /one[\s\S]*two[\s\S]*six/);
  assert.equal(text.match(/200 OK/g)?.length, 3);
  await server.close();
});

/** The end of the next connection that a server here takes. */
function takenSocket(): Promise<Socket> {
  return new Promise((resolve) => {
    const seen = (message: unknown) => {
      unsubscribe("net.server.socket", seen);
      resolve((message as { readonly socket: Socket }).socket);
    };
    subscribe("net.server.socket", seen);
  });
}

test("a request with very many header fields is refused, and its connection ends", async () => {
  const server = await serve(echo, HERE);
  const fields = (count: number) =>
    Array.from({ length: count }, (_, i) => `h${i}: 1\r\n`).join("");
  for (const [count, status] of [
    [200, "200 OK"],
    [1_800, "431 Request Header Fields Too Large"],
  ] as const) {
    const socket = connect(server.port, HERE.host);
    socket.write(`POST / HTTP/1.1\r\n${fields(count)}Content-Length: 1\r\n\r\nx`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.ok(answer.toString().startsWith(`HTTP/1.1 ${status}`), answer.toString());
    if (count > 200) await once(socket, "close");
    socket.destroy();
  }
  await server.close();
});

test("upgrade requests for an unknown protocol leave nothing on their connection", async () => {
  const server = await serve(echo, HERE, undefined, {
    upgrade: () => false,
    close: async () => undefined,
  });
  const accepted = takenSocket();
  const client = connect(server.port, "127.0.0.1");
  // What is written next does not wait until the other end has confirmed what came before.
  client.setNoDelay(true);
  let text = "";
  client.on("data", (chunk) => {
    text += chunk;
  });
  const socket = await accepted;
  const counts: number[] = [];
  for (let i = 1; i <= 50; i++) {
    client.write("POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n");
    client.write("Content-Length: 2\r\n\r\nhi");
    const isAnswered = () => text.match(/got hi/g)?.length === i;
    while (!isAnswered()) await new Promise((resolve) => setTimeout(resolve, 2));
    counts.push(socket.listenerCount("close"));
  }
  assert.equal(new Set(counts).size, 1, `listeners after each: ${counts.join(" ")}`);
  client.destroy();
  await server.close();
});

/** Asks with a POST on a connection of its own, and reads nothing of the answer. */
function askAndSleep(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nbig");
  return socket;
}

/** Answers with as many bytes as no system takes from a server at once. */
const big: AnswerPost = async (body) => {
  const text = body === "big" ? "x".repeat(32_000_000) : "small";
  return { status: 200, headers: {}, body: text };
};

// websocket-bounds.test.ts has the same bound; core/limits/memory-account.test.ts counts.
inFull(
  "answers that nobody reads are bounded together: the peer that holds most is cut",
  async () => {
    let cuts = 0;
    const bounds = { maxHeldBytes: 80_000_000, onCut: () => void cuts++ };
    const server = await servePosts(big, bounds);
    const sleepers = Array.from({ length: 6 }, () => askAndSleep(server.port));
    const deadline = performance.now() + 240_000;
    while (cuts < 4 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(cuts, 4, "two of six fit");
    const answer = await fetch(server.url, { method: "POST", body: "hi" });
    assert.equal(await answer.text(), "small");
    for (const socket of sleepers) socket.destroy();
    await server.close();
  },
);

test("bodies that are not whole count, of known length or not", async () => {
  for (const head of ["Content-Length: 90000000", "Transfer-Encoding: chunked"]) {
    let cuts = 0;
    const bounds = { maxHeldBytes: 1_000_000, onCut: () => void cuts++ };
    const { app, posts } = createHttpApp({ node: rpcNode({}, {}), maxBodyBytes: 100_000_000 });
    const server = await serve(app.fetch, { ...HERE, ...bounds }, posts);
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\nF4240\r\n`);
    socket.write(Buffer.alloc(1_000_000, 0x20));
    await new Promise((resolve) => socket.once("close", resolve));
    assert.equal(cuts, 1);
    await server.close();
  }
});

test("an answer of which nothing is taken for a time ends its connection", async () => {
  const server = await servePosts(big, { stallMs: 200 });
  const taken = takenSocket();
  const sleeper = askAndSleep(server.port);
  const ended = await taken;
  await new Promise((resolve) => ended.once("close", resolve));
  let bytes = 0;
  sleeper.on("data", (chunk) => {
    bytes += chunk.length;
  });
  await new Promise((resolve) => sleeper.once("close", resolve));
  assert.ok(bytes < 32_000_000, `${bytes} bytes came`);
  await server.close();
});

/** Takes the big answer with pauses; how much of it came. */
async function takeSlowly(port: number): Promise<number> {
  const reader = askAndSleep(port);
  let bytes = 0;
  reader.on("data", (chunk) => {
    bytes += chunk.length;
    reader.pause();
    setTimeout(() => reader.resume(), 2);
  });
  while (bytes < 32_000_000 && !reader.destroyed)
    await new Promise((resolve) => setTimeout(resolve, 20));
  reader.destroy();
  return bytes;
}

// Long answers are whole in long-answers.test.ts.
inFull("an answer that is taken slowly is given whole", async () => {
  const server = await servePosts(big, { stallMs: 400 });
  // A busy machine may take nothing for so long: it tries again.
  while ((await takeSlowly(server.port)) < 32_000_000);
  await server.close();
});

test("a batch ends when its client has hung up", async () => {
  let begun: () => void = () => {};
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let ended: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const server = await servePosts(async (_body, onGrown) => {
    begun();
    while (onGrown?.(10) !== false) await new Promise((resolve) => setTimeout(resolve, 5));
    ended();
    return { status: 200, headers: {}, body: "" };
  });
  const socket = askAndSleep(server.port);
  await started;
  socket.destroy();
  await over;
  await server.close();
});

/** A connection that has sent this much, and what it is answered. */
async function held(port: number, text: string) {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  await new Promise<void>((resolve) => void socket.once("connect", resolve));
  socket.write(text);
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(answer)));
  return { socket, closed, read: () => answer };
}

test("a flood of half-sent requests keeps nobody out: the oldest give way", async () => {
  let cuts = 0;
  const bounds = { maxConnections: 20, onCut: () => void cuts++ };
  const server = await serve(echo, { ...HERE, ...bounds });
  const half = ["", "POST / HTTP/1.1\r\nHost: a", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab"];
  const flood = [];
  for (let i = 0; i < 60; i++) flood.push(await held(server.port, half[i % 3] ?? ""));
  for (let i = 0; i < 3; i++) {
    const answer = await fetch(server.url, { method: "POST", body: "hello", keepalive: false });
    assert.equal(await answer.text(), "got hello");
  }
  assert.ok(cuts >= 41, `${cuts} gave way`);
  await flood[0]?.closed;
  for (const { socket } of flood) socket.destroy();
  await server.close();
});

test("when all places are busy the health of a node is told, and nothing else", async () => {
  const finish: (() => void)[] = [];
  const slow = (request: Request) =>
    request.url.endsWith("/healthz")
      ? new Response("alive")
      : new Promise<Response>((resolve) => finish.push(() => resolve(new Response("done"))));
  const server = await serve(slow, { ...HERE, maxConnections: 4 });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const busy = [];
  for (let i = 0; i < 4; i++) busy.push(await held(server.port, get("/")));
  while (finish.length < 4) await new Promise((resolve) => setImmediate(resolve));
  const health = await held(server.port, get("/healthz"));
  assert.match(await health.closed, /^HTTP\/1.1 200 OK[\s\S]*alive$/);
  const other = await held(server.port, get("/"));
  assert.match(await other.closed, /^HTTP\/1.1 503 /);
  for (const end of finish) end();
  for (const { closed } of busy) assert.match(await closed, /done$/);
  await server.close();
});

test("what a client makes the node hold counts until the work for it is over, though it hung up", async () => {
  const memory = new SocketMemory(10_000_000);
  let finish: () => void = () => undefined;
  let begun: () => void = () => undefined;
  const answer: AnswerPost = (body) =>
    new Promise((resolve) => {
      finish = () => resolve({ status: 200, headers: {}, body });
      begun();
    });
  const server = await servePosts(answer, { memory });
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const body = "x".repeat(1_000_000);
  const text = `POST / HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const { socket, closed } = await held(server.port, text);
  await started;
  socket.destroy();
  await closed;
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(memory.heldBytes >= body.length, `${memory.heldBytes} bytes`);
  finish();
  while (memory.heldBytes > 0) await new Promise((resolve) => setImmediate(resolve));
  const half = await held(server.port, text.slice(0, 500_000));
  while (memory.heldBytes < 400_000) await new Promise((resolve) => setImmediate(resolve));
  half.socket.destroy();
  while (memory.heldBytes > 0) await new Promise((resolve) => setImmediate(resolve));
  await server.close();
});
