/** The HTTP endpoint: methods, sizes, CORS and pages of other origins. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "vitest";
import { serve } from "../../../runtimes/node/server/http-server.ts";
import { limitRequests } from "../../../runtimes/shared/rate-limit.ts";
import { createHttpApp, type HttpAppOptions } from "../../../runtimes/shared/http-app.ts";
import { answerMalformedHttp, refuseHttpVersion } from "../../../runtimes/shared/http-text.ts";
import { jsonRpcContract } from "../../contract/json-rpc.ts";
import { rpcNode } from "../../support/rpc-node.ts";

// rules: rpc-semantics 1, README 23-24

const BODY = '{"jsonrpc":"2.0","method":"getBlockNumber","params":[1],"id":1}';
const SEND = '{"jsonrpc":"2.0","method":"sendRawTransaction","params":[1,"0xff"],"id":2}';
const STOP = '{"jsonrpc":"2.0","method":"stopGroup","params":[1],"id":1}';

function appWith(changes: Partial<HttpAppOptions> = {}) {
  return createHttpApp({ node: rpcNode(), maxBodyBytes: 2 * 1024 * 1024, ...changes });
}

/** Where it came from is not reported without a server. */
const MANAGED = { management: { mode: "open" } } as const;
const listing = (...allowedOrigins: readonly string[]) => ({ allowedHosts: [], allowedOrigins });

jsonRpcContract("the app without a server", async () => {
  const { app } = appWith();
  return {
    request: async (path, init) => app.request(path, init),
    close: async () => undefined,
  };
});

jsonRpcContract("the app behind the Node server", async () => {
  const { app, posts } = appWith();
  const server = await serve(app.fetch, { host: "127.0.0.1", port: 0 }, posts);
  return {
    request: (path, init) =>
      fetch(`${server.url}${path}`, {
        ...init,
        headers: { ...(init.headers as Record<string, string>), connection: "close" },
      }),
    close: () => server.close(),
  };
});

test("the server's way around web requests gives the app's status, headers and bytes", async () => {
  const lists = listing("https://page.example");
  const { app, posts } = appWith({ maxBodyBytes: 500 });
  const direct = await serve(app.fetch, { host: "127.0.0.1", port: 0, lists }, posts);
  const plain = await serve(app.fetch, { host: "127.0.0.1", port: 0, lists });
  const ask = async (
    url: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string>,
  ) => {
    const answer = await fetch(`${url}/a/path`, { method: "POST", body, headers });
    const names: string[] = [];
    answer.headers.forEach((_, name) => {
      if (name !== "date") names.push(name);
    });
    names.sort();
    const told = names.map((name) => [name, answer.headers.get(name)]);
    return { status: answer.status, told, text: await answer.text() };
  };
  const bytes = (...parts: number[]) => new Uint8Array(parts);
  const bodies = [BODY, STOP, "", "[]", `\ufeff${BODY}`, "x".repeat(501), bytes(0x22, 0xff, 0xc3)];
  const senders: Record<string, string>[] = [{}, { origin: "https://page.example" }];
  senders.push({ origin: "https://evil.example", "content-type": "text/plain" });
  for (const body of bodies)
    for (const headers of senders)
      assert.deepEqual(await ask(direct.url, body, headers), await ask(plain.url, body, headers));
  await Promise.all([direct.close(), plain.close()]);
});

test("a client that hangs up in the middle of a body harms nobody", async () => {
  const { app, posts } = appWith();
  const server = await serve(app.fetch, { host: "127.0.0.1", port: 0 }, posts);
  const socket = connect(server.port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.destroy();
  const answer = await fetch(server.url, { method: "POST", body: BODY });
  assert.equal(answer.status, 200);
  await server.close();
});

function post(options: Partial<HttpAppOptions>, headers: Record<string, string>, body = BODY) {
  return appWith(options).app.request("http://127.0.0.1:8545/", { method: "POST", headers, body });
}

// rules: node-network 6
test("what is above the rate is refused by the name of its method, and heard again later", async () => {
  let now = 0;
  const clock = { now: () => now, steady: () => now, after: () => () => undefined };
  const { app } = appWith({ admit: limitRequests(1, clock) });
  const ask = async (body: string) =>
    JSON.parse(await (await app.request("/", { method: "POST", body })).text());
  const version = BODY.replace("getBlockNumber", "getClientVersion").replace("[1]", "[]");
  const codes = [];
  for (const body of [BODY, BODY, BODY, version]) codes.push((await ask(body)).error?.code);
  // One in store and one ahead of time.
  assert.deepEqual(codes, [undefined, undefined, -40011, undefined]);
  const { error, id } = await ask(BODY);
  assert.deepEqual([error.message, id], ["getBlockNumber Over QPS limit", 1]);
  now = 2_000;
  assert.equal((await ask(BODY)).error, undefined);
});

test("a declared length above the bound is refused before the body is read", async () => {
  let isRead = false;
  const pull = () => {
    isRead = true;
  };
  const body = new ReadableStream({ pull }, { highWaterMark: 0 });
  const request = new Request("http://h/", {
    method: "POST",
    headers: { "content-length": "65" },
    body,
    duplex: "half",
  } as RequestInit & { duplex: "half" });
  const response = await appWith({ maxBodyBytes: 64 }).app.request(request);
  assert.equal(response.status, 413);
  assert.equal(isRead, false);
  const { error, id } = (await response.json()) as {
    error: { code: number; message: string };
    id: null;
  };
  assert.deepEqual([error.code, id], [-32600, null]);
  assert.equal(error.message, "INVALID_JSON_REQUEST: The body is larger than 64 bytes");
});

for (const { size, status } of [
  { size: 64, status: 200 },
  { size: 65, status: 413 },
]) {
  test(`${size} bytes without a declared length give ${status} at a bound of 64`, async () => {
    const bytes = new TextEncoder().encode(BODY.padEnd(size));
    const parts = [bytes.slice(0, 40), bytes.slice(40)];
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const part = parts.shift();
        if (part === undefined) controller.close();
        else controller.enqueue(part);
      },
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit & { duplex: "half" };
    const response = await appWith({ maxBodyBytes: 64 }).app.request("http://h/", init);
    assert.equal(response.status, status);
  });
}

