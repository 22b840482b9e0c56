// rules: generator 11
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, test, vi } from "vitest";
import { FolderFault } from "../../../../../runtimes/folder/folder-fault.ts";
import { downloadProgram } from "../../../../../runtimes/tools/generator/distribution/download.ts";
import { chosenMirror } from "../../../../../runtimes/tools/generator/distribution/packed-package.ts";
import { ownPackage } from "../../../../../runtimes/tools/generator/distribution/program-package.ts";
import { programFiles } from "../../../../../runtimes/tools/generator/distribution/program-files.ts";
import { archivedFiles } from "../../../../../runtimes/tools/generator/distribution/tar-files.ts";
import {
  archiveOf,
  type RegistryStub,
  startRegistry,
} from "../../../../support/process/registry-stub.ts";
import { ROOT } from "../../../../support/runner/root.ts";
import { inFull } from "../../../../support/runner/in-full.ts";

let home: string;
/** Has chain-node 9.8.7. */
let registry: RegistryStub;
/** Sends another content than it has told. */
let byzantine: RegistryStub;

/** A package of another version, which needs the native parts that ours needs. */
async function otherVersion(): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const { from, to } of await programFiles(await ownPackage(), { page: false }))
    if (to.startsWith("dist/")) files.set(to, readFileSync(from));
  const own = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const { dependencies, optionalDependencies } = own as Record<string, Record<string, string>>;
  const manifest = {
    name: "chain-node",
    version: "9.8.7",
    dependencies: { "classic-level": dependencies?.["classic-level"], hono: "4.0.0" },
    optionalDependencies: { secp256k1: optionalDependencies?.["secp256k1"], solc08: "0.8.11" },
  };
  const encoder = new TextEncoder();
  files.set("package.json", encoder.encode(JSON.stringify(manifest)));
  return files;
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "chain-packed-"));
  const files = await otherVersion();
  const manifest = JSON.parse(new TextDecoder().decode(files.get("package.json")));
  const archives = new Map([["chain-node", { "9.8.7": archiveOf(files) }]]);
  const manifests = new Map([["chain-node", manifest as Record<string, unknown>]]);
  registry = await startRegistry({ archives }, manifests);
  byzantine = await startRegistry({ archives, lies: "chain-node" }, manifests);
  // npm's default is the stub: nothing here reaches the network.
  const npmrc = `registry=${registry.url}\ncache=${join(home, "cache")}\nfetch-retries=0\n`;
  writeFileSync(join(home, "npmrc"), npmrc);
});

afterAll(() => {
  registry.close();
  byzantine.close();
  rmSync(home, { recursive: true, force: true });
});

afterEach(() => vi.unstubAllEnvs());

/** Downloads; with what was reported. */
async function download(folder: string, version: string, cdn: boolean, settings?: string) {
  vi.stubEnv("npm_config_userconfig", join(home, "npmrc"));
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  const source = { version, cdn, settings, say };
  try {
    const written = await downloadProgram(join(home, folder), source);
    return { written, said: said.join("\n"), fault: undefined };
  } catch (fault) {
    assert.ok(fault instanceof FolderFault, String(fault));
    return { written: undefined, said: said.join("\n"), fault };
  }
}

