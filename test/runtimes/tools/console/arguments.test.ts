/** Checks that are made before anything is sent. */
// rules: console 4.2
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  requireAddress,
  requireBoolean,
  requireEndpointText,
  requireGroup,
  requireHash,
  requireNumber,
} from "../../../../runtimes/tools/console/arguments.ts";
import { ConsoleFault } from "../../../../runtimes/tools/console/command.ts";

const HASH = `0x${"aB".repeat(32)}`;

test("what fits is taken as it is, and addresses get zeros in front", () => {
  assert.equal(requireHash(HASH), HASH);
  assert.equal(requireNumber("0", "n"), 0);
  assert.equal(requireNumber("2147483647", "n"), 2_147_483_647);
  assert.equal(requireNumber("-1", "count", -1), -1);
  assert.equal(requireBoolean("true", "b"), true);
  assert.equal(requireBoolean("false", "b"), false);
  assert.equal(requireGroup("32767"), 32_767);
  assert.equal(requireEndpointText("node.example.org:20200"), "node.example.org:20200");
  assert.equal(requireAddress("0x1000"), `0x${"1000".padStart(40, "0")}`);
  assert.equal(requireAddress(`0x${"Ab".repeat(20)}`), `0x${"ab".repeat(20)}`);
});

/** Checks, texts that they refuse, and the sentence. */
const REFUSED: readonly (readonly [check: () => unknown, said: string])[] = [
  [() => requireHash("0x12"), '"0x12" is no hash: 0x and 64 hexadecimal digits are wanted.'],
  [() => requireHash(HASH.slice(2)), " is no hash"],
  [() => requireHash(`${HASH.slice(0, -1)}g`), " is no hash"],
  [() => requireNumber("2147483648", "n"), 'n "2147483648": a whole number from 0 to 2147483647'],
  [() => requireNumber("-1", "n"), 'n "-1": a whole number from 0'],
  [() => requireNumber("1.5", "n"), 'n "1.5": a whole number'],
  [() => requireNumber("0x1", "n"), 'n "0x1": a whole number'],
  [() => requireNumber("", "n"), 'n "": a whole number'],
  [() => requireBoolean("True", "flag"), 'flag "True": true or false is wanted.'],
  [() => requireGroup("0"), 'groupId "0": a whole number from 1 to 32767 is wanted.'],
  [() => requireGroup("32768"), 'groupId "32768": a whole number from 1'],
  [() => requireEndpointText("127.0.0.1"), '"127.0.0.1" is no endpoint: ip:port is wanted'],
  [() => requireAddress("1000"), '"1000" is no address: 0x and up to 40 hexadecimal digits'],
  [() => requireAddress(`0x${"1".repeat(41)}`), " is no address"],
  [() => requireAddress("0x"), '"0x" is no address'],
];
for (const [check, said] of REFUSED) {
  test(`refused with code 2: ${said}`, () => {
    assert.throws(
      check,
      (cause) =>
        cause instanceof ConsoleFault && cause.exitCode === 2 && cause.message.includes(said),
    );
  });
}
