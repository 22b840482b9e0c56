/** The live view at the RPC port: who may watch, what is seen, and that nobody holds it up. */
import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { test } from "vitest";
import { useBuiltWorkers } from "../threads/built-workers.ts";
import { startDevChain, type StartedChain } from "../../../../runtimes/node/dev/start-dev-chain.ts";
import {
  type HttpServer,
  serve,
  type UpgradeHandler,
} from "../../../../runtimes/node/server/http-server.ts";
import { type LiveAccess, withLiveView } from "../../../../runtimes/node/server/live-end.ts";
import { createLog } from "../../../../runtimes/node/log/log.ts";
import { NOTHING_LISTED } from "../../../../runtimes/shared/http-caller.ts";
import type { LiveMessage } from "../../../../runtimes/shared/theatre/api.ts";
import type { Frame, TheatreEvent } from "../../../../runtimes/shared/theatre/frame.ts";
import type { Watcher, WatchPost } from "../../../../runtimes/shared/theatre/live/watch-post.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const LIMIT_MS = 240_000;

/** Reads the events of a stream as they come. */
class Stream {
  readonly messages: LiveMessage[] = [];
  ended = false;
  readonly #response: IncomingMessage;
  #text = "";

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding("utf8");
    response.on("data", (text: string) => this.#take(text));
    response.on("close", () => {
      this.ended = true;
    });
  }

  #take(text: string): void {
    const parts = `${this.#text}${text}`.split("\n\n");
    this.#text = parts.pop() ?? "";
    for (const part of parts) this.messages.push(JSON.parse(part.replace(/^data: /, "")));
  }

  frames(): Frame[] {
    return this.messages.flatMap((message) => {
      if (message.type === "hello") return [message.hello.frame];
      return message.type === "frame" ? [message.frame] : [];
    });
  }

  events(): TheatreEvent[] {
    return this.frames().flatMap((frame) => frame.events);
  }

  close(): void {
    this.#response.destroy();
  }
}

function request(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, resolve).once("error", reject);
  });
}

