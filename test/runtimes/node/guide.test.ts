/** Every command of the pages for operators and programmers runs and prints what is shown. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, test } from "vitest";
import { endLeftovers, startDev, stop } from "../../support/dev-chain-process.ts";
import { PageShell, stepsOf } from "../../support/page-shell.ts";
import { ROOT } from "../../support/root.ts";

const scratch = mkdtempSync(join(tmpdir(), "chain-guide-"));
const shells: PageShell[] = [];

afterEach(() => {
  for (const shell of shells.splice(0)) shell.close();
});

afterAll(() => {
  endLeftovers();
  rmSync(scratch, { recursive: true, force: true });
});

for (const page of ["docs/transactions"]) {
  test(`${page}.zh.md has the commands and answers of the English page`, () => {
    assert.deepEqual(stepsOf(`${page}.zh.md`), stepsOf(`${page}.md`));
    const rows = (path: string) =>
      readFileSync(join(ROOT, path), "utf8")
        .split("\n")
        .filter((line) => /^(\||#|```)/.test(line)).length;
    assert.equal(rows(`${page}.zh.md`), rows(`${page}.md`), "headings, rows and blocks");
  });
}

test("docs/transactions.md: every command runs and prints what the page shows", async () => {
  const chain = await startDev(1, "--ephemeral");
  const adapt = (commands: string) =>
    commands
      .replaceAll("http://127.0.0.1:8545", chain.url)
      .replaceAll("docs/examples/", `${join(ROOT, "docs/examples")}/`);
  const shell = new PageShell({ folder: scratch, scratch, env: process.env, adapt });
  shells.push(shell);
  const steps = stepsOf("docs/transactions.md");
  assert.ok(steps.length > 3);
  for (const step of steps) await shell.step(step);
  assert.equal((await stop(chain)).code, 0);
});