// cli/tarball.test.ts installs a package; program-folder.test.ts has what is whole.
inFull("another version comes through npm, past a mirror that fails, and is whole", async () => {
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9/");
  // Of no other test.
  const temporary = mkdtempSync(join(home, "temporary-"));
  vi.stubEnv("TMPDIR", temporary);
  const { written, said, fault } = await download("meta", "9.8.7", true);
  assert.equal(fault, undefined, fault?.message);
  assert.ok(written);
  assert.match(said, /^fetching chain-node 9\.8\.7 with npm$/m);
  assert.match(said, /^the mirror of npm_config_registry is asked: http:\/\/127\.0\.0\.1:9\/$/m);
  assert.match(said, /^the mirror http:\/\/127\.0\.0\.1:9\/ failed: .*ECONNREFUSED/m);
  assert.match(said, /^npm's default registry is tried$/m);
  const folder = join(home, "meta/chain-node.d");
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.equal((manifest as { version: string }).version, "9.8.7");
  const modules = readdirSync(join(folder, "node_modules"));
  for (const name of ["classic-level", "abstract-level", "secp256k1"])
    assert.ok(modules.includes(name), name);
  // What is in the bundles already is not fetched.
  assert.ok(!registry.asked.some((path) => /hono|solc/.test(path)), registry.asked.join(" "));
  assert.deepEqual(readdirSync(temporary), []);
});

// program-folder.test.ts: what is there stays when that fails.
inFull("what npm does not find or does not trust leaves nothing, and says why", async () => {
  vi.stubEnv("npm_config_registry", undefined);
  const absent = await download("absent", "9.9.9", false);
  assert.match(absent.fault?.message ?? "", /npm pack ended with \d+: .*(9\.9\.9|ETARGET)/);
  assert.match(absent.fault?.message ?? "", /See whether the registry has chain-node 9\.9\.9/);
  vi.stubEnv("npm_config_registry", byzantine.url);
  vi.stubEnv("npm_config_cache", join(home, "second cache"));
  const wrong = await download("wrong", "9.8.7", false);
  assert.match(wrong.fault?.message ?? "", /EINTEGRITY|integrity/);
  assert.deepEqual(
    readdirSync(home).filter((name) => /absent|wrong/.test(name)),
    [],
  );
});

test("a host without npm is told what to do", async () => {
  vi.stubEnv("PATH", "/nowhere");
  const { fault } = await download("no npm", "9.8.7", false);
  assert.match(fault?.message ?? "", /npm cannot be started: .*copy chain-node and chain-node\.d/);
});

test("versions and mirrors that a shell could read are refused", async () => {
  const { fault } = await download("refused", "1.0.0; rm -rf /", false);
  assert.match(fault?.message ?? "", /is no version: one like 2\.12\.0 is wanted/);
  vi.stubEnv("npm_config_registry", "http://a b/");
  const mirrored = await download("refused", "9.8.7", true);
  assert.match(mirrored.fault?.message ?? "", /is no registry: an address like https:/);
});

test("the version of the tool itself needs no network, with a mirror or without", async () => {
  vi.stubEnv("PATH", "/nowhere");
  const { version } = await ownPackage();
  const { written, said } = await download("own", version, true);
  assert.ok(written);
  assert.match(said, /^--cdn has no effect: this tool brings the program along/m);
  assert.match(said, /^no native store is brought for .*linux-riscv64/m);
});

test("the mirror is that of npm's environment, else that of the tool's settings", () => {
  const settings = "[npm]\nmirror = https://mirror.example/\n";
  vi.stubEnv("npm_config_registry", "https://named.example/");
  assert.deepEqual(chosenMirror(settings), {
    mirror: "https://named.example/",
    from: "npm_config_registry",
  });
  vi.stubEnv("npm_config_registry", undefined);
  assert.equal(chosenMirror(settings).mirror, "https://mirror.example/");
  assert.equal(chosenMirror("[npm]\nmirror=\n").mirror, undefined);
  assert.deepEqual(chosenMirror(undefined), { mirror: undefined, from: "conf/tool.ini" });
});

test("an archive's files have their content, and none leads out of the package", () => {
  const long = `${"folder/".repeat(20)}file.txt`;
  const files = new Map([
    ["package.json", new TextEncoder().encode("{}")],
    [long, new Uint8Array(1_000).fill(7)],
  ]);
  const archive = archiveOf(files);
  const read = archivedFiles(archive, "a.tgz");
  assert.deepEqual(
    read.map(({ path, content }) => [path, Buffer.from(content)]),
    [...files].map(([path, content]) => [path, Buffer.from(content)]),
  );
  const refused = (bytes: Uint8Array, message: RegExp) =>
    assert.throws(() => archivedFiles(bytes, "a.tgz"), message);
  refused(archiveOf(new Map([["../../out", new Uint8Array()]])), /has an entry .*not used/);
  refused(Buffer.from("no archive"), /a\.tgz is no package/);
  refused(gzipSync(Buffer.alloc(700, 1)), /a\.tgz is cut off/);
});
