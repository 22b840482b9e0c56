/** Requests of workloads as call data. Source: benchmark 3 (request object) */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { toHex } from "../../../../../core/bytes/hex.ts";
import { encodeFunction } from "../../../../../core/client/abi-item.ts";
import { createStandardSuite } from "../../../../../core/crypto/standard.ts";
import { signersOf } from "../../../../../runtimes/tools/benchmark/adapter/accounts.ts";
import { RequestEncoder } from "../../../../../runtimes/tools/benchmark/adapter/request-encoder.ts";

const suite = createStandardSuite();
const PAIR = {
  name: "pair",
  type: "tuple",
  components: [
    { name: "a", type: "uint8" },
    { name: "b", type: "bool" },
  ],
};
const ABI = [
  { type: "function", name: "set", inputs: [{ name: "n", type: "string" }] },
  { type: "function", name: "add", inputs: [{ name: "n", type: "uint256[]" }, PAIR] },
  { type: "function", name: "get", inputs: [] },
];
const contracts = [
  { id: "hello", address: `0x${"11".repeat(20)}`, abi: ABI },
  { id: "dag", address: `0x${"5002".padStart(40, "0")}`, abi: undefined },
];
const encoder = new RequestEncoder(contracts, suite);

function data(name: string, ...args: readonly unknown[]): string {
  return encodeFunction(ABI, name, args, suite.hash).data.slice(2);
}

describe("requests", () => {
  test("of older workloads: the function among the arguments, values as texts in their order", () => {
    const args = { transaction_type: "set(string)", name: "a b" };
    const { to, input } = encoder.encode({ contractId: "hello", args });
    assert.equal(to, contracts[0]?.address);
    assert.equal(toHex(input), data("set", "a b"));
    const add = {
      transaction_type: "add(uint256[],(uint8,bool))",
      list: "[1, 2]",
      pair: "[3, true]",
    };
    assert.equal(
      toHex(encoder.encode({ contractId: "hello", args: add }).input).slice(8),
      data("add", [1n, 2n], { a: 3, b: true }).slice(8),
    );
  });

  test("with real values and the name alone", () => {
    const args = [[1n, 2], { a: 3, b: true }];
    const { input } = encoder.encode({ contractId: "hello", contractFunction: "add", args });
    assert.equal(toHex(input), data("add", [1n, 2n], { a: 3, b: true }));
    const number = encoder.encode({ contractId: "hello", verb: "set", args: [7] });
    assert.equal(toHex(number.input), data("set", "7"));
    assert.equal(toHex(encoder.encode({ contractId: "hello", verb: "get" }).input), data("get"));
  });

  const WRONG = [
    {
      request: { contractId: "helo", verb: "get" },
      says: /no contract helo .*; it has hello, dag/,
    },
    { request: { contractId: "hello", args: {} }, says: /lacks args\.transaction_type/ },
    { request: { contractId: "hello", verb: "got" }, says: /hello has no function got/ },
    {
      request: { contractId: "hello", verb: "set(strin)", args: [1] },
      says: /is no function, such as/,
    },
    {
      request: { contractId: "hello", verb: "set", args: [1, 2] },
      says: /takes 1 arguments, not 2/,
    },
    {
      request: { contractId: "dag", verb: "userAdd", args: [1] },
      says: /dag .* functions need their types/,
    },
    {
      request: { contractId: "dag", verb: "userAdd(uint8)", args: ["300"] },
      says: /dag\.userAdd\(uint8\): argument 1 \(uint8\): "300" is no uint8/,
    },
  ];
  for (const { request, says } of WRONG) {
    test(`${JSON.stringify(request)} is refused: ${says.source}`, () => {
      assert.throws(() => encoder.encode(request), says);
    });
  }
});

test("accounts of a key are the same for every worker, and the first is that of the key", () => {
  const signers = signersOf("42".repeat(32), 3, suite);
  assert.equal(new Set(signers.map(({ address }) => address)).size, 3);
  assert.deepEqual(signersOf("42".repeat(32), 3, suite), signers);
  assert.equal(
    signers[0]?.address,
    suite.address(suite.publicKey(signers[0]?.key ?? new Uint8Array())),
  );
  assert.throws(() => signersOf("00".repeat(32), 1, suite), /privateKey is zero/);
});
