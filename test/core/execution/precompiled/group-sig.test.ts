/** GroupSig at 0x5004: a signature made here, and every way in which texts are malformed. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { encodeCall } from "../../../../core/abi/encode.ts";
import { addressOfNumber, toHex } from "../../../../core/bytes/hex.ts";
import { readGroupSignature } from "../../../../core/crypto/group-signature-text.ts";
import { verifyGroupSignature } from "../../../../core/crypto/group-signature.ts";
import { type GroupSignatureParts, signForGroup } from "../../../support/execution/group-signer.ts";
import { openTestChain, SUITE } from "../../../support/execution/test-chain.ts";

// rules: precompiles 2, 16, README 21

const GROUP_SIG = addressOfNumber(0x5004);
const MESSAGE = "pay 5";
const SIGNED = signForGroup(MESSAGE);
const MALFORMED = -51_700;

const base64 = (text: string): string => Buffer.from(text, "latin1").toString("base64");

interface Sent {
  readonly message?: string;
  readonly parts?: Partial<GroupSignatureParts>;
  /** Replaces arguments by their place. */
  readonly raw?: Readonly<Record<number, string>>;
}

async function send(sent: Sent) {
  const { message = MESSAGE, parts = {}, raw = {} } = sent;
  const { signature, group, parameters } = { ...SIGNED, ...parts };
  const json = (fields: object): string => base64(JSON.stringify(fields));
  const texts = [json(signature), message, json(group), base64(parameters)];
  const input = encodeCall(
    "groupSigVerify(string,string,string,string)",
    texts.map((text, i) => raw[i] ?? text),
    SUITE.hash,
  );
  const chain = await openTestChain();
  const receipt = await chain.send({ to: GROUP_SIG, input });
  const data = input.reduce((sum, byte) => sum + (byte === 0 ? 4 : 68), 21_000);
  const words = Math.ceil(input.length / 32);
  return { receipt, base: data, memory: 3 * words + Math.floor(words ** 2 / 512) };
}

async function answer(sent: Sent): Promise<number> {
  const { receipt } = await send(sent);
  assert.equal(receipt.status, 0);
  return Number(BigInt.asIntN(256, BigInt(`0x${toHex(receipt.output)}`)));
}

test("a member's signature verifies, and only for its message", async () => {
  assert.equal(await answer({}), 1);
  assert.equal(await answer({ message: "pay 6" }), 0);
});

test("every number of a signature counts", async () => {
  for (const [name, text] of Object.entries(SIGNED.signature)) {
    const last = text.endsWith("1") ? "2" : "1";
    const signature = { ...SIGNED.signature, [name]: text.slice(0, -1) + last };
    assert.equal(await answer({ parts: { signature } }), 0, name);
  }
});

test("the message ends at its first zero byte", async () => {
  assert.equal(await answer({ message: `${MESSAGE}\0and more` }), 1);
});

const { T1: _T1, ...withoutT1 } = SIGNED.signature;
const { pr_h_w: _prHW, ...withoutElement } = SIGNED.group;
const BROKEN: Readonly<Record<string, Sent>> = {
  "an empty message": { message: "" },
  "a message with an asterisk": { message: "pay * 5" },
  "a signature without T1": { parts: { signature: withoutT1 } },
  "a key without pr_h_w": { parts: { group: withoutElement } },
  "a short number": { parts: { signature: { ...SIGNED.signature, c: "12" } } },
  "a number that is none": {
    parts: { signature: { ...SIGNED.signature, c: "z".repeat(32) } },
  },
  "a signature that is no base64": { raw: { 0: "####" } },
  "a signature that is no JSON": { raw: { 0: base64("{") } },
  "a signature that is a list": { raw: { 0: base64("[]") } },
  "parameters that are no base64": { raw: { 3: "abc" } },
  "parameters of another type": {
    parts: { parameters: SIGNED.parameters.replace("type a", "type d") },
  },
  "parameters without r": { parts: { parameters: SIGNED.parameters.replace("\nr ", "\nn ") } },
  "parameters without sign0": { parts: { parameters: SIGNED.parameters.replace("sign0 1", "") } },
  "a field of 1 modulo 4": { parts: { parameters: SIGNED.parameters.replace(/q \d+/, "q 13") } },
  "a field beyond all use": {
    parts: { parameters: SIGNED.parameters.replace(/q \d+/, `q ${"7".repeat(617)}`) },
  },
};
for (const [what, sent] of Object.entries(BROKEN)) {
  test(`${what} is malformed`, async () => {
    assert.equal(await answer(sent), MALFORMED);
  });
}

test("the library's answer costs 20000, malformed input its memory only", async () => {
  const fine = await send({});
  assert.equal(fine.receipt.gasUsed, BigInt(fine.base + fine.memory + 20_000));
  const wrong = await send({ message: "pay 6" });
  assert.equal(wrong.receipt.gasUsed, BigInt(wrong.base + wrong.memory + 20_000));
  const malformed = await send({ message: "" });
  assert.equal(malformed.receipt.gasUsed, BigInt(malformed.base + malformed.memory));
});

test("a field that is none gives false and not an endless search", async () => {
  const composite = SIGNED.parameters.replace(
    /q (\d+)/,
    (_, q) => `q ${BigInt(q) - 4n * 3n ** 20n}`,
  );
  assert.equal(await answer({ parts: { parameters: composite } }), 0);
});

test("the work of each part is told before it is done, and more of it for larger fields", () => {
  const { parameters, signature, group } = SIGNED;
  const texts = { message: MESSAGE, parameters: base64(parameters) };
  const read = readGroupSignature({
    ...texts,
    signature: base64(JSON.stringify(signature)),
    group: base64(JSON.stringify(group)),
  });
  assert.ok(read);
  class Enough extends Error {}
  const firstPart = (q: bigint): number => {
    let told = 0;
    const larger = { ...read, parameters: { ...read.parameters, q } };
    const count = (steps: number): never => {
      told = steps;
      throw new Enough();
    };
    assert.throws(() => verifyGroupSignature(larger, count), Enough);
    return told;
  };
  const { q } = read.parameters;
  assert.ok(firstPart(q) > 10_000);
  assert.ok(firstPart(q << 1_800n) > 8 * firstPart(q));
});

test("an unknown method answers -50101", async () => {
  const chain = await openTestChain();
  const { output } = await chain.send({ to: GROUP_SIG, input: "61c09bf7" });
  assert.equal(BigInt.asIntN(256, BigInt(`0x${toHex(output)}`)), -50_101n);
});
