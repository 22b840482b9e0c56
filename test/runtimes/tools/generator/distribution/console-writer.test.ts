// rules: generator 11, console 1
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test, vi } from "vitest";
import { INSTALLED_VARIABLE } from "../../../../../runtimes/folder/node-scripts.ts";
import { writeConsole } from "../../../../../runtimes/tools/generator/distribution/console-writer.ts";
import { writeProgram } from "../../../../../runtimes/tools/generator/distribution/program-folder.ts";
import { packageIn } from "../../../../../runtimes/tools/generator/distribution/program-package.ts";
import { downloadConsole } from "../../../../../runtimes/tools/generator/distribution/download.ts";
import { ROOT } from "../../../../support/runner/root.ts";

const HAS_BASH = process.platform !== "win32" && spawnSync("bash", ["--version"]).status === 0;

let home: string;
let folder: string;
const said: string[] = [];

const ORDER = {
  peers: ["127.0.0.1:20200", "192.0.2.7:20201"],
  rpc: ["http://127.0.0.1:8545"],
  certificates: [
    { path: "sdk.key", text: "key\n", use: "key" },
    { path: "sdk.crt", text: "certificate\n", use: "text" },
    { path: "ca.crt", text: "ca\n", use: "text" },
  ],
} as const;

async function write(order = ORDER) {
  said.length = 0;
  return await downloadConsole(
    { ...order, folder: home },
    { cdn: false, say: (line) => said.push(line) },
  );
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "chain console's "));
  folder = join(home, "console");
  await write();
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

test("a console has scripts, settings, contracts, certificates and its program", () => {
  const names = ["start.sh", "console.sh", "start.cmd", "chain-node", "chain-node.d", "contracts"];
  for (const name of names) assert.ok(existsSync(join(folder, name)), name);
  for (const file of ["ca.crt", "sdk.crt", "sdk.key", "config.toml"])
    assert.ok(existsSync(join(folder, "conf", file)), file);
  const text = readFileSync(join(folder, "conf/config.toml"), "utf8");
  assert.match(text, /^peers = \["127\.0\.0\.1:20200", "192\.0\.2\.7:20201"\]$/m);
  assert.match(text, /^# rpc = \["http:\/\/127\.0\.0\.1:8545"\]$/m);
  assert.ok(existsSync(join(folder, "contracts/solidity/HelloWorld.sol")));
  if (process.platform === "win32") return;
  assert.equal(statSync(join(folder, "conf/sdk.key")).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, "start.sh")).mode & 0o777, 0o755);
});

test("compilers that are installed come along, and the others are named", () => {
  const installed = ["solc04", "solc05", "solc06", "solc07", "solc08"].filter((alias) =>
    existsSync(join(ROOT, "node_modules", alias, "soljson.js")),
  );
  const modules = readdirSync(join(folder, "chain-node.d/node_modules"));
  assert.deepEqual(
    modules.filter((name) => name.startsWith("solc")),
    installed,
  );
  const line = said.find((each) => each.startsWith("compilers for Solidity: "));
  assert.equal(line?.split(", ").length, Math.max(1, installed.length));
  assert.equal(
    said.filter((each) => each.includes("npm install solc")).length,
    5 - installed.length,
  );
});

test("a program folder has no compilers: those of the host's installation come along", async () => {
  const own = await packageIn(join(folder, "chain-node.d"));
  const bare = join(home, "bare");
  assert.ok(own);
  await writeProgram(bare, own);
  const program = await packageIn(join(bare, "chain-node.d"));
  assert.ok(program);
  const order = { ...ORDER, folder: join(home, "second"), program };
  assert.deepEqual((await writeConsole(order)).compilers, []);
  vi.stubEnv(INSTALLED_VARIABLE, join(ROOT, "dist/node/main.js"));
  const { compilers, missingCompilers } = await writeConsole(order);
  vi.unstubAllEnvs();
  assert.equal(compilers.length + missingCompilers.length, 5);
  assert.ok(compilers.length > 0 || !existsSync(join(ROOT, "node_modules/solc08")));
});

test.runIf(HAS_BASH)("its scripts run where there is no package and no home", () => {
  mkdirSync(join(home, "bin"));
  symlinkSync(process.execPath, join(home, "bin/node"));
  const env = { PATH: `${join(home, "bin")}:/usr/bin:/bin` };
  const told = spawnSync("bash", [join(folder, "start.sh"), "-v"], { env, encoding: "utf8" });
  assert.match(told.stdout, /^console version: \d+\.\d+\.\d+/, told.stderr);
  assert.equal(told.status, 0);
});

test("an upgrade keeps what its user has, and renews program and scripts", async () => {
  writeFileSync(join(folder, "conf/config.toml"), "# mine\n");
  mkdirSync(join(folder, "account/ecdsa"), { recursive: true });
  writeFileSync(join(folder, "account/ecdsa/a.pem"), "my key\n");
  writeFileSync(join(folder, "start.sh"), "old\n");
  rmSync(join(folder, "contracts/solidity/HelloWorld.sol"));
  const { isUpgrade } = await write();
  assert.ok(isUpgrade);
  assert.equal(readFileSync(join(folder, "conf/config.toml"), "utf8"), "# mine\n");
  assert.equal(readFileSync(join(folder, "account/ecdsa/a.pem"), "utf8"), "my key\n");
  assert.notEqual(readFileSync(join(folder, "start.sh"), "utf8"), "old\n");
  assert.ok(existsSync(join(folder, "contracts/solidity/HelloWorld.sol")));
  assert.ok(said.some((line) => line.includes("all else is as it was")));
});

test("another thing of that name is not touched, and a failure leaves nothing", async () => {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "a file\n");
  await assert.rejects(write(), /console is there and is no folder of a console\. Move it away/);
  assert.equal(readFileSync(folder, "utf8"), "a file\n");
  rmSync(folder);
  await assert.rejects(
    downloadConsole(
      { ...ORDER, folder: join(home, "bin/node/below") },
      { cdn: false, say: () => undefined },
    ),
    /cannot be written/,
  );
});