async function reached(what: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!holds()) {
    assert.ok(performance.now() < end, `not reached: ${what}`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

function startChain(): Promise<StartedChain> {
  return startDevChain({
    nodes: 4,
    data: undefined,
    ephemeral: true,
    blockTimeMs: 100,
    sm: false,
    host: "127.0.0.1",
    port: 0,
    lists: NOTHING_LISTED,
    maxBodyBytes: 1_000_000,
    shareRecovery: true,
    log: createLog({ level: "off", target: process.stderr }),
  });
}

// shared/theatre/watch-post.test.ts has what is told; web/node-page.test.ts watches a chain.
inFull(
  "a dev chain is watched through the end of its leader",
  async () => {
    useBuiltWorkers();
    const chain = await startChain();
    try {
      const url = `${chain.servers[1]?.url}/live?group=1`;
      const stream = new Stream(await request(url));
      await reached("hello", () => stream.messages.length > 0);
      const [hello] = stream.messages;
      assert.ok(hello?.type === "hello");
      assert.deepEqual(hello.hello.groups, [1]);
      assert.deepEqual(
        hello.hello.frame.nodes.map(({ node, seenFromOutside }) => [node, seenFromOutside]),
        [0, 1, 2, 3].map((node) => [
          node,
          hello.hello.frame.nodes[node]?.nodeId !== idOf(chain, 1),
        ]),
      );
      await reached("an idle round", () => stream.events().some(({ id }) => id === "viewEntered"));
      await chain.nodes[0]?.stop();
      await reached("a lost peer", () => stream.events().some(({ id }) => id === "peerDown"));
      await reached("a timeout", () => stream.events().some(({ id }) => id === "timedOut"));
      const timedOut = stream.events().findIndex(({ id }) => id === "timedOut");
      const later = () => stream.events().slice(timedOut);
      await reached("the next view", () => later().some(({ id }) => id === "viewEntered"));
      const kinds = new Set(
        stream
          .frames()
          .flatMap(({ sent, ended }) => [
            ...sent.map(({ kind }) => `out ${kind}`),
            ...ended.map(({ flight }) => `in ${flight.kind}`),
          ]),
      );
      for (const kind of ["out status", "in status", "in viewChange", "out viewChange"])
        assert.ok(kinds.has(kind), `${[...kinds]}`);
      const text = JSON.stringify(stream.messages);
      assert.ok(!/privateKey|secret|signature|seal":"/i.test(text));
      const self = stream
        .frames()
        .at(-1)
        ?.nodes.find(({ seenFromOutside }) => !seenFromOutside);
      assert.equal(self?.consensus?.kind, "pbft");
      const chart = self?.actors.find(({ name }) => name === "g1.consensus");
      assert.ok(chart?.active.some((path) => path.startsWith("member.sealer.")));
      await chain.nodes[1]?.stop();
      stream.close();
    } finally {
      await chain.close();
    }
  },
  { timeout: 3 * LIMIT_MS },
);

function idOf(chain: StartedChain, index: number): string {
  return chain.nodes[index]?.api.nodeId ?? "";
}

const NOTHING: UpgradeHandler = { upgrade: () => false, close: async () => undefined };

/** A post that shows nothing but counts, or floods. */
class StubPost implements WatchPost {
  readonly gallery = { onActor: () => undefined };
  watching = 0;
  dropped = 0;
  tap = <Network>(network: Network) => network;
  attach(): void {}
  watchers = () => this.watching;
  close(): void {}

  watch(_group: number, watcher: Watcher): () => void {
    this.watching++;
    let isOpen = true;
    const flood = () => {
      if (!isOpen) return;
      if (watcher({ type: "frame", frame: { trace: "x".repeat(100_000) } as Frame }))
        return void setImmediate(flood);
      isOpen = false;
      this.dropped++;
      watcher({ type: "end", reason: "slow" });
    };
    flood();
    return () => {
      isOpen = false;
      this.watching--;
    };
  }
}

function liveServer(post: WatchPost, access: LiveAccess, allowedOrigins: readonly string[] = []) {
  const end = withLiveView(NOTHING, { post, access, maxUnreadBytes: 200_000 });
  const refuse = () => new Response("another answer", { status: 405 });
  const lists = { allowedHosts: ["named.example"], allowedOrigins };
  return serve(refuse, { host: "127.0.0.1", port: 0, lists }, undefined, end);
}

async function statusOf(server: HttpServer, path: string, headers: Record<string, string> = {}) {
  const response = await request(`${server.url}${path}`, headers);
  response.destroy();
  return response.statusCode;
}

test("who may watch: this machine, its own pages, and a caller that is named", async () => {
  const post = new StubPost();
  const loopback = await liveServer(post, "loopback", ["https://named.example"]);
  const open = await liveServer(post, "on");
  const off = await liveServer(post, "off");
  try {
    const own = `http://127.0.0.1:${loopback.port}`;
    const cases: readonly (readonly [Record<string, string>, number])[] = [
      [{}, 200],
      [{ origin: own }, 200],
      [{ origin: "https://named.example" }, 200],
      [{ origin: "https://other.example" }, 403],
      [{ host: "rebound.example", "user-agent": "Mozilla/5.0" }, 403],
      [{ host: "rebound.example" }, 403],
      [{ host: "node0.chain.svc" }, 403],
      [{ host: "node0.chain.svc.cluster.local" }, 200],
      [{ host: "named.example" }, 200],
      [{ "sec-fetch-site": "cross-site" }, 403],
      [{ "x-forwarded-for": "203.0.113.9" }, 403],
      [{ forwarded: "for=203.0.113.9" }, 403],
    ];
    for (const [headers, status] of cases)
      assert.equal(await statusOf(loopback, "/live", headers), status, JSON.stringify(headers));
    assert.equal(await statusOf(open, "/live", { "x-forwarded-for": "203.0.113.9" }), 200);
    assert.equal(await statusOf(open, "/live", { origin: "https://other.example" }), 403);
    assert.equal(await statusOf(off, "/live"), 403);
    assert.equal(await statusOf(loopback, "/live?group=0"), 400);
    assert.equal(await statusOf(loopback, "/live?group=one"), 400);
    assert.equal(await statusOf(loopback, "/lives"), 405);
  } finally {
    for (const server of [loopback, open, off]) await server.close();
  }
});

/** First line of the answer to raw bytes. */
function statusLine(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.toString().split("\r\n", 1)[0] ?? "");
    });
    socket.once("error", reject);
  });
}

test("targets that are no URLs are answered, and the node goes on", async () => {
  const server = await liveServer(new StubPost(), "loopback");
  try {
    for (const target of ["//", "http://[", "/live?group=%", "/live?%zz=1&group=%E0", "?", "*"]) {
      const line = await statusLine(
        server.port,
        `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
      );
      assert.match(line, /^HTTP\/1\.1 (200|400|405) /, `${target}: ${line}`);
    }
    const post = "POST // HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n";
    assert.match(await statusLine(server.port, post), /^HTTP\/1\.1 4\d\d /);
    assert.equal(await statusOf(server, "/live"), 200);
  } finally {
    await server.close();
  }
});

test("a watcher that stops reading is dropped, its connection is cut", async () => {
  const post = new StubPost();
  const server = await liveServer(post, "loopback");
  const socket = connect(server.port, "127.0.0.1");
  try {
    socket.pause();
    socket.write("GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    await reached("the drop", () => post.dropped === 1);
    await reached("the end", () => post.watching === 0);
  } finally {
    socket.destroy();
    await server.close();
  }
});
