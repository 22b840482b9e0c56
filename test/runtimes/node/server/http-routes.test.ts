/**
 * Everything that a port of a node answers to HTTP, over sockets: who is let in by which name, and
 * that no answer may be taken for something else than it says it is.
 */
import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { type HttpServer, serve } from "../../../../runtimes/node/server/http-server.ts";
import { withLiveView } from "../../../../runtimes/node/server/live-end.ts";
import type { NodeMetrics } from "../../../../runtimes/node/observe/metrics.ts";
import { serveMetrics } from "../../../../runtimes/node/observe/metrics-server.ts";
import { createWebSocketEnd } from "../../../../runtimes/node/server/websocket.ts";
import { createHttpApp } from "../../../../runtimes/shared/http-app.ts";
import type { WatchPost } from "../../../../runtimes/shared/theatre/live/watch-post.ts";
import { rawAnswer } from "../../../support/raw-http.ts";
import { rpcNode } from "../../../support/rpc-node.ts";

// rules: rpc-semantics 1, README 23-24

const BODY = '{"jsonrpc":"2.0","method":"getBlockNumber","params":[1],"id":1}';
const LISTS = { allowedHosts: ["chain.example.org"], allowedOrigins: ["https://app.example"] };
const AGENT = "User-Agent: Mozilla/5.0 (X11; Linux x86_64)";
const SHAKE = [
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

let rpc: HttpServer;
let figures: HttpServer;

beforeAll(async () => {
  const node = rpcNode();
  const options = { node, maxBodyBytes: 1_000, log: { write: () => {} } };
  const page = () => new Response("a page", { headers: { "Content-Type": "text/html" } });
  const { app, posts } = createHttpApp({
    ...options,
    page: (request) => (new URL(request.url).pathname === "/" ? page() : undefined),
  });
  const sockets = createWebSocketEnd({ onBlock: () => {} }, options, createNodeClock());
  const watch: WatchPost["watch"] = (_group, watcher) => {
    watcher({ type: "end", reason: "stopped" });
    return () => undefined;
  };
  const post = { watch, close: () => undefined } as unknown as WatchPost;
  const ends = withLiveView(sockets, { post, access: "on" });
  const address = { host: "127.0.0.1", port: 0, lists: LISTS };
  rpc = await serve(app.fetch, address, posts, ends);
  const metrics = { contentType: "text/plain", scrape: async () => "chain_node_up 1\n" };
  figures = await serveMetrics(metrics as unknown as NodeMetrics, address);
});

afterAll(() => Promise.all([rpc.close(), figures.close()]));

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]);

function ask(port: number, lines: readonly string[], body = ""): Promise<string> {
  const length = body === "" ? [] : [`Content-Length: ${body.length}`];
  return rawAnswer(port, `${[...lines, ...length].join("\r\n")}\r\n\r\n${body}`);
}

