// The certificates of a dev chain: made once, kept, of both kinds and on both suites.
// rules: channel-protocol 2.2, 2.2.1
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { sdkIdOf } from "../../../../runtimes/node/server/channel-server.ts";
import { ensureDevCertificates } from "../../../../runtimes/node/dev/dev-channel.ts";
import { createNodeEntropy } from "../../../../runtimes/node/machine/entropy.ts";
import { createKeyPair } from "../../../../runtimes/folder/private-key.ts";
import { readChannelFiles } from "../../../../runtimes/folder/channel-files.ts";

const entropy = createNodeEntropy();
const keys = [0, 1].map(() => createKeyPair(entropy));

let place = "";
let count = 0;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "dev-certificates-"));
});
afterAll(() => rm(place, { recursive: true, force: true }));

function folder(changes: { path?: string; sm?: boolean; rsa?: boolean } = {}) {
  const path = join(place, `chain${count++}`);
  return { path, keys, sm: false, rsa: false, entropy, now: Date.now(), ...changes };
}

const read = (...names: readonly string[]) => readFileSync(join(...names), "utf8");

test("a node's port has the node's own key, and the SDK one of the same agency", async () => {
  const { sdk, nodes } = await ensureDevCertificates(folder());
  assert.equal(nodes.length, 2);
  for (const [i, paths] of nodes.entries()) {
    const files = await readChannelFiles(paths);
    const certificate = new X509Certificate(files.cert);
    assert.equal(sdkIdOf(certificate), keys[i]?.nodeId);
    assert.equal(certificate.issuer, new X509Certificate(read(sdk, "sdk.crt")).issuer);
    assert.equal(files.ca, read(sdk, "ca.crt"));
  }
});

test("the folder for SDKs has the pair under both names, keys readable by their owner", async () => {
  const { sdk } = await ensureDevCertificates(folder());
  assert.equal(read(sdk, "node.crt"), read(sdk, "sdk.crt"));
  assert.equal(read(sdk, "node.key"), read(sdk, "sdk.key"));
  assert.equal(statSync(join(sdk, "sdk.key")).mode & 0o777, 0o600);
});

test("a second start keeps what the first made", async () => {
  const first = folder();
  const { sdk, nodes } = await ensureDevCertificates(first);
  const before = [read(sdk, "sdk.crt"), read(nodes[0]?.cert ?? "")];
  await ensureDevCertificates(folder({ path: first.path }));
  assert.deepEqual([read(sdk, "sdk.crt"), read(nodes[0]?.cert ?? "")], before);
});

test("on an SM chain the port has a secp256k1 key that is no node's", async () => {
  const { nodes } = await ensureDevCertificates(folder({ sm: true }));
  const [paths] = nodes;
  assert.ok(paths);
  assert.ok(paths.cert.endsWith("conf/origin_cert/node.crt"));
  const id = sdkIdOf(new X509Certificate(read(paths.cert)));
  assert.equal(id.length, 128);
  assert.ok(keys.every(({ nodeId }) => nodeId !== id));
});

test("with RSA the folder for SDKs holds the RSA set, and without it the other again", async () => {
  const first = folder();
  const standard = await ensureDevCertificates(first);
  const before = read(standard.sdk, "sdk.crt");
  const { sdk, nodes } = await ensureDevCertificates(folder({ path: first.path, rsa: true }));
  const certificate = new X509Certificate(read(sdk, "sdk.crt"));
  assert.equal(certificate.publicKey.asymmetricKeyType, "rsa");
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.modulusLength, 2_048);
  assert.match(certificate.subject, /CN=FISCO-BCOS\nO=fisco-bcos\nOU=agency/);
  assert.ok(certificate.verify(new X509Certificate(read(sdk, "ca.crt")).publicKey));
  assert.equal(sdkIdOf(certificate), "");
  assert.ok(nodes[1]?.cert.endsWith("conf/channel_cert/node.crt"));
  await ensureDevCertificates(folder({ path: first.path }));
  assert.equal(read(sdk, "sdk.crt"), before);
});
