/** Arguments as people type them. Source: console 4.3, 8 */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { parseAbiType } from "../../../../../core/abi/type.ts";
import {
  ArgumentFault,
  argumentValue,
} from "../../../../../runtimes/tools/console/contracts/argument-value.ts";
import { readNested } from "../../../../../runtimes/tools/console/contracts/nested-text.ts";

function valueOfText(typeText: string, text: string): unknown {
  const type = parseAbiType(typeText);
  assert.ok(type, typeText);
  return argumentValue(type, text, "argument 1");
}

const ADDRESS = `0x${"ab".repeat(20)}`;

describe("values", () => {
  test.each<[string, string, unknown]>([
    ["uint256", "12", 12n],
    ["uint256", "0xff", 255n],
    ["int256", "-5", -5n],
    ["int8", "-128", -128n],
    ["int256", "-0x10", -16n],
    ["uint256", `${2n ** 256n - 1n}`, 2n ** 256n - 1n],
    ["bool", "true", true],
    ["bool", "false", false],
    ["address", ADDRESS.toUpperCase().replace("0X", "0x"), ADDRESS],
    ["string", "", ""],
    ["string", "[not a list", "[not a list"],
    ["bytes", "0x", "0x"],
    ["bytes", "0xAB", "0xab"],
    ["bytes", "hex://0xab01", "0xab01"],
    ["bytes", "hex://ab01", "0xab01"],
    ["bytes", "base64://aGk=", "0x6869"],
    ["bytes4", "0x01020304", "0x01020304"],
    ["uint256[]", "[1, 0x2,3]", [1n, 2n, 3n]],
    ["uint256[]", "[]", []],
    [
      "uint256[2][]",
      "[[1,2],[3,4]]",
      [
        [1n, 2n],
        [3n, 4n],
      ],
    ],
    ["string[]", `["a b","c, d", e]`, ["a b", "c, d", "e"]],
    ["string[]", `['it"s', "tab\\t\\u0041"]`, ['it"s', "tab\tA"]],
    ["bytes[]", "[hex://00,0x01]", ["0x00", "0x01"]],
    ["address[]", `[${ADDRESS}]`, [ADDRESS]],
    ["(string name,uint256 n)", `{"n": 5, "name": "x y"}`, ["x y", 5n]],
    ["(string name,uint256 n)", `{n:5,name:x}`, ["x", 5n]],
    ["(string name,uint256 n)", `["x", 5]`, ["x", 5n]],
    [
      "(string a,(uint256 b,bool[] c) d)[]",
      `[{"a":"x","d":[1,[true,false]]}]`,
      [["x", [1n, [true, false]]]],
    ],
  ])("%s of %s", (type, text, value) => {
    assert.deepEqual(valueOfText(type, text), value);
  });
});

describe("refusals name the place and what is wanted", () => {
  test.each<[string, string, RegExp]>([
    ["uint256", "abc", /^argument 1: "abc" is no uint256: decimal digits, or 0x and digits$/],
    ["uint256", "", /"" is no uint256/],
    ["uint256", "1.5", /"1.5" is no uint256/],
    ["uint8", "256", /"256" is no uint8: it goes from 0 to 2\^8 - 1/],
    ["uint256", "-1", /it goes from 0 to 2\^256 - 1/],
    ["int8", "128", /it goes from -2\^7 to 2\^7 - 1/],
    ["bool", "True", /"True" is no bool: true or false/],
    ["address", "0x1", /"0x1" is no address: 0x and 40 digits/],
    ["bytes", "ab", /"ab" is no bytes: 0x or hex:\/\//],
    ["bytes", "0xabc", /"0xabc" is no bytes/],
    ["bytes", "base64://!!!", /is no bytes/],
    ["bytes", "base64://ü===", /is no bytes/],
    ["bytes32", "0xab", /"0xab" is no bytes32: it has 32 bytes, not 1/],
    ["uint256[]", "1", /"1" is no uint256\[\]: a list such as \[a,b\]/],
    ["uint256[]", "[1,x]", /^argument 1\[1\]: "x" is no uint256/],
    ["uint256[]", "[1,[2]]", /^argument 1\[1\]: a list is no uint256: one value/],
    ["uint256[2]", "[1]", /it has 2 items, not 1/],
    ["uint256[]", "[1", /a comma or \] is expected at column 3, not the end/],
    ["uint256[]", "[1] 2", /the end is expected at column 5, not "2"/],
    ["string[]", `["a]`, /a closing " is expected/],
    ["(string a,bool b)", `{"a":"x"}`, /the member b is missing/],
    ["(string a,bool b)", `{"a":"x","b":true,"c":1}`, /there is no member c, only a, b/],
    ["(string a,bool b)", `{"a":"x","b":1}`, /^argument 1\.b: "1" is no bool/],
    ["(string a,bool b)", `["x"]`, /it has 2 members, not 1/],
    ["(string a,bool b)", "x", /a list, or an object with the names/],
    ["(string a,bool b)", `{"a" "x"}`, /a colon is expected at column 6/],
    ["uint256[]", `${"[".repeat(20)}`, /more than 16 brackets in brackets/],
  ])("%s of %s", (type, text, message) => {
    assert.throws(
      () => valueOfText(type, text),
      (fault) => fault instanceof ArgumentFault && message.test(fault.message),
    );
  });
});

test("a nested text keeps the digits of large numbers and words with colons", () => {
  const big = `${2n ** 200n}`;
  assert.deepEqual(readNested(`[${big}, base64://aGk=, {a: b:c}]`), [
    big,
    "base64://aGk=",
    { members: new Map([["a", "b:c"]]) },
  ]);
});
