/** Keys in a browser, in real Chromium; PEM as Node's own keys and openssl's forms have it. */
import assert from "node:assert/strict";
import { createPrivateKey, createECDH, generateKeyPairSync } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { hexBytes, toHex } from "../../../core/bytes/hex.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { keyPem } from "../../../runtimes/formats/keys/key-pem.ts";
import { encodePem } from "../../../runtimes/formats/keys/pem.ts";
import { parsePrivateKey } from "../../../runtimes/folder/private-key.ts";
import { bundleFor } from "../../support/browser/platform-bundle.ts";
import { type ScriptServer, serveScripts } from "../../support/browser/script-server.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { untilHolds } from "../../support/browser/page-looks.ts";

const SCRIPT = `
  import * as tests from "./browser/keys-script.ts";
  globalThis.tests = tests;
`;
const KEY = Array.from({ length: 32 }, (_, index) => index + 1);
const KEY_TEXT = toHex(Uint8Array.from(KEY));

let server: ScriptServer;
let site: Site;
let page: Page;

beforeAll(async () => {
  const { script } = await bundleFor("browser", SCRIPT);
  server = await serveScripts(new Map([["page.js", script]]), "page.js");
  site = await openSite({ base: server.base });
  page = await site.tab();
  await untilHolds(page, "globalThis.tests !== undefined");
});

afterAll(async () => {
  await site?.close();
  server?.close();
});

const run = (call: string): Promise<unknown> => page.evaluate(`globalThis.tests.${call}`);

test("accounts are kept under a passphrase, which decides who reads their keys", async () => {
  const standard = createStandardSuite();
  const national = createSmSuite();
  const privateKey = Uint8Array.from(KEY);
  const { pem, stored, ...found } = (await run("runVault()")) as Record<string, string>;
  const address = (suite: typeof standard) => suite.address(suite.publicKey(privateKey));
  const two = { address: address(national), suite: "national" };
  assert.deepEqual(found, {
    before: [false, "missing", "locked"],
    one: { address: address(standard), suite: "standard", label: "one" },
    two: { ...two, label: "two" },
    refused: ["exists", "unusable", "exists"],
    locked: ["locked", "wrongPassphrase"],
    read: KEY_TEXT,
    stale: "locked",
    list: [{ ...two, label: "renamed" }],
    together: "locked",
    ended: "locked",
    erased: [false, 0],
  });
  assert.deepEqual(parsePrivateKey(pem ?? "")?.privateKey, privateKey);
  assert.ok(stored?.includes("renamed") && !stored.includes(KEY_TEXT), "no key lies there open");
});

test("keys of nodes open by themselves, or by their passphrase, and go with their chain", async () => {
  const second = `02${KEY_TEXT.slice(2)}`;
  assert.deepEqual(await run("runNodeKeys()"), {
    free: [KEY_TEXT, second],
    locks: ["browser", "passphrase"],
    faults: ["locked", "wrongPassphrase", "missing"],
    opened: [KEY_TEXT, second],
    wiped: "none",
  });
});

/** What users bring along: each text with what it is. */
function pemTexts(): readonly (readonly [string, string])[] {
  const secret = Uint8Array.from(KEY);
  const national = createSmSuite();
  const standard = createStandardSuite();
  const pkcs8 = keyPem("standard", secret, standard.publicKey(secret));
  const sec1 = createPrivateKey(pkcs8).export({ format: "pem", type: "sec1" }).toString();
  const locked = { cipher: "aes-128-cbc", passphrase: "x", format: "pem" } as const;
  const encrypted = (type: "pkcs8" | "sec1") =>
    createPrivateKey(pkcs8)
      .export({ ...locked, type })
      .toString();
  const nationalPem = keyPem("national", secret, national.publicKey(secret));
  const nationalSec1 = encodePem(
    "EC PRIVATE KEY",
    hexBytes(`30310201010420${KEY_TEXT}a00a06082a811ccf5501822d`),
  );
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
  const foreign = [p256, rsa].map((one) => one.export({ format: "pem", type: "pkcs8" }));
  return [
    [pkcs8, `standard ${KEY_TEXT}`],
    [sec1, `standard ${KEY_TEXT}`],
    [
      `-----BEGIN EC PARAMETERS-----\nBgUrgQQACg==\n-----END EC PARAMETERS-----\n${sec1}`,
      `standard ${KEY_TEXT}`,
    ],
    [nationalPem, `national ${KEY_TEXT}`],
    [nationalSec1, `national ${KEY_TEXT}`],
    [` 0x${KEY_TEXT}\n`, `standard ${KEY_TEXT}`],
    [encrypted("pkcs8"), "encrypted"],
    [encrypted("sec1"), "encrypted"],
    ...foreign.map((text) => [text.toString(), "unusable"] as const),
    ["", "unusable"],
    [pkcs8.slice(0, 90), "unusable"],
  ];
}

test("PEM files of both curves are read in every form that tools write", async () => {
  const texts = pemTexts();
  const found = await run(`runPems(${JSON.stringify(texts.map(([text]) => text))})`);
  assert.deepEqual(
    found,
    texts.map(([, expected]) => expected),
  );
  // The key of the test is what the platform makes of it.
  const ecdh = createECDH("secp256k1");
  ecdh.setPrivateKey(Buffer.from(KEY));
  const publicKey = createStandardSuite().publicKey(Uint8Array.from(KEY));
  assert.equal(ecdh.getPublicKey("hex"), `04${toHex(publicKey)}`);
});

test("nobody learned of an error", () => {
  assert.deepEqual(site.errors, []);
});