test("characters that are split between parts arrive whole", async () => {
  const text = '{"jsonrpc":"2.0","method":"getGroupList","id":"\u4e2d\u{1f600}"}';
  const parts = [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte));
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const part = parts.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
  const init = { method: "POST", body, duplex: "half" } as RequestInit & { duplex: "half" };
  const response = await appWith().app.request("http://h/", init);
  assert.equal(((await response.json()) as { id: string }).id, "\u4e2d\u{1f600}");
});

test("a body that breaks off is answered with 400 and logged", async () => {
  const lines: string[] = [];
  const body = new ReadableStream({
    pull: (controller) => controller.error(new Error("reset")),
  });
  const init = { method: "POST", body, duplex: "half" } as RequestInit & { duplex: "half" };
  const log = { write: (_: unknown, message: string) => lines.push(message) };
  const response = await appWith({ log }).app.request("http://h/", init);
  assert.equal(response.status, 400);
  assert.deepEqual(lines, ["http request failed"]);
});

const CORS = [
  { listed: [], origin: undefined, allow: null },
  { listed: [], origin: "http://a.example", allow: null },
  { listed: ["*"], origin: undefined, allow: "*" },
  { listed: ["*"], origin: "http://a.example", allow: "*" },
  { listed: ["http://a.example"], origin: undefined, allow: null },
  { listed: ["http://a.example"], origin: "http://a.example", allow: "http://a.example" },
  { listed: ["http://a.example"], origin: "http://b.example", allow: null },
] as const;
for (const { listed, origin, allow } of CORS) {
  test(`with ${listed} listed, origin ${origin} is informed that ${allow} may read`, async () => {
    const headers = origin === undefined ? undefined : { origin };
    for (const method of ["POST", "OPTIONS"]) {
      const body = method === "POST" ? BODY : null;
      const init = { method, body, ...(headers === undefined ? {} : { headers }) };
      const { app } = appWith({ lists: listing(...listed) });
      const response = await app.request("http://h/", init);
      assert.equal(response.headers.get("access-control-allow-origin"), allow);
    }
  });
}

test("a page of another origin may read but change nothing, in a batch neither", async () => {
  const headers = { origin: "http://evil.example", host: "127.0.0.1:8545" };
  const ask = async (body: string) => (await post({}, headers, body)).json();
  interface Answer {
    readonly result?: string;
    readonly error?: { readonly code: number; readonly message: string };
  }
  assert.equal(((await ask(BODY)) as Answer).result, "0x2");
  for (const body of [STOP, SEND]) {
    const { error } = (await ask(body)) as Answer;
    assert.equal(error?.code, -100_001);
    assert.match(error.message, /rpc\.allowed_origins/);
  }
  const batch = (await ask(`[${SEND},${BODY},${STOP}]`)) as readonly Answer[];
  assert.deepEqual(
    batch.map(({ result, error }) => result ?? error?.code),
    [-100_001, "0x2", -100_001],
  );
});

test("the own page and listed pages may do everything", async () => {
  const own = { origin: "http://127.0.0.1:8545", host: "127.0.0.1:8545" };
  const listed = { origin: "https://ours.example", host: "127.0.0.1:8545" };
  const lists = { ...listing("https://ours.example"), ...MANAGED };
  for (const headers of [own, listed, {}]) {
    const reply = (await (await post({ lists }, headers, STOP)).json()) as { result?: unknown };
    assert.deepEqual(reply.result, { code: "0x0", message: "done" });
    const sent = (await (await post({ lists }, headers, SEND)).json()) as Failure;
    // The bytes are no transaction: they came as far as that.
    assert.equal(sent.error.code, -32_603);
  }
});

interface Failure {
  readonly error: { readonly code: number };
}

