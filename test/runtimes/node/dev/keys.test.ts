/** Key files of nodes. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, test } from "vitest";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { createNodeEntropy } from "../../../../runtimes/node/machine/entropy.ts";
import { createKeyPair, keyPairOf } from "../../../../runtimes/folder/private-key.ts";
import { ensureNodeKey, readNodeKey, writeNodeKey } from "../../../../runtimes/node/dev/keys.ts";

const suite = "standard";
const entropy = createNodeEntropy();
let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "keys-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const isCorrupt = (error: unknown) => error instanceof StoreFault && error.kind === "corrupt";

test("a key is made once, readable by its owner only, and read back ever after", async () => {
  const file = join(root, "conf", "node.key");
  const made = await ensureNodeKey(file, suite, entropy);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await ensureNodeKey(file, suite, entropy), made);
  assert.match(made.nodeId, /^[0-9a-f]{128}$/);
  assert.match(await readFile(file, "utf8"), /^-----BEGIN PRIVATE KEY-----/);
});

test("keys with leading zero bytes survive the round trip", async () => {
  const file = join(root, "small.key");
  const privateKey = new Uint8Array(32);
  privateKey[31] = 5;
  const key = keyPairOf(privateKey) ?? assert.fail();
  await writeNodeKey(file, key);
  assert.deepEqual(await readNodeKey(file, suite), key);
});

test("key files in hexadecimal, SEC 1 and PKCS 8 form hold the same key", async () => {
  const key = createKeyPair(entropy, suite);
  const hexFile = join(root, "hex.key");
  await writeFile(hexFile, `${Buffer.from(key.privateKey).toString("hex").toUpperCase()}\n`);
  assert.deepEqual(await readNodeKey(hexFile, suite), key);

  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
  const pkcs8 = join(root, "pkcs8.key");
  const sec1 = join(root, "sec1.key");
  await writeFile(pkcs8, privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(sec1, privateKey.export({ type: "sec1", format: "pem" }));
  assert.deepEqual(await readNodeKey(sec1, suite), await readNodeKey(pkcs8, suite));
});

test("keys of the national curve are written and read in the forms of the platform", async () => {
  const national = "national";
  const made = join(root, "sm2.key");
  const key = await ensureNodeKey(made, national, entropy);
  assert.deepEqual(await readNodeKey(made, national), key);

  const pair = generateKeyPairSync("ec", { namedCurve: "SM2" });
  const der = pair.publicKey.export({ type: "spki", format: "der" });
  for (const type of ["pkcs8", "sec1"] as const) {
    const file = join(root, `sm2-${type}.key`);
    await writeFile(file, pair.privateKey.export({ type, format: "pem" }));
    const { nodeId } = await readNodeKey(file, national);
    assert.equal(nodeId, der.subarray(-64).toString("hex"));
    await assert.rejects(readNodeKey(file, suite), isCorrupt);
  }
  const standard = join(root, "standard.key");
  await ensureNodeKey(standard, suite, entropy);
  await assert.rejects(readNodeKey(standard, national), isCorrupt);
});

test("the node ID is the public key that the platform derives from the file", async () => {
  const file = join(root, "platform.key");
  const { nodeId } = await ensureNodeKey(file, suite, entropy);
  const script = `const { createPublicKey } = require("node:crypto");
    const key = createPublicKey(require("node:fs").readFileSync(process.argv[1]));
    const { x, y } = key.export({ format: "jwk" });
    const hex = (text) => Buffer.from(text, "base64url").toString("hex").padStart(64, "0");
    process.stdout.write(hex(x) + hex(y));`;
  assert.equal(execFileSync(process.execPath, ["--eval", script, file]).toString(), nodeId);
});

const P256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const DAMAGED = [
  { name: "nothing", text: "" },
  { name: "half a key", text: "ab".repeat(16) },
  { name: "zero", text: "00".repeat(32) },
  { name: "a number beyond the curve", text: "ff".repeat(32) },
  { name: "a key of another curve", text: P256.export({ type: "pkcs8", format: "pem" }) },
] as const;
for (const { name, text } of DAMAGED) {
  test(`a key file that holds ${name} is refused and not replaced`, async () => {
    const file = join(root, `damaged-${name.replaceAll(" ", "-")}.key`);
    await writeFile(file, text);
    await assert.rejects(ensureNodeKey(file, suite, entropy), isCorrupt);
    assert.equal(await readFile(file, "utf8"), String(text));
  });
}

test("a source of randomness that only gives zeros is found out", () => {
  assert.throws(() => createKeyPair({ bytes: (count) => new Uint8Array(count) }), /random/);
});
