/** Which function a call means, and what is reported when none fits. Source: console 4.3, 8 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { abiOfSignatures, type AbiList } from "../../../../../core/client/abi-list.ts";
import { ConsoleFault, EXIT } from "../../../../../runtimes/tools/console/command.ts";
import {
  chooseFunction,
  constructorValues,
} from "../../../../../runtimes/tools/console/contracts/choose-function.ts";
import {
  shownType,
  shownValue,
  valueLines,
} from "../../../../../runtimes/tools/console/contracts/shown-values.ts";
import { readLibraries } from "../../../../../runtimes/tools/console/contracts/libraries.ts";
import { typedParameters } from "../../../../../core/client/abi-item.ts";

const ABI: AbiList = [
  ...abiOfSignatures([
    "get() view returns (string)",
    "set(string n)",
    "set(uint256 n)",
    "set(uint256 n,address who)",
    "put(bool b)",
  ]),
  { type: "constructor", inputs: [{ name: "owner", type: "address" }] },
];
const ADDRESS = `0x${"ab".repeat(20)}`;

function refusal(message: RegExp): (fault: unknown) => boolean {
  return (fault) =>
    fault instanceof ConsoleFault && fault.exitCode === EXIT.usage && message.test(fault.message);
}

describe("the function", () => {
  test("of the count of arguments, and among those the first that fits", () => {
    assert.deepEqual(chooseFunction(ABI, "get", []).values, []);
    assert.deepEqual(chooseFunction(ABI, "set", ["5", ADDRESS]).values, [5n, ADDRESS]);
    assert.deepEqual(chooseFunction(ABI, "set", ["5"]).values, ["5"]);
    assert.deepEqual(chooseFunction(ABI, "set(uint256)", ["5"]).values, [5n]);
  });

  test("that there is not: the others are listed, and the nearest", () => {
    const unknown =
      /no function gett\. Did you mean get\? It has\n {2}get\(\)\n {2}set\(string n\)/;
    assert.throws(() => chooseFunction(ABI, "gett", []), refusal(unknown));
    assert.throws(() => chooseFunction([], "get", []), refusal(/has no functions/));
  });

  test("with too many arguments: the overloads are listed", () => {
    const message =
      /set does not take 3 arguments; it is declared as\n {2}set\(string n\)\n {2}set\(uint256 n\)/;
    assert.throws(() => chooseFunction(ABI, "set", ["1", "2", "3"]), refusal(message));
    assert.throws(
      () => chooseFunction(ABI, "get", ["1"]),
      refusal(/get does not take 1 argument;/),
    );
  });

  test("with an argument that does not fit: argument and signature are named", () => {
    const message = /^argument 1 \(bool b\): "x" is no bool: true or false\n {2}in put\(bool b\)$/;
    assert.throws(() => chooseFunction(ABI, "put", ["x"]), refusal(message));
    const second = /^argument 2 \(address who\): "x" is no address/;
    assert.throws(() => chooseFunction(ABI, "set", ["1", "x"]), refusal(second));
  });
});

test("arguments of the constructor", () => {
  assert.deepEqual(constructorValues(ABI, [ADDRESS]), [ADDRESS]);
  assert.deepEqual(constructorValues([], []), []);
  const count = /the constructor does not take 0 arguments; .*\n {2}constructor\(address owner\)/;
  assert.throws(() => constructorValues(ABI, []), refusal(count));
});

test("values and types as they are printed", () => {
  const parameters = typedParameters([
    { type: "string" },
    { type: "int256[]" },
    { type: "bytes32" },
    { type: "bool" },
    { type: "address" },
    {
      type: "tuple",
      components: [
        { name: "a", type: "uint8" },
        { name: "b", type: "bytes" },
      ],
    },
  ]);
  const values = ["a, b", [1n, -2n], "0xab", true, ADDRESS, { a: 5, b: "0x01" }];
  assert.deepEqual(valueLines("Return", parameters, values), [
    "Return value size:6",
    "Return types: (STRING, [INT], BYTES, BOOL, ADDRESS, [UINT, BYTES])",
    `Return values:(a, b, [1, -2], hex://0xab, true, ${ADDRESS}, [5, hex://0x01])`,
  ]);
  const [, list] = parameters;
  assert.ok(list);
  assert.equal(shownType(list.type), "[INT]");
  assert.equal(shownValue(list.type, []), "[]");
});

test("addresses of libraries", () => {
  const two = readLibraries(`LibA:${ADDRESS}, LibB:${ADDRESS}`);
  assert.deepEqual([...two.keys()], ["LibA", "LibB"]);
  assert.equal(readLibraries(undefined).size, 0);
  assert.throws(() => readLibraries("LibA=0x1"), refusal(/-l "LibA=0x1": the form is/));
});