const ROUTES = [
  { method: "GET", path: "/" },
  { method: "GET", path: "/healthz" },
  { method: "GET", path: "/readyz" },
  { method: "HEAD", path: "/" },
  { method: "OPTIONS", path: "/" },
  { method: "POST", path: "/" },
  { method: "POST", path: "/join" },
  { method: "PUT", path: "/" },
] as const;
for (const { method, path } of ROUTES) {
  test(`a browser that knows the node by a strange name gets 403 for ${method} ${path}`, async () => {
    const routes = new Map([["/join", async () => ({ status: 200, body: "{}" }) as const]]);
    const body = method === "POST" ? BODY : null;
    const ask = async (host: string, agent: string) => {
      const headers = { host, "user-agent": agent };
      const { app } = appWith({
        routes,
        lists: { allowedHosts: ["ours.example"], allowedOrigins: [] },
      });
      const response = await app.request(`http://${host}${path}`, { method, headers, body });
      assert.equal(response.headers.get("x-content-type-options"), "nosniff");
      return response;
    };
    const refused = await ask("rebound.example:8545", "Mozilla/5.0");
    assert.equal(refused.status, 403);
    const text = await refused.text();
    if (method !== "HEAD") assert.match(text, /\(rebound\.example\).*\[rpc\] allowed_hosts/);
    for (const [host, agent] of [
      ["ours.example", "Mozilla/5.0"],
      ["127.0.0.1:8545", "Mozilla/5.0"],
      ["rebound.example:8545", "curl/8.5.0"],
    ] as const)
      assert.notEqual((await ask(host, agent)).status, 403, `${host} ${agent}`);
  });
}

test("a route of its own is closed to pages of other origins", async () => {
  const routes = new Map([["/join", async () => ({ status: 200, body: "{}" }) as const]]);
  const { app } = appWith({ routes });
  const ask = async (origin: string) => {
    const headers = { origin, host: "127.0.0.1:8545" };
    return (await app.request("http://127.0.0.1:8545/join", { method: "POST", headers })).status;
  };
  assert.equal(await ask("http://127.0.0.1:8545"), 200);
  assert.equal(await ask("http://127.0.0.1:3000"), 403);
});

test("no answer may be taken for something else, a failure neither", async () => {
  const page = () => new Response("page", { headers: { "content-type": "text/plain" } });
  const broken = () => {
    throw new TypeError("no page");
  };
  const asked = [
    appWith({ page }).app.request("/"),
    appWith({ page: broken }).app.request("/"),
    appWith({ maxBodyBytes: 5 }).app.request("/", { method: "POST", body: BODY }),
  ];
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 400, 413],
  );
  for (const { headers } of answers) assert.equal(headers.get("x-content-type-options"), "nosniff");
});

test("GET is refused with JSON type, and HEAD without a body", async () => {
  const { app } = appWith();
  const response = await app.request("/");
  assert.equal(response.status, 405);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal(await response.text(), "Not allowed HTTP Method");
  const head = await app.request("/", { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [405, ""]);
});

test("a page answers GET where it has something, and never POST", async () => {
  const { app } = appWith({
    page: (request) =>
      new URL(request.url).pathname === "/app.js" ? new Response("page") : undefined,
  });
  assert.equal(await (await app.request("/app.js")).text(), "page");
  assert.equal((await app.request("/other")).status, 405);
  assert.equal((await app.request("/app.js", { method: "DELETE" })).status, 405);
  const posted = await app.request("/app.js", { method: "POST", body: BODY });
  assert.equal(((await posted.json()) as { result: string }).result, "0x2");
});

test("a byte order mark is refused as JSON refuses it", async () => {
  const reply = (await (await post({}, {}, `\ufeff${BODY}`)).json()) as { error: { code: number } };
  assert.equal(reply.error.code, -32_700);
});

const MALFORMED = [
  ["HPE_INVALID_METHOD", "FOO / HTTP/1.1\r\nHost: x\r\n\r\n", /^HTTP\/1\.1 405 /],
  ["HPE_INVALID_METHOD", "garbage\r\n\r\n", undefined],
  ["HPE_INVALID_VERSION", "POST / HTTP/9.9\r\n\r\n", /^HTTP\/1\.1 505 /],
  ["HPE_INVALID_CONTENT_LENGTH", "POST / HTTP/1.1\r\n", /^HTTP\/1\.1 400 /],
] as const;
for (const [code, packet, expected] of MALFORMED) {
  test(`${JSON.stringify(packet)} is answered with ${expected ?? "nothing"}`, () => {
    const answer = answerMalformedHttp(code, packet);
    if (expected === undefined) assert.equal(answer, undefined);
    else {
      assert.match(answer ?? "", expected);
      assert.match(answer ?? "", /\r\nX-Content-Type-Options: nosniff\r\n/);
    }
  });
}

test("versions of HTTP other than 1.0 and 1.1 are refused", () => {
  assert.equal(refuseHttpVersion("1.1"), undefined);
  assert.equal(refuseHttpVersion("1.0"), undefined);
  assert.equal(refuseHttpVersion("2.0")?.status, 505);
});
