// The TLS server of the SDK port over real sockets: certificates, records, closing. No chain.
// rules: channel-protocol 2.1, 2.2, 2.2.1, 2.2.2, 2.3
import assert from "node:assert/strict";
import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { afterAll, test } from "vitest";
import type { Log } from "../../../../core/ports/log.ts";
import type { Hash } from "../../../../core/bytes/ids.ts";
import { AccessControl, OPEN_ACCESS } from "../../../../core/channel/access.ts";
import { encodeFrame, type Frame, FrameReader } from "../../../../core/channel/frame.ts";
import {
  ChannelService,
  DEFAULT_CHANNEL_LIMITS,
} from "../../../../core/node/channel/channel-service.ts";
import type { SessionHandle } from "../../../../core/channel/session-handle.ts";
import type { LedgerApi } from "../../../../core/ports/ledger.ts";
import {
  type Agency,
  createAgency,
  createAuthority,
  issue,
} from "../../../../runtimes/folder/authority.ts";
import { certificatesPem } from "../../../../runtimes/folder/certificate.ts";
import type { ChannelFiles } from "../../../../runtimes/folder/channel-files.ts";
import { privateKeyPem } from "../../../../runtimes/folder/private-key.ts";
import { createRsaSet } from "../../../../runtimes/folder/rsa-certificate.ts";
import {
  type ChannelServer,
  serveChannel,
} from "../../../../runtimes/node/server/channel-server.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { createNodeEntropy } from "../../../../runtimes/node/machine/entropy.ts";
import { dataGroup, dataNode } from "../../../support/data-node.ts";

const entropy = createNodeEntropy();
const context = { entropy, now: Date.now(), days: 10 };
const authority = createAuthority(context);
const agency = createAgency("agency", authority, context);
const HASH = `0x${"5a".repeat(32)}` as Hash;
const lines: string[] = [];
const LOG: Log = { write: (_level, message) => void lines.push(message) };
const SECP: ConnectionOptions = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
  ecdhCurve: "secp256k1",
};

interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly nodeId: string;
}

function pairOf(kind: "node" | "sdk", by: Agency): Pair {
  const issued = issue({ kind, name: kind }, by, context);
  return { cert: issued.text, key: privateKeyPem(issued.key), nodeId: issued.key.nodeId };
}

