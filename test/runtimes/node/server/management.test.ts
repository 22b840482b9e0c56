/** Who may change groups and peers over the sockets of a node. */
// rules: README 31
import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, test } from "vitest";
import { WebSocket } from "ws";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { isOfThisHost } from "../../../../runtimes/node/machine/own-address.ts";
import { type HttpServer, serve } from "../../../../runtimes/node/server/http-server.ts";
import { createWebSocketEnd } from "../../../../runtimes/node/server/websocket.ts";
import { createHttpApp } from "../../../../runtimes/shared/http-app.ts";
import { NOTHING_LISTED } from "../../../../runtimes/shared/http-caller.ts";
import type { Management } from "../../../../runtimes/shared/management.ts";
import { rawAnswer } from "../../../support/raw-http.ts";
import { rpcNode } from "../../../support/rpc-node.ts";

const STOP = '{"jsonrpc":"2.0","method":"stopGroup","params":[1],"id":1}';
const TOKEN = "0123456789abcdef-of-an-operator";
const DONE = "0x0";
const REFUSED = -100_001;

const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
const lan = own.find(({ family, internal }) => family === "IPv4" && !internal)?.address;

test("a connection is of this host by any of its addresses", () => {
  const links = own.map(({ address }) => address).filter((address) => /^fe80:/i.test(address));
  const ours = own.map(({ address }) => address).filter((address) => !links.includes(address));
  for (const address of ["127.0.0.1", "127.9.8.7", "::1", "::ffff:127.0.0.1", ...ours])
    assert.equal(isOfThisHost(address), true, address);
  const others = [undefined, "", "192.0.2.7", "::ffff:192.0.2.7", "2001:db8::1", "1127.0.0.1"];
  // Another link may have it too.
  const ofLinks = ["fe80::1", "FEBF::1%eth0", ...links, ...links.map((link) => `${link}%other`)];
  for (const address of [...others, ...ofLinks])
    assert.equal(isOfThisHost(address), false, address);
});

const MODES: Readonly<Record<Management["mode"], Management>> = {
  local: { mode: "local" },
  token: { mode: "token", token: TOKEN },
  open: { mode: "open" },
};

const servers = new Map<string, HttpServer>();

async function open(mode: Management["mode"], host: string): Promise<void> {
  const options = { node: rpcNode(), maxBodyBytes: 1_000, log: { write: () => {} } };
  const { app, posts } = createHttpApp(options);
  const sockets = createWebSocketEnd({ onBlock: () => {} }, options, createNodeClock());
  const lists = { ...NOTHING_LISTED, management: MODES[mode] };
  const address = { host: host === APART ? "127.0.0.1" : host, port: 0, lists };
  const server = await serve(app.fetch, address, posts, sockets);
  servers.set(`${mode} ${host}`, server);
}

const ALL = "0.0.0.0";
const ALL_OF_BOTH = "::";
/** Nobody keeps a connection to it. */
const APART = "apart";
const hasIpv6 = own.some(({ address }) => address === "::1");
/** By loopback, by the address in the network where there is one, and by all of them. */
const HOSTS = [
  "127.0.0.1",
  ALL,
  ...(hasIpv6 ? [ALL_OF_BOTH] : []),
  ...(lan === undefined ? [] : [lan]),
];

/** Names by which clients of this host reach who listens there. */
function namesOf(host: string): readonly string[] {
  const network = lan === undefined ? [] : [lan];
  if (host === ALL_OF_BOTH) return ["[::1]", "127.0.0.1", ...network];
  return host === ALL ? ["127.0.0.1", ...network] : [host];
}

beforeAll(async () => {
  for (const mode of ["local", "token", "open"] as const)
    for (const host of [...HOSTS, APART]) await open(mode, host);
});
afterAll(() => Promise.all([...servers.values()].map((server) => server.close())));

function portOf(mode: string, host: string): number {
  const server = servers.get(`${mode} ${host}`);
  assert.ok(server);
  return server.port;
}

interface Reply {
  readonly result?: { readonly code: string };
  readonly error?: { readonly code: number };
}

const verdict = ({ result, error }: Reply) => result?.code ?? error?.code;

async function stop(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: "POST", body: STOP, headers });
  return verdict((await response.json()) as Reply);
}

