/**
 * The endpoint of a gateway over fetch: who reads its header, and what of upstreams is not read.
 */
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "vitest";
import { UsageFault } from "../../../../core/client/client-fault.ts";
import {
  createGatewayApp,
  gatewayPorts,
  listOf,
  readTrusted,
} from "../../../../runtimes/shared/gateway/gateway-app.ts";
import { webClock } from "../../../../runtimes/shared/platform/web-platform.ts";
import { TrailChain } from "../../../support/client/trail-chain.ts";
import { collectLog } from "../../../support/collected-log.ts";
import { nodeOf } from "../../../support/gateway/gateway-place.ts";
import { openDataNode } from "../../../support/gateway/byzantine-upstream.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const CHAIN = new TrailChain(STANDARD_SUITE, "abcd").grow(2);
const BUILD = { version: "", buildTime: "", buildType: "", gitBranch: "", gitCommit: "" };
const ORIGIN = "https://app.example";

async function serverOf(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

function appOf(upstreams: readonly string[]) {
  const trusted = { number: 0, hash: CHAIN.header(0).hash };
  const settings = { upstreams, groupId: 1, trusted, suite: STANDARD_SUITE, build: BUILD };
  const ports = gatewayPorts(webClock, collectLog());
  // A busy machine is no upstream that hangs.
  const patient = { ...settings, timeoutMs: 600_000 };
  const lists = { allowedHosts: [], allowedOrigins: [ORIGIN] };
  return createGatewayApp({ settings: patient, ports, lists, maxBodyBytes: 10_000 });
}

function ask(app: ReturnType<typeof appOf>, headers: Record<string, string> = {}) {
  const body = '{"jsonrpc":"2.0","id":1,"method":"getBlockHashByNumber","params":[1,"2"]}';
  const request = new Request("http://localhost/", { method: "POST", headers, body });
  return app.http.app.fetch(request);
}

test("a listed page may read what an answer rests on", async () => {
  const node = await openDataNode(nodeOf(CHAIN, 0).api);
  try {
    const app = appOf([node.url]);
    const answer = await ask(app, { origin: ORIGIN, host: "localhost" });
    assert.match(answer.headers.get("x-chain-node-proof") ?? "", /^certificate; height=2/);
    assert.equal(answer.headers.get("access-control-expose-headers"), "x-chain-node-proof");
    assert.equal((await ask(app)).headers.get("access-control-expose-headers"), null);
  } finally {
    await node.close();
  }
});

test("an upstream sends nobody elsewhere, and its endless answer is not read", async () => {
  const node = await openDataNode(nodeOf(CHAIN, 0).api);
  const sending = await serverOf((_, response) => {
    response.writeHead(307, { location: node.url }).end();
  });
  const piece = "x".repeat(1024 * 1024);
  const endless = await serverOf((_, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  try {
    const app = appOf([sending.url, node.url]);
    const { result } = (await (await ask(app)).json()) as { result: unknown };
    assert.equal(result, CHAIN.header(2).hash);
    const { host } = new URL(sending.url);
    const wanted = `upstream_requests_total{upstream="${host}",answered="no"} 1\n`;
    assert.ok(app.gateway.metricsText().includes(wanted), app.gateway.metricsText());
    const alone = (await (await ask(appOf([endless.url]))).json()) as {
      error: { message: string };
    };
    assert.match(alone.error.message, /an answer of more than 33554432 bytes is not read/);
  } finally {
    sending.close();
    endless.close();
    await node.close();
  }
});

test("answers that are read together have one bound, and a caller that sends most is dropped", async () => {
  const mib = 1024 * 1024;
  // Nobody ends before all have sent what they have.
  const open: (() => void)[] = [];
  const servers = await Promise.all(
    [20, 22, 20].map((size) =>
      serverOf((_, response) => {
        response.writeHead(200);
        response.write("x".repeat(size * mib), () => undefined);
        open.push(() => response.end());
      }),
    ),
  );
  const small = await serverOf((_, response) => response.end("small"));
  const { send } = gatewayPorts(webClock, collectLog());
  const post = (url: string) =>
    send({ url, headers: {}, body: "", timeoutMs: 600_000, signal: undefined });
  try {
    const asked = servers.map(({ url }) => post(url));
    const cut = await Promise.race(
      asked.map((it) =>
        it.then(
          () => "",
          (cause: Error) => cause.message,
        ),
      ),
    );
    assert.match(cut, /answers of upstreams fill the room of 50331648 bytes/);
    assert.equal((await post(small.url)).body, "small");
    for (const end of open) end();
    const ended = await Promise.allSettled(asked);
    const bodies = ended.flatMap((it) => (it.status === "fulfilled" ? [it.value.body.length] : []));
    assert.equal(bodies.length, 2, "two of three have room");
    assert.equal((await post(small.url)).body, "small");
    for (const { close } of servers) close();
  } finally {
    small.close();
    for (const { close } of servers) close();
  }
});

test("trusted blocks and lists are read from texts", () => {
  const hash = `0x${"AB".repeat(32)}`;
  assert.deepEqual(readTrusted(` 12:${hash}`), { number: 12, hash: hash.toLowerCase() });
  for (const text of ["", "12", hash, `x:${hash}`, `0:${hash}00`, `-1:${hash}`]) {
    assert.throws(() => readTrusted(text), UsageFault, text);
  }
  assert.deepEqual(listOf(" a, b\n,c "), ["a", "b", "c"]);
  assert.throws(() => appOf([]), /a gateway has 1 to 16 upstreams, not 0/);
  assert.throws(() => appOf(["http://a:1", "http://a:1"]), /named twice/);
  for (const [one, other] of [
    ["http://[::1]:8545", "http://[0:0:0:0:0:0:0:1]:8545"],
    ["http://[2001:db8::a]", "http://[2001:0DB8:0:0::000A]:80/"],
    ["http://[::ffff:127.0.0.1]:1", "http://[::ffff:7f00:1]:1"],
    ["http://127.0.0.1:1", "http://127.1:1"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
  ] as const) {
    assert.throws(() => appOf([one, other]), /named twice/, one);
  }
});
