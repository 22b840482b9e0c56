/** What is reported of a source that is not there. */
// rules: console 4.3
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import {
  findContract,
  SOURCE_FOLDER,
} from "../../../../../runtimes/tools/console/contracts/contract-file.ts";

test("a source that is not there is told with the nearest name, or without one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "contract-file-"));
  try {
    await assert.rejects(findContract(folder, "HeloWorld"), /\.sol\.$/);
    await mkdir(join(folder, SOURCE_FOLDER), { recursive: true });
    await writeFile(join(folder, SOURCE_FOLDER, "HelloWorld.sol"), "");
    await assert.rejects(findContract(folder, "HeloWorld"), /Did you mean HelloWorld\?$/);
    await assert.rejects(findContract(folder, "./HeloWorld.sol"), /Did you mean HelloWorld\?$/);
    await assert.rejects(findContract(folder, "Token"), /Token\.sol\.$/);
    assert.equal((await findContract(folder, "HelloWorld")).name, "HelloWorld");
  } finally {
    await rm(folder, { recursive: true });
  }
});
