/** POST requests over kept connections, before servers that answer in every form. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, test } from "vitest";
import { createPosts } from "../../../../../runtimes/tools/benchmark/adapter/http-post.ts";

const TIMEOUT_MS = 60_000;
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface Served {
  post(body: string, timeoutMs?: number): Promise<{ status: number; body: string }>;
  /** Connections that have been opened. */
  readonly opened: () => number;
}

/** A server that tells what to write for the body of each request. */
async function serve(answer: (body: string, socket: Socket) => void): Promise<Served> {
  let opened = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    opened += 1;
    sockets.add(socket);
    let text = "";
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const [, length = "", body = ""] = /content-length: (\d+)\r\n\r\n([\s\S]*)$/.exec(text) ?? [];
      if (length === "" || body.length < Number(length)) return;
      text = "";
      answer(body, socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const posts = createPosts();
  closers.push(() => {
    posts.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = (body: string, timeoutMs = TIMEOUT_MS) =>
    posts.send({ url, headers: {}, body, timeoutMs, signal: undefined });
  return { post, opened: () => opened };
}

const sized = (body: string, head = "") =>
  `HTTP/1.1 200 OK\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;

test("answers by length, in pieces, and in chunks, on one connection", async () => {
  const { post, opened } = await serve((body, socket) => {
    if (body === "whole") socket.write(sized("1"));
    if (body === "pieces") {
      socket.write("HTTP/1.1 200 OK\r\nContent-Le");
      setImmediate(() => {
        socket.write("ngth: 4\r\n\r\n12");
        setImmediate(() => socket.write("34"));
      });
    }
    if (body === "chunks") {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2");
      setImmediate(() => socket.write("\r\nde\r\n0\r\n\r\n"));
    }
  });
  for (const [asked, told] of [
    ["whole", "1"],
    ["pieces", "1234"],
    ["chunks", "abcde"],
    ["whole", "1"],
  ] as const) {
    assert.deepEqual((await post(asked)).body, told);
  }
  assert.equal(opened(), 1);
});

test("more requests than connections wait for one", async () => {
  const { post, opened } = await serve((body, socket) => {
    setImmediate(() => socket.write(sized(`to ${body}`)));
  });
  const bodies = Array.from({ length: 200 }, (_, i) => `${i}`);
  const answers = await Promise.all(bodies.map((body) => post(body)));
  assert.deepEqual(
    answers.map(({ body }) => body),
    bodies.map((body) => `to ${body}`),
  );
  assert.equal(opened(), 64);
});

test("an answer that ends with its connection is whole, and the next one gets another", async () => {
  const { post, opened } = await serve((body, socket) => {
    if (body === "bare") socket.end("HTTP/1.0 200 OK\r\n\r\nbare");
    else socket.end(sized("bye", "Connection: close\r\n"));
  });
  assert.equal((await post("bare")).body, "bare");
  assert.equal((await post("close")).body, "bye");
  assert.equal(opened(), 2);
});

test("other statuses are told; what closes or stays silent fails by name", async () => {
  const { post } = await serve((body, socket) => {
    if (body === "gate") socket.write("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
    if (body === "gone") socket.destroy();
  });
  assert.equal((await post("gate")).status, 502);
  await assert.rejects(post("gone"), /closed the connection/);
  await assert.rejects(post("silent", 20), /no answer in 20 ms/);
});
