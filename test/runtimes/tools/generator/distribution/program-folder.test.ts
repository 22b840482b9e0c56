// rules: generator 11
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test, vi } from "vitest";
import { FolderFault } from "../../../../../runtimes/folder/folder-fault.ts";
import { launcherScript } from "../../../../../runtimes/folder/node-scripts.ts";
import { platformLines } from "../../../../../runtimes/tools/generator/distribution/native-platforms.ts";
import {
  copyProgramFolder,
  programSource,
  writeProgram,
  type WrittenProgram,
} from "../../../../../runtimes/tools/generator/distribution/program-folder.ts";
import {
  outsideNames,
  ownPackage,
  packageIn,
} from "../../../../../runtimes/tools/generator/distribution/program-package.ts";
import { linkFolder } from "../../../../support/process/linked-folder.ts";
import { ROOT } from "../../../../support/runner/root.ts";

/** What the build says of bundles. */
interface Bundles {
  readonly TARGETS: {
    readonly node: { readonly options: { readonly external: readonly string[] } };
  };
}

const HAS_SH = process.platform !== "win32";
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly version: string;
};
const FIRST_LINE = `chain-node Version : ${version}`;

let home: string;
let meta: string;
let written: WrittenProgram;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "chain program's "));
  // A PATH with Node.js and nothing else.
  mkdirSync(join(home, "bin"));
  symlinkSync(process.execPath, join(home, "bin/node"));
  meta = join(home, "meta");
  written = await writeProgram(meta, await ownPackage());
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs a file where there is Node.js and nothing else: no home, no package, no npm. */
function runBare(file: string, ...args: readonly string[]) {
  const env = { PATH: join(home, "bin") };
  const { status, stdout, stderr } = spawnSync(file, args, { env, cwd: "/", encoding: "utf8" });
  return { status, stdout, stderr, first: stdout.split("\n")[0] };
}

async function faultOf(work: Promise<unknown>): Promise<FolderFault> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof FolderFault, String(error));
    return error;
  }
  return assert.fail("a fault was expected");
}

test("a folder has the launchers and what they run, and nothing that does not run", () => {
  assert.deepEqual(readdirSync(meta).sort(), ["chain-node", "chain-node.cmd", "chain-node.d"]);
  assert.equal(written.version, FIRST_LINE);
  assert.equal(written.launcher, join(meta, "chain-node"));
  if (HAS_SH) assert.equal(statSync(written.launcher).mode & 0o777, 0o755);
  const folder = join(meta, "chain-node.d");
  assert.deepEqual(readdirSync(folder).sort(), ["LICENSE", "dist", "node_modules", "package.json"]);
  assert.deepEqual(readdirSync(join(folder, "dist")).sort(), ["node", "report", "web"]);
  const modules = readdirSync(join(folder, "node_modules"));
  const packages = ["classic-level", "abstract-level", "secp256k1", "elliptic"];
  for (const name of [...packages, "@koromix", "@opentelemetry"])
    assert.ok(modules.includes(name), name);
  for (const name of ["vitest", "hono", "libp2p", "esbuild", "solc08"])
    assert.ok(!modules.includes(name), name);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const idle = files.filter(({ name }) => /\.(map|d\.ts|cc|gyp)$/.test(name));
  assert.deepEqual(idle, []);
});

test.runIf(HAS_SH)("the launcher runs with Node.js only, from wherever it is moved", () => {
  const moved = join(home, "moved here");
  linkFolder(meta, moved);
  assert.deepEqual(runBare(join(moved, "chain-node"), "-v"), {
    status: 0,
    stderr: "",
    stdout: runBare(join(meta, "chain-node"), "-v").stdout,
    first: FIRST_LINE,
  });
  // A link to it finds what is next to the file, not next to the link.
  const needed = { PATH: `${join(home, "bin")}:/usr/bin:/bin` };
  symlinkSync("moved here/chain-node", join(home, "linked"));
  const linked = spawnSync(join(home, "linked"), ["-v"], { env: needed, encoding: "utf8" });
  assert.equal(linked.stdout.split("\n")[0], FIRST_LINE, linked.stderr);
});

