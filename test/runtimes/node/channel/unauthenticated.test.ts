// Who may come in at the SDK port: kinds of keys, and unauthenticated clients that keep connections
// open.
// rules: channel-protocol 2.2, 10, 11
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { afterAll, test } from "vitest";
import { AccessControl, OPEN_ACCESS } from "../../../../core/channel/access.ts";
import { encodeFrame } from "../../../../core/channel/frame.ts";
import {
  ChannelService,
  DEFAULT_CHANNEL_LIMITS,
} from "../../../../core/node/channel/channel-service.ts";
import type { LogFields } from "../../../../core/ports/log.ts";
import {
  type ChannelServer,
  serveChannel,
} from "../../../../runtimes/node/server/channel-server.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { MAX_HANDSHAKES } from "../../../../runtimes/node/machine/handshakes.ts";
import { rpcNode } from "../../../support/rpc-node.ts";
import {
  expiredLeaf,
  keyPem,
  newAgency,
  newEcKey,
  newLeaf,
  newRsaKey,
  newToolChain,
  pemOf,
  type ToolChain,
  toolSdkFiles,
} from "../../../support/tool-certificates.ts";

const HOST = "127.0.0.1";
const TOOLS = newToolChain("agency");
const { root, agency } = TOOLS;
const SDK = toolSdkFiles(TOOLS);
const SDK_KEY = newEcKey();
const opened: ChannelServer[] = [];

afterAll(async () => {
  for (const server of opened) await server.close();
});

async function openPort(sessions = 8) {
  const lines: [string, LogFields | undefined][] = [];
  const log = {
    write: (_: unknown, message: string, fields?: LogFields) => lines.push([message, fields]),
  };
  const service = new ChannelService({
    node: rpcNode(),
    access: new AccessControl(OPEN_ACCESS, 0),
    limits: { ...DEFAULT_CHANNEL_LIMITS, sessions },
    clock: createNodeClock(),
    log,
    codec: {
      text: (bytes) => Buffer.from(bytes).toString("utf8"),
      bytes: (text) => Buffer.from(text, "utf8"),
    },
  });
  const leaf = newLeaf(agency, "node");
  const server = await serveChannel({
    service,
    address: { host: HOST, port: 0 },
    files: {
      kind: "secp256k1",
      ca: pemOf(root),
      cert: pemOf(leaf, agency, root),
      key: keyPem(leaf.key),
    },
    checkIssuer: true,
    log,
  });
  opened.push(server);
  return { port: server.port, service, lines };
}

const BEAT = encodeFrame({
  type: 0x13,
  seq: Buffer.from("0123456789abcdef0123456789abcdef", "latin1"),
  result: 0,
  data: Buffer.from("0"),
});

/** Shakes hands; whether a heartbeat is answered. */
async function isServed(options: ConnectionOptions): Promise<boolean> {
  const socket: TLSSocket = connect({
    host: HOST,
    minVersion: "TLSv1.2",
    maxVersion: "TLSv1.2",
    ecdhCurve: "secp256k1",
    checkServerIdentity: () => undefined,
    ...options,
  });
  const served = await new Promise<boolean>((resolve) => {
    socket.once("error", () => resolve(false));
    socket.once("close", () => resolve(false));
    socket.once("data", () => resolve(true));
    socket.once("secureConnect", () => socket.write(BEAT));
  });
  socket.destroy();
  return served;
}

