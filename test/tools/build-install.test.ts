/** What the build does before it installs packages. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, test } from "vitest";
import { inFull } from "../support/runner/in-full.ts";
import { ROOT } from "../support/runner/root.ts";

test("packages are not installed through a link, which would empty what it points to", () => {
  const folder = mkdtempSync(join(tmpdir(), "chain-node-build-"));
  try {
    const clone = join(folder, "clone");
    const modules = join(folder, "modules");
    mkdirSync(clone);
    mkdirSync(join(modules, "kept"), { recursive: true });
    const parts = ["bundles", "client-package", "install"].map((it) => `runtimes/${it}.mjs`);
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

const LOCKFILE = {
  packages: {
    "": {},
    "node_modules/needed": { version: "1.0.0" },
    "node_modules/tested": { version: "1.0.0", dev: true },
  },
};
/** Does what npm does to node_modules, and writes down what it was asked. */
const NPM = `
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
const [verb, ...options] = process.argv.slice(2);
appendFileSync("asked", verb + " begins\\n");
if (verb === "ci") rmSync("node_modules", { recursive: true, force: true });
await setTimeout(300);
const names = options.includes("--include=dev") ? ["needed", "tested"] : ["needed"];
const packages = {};
for (const name of names) {
  mkdirSync("node_modules/" + name, { recursive: true });
  packages["node_modules/" + name] = { version: "1.0.0" };
}
writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }));
appendFileSync("asked", verb + " ends\\n");
`;
const INSTALL = `
import { ensureInstalled } from "./runtimes/install.mjs";
await ensureInstalled(process.argv[2]);
`;

let checkout = "";

beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), "chain-node-install-"));
  mkdirSync(join(checkout, "runtimes"));
  cpSync(join(ROOT, "runtimes/install.mjs"), join(checkout, "runtimes/install.mjs"));
  writeFileSync(join(checkout, "package-lock.json"), JSON.stringify(LOCKFILE));
  writeFileSync(join(checkout, "npm-cli.mjs"), NPM);
  writeFileSync(join(checkout, "install.mjs"), INSTALL);
});

afterEach(() => rmSync(checkout, { recursive: true, force: true }));

async function install(mode: "production" | "full"): Promise<string> {
  const env = { ...process.env, npm_execpath: join(checkout, "npm-cli.mjs") };
  const run = promisify(execFile);
  return (await run(process.execPath, ["install.mjs", mode], { cwd: checkout, env })).stderr;
}

const askedOfNpm = (): string => readFileSync(join(checkout, "asked"), "utf8");

test("of two installs at a time one waits for the other, and finds all that it needs", async () => {
  const told = await Promise.all([install("production"), install("production")]);
  assert.equal(askedOfNpm(), "ci begins\nci ends\n");
  const waiting = told.filter((text) => /Process \d+ installs into this folder/.test(text));
  assert.equal(waiting.length, 1, told.join());
});

test("what is missing is added: a chain may be running from what is there", async () => {
  await install("production");
  writeFileSync(join(checkout, "node_modules/needed/in-use"), "");
  await install("full");
  assert.equal(askedOfNpm(), "ci begins\nci ends\ninstall begins\ninstall ends\n");
  assert.ok(existsSync(join(checkout, "node_modules/needed/in-use")));
  assert.ok(existsSync(join(checkout, "node_modules/tested")));
});

// Of two installs one waits for the other above; one that was killed, here alone.
inFull("an install that was killed is in nobody's way", async () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  writeFileSync(join(checkout, ".installing"), String(pid));
  await install("full");
  assert.equal(askedOfNpm(), "ci begins\nci ends\n");
  assert.ok(!existsSync(join(checkout, ".installing")));
});