/** Each route, with the status for who is let in. */
const ROUTES = [
  { route: "the page", line: "GET / HTTP/1.1", more: ["Accept: text/html"], body: "", status: 200 },
  { route: "a read", line: "POST / HTTP/1.1", more: [], body: BODY, status: 200 },
  { route: "a file", line: "GET /main.js HTTP/1.1", more: [], body: "", status: 405 },
  { route: "a preflight", line: "OPTIONS / HTTP/1.1", more: [], body: "", status: 200 },
  { route: "liveness", line: "GET /healthz HTTP/1.1", more: [], body: "", status: 200 },
  { route: "readiness", line: "GET /readyz HTTP/1.1", more: [], body: "", status: 200 },
  { route: "the live view", line: "GET /live HTTP/1.1", more: [], body: "", status: 200 },
  { route: "subscriptions", line: "GET / HTTP/1.1", more: SHAKE, body: "", status: 101 },
] as const;
for (const { route, line, more, body, status } of ROUTES) {
  describe(route, () => {
    const answerTo = (...lines: readonly string[]) =>
      ask(rpc.port, [line, ...lines, ...more], body);

    test("is closed to browsers that know the node by a strange name", async () => {
      const answer = await answerTo("Host: rebound.example.com:8545", AGENT);
      assert.equal(statusOf(answer), 403);
      assert.match(answer, /\r\nX-Content-Type-Options: nosniff\r\n/i);
    });

    test("is open to browsers under local and listed names", async () => {
      for (const host of ["127.0.0.1:8545", "localhost", "node0", "Chain.example.org:443"])
        assert.equal(statusOf(await answerTo(`Host: ${host}`, AGENT)), status, host);
    });

    // What is no recorded interface is closed to pages that pose as programs, too.
    if (route === "the live view") {
      test("is open to programs under local and listed names only, and without one", async () => {
        for (const host of ["node0:8545", "node0.chain.svc.cluster.local", "chain.example.org"])
          assert.equal(statusOf(await answerTo(`Host: ${host}`)), 200, host);
        assert.equal(statusOf(await answerTo()), 200);
        for (const host of ["rebound.example.com:8545", "node0.chain.svc:8545"])
          assert.equal(statusOf(await answerTo(`Host: ${host}`, "User-Agent: own/1")), 403, host);
      });
      return;
    }

    test("is open to SDKs, curl and proxies under any name, and without one", async () => {
      const callers: readonly (readonly string[])[] = [
        ["Host: node0.chain.svc:8545", "User-Agent: curl/8.5.0"],
        ["Host: node0.chain.svc.cluster.local", "Via: 1.1 envoy"],
        ["Host: chain.example.com", "User-Agent: Apache-HttpClient/4.5 (Java/17)"],
        ["Host: chain.example.com", "User-Agent: node", "Sec-Fetch-Mode: cors"],
        [],
      ];
      for (const lines of callers)
        assert.equal(statusOf(await answerTo(...lines)), status, lines.join());
    });
  });
}

describe("where a browser's request was sent to", () => {
  const REQUESTS: readonly (readonly [line: string, hosts: readonly string[], status: number])[] = [
    ["GET /healthz HTTP/1.1", ["localhost"], 200],
    ["GET /healthz HTTP/1.0", ["localhost"], 200],
    ["GET /healthz HTTP/1.0", ["rebound.example.com"], 403],
    ["GET /healthz HTTP/1.0", [], 403],
    ["GET /healthz HTTP/1.1", [], 403],
    ["GET /healthz HTTP/1.1", [""], 403],
    ["GET /healthz HTTP/1.1", ["localhost", "rebound.example.com"], 403],
    ["GET /healthz HTTP/1.1", ["localhost", "localhost"], 403],
    ["GET /healthz HTTP/1.1", ["localhost@rebound.example.com"], 403],
    ["GET http://localhost:8545/healthz HTTP/1.1", ["localhost:8545"], 200],
    ["GET http://rebound.example.com/healthz HTTP/1.1", ["localhost"], 403],
    ["GET http://localhost@rebound.example.com/healthz HTTP/1.1", ["localhost"], 403],
    ["GET http://localhost:8545/healthz HTTP/1.1", ["rebound.example.com"], 200],
    ["OPTIONS * HTTP/1.1", ["rebound.example.com"], 403],
  ];
  for (const [line, hosts, status] of REQUESTS) {
    test(`${line} with Host ${hosts.join(" and ") || "absent"} gives ${status}`, async () => {
      const lines = [line, ...hosts.map((host) => `Host: ${host}`), AGENT];
      assert.equal(statusOf(await ask(rpc.port, lines)), status);
    });
  }

  test("other protocols are none of a strange page's business either", async () => {
    const lines = ["GET / HTTP/1.1", "Host: rebound.example.com", AGENT, "Upgrade: h2c"];
    const answer = await ask(rpc.port, [...lines, "Connection: Upgrade"]);
    assert.equal(statusOf(answer), 403);
  });

  test("figures are closed to browsers that know the node by a strange name", async () => {
    const get = (host: string, ...more: readonly string[]) =>
      ask(figures.port, ["GET /metrics HTTP/1.1", `Host: ${host}`, ...more]);
    assert.equal(statusOf(await get("rebound.example.com", AGENT)), 403);
    assert.equal(statusOf(await get("chain.example.org", AGENT)), 200);
    assert.equal(statusOf(await get("prometheus.example.com")), 200);
  });
});

