/** The runner's kept modules: never those of another set-up, and not for ever. */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { CACHE_INPUTS, moduleCacheFolder } from "../support/runner/module-cache.ts";
import { ROOT } from "../support/runner/root.ts";
import { listFiles } from "./source-tree.ts";

/** The last day of a week. */
const NOON = Date.UTC(2026, 3, 1, 12);
const DAY_MS = 86_400_000;
let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "chain-node-modules-"));
  for (const input of CACHE_INPUTS) {
    mkdirSync(dirname(join(root, input)), { recursive: true });
    cpSync(join(ROOT, input), join(root, input));
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("another lock file or TypeScript set-up has another folder of modules", () => {
  const folders = new Set([moduleCacheFolder(root, NOON)]);
  assert.ok(folders.has(moduleCacheFolder(root, NOON + 1_000)), "the next run has the same");
  for (const input of CACHE_INPUTS) {
    appendFileSync(join(root, input), "\n");
    folders.add(moduleCacheFolder(root, NOON));
  }
  assert.equal(folders.size, 1 + CACHE_INPUTS.length);
});

test("modules go when no run has begun with them for two days", () => {
  const first = moduleCacheFolder(root, NOON);
  const second = moduleCacheFolder(root, NOON + DAY_MS);
  assert.notEqual(second, first);
  assert.ok(existsSync(first), "a run may still read there");
  moduleCacheFolder(root, NOON + 2.5 * DAY_MS);
  assert.deepEqual([existsSync(first), existsSync(second)], [false, true]);
});

test("every TypeScript set-up counts", () => {
  const isSetUp = (path: string) => path.endsWith("tsconfig.json");
  assert.deepEqual(listFiles("").filter(isSetUp), CACHE_INPUTS.filter(isSetUp).sort());
});
