/** The endpoint of a running dev chain over sockets: descriptions, origins, limits, garbage. */
// rules: rpc-semantics 1
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { afterAll, beforeAll, test } from "vitest";
import { rpcDetailsContract } from "../../../contract/rpc-details.ts";
import {
  ask,
  type DevProcess,
  endLeftovers,
  post,
  startDev,
  stop,
} from "../../../support/process/dev-chain-process.ts";

const MAX_BODY = 65_536;
const PAGE = "http://localhost:3000";
const FOREIGN = "https://evil.example";

let chain: DevProcess;

beforeAll(async () => {
  const limits = ["--max-body", `${MAX_BODY}`, "--cors", PAGE];
  chain = await startDev(1, "--ephemeral", ...limits);
});

afterAll(async () => {
  const { code } = await stop(chain, "SIGTERM");
  endLeftovers();
  assert.equal(code, 0);
});

function bodyOf(method: string, params: readonly unknown[] = [1], id = "1"): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`;
}

/**
 * Sends bytes on a connection of its own; gives what came back until it was closed or silent, or
 * was what is expected.
 */
function exchange(bytes: string | Uint8Array, silenceMs = 300, expected?: RegExp): Promise<string> {
  const { hostname, port } = new URL(chain.url);
  return new Promise((resolve) => {
    let received = "";
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("connect", () => socket.write(bytes));
    socket.setTimeout(silenceMs, () => socket.destroy());
    socket.on("data", (data) => {
      received += data.toString("latin1");
      if (expected?.test(received)) socket.destroy();
    });
    // A reset is the server's right; what counts is that it goes on.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(received));
  });
}

async function requireAlive(): Promise<void> {
  assert.deepEqual(await ask(chain.url, "getGroupList"), [1]);
}

rpcDetailsContract("requests of any size and shape", () => chain.url);

test("a body above --max-body is refused with 413, one below is read", async () => {
  const large = bodyOf("getBlockNumber").padEnd(MAX_BODY + 1, " ");
  const refused = await post(chain.url, large);
  assert.equal(refused.status, 413);
  assert.match(refused.text, /larger than 65536 bytes/);
  const accepted = await post(chain.url, large.slice(0, MAX_BODY));
  assert.equal(accepted.status, 200);
  assert.equal(JSON.parse(accepted.text).result, "0x0");
  const chunk = `${(70_000).toString(16)}\r\n${"x".repeat(70_000)}\r\n0\r\n\r\n`;
  const head = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  const tooLarge = /^HTTP\/1\.1 413 /;
  assert.match(await exchange(head + chunk, 60_000, tooLarge), tooLarge);
});

test("--cors names its page in answers and in the answer to a preflight", async () => {
  const { headers } = await post(chain.url, bodyOf("getBlockNumber"), { origin: PAGE });
  assert.equal(headers.get("access-control-allow-origin"), PAGE);
  const preflight = await fetch(chain.url, { method: "OPTIONS", headers: { origin: PAGE } });
  assert.equal(preflight.status, 200);
  assert.equal(preflight.headers.get("access-control-allow-origin"), PAGE);
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /content-type/);
});

test("a foreign page may read and may not manage groups", async () => {
  const foreign = { origin: FOREIGN };
  const read = JSON.parse((await post(chain.url, bodyOf("getBlockNumber"), foreign)).text);
  assert.equal(read.result, "0x0");
  for (const method of ["stopGroup", "removeGroup", "startGroup", "recoverGroup"]) {
    const { error } = JSON.parse((await post(chain.url, bodyOf(method), foreign)).text);
    assert.equal(error?.code, -100_001, method);
  }
  assert.deepEqual(await ask(chain.url, "getGroupList"), [1]);
});

test("other methods than POST are refused and leave the connection usable", async () => {
  for (const method of ["GET", "PUT", "DELETE", "HEAD"]) {
    assert.equal((await fetch(chain.url, { method })).status, 405, method);
  }
  await requireAlive();
});

const GARBAGE = [
  { name: "text that is not HTTP", bytes: "HELLO THERE\r\n\r\n" },
  { name: "a TLS greeting", bytes: Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3) },
  { name: "half a request line", bytes: "POST / HT" },
  { name: "a request without its body", bytes: "POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n{" },
  { name: "a length that is no number", bytes: "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n" },
  {
    name: "a chunk of a bad length",
    bytes: "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  },
  { name: "a header of 200 kB", bytes: `POST / HTTP/1.1\r\nX: ${"y".repeat(200_000)}\r\n\r\n` },
  { name: "10,000 headers", bytes: `POST / HTTP/1.1\r\n${"a: b\r\n".repeat(10_000)}\r\n` },
  { name: "a body that is not JSON", bytes: "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n{{{" },
  { name: "a megabyte of noise", bytes: randomBytes(1_000_000) },
  { name: "a megabyte of line ends", bytes: "\r\n".repeat(500_000) },
] as const;
// These and the next wait for a timeout, in parallel.
for (const { name, bytes } of GARBAGE) {
  test.concurrent(`${name} on the port does not keep the next request from being answered`, async () => {
    await exchange(bytes);
    await requireAlive();
  });
}

test.concurrent("many half requests at once do not keep others from being answered", async () => {
  const half = Array.from({ length: 200 }, () => exchange("POST / HTTP/1.1\r\nContent-Le", 1_000));
  await requireAlive();
  await Promise.all(half);
  await requireAlive();
});
