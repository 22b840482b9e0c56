/** The engine's inspector stays closed unless it was asked for; of the built program. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "vitest";
import { run } from "../../../support/process/dev-chain-process.ts";
import { ROOT } from "../../../support/runner/root.ts";

/** Opens it as a signal before the first line would, and says at the end whether it is open. */
const OPENED = `import { open, url } from "node:inspector";
if (url() === undefined) open(0, "127.0.0.1");
const said = () => (url() === undefined ? "closed" : "open");
process.once("exit", () => console.error("at the end: " + said()));`;

for (const [flags, expected] of [
  [[], "closed"],
  [["--inspect-port=0"], "closed"],
  [["--inspect=127.0.0.1:0"], "open"],
] as const) {
  test(`with ${flags.join() || "no flags"} it is ${expected}`, async () => {
    const program = join(ROOT, "dist/node/main.js");
    const args = [
      ...flags,
      "--import",
      `data:text/javascript,${encodeURIComponent(OPENED)}`,
      program,
      "--version",
    ];
    const { code, stderr } = await run(process.execPath, args).ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`at the end: ${expected}`));
  });
}