test.runIf(HAS_SH)("a node's launcher takes the folder one level up before an installation", () => {
  const agency = join(home, "agency");
  const node = join(agency, "node_127.0.0.1_30300");
  mkdirSync(node, { recursive: true });
  const entry = join(home, "installed.mjs");
  writeFileSync(entry, "console.log('installed');\n");
  const launcher = join(node, "chain-node");
  writeFileSync(launcher, launcherScript({ runtime: process.execPath, entry }));
  chmodSync(launcher, 0o755);
  assert.equal(runBare(launcher, "-v").first, "installed");
  linkFolder(join(meta, "chain-node.d"), join(agency, "chain-node.d"));
  assert.equal(runBare(launcher, "-v").first, FIRST_LINE);
  // Cut off between two renames of an upgrade.
  renameSync(join(agency, "chain-node.d"), join(agency, "chain-node.d.old"));
  assert.equal(runBare(launcher, "-v").first, FIRST_LINE);
});

test.runIf(HAS_SH)("a launcher on the PATH that finds no program does not run itself", () => {
  const lone = join(home, "lone");
  mkdirSync(lone);
  const launcher = join(lone, "chain-node");
  writeFileSync(launcher, launcherScript({ runtime: "", entry: "" }));
  chmodSync(launcher, 0o755);
  const { status, stderr } = spawnSync(launcher, ["-v"], { env: { PATH: lone }, encoding: "utf8" });
  assert.equal(status, 127);
  assert.match(stderr, /chain-node is not found: put chain-node\.d next to/);
  const again = { PATH: lone, CHAIN_NODE: launcher };
  assert.equal(spawnSync(launcher, ["-v"], { env: again }).status, 127);
});

test.runIf(HAS_SH)("a host without Node.js is told so", () => {
  const env = { PATH: "/nowhere" };
  const { status, stderr } = spawnSync(written.launcher, ["-v"], { env, encoding: "utf8" });
  assert.equal(status, 127);
  assert.match(stderr, /Node\.js is not found/);
});

test("platforms are named with the fallback in use, and those without a store", () => {
  const { platforms } = written;
  for (const platform of ["linux-x64", "linux-x64-musl", "darwin-arm64", "win32-x64"])
    assert.ok(platforms.store.includes(platform), platform);
  assert.ok(platforms.withoutStore.includes("linux-riscv64"));
  const lines = platformLines(platforms).join("\n");
  assert.match(lines, /^nodes run on .*linux-x64, linux-x64-musl/m);
  assert.match(lines, /^signatures use WebAssembly, slower, on .*linux-arm64/m);
  assert.match(lines, /^no native store is brought for .*linux-riscv64.*npm/m);
});

test("a program folder writes another one: an offline host serves the next", async () => {
  const own = await packageIn(join(meta, "chain-node.d"));
  assert.ok(own);
  const next = join(home, "next");
  const { version: line } = await writeProgram(next, own);
  assert.equal(line, FIRST_LINE);
  const list = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();
  assert.deepEqual(list(next), list(meta));
});

test("what is there serves until the new one is whole, and stays when that fails", async () => {
  const folder = join(home, "kept");
  linkFolder(meta, folder);
  const broken = join(home, "broken");
  linkFolder(join(meta, "chain-node.d"), broken);
  // A file of its own, not the one of all copies.
  rmSync(join(broken, "dist/node/main.js"));
  writeFileSync(join(broken, "dist/node/main.js"), "throw new Error('half a program');\n");
  // What is big and plays no part.
  for (const big of ["dist/web", "node_modules/classic-level/prebuilds"])
    rmSync(join(broken, big), { recursive: true });
  const own = await packageIn(broken);
  assert.ok(own);
  const fault = await faultOf(writeProgram(folder, own, { page: false }));
  assert.match(fault.message, /-v ended with 1/);
  assert.deepEqual(readdirSync(folder).sort(), ["chain-node", "chain-node.cmd", "chain-node.d"]);
  if (HAS_SH) assert.equal(runBare(join(folder, "chain-node"), "-v").first, FIRST_LINE);
  rmSync(join(broken, "node_modules/classic-level"), { recursive: true });
  const lacking = await faultOf(writeProgram(folder, own, { page: false }));
  assert.match(lacking.message, /the package classic-level is not installed next to .*npm install/);
  rmSync(join(broken, "node_modules"), { recursive: true });
});

