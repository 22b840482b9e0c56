/**
 * What users install: the tarball of `npm pack` in an empty folder, where commands are run. With
 * all cases npm installs it, or says that it cannot reach its registry, and every command is run;
 * else its files are put where npm puts them, next to what the lockfile has for users, and a node
 * runs.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, normalize } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import {
  ask,
  endLeftovers,
  endOf,
  freePorts,
  type Running,
  run,
  untilSaid,
} from "../../../support/process/dev-chain-process.ts";
import { bytesBelow, installByNpm, packedTarball } from "../../../support/process/packed.ts";
import { installLinked } from "../../../support/process/linked-install.ts";
import { ROOT } from "../../../support/runner/root.ts";

/** Without the compilers of contracts. The workers for edge platforms are 3 of them. */
const MOST_INSTALLED_MB = 125;
const MB = 1_000_000;
/** What is installed next to the program: folders and files at its top. */
const TOP = ["ARCHITECTURE.md", "LICENSE", "README.md", "dist", "docs", "package.json"];
const TARGETS = ["client", "edge", "node", "report", "types", "web"];
/** The compilers of the workbench: optional, and not counted. */
const COMPILERS = ["solc04", "solc05", "solc06", "solc07", "solc08"];

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-tarball-"));
  const tarball = await packedTarball();
  await mkdir(join(home, "user"));
  await writeFile(join(home, "user/package.json"), '{ "private": true }\n');
  const byNpm = TAKES_ALL_CASES && (await installByNpm(join(home, "user"), tarball)) !== undefined;
  if (byNpm) return;
  installLinked(join(home, "user"), tarball);
});

afterAll(async () => {
  endLeftovers();
  await rm(home, { recursive: true, force: true });
});

/** A command of the installed package, in a group of its own so that all of it can be ended. */
function installed(...args: readonly string[]): Running {
  const cwd = join(home, "user");
  return run(join(cwd, "node_modules/.bin/chain-node"), args, { cwd, detached: true });
}

async function succeed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await endOf(installed(...args));
  assert.equal(code, 0, stderr);
  return stdout;
}

/** Starts a command that serves; gives its line for machines. */
async function serve(...args: readonly string[]): Promise<[Running, Record<string, unknown>]> {
  const running = installed(...args);
  await untilSaid(running, ({ stdout }) => stdout.includes("\n"));
  const line = running.stdout().split("\n")[0] ?? "";
  return [running, JSON.parse(line) as Record<string, unknown>];
}

async function end(running: Running): Promise<void> {
  const { pid } = running.child;
  if (pid !== undefined) process.kill(-pid, "SIGTERM");
  await endOf(running);
}

async function requireChain(url: string): Promise<void> {
  assert.equal((await ask<readonly string[]>(url, "getSealerList", 1)).length, 1);
  assert.equal(await ask(url, "getBlockNumber", 1), "0x0");
}

/** The files of the program. */
function builtParts(): readonly string[] {
  const record = readFileSync(join(ROOT, "dist/.build/node.json"), "utf8");
  return (JSON.parse(record) as { outputs: readonly string[] }).outputs;
}

test("the package holds what runs and its documents, and nothing else", () => {
  const own = join(home, "user/node_modules/chain-node");
  assert.deepEqual(readdirSync(own).sort(), TOP);
  for (const target of readdirSync(join(own, "dist"))) assert.ok(TARGETS.includes(target), target);
  const files = readdirSync(own, { recursive: true }).map(String);
  assert.deepEqual(
    files.filter((file) => /\.(map|tsbuildinfo)$|\.test\.|(^|[/\\])test[/\\]/.test(file)),
    [],
  );
  const pages = files.filter((file) => file.endsWith(".md"));
  for (const page of pages) {
    const text = readFileSync(join(own, page), "utf8");
    for (const [, link = ""] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      const target = normalize(join(dirname(page), link));
      assert.ok(existsSync(join(own, target)), `${page} points to ${link}`);
    }
  }
  assert.ok(!existsSync(join(own, "docs", "spec")));
  for (const part of builtParts()) assert.ok(existsSync(join(own, part)), part);
  for (const page of ["config", "config.zh", "commands", "commands.zh"])
    assert.ok(pages.includes(join("docs/reference", `${page}.md`)), page);
});

/** What earlier builds left behind, which a build that packs takes away. */
function bytesOfOldParts(own: string): number {
  const known = new Set(builtParts());
  const parts = readdirSync(join(own, "dist/node")).map((name) => join("dist/node", name));
  const old = parts.filter((path) => basename(path).startsWith("part-") && !known.has(path));
  return old.reduce((sum, path) => sum + statSync(join(own, path)).size, 0);
}

test("the installed size is within the bound", () => {
  const modules = join(home, "user/node_modules");
  const compilers = COMPILERS.map((name) => join(modules, name)).filter((path) => existsSync(path));
  const spared = compilers.reduce((sum, path) => sum + bytesBelow(path), 0) / MB;
  const folder = join(modules, "chain-node");
  const old = bytesOfOldParts(folder) / MB;
  const all = bytesBelow(modules) / MB - spared - old;
  const own = bytesBelow(folder) / MB - old;
  const beside = `compilers ${spared.toFixed(1)} MB next to`;
  const parts = `of which chain-node ${own.toFixed(1)} MB; ${beside}`;
  console.log(`installed: ${all.toFixed(1)} MB, ${parts}`);
  assert.ok(all < MOST_INSTALLED_MB, `${all.toFixed(1)} MB`);
});

// What dev needs is what start needs, and parts of the program that are missing are named above.
if (TAKES_ALL_CASES)
  test("chain-node dev runs a chain", async () => {
    const port = await freePorts(1);
    const options = ["--nodes", "1", "--port", `${port}`, "--ephemeral", "--json"];
    const [running, ready] = await serve("dev", ...options);
    const [url = ""] = ready["rpc"] as readonly string[];
    await requireChain(url);
    await end(running);
  });

/** Certificates of the installed program; gives the ID of the node whose one is renewed. */
async function certify(): Promise<string> {
  const issue = ["cert", "issue", "--ca", "chain", "--agency", "agency", "--out", "node1/conf"];
  const issued = JSON.parse(await succeed(...issue, "--json")) as { nodeId: string };
  assert.match(issued.nodeId, /^[0-9a-f]{128}$/);
  const renewed = await succeed("cert", "renew", "chain/node0", "--ca", "chain", "--json");
  return (JSON.parse(renewed) as { nodeId: string }).nodeId;
}

test("chain-node init, cert and start run a node from its folder", async () => {
  const rpc = await freePorts(3);
  const ports = `${rpc},${rpc + 1},${rpc + 2}`;
  const init = ["init", "chain", "--nodes", "1", "--base-ports", ports, "--json"];
  const { nodes } = JSON.parse(await succeed(...init)) as { nodes: [{ nodeId: string }] };
  const nodeId = TAKES_ALL_CASES ? await certify() : nodes[0].nodeId;
  const [running, ready] = await serve("start", "-c", "chain/node0/config.ini", "--json");
  assert.equal(ready["nodeId"], nodeId);
  await requireChain(`http://127.0.0.1:${rpc}`);
  await end(running);
});

test("npx finds chain-node", async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const told = await run("npx", ["--no-install", "chain-node", "-v"], { cwd: join(home, "user") })
    .ended;
  assert.deepEqual(
    [told.code, told.stdout.split("\n")[0]],
    [0, `chain-node Version : ${version}`],
    told.stderr,
  );
});
