/** Keys in PKCS #12 files: those of other programs, and ours in theirs. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import { concatBytes } from "../../../core/bytes/bytes.ts";
import { derOf, membersOf, octetsOf, readBer } from "../../../runtimes/folder/ber.ts";
import { FolderFault, type FolderFaultKind } from "../../../runtimes/folder/folder-fault.ts";
import { readPkcs12, writePkcs12 } from "../../../runtimes/folder/pkcs12.ts";
import { createKeyPair, parsePrivateKey } from "../../../runtimes/folder/private-key.ts";
import { createNodeEntropy } from "../../../runtimes/node/machine/entropy.ts";
import { TAKES_ALL_CASES } from "../../support/runner/cases.ts";

const DATA = join(import.meta.dirname, "../../data/pkcs12");
const PASSWORD = "open-sesame-22";
/** A file is cut and changed at every this many bytes: reading one takes thousands of rounds. */
const BYTES_APART = TAKES_ALL_CASES ? 13 : 39;
const entropy = createNodeEntropy();
const folder = mkdtempSync(join(tmpdir(), "pkcs12-"));
afterAll(() => rmSync(folder, { recursive: true }));

function bytesOf(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(DATA, name)));
}

function keyOf(name: string, suite: SuiteName): Uint8Array | undefined {
  return parsePrivateKey(readFileSync(join(DATA, name), "utf8"), suite)?.privateKey;
}

function refusal(kind: FolderFaultKind, text: RegExp): (fault: unknown) => boolean {
  return (fault) => fault instanceof FolderFault && fault.kind === kind && text.test(fault.message);
}

describe("files of other programs", () => {
  test.each([
    ["secp256k1-pbes2.p12", "openssl 3"],
    ["secp256k1-3des.p12", "openssl 1, and Java up to 8"],
    ["secp256k1-aes128.p12", "other ciphers and digests"],
    ["secp256k1-nomac.p12", "no authentication code"],
    ["secp256k1-java.p12", "Java 17"],
  ])("%s gives its key (%s)", (name) => {
    const pair = readPkcs12(bytesOf(name), PASSWORD, "standard");
    assert.deepEqual(pair.privateKey, keyOf("secp256k1.pem", "standard"));
  });

  test("a key of SM2 is read for chains of the national suite", () => {
    const pair = readPkcs12(bytesOf("sm2-pbes2.p12"), PASSWORD, "national");
    assert.deepEqual(pair.privateKey, keyOf("sm2.pem", "national"));
  });

  test("lengths that are open and octets in parts are read, as Bouncy Castle writes them", () => {
    const pair = readPkcs12(looseForm(bytesOf("secp256k1-3des.p12")), PASSWORD, "standard");
    assert.deepEqual(pair.privateKey, keyOf("secp256k1.pem", "standard"));
  });
});

describe("refusals", () => {
  test.each(["secp256k1-pbes2.p12", "secp256k1-3des.p12", "secp256k1-nomac.p12"])(
    "%s with another password says so",
    (name) => {
      const read = () => readPkcs12(bytesOf(name), "another", "standard");
      assert.throws(read, refusal("mismatch", /^wrong password/));
    },
  );

  test("a key of the other curve is named", () => {
    const read = () => readPkcs12(bytesOf("sm2-pbes2.p12"), PASSWORD, "standard");
    assert.throws(read, refusal("mismatch", /not of secp256k1/));
  });

  test("a file without a key, one under a dead cipher and what is no file", () => {
    const read = (bytes: Uint8Array) => () => readPkcs12(bytes, PASSWORD, "standard");
    assert.throws(read(bytesOf("no-key.p12")), refusal("unusable", /holds no key/));
    assert.throws(read(bytesOf("secp256k1-rc2.p12")), refusal("unusable", /openssl pkcs12/));
    for (const bytes of ["", "hello", "0000"].map((text) => new TextEncoder().encode(text))) {
      assert.throws(read(bytes), refusal("unusable", /damaged/));
    }
  });

  test("a file that is cut or changed anywhere is refused, and nothing else is thrown", () => {
    const whole = bytesOf("secp256k1-3des.p12");
    for (let at = 0; at < whole.length; at += BYTES_APART) {
      const cut = () => readPkcs12(whole.subarray(0, at), PASSWORD, "standard");
      assert.throws(cut, FolderFault);
      const changed = whole.slice();
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      try {
        readPkcs12(changed, PASSWORD, "standard");
      } catch (fault) {
        assert.ok(fault instanceof FolderFault, String(fault));
      }
    }
  });
});

describe("files of our own", () => {
  test.each<[SuiteName, string]>([
    ["standard", "pass word"],
    ["national", "pässwörd"],
    ["standard", ""],
  ])("a %s key under %j comes back, and with no other password", (suite, password) => {
    const pair = createKeyPair(entropy, suite);
    const bytes = writePkcs12(pair, password, entropy);
    assert.deepEqual(readPkcs12(bytes, password, suite), pair);
    const read = () => readPkcs12(bytes, `${password}x`, suite);
    assert.throws(read, refusal("mismatch", /^wrong password/));
  });

  const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
  test.runIf(hasOpenssl).each<SuiteName>(["standard", "national"])(
    "openssl reads a %s key with its certificate",
    (suite) => {
      const pair = createKeyPair(entropy, suite);
      const file = join(folder, `${suite}.p12`);
      writeFileSync(file, writePkcs12(pair, PASSWORD, entropy));
      const args = ["pkcs12", "-in", file, "-nodes", "-passin", `pass:${PASSWORD}`];
      const { stdout, stderr, status } = spawnSync("openssl", args, { encoding: "utf8" });
      assert.equal(status, 0, stderr);
      assert.match(stdout, /friendlyName: key/);
      assert.match(stdout, /BEGIN CERTIFICATE/);
      assert.deepEqual(parsePrivateKey(stdout, suite)?.privateKey, pair.privateKey);
    },
  );

  const hasJava = spawnSync("keytool", ["-help"]).error === undefined;
  test.runIf(hasJava)("Java lists the key under its alias", () => {
    const file = join(folder, "java.p12");
    writeFileSync(file, writePkcs12(createKeyPair(entropy), PASSWORD, entropy));
    const args = ["-list", "-keystore", file, "-storetype", "PKCS12", "-storepass", PASSWORD];
    const { stdout, status } = spawnSync("keytool", args, { encoding: "utf8" });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /^key, .*PrivateKeyEntry/m);
  });
});

const OPEN = 0x80;
const END = Uint8Array.of(0, 0);

/** A value between a tag, an open length, and the end. */
function open(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  return concatBytes(Uint8Array.of(tag, OPEN), ...content, END);
}

/** Octets in two parts. */
function inParts(bytes: Uint8Array): Uint8Array {
  const part = (from: number, to: number): Uint8Array => {
    const content = bytes.subarray(from, to);
    const length = Uint8Array.of(0x82, content.length >> 8, content.length & 0xff);
    return concatBytes(Uint8Array.of(0x04), length, content);
  };
  const half = bytes.length >> 1;
  return open(0x24, part(0, half), part(half, bytes.length));
}

/** The same file as BER: sequence, data and its octets with open lengths. */
function looseForm(bytes: Uint8Array): Uint8Array {
  const [version, safe, code] = membersOf(readBer(bytes));
  assert.ok(version && safe && code);
  const [kind, wrapped] = membersOf(safe);
  assert.ok(kind && wrapped);
  const [inner] = membersOf(wrapped);
  assert.ok(inner);
  const loose = open(0x30, derOf(kind), open(0xa0, inParts(octetsOf(inner))));
  return open(0x30, derOf(version), loose, derOf(code));
}
