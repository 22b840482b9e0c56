// rules: generator 5
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { certificatesPem } from "../../../runtimes/folder/certificate.ts";
import { isCertificateName } from "../../../runtimes/formats/certificates/certificate-terms.ts";
import {
  createKeyPair,
  parsePrivateKey,
  privateKeyPem,
} from "../../../runtimes/folder/private-key.ts";
import { createChain, seededEntropy } from "./chain-of-certificates.ts";

const PAIR = createKeyPair(seededEntropy("keys"));

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const OPENSSL = hasOpenssl();

function openssl(args: readonly string[], input = ""): string {
  return execFileSync("openssl", args, { input, encoding: "utf8", stdio: "pipe" });
}

test("a key survives the way to its file and back", () => {
  const text = privateKeyPem(PAIR);
  assert.match(text, /^-----BEGIN PRIVATE KEY-----\n/);
  assert.deepEqual(parsePrivateKey(text), PAIR);
});

test("the text of a key is what the platform writes", () => {
  const key = createPrivateKey(privateKeyPem(PAIR));
  assert.equal(key.export({ type: "pkcs8", format: "pem" }), privateKeyPem(PAIR));
});

test("SEC 1 keys are read, also behind curve parameters and with other line ends", () => {
  const key = createPrivateKey(privateKeyPem(PAIR));
  const sec1 = key.export({ type: "sec1", format: "pem" }).toString();
  const parameters = "-----BEGIN EC PARAMETERS-----\nBgUrgQQACg==\n-----END EC PARAMETERS-----\n";
  assert.deepEqual(parsePrivateKey(sec1), PAIR);
  assert.deepEqual(parsePrivateKey(parameters + sec1), PAIR);
  assert.deepEqual(parsePrivateKey(sec1.replaceAll("\n", "\r\n")), PAIR);
});

test("keys of other curves, and what is no key, are refused", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const foreign = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const cut = privateKeyPem(PAIR).replace(/.{40}\n-----END/, "\n-----END");
  for (const text of [foreign, cut, "", "no key"]) assert.equal(parsePrivateKey(text), undefined);
});

test("no key begins with a zero byte", () => {
  const draws = [0, 0, 5].map((first) => new Uint8Array(32).fill(7).fill(first, 0, 1));
  const entropy = { bytes: () => draws.shift() ?? new Uint8Array(32) };
  assert.equal(createKeyPair(entropy).privateKey[0], 5);
});

test("randomness that gives no key is a fault, not an endless search", () => {
  assert.throws(() => createKeyPair({ bytes: (count) => new Uint8Array(count) }), /randomness/);
});

test("names are letters, digits, dot, underscore and dash", () => {
  for (const name of ["node0", "agency.A_1-b", "x"]) assert.ok(isCertificateName(name), name);
  for (const name of ["", "a/b", "a b", "..", ".", "ä", "a".repeat(65), "a\n"]) {
    assert.ok(!isCertificateName(name), name);
  }
});

test.skipIf(!OPENSSL)("openssl verifies the certificates strictly and reads the keys", () => {
  const { ca, agency, node } = createChain();
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  try {
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
    write("ca.crt", certificatesPem(ca.der));
    write("agency.crt", certificatesPem(agency.der));
    write("node.crt", certificatesPem(node.der, agency.der));
    const files = ["-CAfile", "ca.crt", "-untrusted", "agency.crt", "node.crt"];
    const paths = files.map((name) => (name.startsWith("-") ? name : join(folder, name)));
    const strict = ["-x509_strict", "-check_ss_sig", "-no_check_time"];
    assert.match(openssl(["verify", ...strict, ...paths]), /: OK$/m);
    assert.equal(openssl(["pkey"], privateKeyPem(node.key)), privateKeyPem(node.key));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.skipIf(!OPENSSL)("keys that openssl makes are read", () => {
  const sec1 = openssl(["ecparam", "-name", "secp256k1", "-genkey"]);
  const pair = parsePrivateKey(sec1);
  assert.ok(pair);
  const point = openssl(["pkey", "-noout", "-text"], sec1).replace(/[\s:]/g, "");
  assert.ok(point.includes(`pub04${pair.nodeId}`), point);
});
