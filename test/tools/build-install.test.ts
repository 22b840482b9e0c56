/** What the build does before it installs packages. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { ROOT } from "../support/runner/root.ts";

test("packages are not installed through a link, which would empty what it points to", () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-node-build-"));
  try {
    const clone = join(folder, "clone");
    const modules = join(folder, "modules");
    mkdirSync(clone);
    mkdirSync(join(modules, "kept"), { recursive: true });
    const parts = ["runtimes/bundles.mjs", "runtimes/client-package.mjs"];
    const needed = ["build.mjs", ...parts, "package.json", "package-lock.json"];
    for (const file of needed) cpSync(join(ROOT, file), join(clone, file));
    symlinkSync(modules, join(clone, "node_modules"));
    const { status, stderr } = spawnSync(process.execPath, ["build.mjs", "build"], {
      cwd: clone,
      encoding: "utf8",
    });
    assert.equal(status, 1);
    assert.match(stderr, /node_modules is a link to .*, which lacks node_modules\/.*: run npm ci/);
    assert.deepEqual(readdirSync(modules), ["kept"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("no package that users need wants a newer Node than the oldest that is supported", () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-node-engines-"));
  try {
    for (const file of ["package.json", "package-lock.json"])
      cpSync(join(ROOT, file), join(folder, file));
    const args = ["ci", "--dry-run", "--offline", "--omit=dev", "--no-audit", "--no-fund"];
    const { status, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /EBADENGINE/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