async function until(holds: () => boolean, what: () => string): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (!holds()) {
    assert.ok(Date.now() < deadline, what());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The notice to a client that checks nobody. */
async function refusalOf(options: ConnectionOptions): Promise<string> {
  const socket = connect({
    host: HOST,
    minVersion: "TLSv1.2",
    maxVersion: "TLSv1.2",
    ecdhCurve: "secp256k1",
    rejectUnauthorized: false,
    ...options,
  });
  return await new Promise((resolve) => {
    socket.once("error", ({ message }) =>
      resolve(/(?<=:)[^:]*alert[^:]*/.exec(message)?.[0] ?? message),
    );
    socket.once("secureConnect", () => resolve("connected"));
  });
}

/** A leaf under another agency of the chain, or under another chain of the same names. */
function leafBelow(issuer: ToolChain, leaf = newLeaf(issuer.agency, "sdk")) {
  return { cert: pemOf(leaf, issuer.agency), key: keyPem(leaf.key) };
}

const REFUSED: readonly (readonly [string, ConnectionOptions, RegExp, RegExp])[] = [
  [
    "of another chain",
    leafBelow(newToolChain("agency")),
    /alert unknown ca$/,
    /^an SDK with a foreign certificate .*another chain.*issuer=CN=agency O=fisco-bcos/,
  ],
  [
    "without its agency",
    { cert: pemOf(newLeaf(agency, "sdk", SDK_KEY)), key: keyPem(SDK_KEY) },
    /alert unknown ca$/,
    /comes without the certificate of its agency/,
  ],
  [
    "that has expired",
    leafBelow(TOOLS, expiredLeaf(agency)),
    /alert certificate expired$/,
    /^an SDK with a foreign certificate .*has expired/,
  ],
  [
    "of another agency",
    leafBelow({ root, agency: newAgency(root, "other") }),
    /alert access denied$/,
    /^an SDK of another agency .*issuer=CN=other/,
  ],
  ["that is missing", {}, /alert handshake failure$/, /^a client without a certificate is turned/],
];

for (const [name, files, told, logged] of REFUSED) {
  test(`a certificate ${name}: client and operator are told the reason`, async () => {
    const { port, service, lines } = await openPort();
    for (let again = 0; again < 3; again++) assert.match(await refusalOf({ port, ...files }), told);
    const said = lines.map(([message, fields = {}]) => {
      const parts = Object.entries(fields).map(([key, value]) => `${key}=${value}`);
      return [message, ...parts].join(" ");
    });
    const about = said.filter((line) => line.includes("turned away"));
    assert.equal(about.length, 1, said.join("\n"));
    assert.match(about[0] ?? "", logged);
    assert.match(about[0] ?? "", /remote=127\.0\.0\.1:\d+/);
    assert.equal(service.counters().opened, 0);
    assert.equal(await isServed({ port, ...SDK }), true);
  });
}

test("a request in plain HTTP is informed that this is not the port of JSON-RPC", async () => {
  const { port, lines } = await openPort();
  const answer = await fetch(`http://${HOST}:${port}/`, { method: "POST", body: "{}" });
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /^This is the port for SDKs .* not the JSON-RPC port/);
  assert.ok(lines.some(([message]) => message.includes("was taken for that of JSON-RPC")));
  assert.equal(await isServed({ port, ...SDK }), true);
});

for (const [name, key] of [
  ["an RSA key", newRsaKey],
  ["an Ed25519 key", () => generateKeyPairSync("ed25519").privateKey],
  ["a P-521 key", () => generateKeyPairSync("ec", { namedCurve: "P-521" }).privateKey],
] as const satisfies readonly (readonly [string, () => KeyObject])[]) {
  test(`a certificate of the chain with ${name} is turned away: it would pass all lists`, async () => {
    const { port, service } = await openPort();
    const leaf = newLeaf(agency, "sdk", key());
    const pair = { ca: pemOf(root), cert: pemOf(leaf, agency, root), key: keyPem(leaf.key) };
    assert.equal(await isServed({ port, ...pair }), false);
    assert.equal(service.counters().opened, 0);
    assert.equal(await isServed({ port, ...SDK }), true);
  });
}

/** Connections that say nothing, from an address of this machine. */
async function silent(port: number, count: number, localAddress = HOST): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    connectTcp({ host: HOST, port, localAddress }),
  );
  for (const socket of sockets) socket.on("error", () => undefined);
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  return sockets;
}

test("who holds silent connections keeps nobody out, and is reported once", async () => {
  const { port, lines } = await openPort(1);
  const sockets = await silent(port, MAX_HANDSHAKES + 44);
  assert.equal(await isServed({ port, ...SDK }), true);
  const ended = () => sockets.filter((socket) => socket.readyState !== "open").length;
  await until(
    () => ended() >= 44,
    () => `${ended()} of them were cut`,
  );
  assert.ok(ended() < 60);
  assert.equal(lines.filter(([message]) => message.includes("too many shake hands")).length, 1);
  for (const socket of sockets) socket.destroy();
});

test("a slow handshake is not cut for the many of another address", async () => {
  const { port } = await openPort();
  const [slow] = await silent(port, 1);
  const sockets = await silent(port, MAX_HANDSHAKES + 20, "127.0.0.2");
  assert.equal(await isServed({ socket: slow, ...SDK }), true);
  for (const socket of sockets) socket.destroy();
});
