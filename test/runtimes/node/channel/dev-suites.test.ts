/** Channel ports of dev chains in RSA mode and of the national suite. */
// rules: channel-protocol 2.2, 2.2.1
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { afterAll, test } from "vitest";
import { type DevPlace, startDevPlace, Visit } from "../../../support/channel/channel-place.ts";
import { endLeftovers, stop } from "../../../support/process/dev-chain-process.ts";
import { TYPE } from "../../../support/channel/channel-frames.ts";

afterAll(endLeftovers);

async function visiting(
  args: readonly string[],
  run: (visit: Visit<DevPlace>) => Promise<void>,
): Promise<void> {
  const place = await startDevPlace(1, ...args);
  const visit = new Visit(place);
  try {
    await run(visit);
    const open = await visit.open();
    assert.equal((await stop(place.process)).code, 0);
    await open.untilClosed();
    assert.ok(open.wasToldEnd, "a node that ends shuts TLS down");
  } finally {
    await visit.end();
  }
}

test.concurrent("a dev chain in RSA mode writes and serves RSA files", () =>
  visiting(["--rsa-channel"], async (visit) => {
    const { cert } = visit.node(0).channel.sdk;
    assert.equal(new X509Certificate(cert).publicKey.asymmetricKeyType, "rsa");
    const client = await visit.open();
    assert.match(client.socket.getCipher().name, /^ECDHE-RSA-AES/);
    await visit.deploy(client);
    const fixed = await visit.open(0, { tls: { ciphers: "AES256-GCM-SHA384" } });
    assert.equal(fixed.socket.getCipher().name, "AES256-GCM-SHA384");
    await fixed.result("getBlockNumber", 1);
  }));

test.concurrent("a national chain serves SDKs over ordinary TLS", () =>
  visiting(["--sm"], async (visit) => {
    const client = await visit.open();
    assert.equal(client.socket.getProtocol(), "TLSv1.2");
    assert.equal(await client.handshake(3), 3);
    await client.ask(TYPE.heartbeat, '{"heartBeat":0}');
    const version = await client.result<Record<string, string>>("getClientVersion");
    assert.ok(version["Supported Version"]);
    assert.match(await client.result<string>("getBlockNumber", 1), /^0x/);
  }));