describe("pages", () => {
  const SHAKES = [
    ["http://127.0.0.1:8545", 101],
    ["https://app.example", 101],
    ["http://127.0.0.1:3000", 403],
    ["https://evil.example", 403],
    ["null", 403],
  ] as const;
  for (const [origin, status] of SHAKES) {
    test(`a page of ${origin} that wants a WebSocket gets ${status}`, async () => {
      const head = ["GET /ws HTTP/1.1", "Host: 127.0.0.1:8545", `Origin: ${origin}`];
      const answer = await ask(rpc.port, [...head, ...SHAKE]);
      assert.equal(statusOf(answer), status);
    });
  }

  test("only a listed page may read the live view from elsewhere", async () => {
    const get = (origin: string) =>
      ask(rpc.port, ["GET /live HTTP/1.1", "Host: 127.0.0.1", `Origin: ${origin}`]);
    assert.match(await get("https://app.example"), /Access-Control-Allow-Origin: https:\/\/app\./i);
    assert.equal(statusOf(await get("https://evil.example")), 403);
    assert.doesNotMatch(await get("http://127.0.0.1"), /Access-Control-Allow-Origin/i);
  });
});

describe("no answer may be taken for something else", () => {
  const HOST = "Host: localhost";
  const ANSWERS: readonly (readonly [what: string, bytes: string, status: number])[] = [
    ["a read", `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`, 200],
    [
      "a body in pieces",
      `POST / HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      200,
    ],
    ["a body too large", `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: 1001\r\n\r\n`, 413],
    ["the page", `GET / HTTP/1.1\r\n${HOST}\r\n\r\n`, 200],
    ["a missing file", `GET /a HTTP/1.1\r\n${HOST}\r\n\r\n`, 405],
    ["another method", `PATCH / HTTP/1.1\r\n${HOST}\r\n\r\n`, 405],
    ["an unknown method", `FOO / HTTP/1.1\r\n${HOST}\r\n\r\n`, 405],
    ["a version", "POST / HTTP/9.9\r\n\r\n", 505],
    ["what is not HTTP", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400],
    ["a target that is none", `GET http://[ HTTP/1.1\r\n${HOST}\r\n\r\n`, 400],
    ["a host that is none", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400],
    ["headers without end", `GET / HTTP/1.1\r\nX: ${"y".repeat(100_000)}\r\n\r\n`, 400],
    ["an expectation", `POST / HTTP/1.1\r\n${HOST}\r\nExpect: 200-ok\r\n\r\n`, 417],
    ["readiness", `GET /readyz HTTP/1.1\r\n${HOST}\r\n\r\n`, 200],
    ["liveness", `HEAD /healthz HTTP/1.1\r\n${HOST}\r\n\r\n`, 200],
    ["the live view", `GET /live HTTP/1.1\r\n${HOST}\r\n\r\n`, 200],
    ["no group to watch", `GET /live?group=x HTTP/1.1\r\n${HOST}\r\n\r\n`, 400],
    ["a strange watcher", `GET /live HTTP/1.1\r\n${HOST}\r\nOrigin: null\r\n\r\n`, 403],
    ["no WebSocket", `GET /b HTTP/1.1\r\n${HOST}\r\n${SHAKE.join("\r\n")}\r\n\r\n`, 404],
    [
      "half a handshake",
      `GET / HTTP/1.1\r\n${HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
      400,
    ],
  ];
  for (const [what, bytes, status] of ANSWERS) {
    test(`${what}: ${status}`, async () => {
      const answer = await rawAnswer(rpc.port, bytes);
      assert.equal(statusOf(answer), status, answer);
      assert.match(answer, /\r\nX-Content-Type-Options: nosniff\r\n/i);
    });
  }

  for (const [line, status] of [
    ["GET /metrics HTTP/1.1", 200],
    ["GET /other HTTP/1.1", 404],
    ["PUT /metrics HTTP/1.1", 405],
  ] as const) {
    test(`at the port of the figures, ${line}: ${status}`, async () => {
      const answer = await ask(figures.port, [line, HOST]);
      assert.equal(statusOf(answer), status);
      assert.match(answer, /\r\nX-Content-Type-Options: nosniff\r\n/i);
    });
  }
});