const NODE_PAIR = pairOf("node", agency);
const SDK = pairOf("sdk", agency);
const FILES: ChannelFiles = {
  kind: "secp256k1",
  ca: certificatesPem(authority.certificate),
  cert: NODE_PAIR.cert,
  key: NODE_PAIR.key,
};
const CODEC = {
  text: (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8"),
  bytes: (text: string) => Buffer.from(text, "utf8"),
};
const LEDGER = { head: () => ({ number: 16, hash: HASH }) } as unknown as LedgerApi;

const opened: ChannelServer[] = [];

afterAll(async () => {
  for (const server of opened) await server.close();
});

async function openPort(files: ChannelFiles = FILES, checkIssuer = true, maxSessions = 100) {
  const service = new ChannelService({
    node: dataNode([dataGroup(LEDGER)]),
    access: new AccessControl(OPEN_ACCESS, 0),
    limits: { ...DEFAULT_CHANNEL_LIMITS, sessions: maxSessions },
    clock: createNodeClock(),
    log: LOG,
    codec: CODEC,
  });
  const address = { host: "127.0.0.1", port: 0 };
  const options = { service, address, files, checkIssuer, log: LOG };
  const server = await serveChannel(options);
  opened.push(server);
  return { server, service };
}

function withFiles(pair: Pick<Pair, "cert" | "key">, more: ConnectionOptions = SECP) {
  return { ca: FILES.ca, cert: pair.cert, key: pair.key, ...more };
}

/** The connection, once an answer has come over it; the cause when it fails. */
async function tryPort(port: number, options: ConnectionOptions): Promise<TLSSocket | Error> {
  const socket = connect({
    host: "127.0.0.1",
    port,
    checkServerIdentity: () => undefined,
    ...options,
  });
  const frame = encodeFrame({ type: 0x13, seq: SEQ, result: 0, data: Buffer.from("0") });
  return new Promise((resolve) => {
    socket.once("error", resolve);
    socket.once("close", () => resolve(new Error("closed without a frame")));
    socket.once("data", () => resolve(socket));
    socket.once("secureConnect", () => socket.write(frame));
  });
}

const SEQ = Buffer.from("0123456789abcdef0123456789abcdef", "latin1");

async function admitted(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = await tryPort(port, options);
  assert.ok(!(socket instanceof Error), String(socket));
  return socket;
}

test("an SDK of the chain is admitted, and its identity is its public key", async () => {
  const { server, service } = await openPort();
  const socket = await admitted(server.port, withFiles(SDK));
  assert.equal(socket.getProtocol(), "TLSv1.2");
  assert.match(socket.getCipher().name, /^ECDHE-ECDSA-AES/);
  const sessions: readonly SessionHandle[] = [...service.sessions()];
  assert.deepEqual(
    sessions.map(({ sdkId }) => sdkId),
    [SDK.nodeId],
  );
  socket.destroy();
});

test("a certificate without a role opens the port, and is reported once", async () => {
  const { server } = await openPort();
  const told = () => lines.filter((line) => line.includes("does not say what it is for")).length;
  const before = told();
  // Of a kind that none of our tools writes: its unit is no role.
  const odd = withFiles(pairOf("gateway" as "node", agency));
  for (const options of [odd, odd, withFiles(NODE_PAIR), withFiles(SDK)])
    (await admitted(server.port, options)).destroy();
  assert.equal(told() - before, 1);
});

const other = createAuthority(context);
const REFUSED: readonly { name: string; options: () => ConnectionOptions }[] = [
  { name: "without a certificate", options: () => ({ ca: FILES.ca, ...SECP }) },
  {
    name: "with a certificate of another chain",
    options: () => withFiles(pairOf("sdk", createAgency("agency", other, context))),
  },
  {
    name: "with a certificate of another agency",
    options: () => withFiles(pairOf("sdk", createAgency("other", authority, context))),
  },
  {
    name: "with its own certificate only",
    options: () => {
      const [leaf = ""] = SDK.cert.split(/(?<=-----END CERTIFICATE-----\n)/);
      return withFiles({ ...SDK, cert: leaf });
    },
  },
  {
    name: "without the group secp256k1",
    options: () => withFiles(SDK, { ...SECP, ecdhCurve: "P-256" }),
  },
  {
    name: "with TLS 1.3 only",
    options: () => withFiles(SDK, { minVersion: "TLSv1.3", ecdhCurve: "P-256" }),
  },
];
for (const { name, options } of REFUSED) {
  test(`a client ${name} is refused, and the port goes on`, async () => {
    const { server, service } = await openPort();
    assert.ok((await tryPort(server.port, options())) instanceof Error);
    assert.equal(service.counters().sessions, 0);
    (await admitted(server.port, withFiles(SDK))).destroy();
  });
}

test("another agency is admitted when issuers are not checked", async () => {
  const { server } = await openPort(FILES, false);
  const pair = pairOf("sdk", createAgency("other", authority, context));
  (await admitted(server.port, withFiles(pair))).destroy();
});

test("RSA files serve clients that offer secp256k1 only, others, and static RSA", async () => {
  const { ca, node, sdk } = await createRsaSet("agency", context);
  const { server, service } = await openPort({ kind: "rsa", ca, ...node });
  const files = { ca, ...sdk };
  for (const [ecdhCurve, ciphers, expected] of [
    ["secp256k1", undefined, /^ECDHE-RSA/],
    ["X25519", undefined, /^ECDHE-RSA/],
    ["P-256", "AES256-GCM-SHA384", /^AES256-GCM-SHA384$/],
  ] as const) {
    const more = { ...SECP, ecdhCurve, ...(ciphers ? { ciphers } : {}) };
    const socket = await admitted(server.port, { ...files, ...more });
    assert.match(socket.getCipher().name, expected);
    assert.deepEqual(
      [...service.sessions()].map(({ sdkId }) => sdkId),
      [""],
    );
    socket.destroy();
    while (service.counters().sessions > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok((await tryPort(server.port, withFiles(SDK))) instanceof Error);
});

/** Bytes of the plain text in each record of application data, from server to client. */
async function recordingProxy(port: number) {
  const chunks: Buffer[] = [];
  const proxy = createServer((client) => {
    const upstream = connectTcp({ host: "127.0.0.1", port });
    client.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      chunks.push(bytes);
      client.write(bytes);
    });
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const records = (): number[] => {
    const all = Buffer.concat(chunks);
    const sizes: number[] = [];
    for (let at = 0; at + 5 <= all.length; ) {
      const length = all.readUInt16BE(at + 3);
      // AES-GCM in TLS 1.2: 8 bytes of nonce in front, 16 bytes of tag behind.
      if (all[at] === 23) sizes.push(length - 24);
      at += 5 + length;
    }
    return sizes;
  };
  return { port: (proxy.address() as AddressInfo).port, records, close: () => proxy.close() };
}

test("pipelined answers, a long one before a short one, share no TLS record", async () => {
  const { server, service } = await openPort();
  service.addExtension({
    onFrame(session, { type, seq }) {
      if (type !== 0x30) return false;
      session.send({ type: 0x31, seq, result: 0, data: Buffer.alloc(17_000) });
      session.send({ type: 0x31, seq, result: 0, data: Buffer.alloc(3) });
      return true;
    },
    onSessionClosed: () => undefined,
    onTopicsChanged: () => undefined,
    close: () => undefined,
  });
  const proxy = await recordingProxy(server.port);
  const socket = await admitted(proxy.port, withFiles(SDK));
  const text = '{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[1]}';
  const ask = encodeFrame({ type: 0x12, seq: SEQ, result: 0, data: Buffer.from(text) });
  const long = encodeFrame({ type: 0x30, seq: SEQ, result: 0, data: Buffer.from([1]) });
  const reader = new FrameReader();
  const frames: Frame[] = [];
  const done = new Promise<void>((resolve) => {
    socket.on("data", (bytes: Buffer) => {
      frames.push(...reader.push(bytes));
      if (frames.length === 260) resolve();
    });
  });
  socket.write(Buffer.concat([...Array(200).fill(ask), ...Array(30).fill(long)] as Buffer[]));
  await done;
  const ends = new Set<number>();
  let position = 0;
  for (const size of proxy.records()) {
    position += size;
    ends.add(position);
  }
  // The heartbeat's answer came first.
  let end = 43;
  for (const { data } of frames) {
    assert.ok(ends.has(end), `a record ends at byte ${end}`);
    end += 42 + data.length;
  }
  assert.ok(ends.has(end));
  socket.destroy();
  proxy.close();
});

test("for a connection beyond the limit an idle one is closed", async () => {
  const { server, service } = await openPort(FILES, true, 1);
  const first = await admitted(server.port, withFiles(SDK));
  const ended = new Promise<void>((resolve) => first.once("close", () => resolve()));
  first.resume();
  const second = await admitted(server.port, withFiles(SDK));
  await ended;
  assert.deepEqual([service.counters().sessions, service.counters().refused], [1, 0]);
  second.destroy();
});

test("a port that closes ends its sessions with close_notify", async () => {
  const { server } = await openPort();
  const socket = await admitted(server.port, withFiles(SDK));
  const ended = new Promise<void>((resolve) => socket.once("end", () => resolve()));
  socket.resume();
  await server.close();
  await ended;
  assert.ok((await tryPort(server.port, withFiles(SDK))) instanceof Error);
});

test("a port in use is a fault that says so", async () => {
  const { server, service } = await openPort();
  const address = { host: "127.0.0.1", port: server.port };
  const options = { service, address, files: FILES, checkIssuer: true, log: LOG };
  await assert.rejects(serveChannel(options), /in use by another program/);
});
