/** Accounts of key files, against keys that the tools write. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createSmSuite } from "../../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import { keyPairOf, privateKeyPem } from "../../../../runtimes/folder/private-key.ts";
import { accountFromPem } from "../../../../runtimes/node/client/client.ts";
import { accountFromPrivateKey } from "../../../../runtimes/shared/client/client.ts";

const KEY = new Uint8Array(32).fill(7);

for (const suite of [createStandardSuite(), createSmSuite()]) {
  test(`the account of a PEM file of the ${suite.name} suite is that of its key`, () => {
    const pair = keyPairOf(KEY, suite.name);
    assert.ok(pair);
    const account = accountFromPem(privateKeyPem(pair), suite.name);
    const known = accountFromPrivateKey(`0x${"07".repeat(32)}`, suite);
    assert.deepEqual([account.address, account.suite], [known.address, suite.name]);
    assert.equal(known.address, suite.address(pair.publicKey));
  });
}

test("texts that hold no key are refused", () => {
  assert.throws(() => accountFromPem("nothing"), /no key of the standard suite/);
  const pair = keyPairOf(KEY);
  assert.ok(pair);
  assert.throws(() => accountFromPem(privateKeyPem(pair), "national"), /no key of the national/);
  assert.throws(() => accountFromPrivateKey("0x12"), /32 bytes/);
  assert.throws(() => accountFromPrivateKey("zz".repeat(32)), /32 bytes/);
  assert.throws(() => accountFromPrivateKey("00".repeat(32)), /zero or not below/);
});