/** A body of unknown length takes the other way through the server. */
async function stopInPieces(url: string, headers: Record<string, string> = {}) {
  const body = new Blob([STOP]).stream();
  const response = await fetch(url, {
    method: "POST",
    body,
    headers,
    duplex: "half",
  } as RequestInit);
  return verdict((await response.json()) as Reply);
}

function stopOverWebSocket(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url.replace("http", "ws"), { headers });
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => socket.send(STOP));
    socket.on("message", (data: Buffer) => {
      resolve(verdict(JSON.parse(data.toString("utf8")) as Reply));
      socket.close();
    });
  });
}

const WAYS = { "a POST": stop, "a body in pieces": stopInPieces, "a WebSocket": stopOverWebSocket };

for (const [way, ask] of Object.entries(WAYS)) {
  for (const host of HOSTS) {
    test(`${way} to ${host === lan ? "the LAN address" : host}`, async () => {
      for (const name of namesOf(host)) {
        const url = (mode: string) => `http://${name}:${portOf(mode, host)}/`;
        const bearer = { Authorization: `Bearer ${TOKEN}` };
        assert.equal(await ask(url("local")), DONE);
        assert.equal(await ask(url("local"), { "X-Forwarded-For": "192.0.2.7" }), REFUSED);
        assert.equal(await ask(url("local"), { Forwarded: "for=192.0.2.7" }), REFUSED);
        assert.equal(await ask(url("token")), REFUSED);
        assert.equal(await ask(url("token"), { Authorization: "Bearer wrong" }), REFUSED);
        assert.equal(await ask(url("token"), bearer), DONE);
        assert.equal(await ask(url("token"), { ...bearer, "X-Forwarded-For": "192.0.2.7" }), DONE);
        assert.equal(await ask(url("open"), { "X-Forwarded-For": "192.0.2.7" }), DONE);
      }
    });
  }
}

/** Connections to a port come from another address, as far as the server sees. */
function comingFrom(port: number, address: string | undefined): () => void {
  const onSocket = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    if (socket.localPort !== port) return;
    Object.defineProperty(socket, "remoteAddress", { get: () => address });
  };
  subscribe("net.server.socket", onSocket);
  return () => unsubscribe("net.server.socket", onSocket);
}

for (const [way, ask] of Object.entries(WAYS)) {
  test(`${way} from elsewhere needs the token, or an open node`, async () => {
    for (const address of ["192.0.2.7", "::ffff:192.0.2.7", "fe80::1%eth0", undefined]) {
      for (const mode of ["local", "token", "open"] as const) {
        const port = portOf(mode, APART);
        const end = comingFrom(port, address);
        const headers = { connection: "close" };
        const url = `http://127.0.0.1:${port}/`;
        try {
          assert.equal(await ask(url, headers), mode === "open" ? DONE : REFUSED);
          const bearer = { ...headers, Authorization: `Bearer ${TOKEN}` };
          assert.equal(await ask(url, bearer), mode === "local" ? REFUSED : DONE);
        } finally {
          end();
        }
      }
    }
  });
}

test("a header is seen behind as many as there may be, and behind more all is refused", async () => {
  const port = portOf("local", "127.0.0.1");
  const fields = Array.from({ length: 1_100 }, (_, at) => `A${at}:`);
  let many = fields.slice(0, 240);
  const post = (...headers: readonly string[]) =>
    rawAnswer(
      port,
      ["POST / HTTP/1.1", ...many, ...headers, `Content-Length: ${STOP.length}`, "", STOP].join(
        "\r\n",
      ),
      /\r\n\r\n[\s\S]/,
    );
  assert.match(await post("Host: localhost"), /"code":"0x0"/);
  assert.match(await post("Host: localhost", "X-Forwarded-For: 192.0.2.7"), /-100001/);
  assert.match(await post("Host: evil.example.com", "Origin: http://evil.example.com"), / 403 /);
  // An upgrade that no server here grants: the request is read a second time.
  const request = ["Host: localhost", "Connection: Upgrade", "Upgrade: something"];
  assert.match(await post(...request, "X-Forwarded-For: 192.0.2.7"), /-100001/);
  many = fields;
  for (const headers of [["Host: localhost"], request])
    assert.match(await post(...headers), /^HTTP\/1.1 431 /);
});
