/** Whose hash makes the selectors of a contract. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { selectorOf } from "../../../../../core/abi/encode.ts";
import { toHex } from "../../../../../core/bytes/hex.ts";
import { abiOfSignatures } from "../../../../../core/client/abi-list.ts";
import { createSmSuite } from "../../../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../../../core/crypto/standard.ts";
import { selectorHash } from "../../../../../runtimes/tools/console/contracts/selector-hash.ts";
import { posedSession } from "../../../../support/console/posed-session.ts";

const ABI = [
  ...abiOfSignatures(["set(string n)"]),
  { type: "function", name: "odd", inputs: [{ name: "", type: "Kind.Of" }] },
];
const [national, standard] = [createSmSuite(), createStandardSuite()];
const address = `0x${"11".repeat(20)}` as const;

async function hashFor(code: string) {
  const posed = posedSession({ results: { getCode: code } });
  const chain = async () => ({ ...(await posed.chain()), suite: national });
  return await selectorHash({ ...posed, chain }, { abi: ABI, address });
}

test("on a national chain the code tells which compiler made it", async () => {
  const code = (hash: typeof national.hash) => `0x8063${toHex(selectorOf("set(string)", hash))}14`;
  assert.equal(toHex(selectorOf("set(string)", await hashFor(code(standard.hash)))), "4ed3885e");
  assert.equal(toHex(selectorOf("set(string)", await hashFor(code(national.hash)))), "3590b49f");
  assert.equal(await hashFor("0x"), national.hash);
});

test("on a standard chain nothing is asked", async () => {
  const posed = posedSession();
  const hash = await selectorHash(posed, { abi: ABI, address });
  assert.equal(toHex(selectorOf("set(string)", hash)), "4ed3885e");
  assert.deepEqual(posed.calls, []);
});
