/**
 * The port for browsers over TLS: its files, their replacement, and what is reported about them.
 */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, test } from "vitest";
import { createRsaSet, type RsaSet } from "../../../../runtimes/folder/rsa-certificate.ts";
import { nodeTransports } from "../../../../runtimes/node/p2p/p2p-node.ts";
import {
  readWebSocketFiles,
  watchWebSocketFiles,
  webSocketPaths,
} from "../../../../runtimes/node/p2p/web-socket-files.ts";
import { collectLog } from "../../../support/collected-log.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { seededEntropy } from "../../folder/chain-of-certificates.ts";
import { freePort, testNode, until, withNodes } from "./p2p-field.ts";

const NOW = Date.now();
const CERT = "ws.crt";
const KEY = "ws.key";
let home: string;
let set: RsaSet;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-wss-"));
  set = await createRsaSet("wss", { entropy: seededEntropy("wss"), now: NOW });
});
afterAll(() => rm(home, { recursive: true, force: true }));

const paths = () => ({ cert: join(home, CERT), key: join(home, KEY) });

async function put({ cert, key }: { readonly cert: string; readonly key: string }): Promise<void> {
  await writeFile(paths().cert, cert);
  await writeFile(paths().key, key);
}

/** The certificate that a port shows. */
function shownAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? "");
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

const printOf = (pem: string) => new X509Certificate(pem).fingerprint256;

test("files of wss are named relative to the node's folder, and only together", () => {
  const listener = { ip: "127.0.0.1", port: 30_400 };
  const tls = { cert: "tls/a.crt", key: "/etc/b.key" };
  const found = webSocketPaths("/srv/node0", { ...listener, tls });
  assert.deepEqual(found, { cert: "/srv/node0/tls/a.crt", key: "/etc/b.key" });
  assert.equal(webSocketPaths("/srv/node0", { ...listener, tls: undefined }), undefined);
});

test("a missing file, and files that do not fit, are named with what to do", async () => {
  const nowhere = { cert: join(home, "none.crt"), key: join(home, KEY) };
  await assert.rejects(readWebSocketFiles(nowhere), /none\.crt cannot be read \(ENOENT\).*ws_cert/);
  await put({ cert: set.node.cert, key: set.sdk.key });
  await assert.rejects(readWebSocketFiles(paths()), /cannot serve wss: .*mismatch/);
  await put({ cert: "no certificate", key: set.node.key });
  await assert.rejects(readWebSocketFiles(paths()), /cannot serve wss: /);
});

test("the port speaks TLS, and takes over a new certificate without a restart", async () => {
  await put(set.node);
  const files = await readWebSocketFiles(paths());
  const webSocketPort = await freePort();
  const listen = { host: "127.0.0.1", webSocketPort, isSecure: true };
  const node = await testNode({ index: 0, listen, transports: nodeTransports(files) });
  const clock = createHandClock();
  const log = collectLog();
  const { lines } = log;
  await withNodes([node], async () => {
    await node.start();
    assert.match(node.network.addresses().join(), /\/tls\/ws/);
    assert.equal(await shownAt(webSocketPort), printOf(set.node.cert));
    const renew = node.network.renewWebSocket;
    const end = watchWebSocketFiles({ paths: paths(), files, clock, log, renew });
    await put({ cert: set.sdk.cert, key: set.node.key });
    clock.move(30_000);
    await until("half a replacement is reported", () =>
      lines.some(({ message }) => message === "the WebSocket port keeps its files"),
    );
    assert.equal(await shownAt(webSocketPort), printOf(set.node.cert));
    await put(set.sdk);
    await until("the new one is taken over", () => {
      clock.move(30_000);
      return lines.some(({ message }) => message === "the WebSocket port has a new certificate");
    });
    end();
    assert.equal(await shownAt(webSocketPort), printOf(set.sdk.cert));
  });
});
