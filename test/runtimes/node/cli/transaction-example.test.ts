/** The program that people copy from the documentation sends nothing that they did not mean. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "vitest";
import { ROOT } from "../../../support/runner/root.ts";

const EXAMPLE = join(ROOT, "docs/examples/transaction.mjs");
const ADDRESS = `0x${"1f".repeat(20)}`;
/** Port 1: nobody answers, so what is taken ends with 1. */
const NOWHERE = "http://127.0.0.1:1";

/** Exit code and words for what follows the number of the group. */
function send(...rest: readonly string[]): readonly [number | null, string] {
  const args = [EXAMPLE, "send", NOWHERE, "1", ...rest];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return [status, stderr];
}

const REFUSED = [
  ["", "zz"],
  ["", "0x1"],
  ["", "0x60fg0"],
  ["12", "0x"],
  [ADDRESS, "0x", "0x12"],
];
for (const rest of REFUSED)
  test(`${JSON.stringify(rest)} is refused before anything is sent`, () => {
    const [code, said] = send(...rest);
    assert.equal(code, 2);
    assert.match(said, /^TO is 40 hexadecimal digits or empty, DATA whole bytes of them/);
  });

const TAKEN = [
  ["", "6001600c60003960016000f300"],
  [ADDRESS, ""],
  [ADDRESS.slice(2), "0X6A", "ab".repeat(32)],
];
for (const rest of TAKEN)
  test(`${JSON.stringify(rest)} is taken`, () => {
    const [code, said] = send(...rest);
    assert.equal(code, 1, said);
    assert.match(said, /^http:\/\/127\.0\.0\.1:1: /);
  });