test("remains of a run that was cut off do not stand in the way of the next", async () => {
  const folder = join(home, "cut off");
  mkdirSync(join(folder, "chain-node.d.new/dist"), { recursive: true });
  linkFolder(join(meta, "chain-node.d"), join(folder, "chain-node.d.old"));
  const small = join(home, "small");
  mkdirSync(small);
  writeFileSync(join(small, "package.json"), "{}\n");
  await copyProgramFolder(small, folder);
  assert.deepEqual(readdirSync(folder), ["chain-node.d"]);
  assert.deepEqual(readdirSync(join(folder, "chain-node.d")), ["package.json"]);
});

test("a folder's program is asked for its version: ours, one placed by hand, or none", async () => {
  // Whatever other program launchers are told to run.
  vi.stubEnv("CHAIN_NODE", "/nowhere");
  assert.deepEqual(await programSource(meta), {
    kind: "folder",
    path: join(meta, "chain-node.d"),
    version: FIRST_LINE,
  });
  vi.unstubAllEnvs();
  const none = await faultOf(programSource(join(home, "bin")));
  assert.match(
    none.message,
    /chain-node is not there: generator --download_chain-node .* writes it/,
  );
  if (!HAS_SH) return;
  const hand = join(home, "by hand");
  mkdirSync(hand);
  const place = (text: string) => {
    writeFileSync(join(hand, "chain-node"), `#!/bin/sh\n${text}\n`);
    chmodSync(join(hand, "chain-node"), 0o755);
  };
  place('echo "Chain-Node Version : 9.9.9"');
  const placed = await programSource(hand);
  assert.deepEqual([placed.kind, placed.version], ["file", "Chain-Node Version : 9.9.9"]);
  place('echo "OTHER-PRODUCT Version : 2.9.0"');
  const other = await faultOf(programSource(hand));
  assert.match(other.message, /says "OTHER-PRODUCT Version : 2\.9\.0".* another product/);
  // One of one's own in the place of the launcher counts, although the folder is there still.
  const both = join(home, "both");
  linkFolder(meta, both);
  rmSync(join(both, "chain-node"));
  const own = '#!/bin/sh\necho "chain-node Version : 2.12.0-own"\n';
  writeFileSync(join(both, "chain-node"), own, { mode: 0o755 });
  const replaced = await programSource(both);
  assert.deepEqual([replaced.kind, replaced.version], ["file", "chain-node Version : 2.12.0-own"]);
  place("echo no >&2; exit 3");
  assert.match((await faultOf(programSource(hand))).message, /-v ended with 3: no/);
  chmodSync(join(hand, "chain-node"), 0o644);
  assert.match((await faultOf(programSource(hand))).message, /cannot be run/);
});

test("a package without a program is refused with the next step", async () => {
  const bare = join(home, "bare");
  mkdirSync(bare);
  writeFileSync(join(bare, "package.json"), '{ "name": "chain-node" }');
  const fault = await faultOf(ownPackage(join(bare, "package.json")));
  assert.match(fault.message, /dist\/node\/main\.js is not there\. In a checkout, npm run build/);
  assert.ok(!existsSync(join(bare, "dist")));
});

test("what the bundles leave outside is what a program folder has in node_modules", async () => {
  const { TARGETS } = (await import(join(ROOT, "runtimes/bundles.mjs"))) as Bundles;
  const { external } = TARGETS.node.options;
  const { needed, wanted } = outsideNames(await ownPackage());
  const names = [...needed, ...wanted];
  const isLeftOut = (name: string) =>
    external.some((each) =>
      each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each,
    );
  for (const name of names) assert.ok(isLeftOut(name), name);
  for (const each of external)
    assert.ok(
      names.some((name) => name.startsWith(each.replace("*", ""))),
      each,
    );
});

test("on a host without a native store the start says so, and what to do", () => {
  const bare = join(home, "no store");
  linkFolder(join(meta, "chain-node.d"), bare);
  rmSync(join(bare, "node_modules/classic-level/prebuilds"), { recursive: true });
  const args = [join(bare, "dist/node/main.js"), "start", "-c", "config.ini"];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: home, encoding: "utf8" });
  assert.equal(status, 1);
  const host = `${process.platform}-${process.arch}`;
  assert.match(stderr, new RegExp(`^There is no native store for this host, ${host} .*with npm`));
  assert.doesNotMatch(stderr, /at .*\(/);
});
