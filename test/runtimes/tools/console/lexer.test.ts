/** Words of a command line. */
// rules: console 2
import assert from "node:assert/strict";
import { test } from "vitest";
import { ConsoleFault } from "../../../../runtimes/tools/console/command.ts";
import { firstWord, splitWords } from "../../../../runtimes/tools/console/lexer.ts";

/** Lines as documents of consoles have them, and their words. */
const LINES: readonly (readonly [line: string, ...words: string[]])[] = [
  ["getBlockNumber", "getBlockNumber"],
  ["  getBlockByNumber   2  true ", "getBlockByNumber", "2", "true"],
  ["deploy HelloWorld", "deploy", "HelloWorld"],
  ["deployByCNS HelloWorld 1.0", "deployByCNS", "HelloWorld", "1.0"],
  ["callByCNS HelloWorld:1.0 get", "callByCNS", "HelloWorld:1.0", "get"],
  [
    'call HelloWorld 0xc0ce097a5757e2b6e189aa70c7d55770ace47767 set "Hello,CSDN"',
    "call",
    "HelloWorld",
    "0xc0ce097a5757e2b6e189aa70c7d55770ace47767",
    "set",
    "Hello,CSDN",
  ],
  [
    'call HelloWorld latest set "Hello, FISCO BCOS"',
    "call",
    "HelloWorld",
    "latest",
    "set",
    "Hello, FISCO BCOS",
  ],
  ["call HelloWorld latest set 'one two'", "call", "HelloWorld", "latest", "set", "one two"],
  [
    'call TableTest latest insert "fruit" 1 "apple"',
    "call",
    "TableTest",
    "latest",
    "insert",
    "fruit",
    "1",
    "apple",
  ],
  ['call A latest f ["a b","c"]', "call", "A", "latest", "f", '["a b","c"]'],
  ['call A latest f ["a b", "c"] 1', "call", "A", "latest", "f", '["a b", "c"]', "1"],
  ["call A latest f [[1, 2],[3]]", "call", "A", "latest", "f", "[[1, 2],[3]]"],
  [
    'call A latest f {"name":"a b","of":[1,{"x":"}"}]}',
    "call",
    "A",
    "latest",
    "f",
    '{"name":"a b","of":[1,{"x":"}"}]}',
  ],
  ["call A latest f hex://0x0102", "call", "A", "latest", "f", "hex://0x0102"],
  ['set ""', "set", ""],
  ['set "say \\"hi\\"\\n\\tnow \\\\ then"', "set", 'say "hi"\n\tnow \\ then'],
  ["set 'it\\'s' x", "set", "it's", "x"],
  ["set it's x", "set", "it's", "x"],
  ["set C:\\data x\\ y", "set", "C:\\data", "x y"],
  ['set "a"b [1]x', "set", "ab", "[1]x"],
  ["a\u3000b\tc", "a", "b", "c"],
  [""],
];
for (const [line, ...words] of LINES) {
  test(`${JSON.stringify(line)} has ${words.length} words`, () => {
    assert.deepEqual(splitWords(line), words);
  });
}

/** Lines that do not end, and what is reported. */
const OPEN: readonly (readonly [line: string, said: string])[] = [
  ['set "abc', 'the quote " at column 5 is not closed'],
  ["set 'abc", "the quote ' at column 5 is not closed"],
  ["set [1, 2", "the [ at column 5 is not closed"],
  ['set {"a":["b"}', "the { at column 5 is not closed"],
];
for (const [line, said] of OPEN) {
  test(`${line} is refused: ${said}`, () => {
    assert.throws(
      () => splitWords(line),
      (cause) => cause instanceof ConsoleFault && cause.message === said && cause.exitCode === 2,
    );
  });
}

test("the first word ends at the first blank", () => {
  assert.equal(firstWord("  select * from t"), "select");
  assert.equal(firstWord("quit"), "quit");
  assert.equal(firstWord(" "), "");
});
