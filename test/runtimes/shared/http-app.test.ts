/** The HTTP endpoint: methods, sizes, CORS and foreign pages. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "vitest";
import { serve } from "../../../runtimes/node/http-server.ts";
import { limitRequests } from "../../../runtimes/shared/rate-limit.ts";
import { createHttpApp, type HttpAppOptions } from "../../../runtimes/shared/http-app.ts";
import { answerMalformedHttp, refuseHttpVersion } from "../../../runtimes/shared/http-malformed.ts";
import { isOriginAllowed } from "../../../runtimes/shared/http-origin.ts";
import { jsonRpcContract } from "../../contract/json-rpc.ts";
import { rpcNode } from "../../support/rpc-node.ts";

// rules: rpc-semantics 1, README 23-24

const BODY = '{"jsonrpc":"2.0","method":"getBlockNumber","params":[1],"id":1}';
const STOP = '{"jsonrpc":"2.0","method":"stopGroup","params":[1],"id":1}';

function appWith(changes: Partial<HttpAppOptions> = {}) {
  return createHttpApp({ node: rpcNode(), maxBodyBytes: 2 * 1024 * 1024, ...changes });
}

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
  const { app, posts } = appWith({ allowedOrigins: ["https://page.example"], maxBodyBytes: 500 });
  const direct = await serve(app.fetch, { host: "127.0.0.1", port: 0 }, posts);
  const plain = await serve(app.fetch, { host: "127.0.0.1", port: 0 });
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
  { options: {}, origin: undefined, allow: null },
  { options: {}, origin: "http://a.example", allow: null },
  { options: { corsOrigin: "*" }, origin: undefined, allow: "*" },
  { options: { corsOrigin: "*" }, origin: "http://a.example", allow: "*" },
  {
    options: { allowedOrigins: ["http://a.example"] },
    origin: "http://a.example",
    allow: "http://a.example",
  },
  { options: { allowedOrigins: ["http://a.example"] }, origin: "http://b.example", allow: null },
] as const;
for (const { options, origin, allow } of CORS) {
  const shown = `${JSON.stringify(options)} and origin ${origin}`;
  test(`with ${shown} the allowed origin is ${allow}`, async () => {
    const headers = origin === undefined ? undefined : { origin };
    for (const method of ["POST", "OPTIONS"]) {
      const body = method === "POST" ? BODY : null;
      const init = { method, body, ...(headers === undefined ? {} : { headers }) };
      const response = await appWith(options).app.request("http://h/", init);
      assert.equal(response.headers.get("access-control-allow-origin"), allow);
    }
  });
}

const ORIGINS = [
  { origin: undefined, host: undefined, isAllowed: true },
  { origin: undefined, host: "node:8545", isAllowed: true },
  { origin: "http://127.0.0.1:8545", host: "127.0.0.1:8545", isAllowed: true },
  { origin: "http://localhost:8545", host: "localhost:8545", isAllowed: true },
  { origin: "https://[::1]:8545", host: "[::1]:8545", isAllowed: true },
  { origin: "http://127.0.0.1:8546", host: "127.0.0.1:8545", isAllowed: false },
  { origin: "http://evil.example", host: "127.0.0.1:8545", isAllowed: false },
  { origin: "http://evil.example:8545", host: "evil.example:8545", isAllowed: false },
  { origin: "http://localhost.evil.example", host: "localhost.evil.example", isAllowed: false },
  { origin: "http://127.0.0.1.evil.example", host: "127.0.0.1.evil.example", isAllowed: false },
  { origin: "null", host: "127.0.0.1:8545", isAllowed: false },
  { origin: "", host: "127.0.0.1:8545", isAllowed: false },
  { origin: "https://ours.example", host: "127.0.0.1:8545", isAllowed: true },
] as const;
for (const { origin, host, isAllowed } of ORIGINS) {
  test(`origin ${origin} at host ${host} is ${isAllowed ? "" : "not "}allowed`, () => {
    assert.equal(isOriginAllowed({ origin, host }, ["https://ours.example"]), isAllowed);
  });
}

test("a foreign page may read but not manage groups", async () => {
  const headers = { origin: "http://evil.example", host: "127.0.0.1:8545" };
  const read = (await (await post({}, headers)).json()) as { result?: string };
  const managed = (await (await post({}, headers, STOP)).json()) as { error?: { code: number } };
  assert.equal(read.result, "0x2");
  assert.equal(managed.error?.code, -100_001);
});

test("the own page and listed pages may manage groups", async () => {
  const own = { origin: "http://127.0.0.1:8545", host: "127.0.0.1:8545" };
  const listed = { origin: "https://ours.example", host: "127.0.0.1:8545" };
  const options = { allowedOrigins: ["https://ours.example"] };
  for (const headers of [own, listed, {}]) {
    const reply = (await (await post(options, headers, STOP)).json()) as { result?: unknown };
    assert.deepEqual(reply.result, { code: "0x0", message: "done" });
  }
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

test("the plain function gives the same text", async () => {
  const { app, handlePost } = appWith();
  const response = await app.request("/", { method: "POST", body: BODY });
  const text = await handlePost(BODY, { origin: undefined, host: undefined });
  assert.equal(text, await response.text());
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
    else assert.match(answer ?? "", expected);
  });
}

test("versions of HTTP other than 1.0 and 1.1 are refused", () => {
  assert.equal(refuseHttpVersion("1.1"), undefined);
  assert.equal(refuseHttpVersion("1.0"), undefined);
  assert.equal(refuseHttpVersion("2.0")?.status, 505);
});
