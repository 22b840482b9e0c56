/**
 * Nodes where neither a package nor a registry can be reached: an agency's folder with the program
 * once in it runs, commits, and is upgraded by replacing that one folder.
 */
// rules: generator 11
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { createSmSuite } from "../../../../../core/crypto/national.ts";
import { runGenerator } from "../../../../../runtimes/tools/generator/run.ts";
import { copyProgramFolder } from "../../../../../runtimes/tools/generator/distribution/program-folder.ts";
import { ask, askUntil } from "../../../../support/process/dev-chain-process.ts";
import { portsInRow } from "../../../../support/process/ports.ts";
import { createSender } from "../../../../support/sender.ts";
import { ROOT } from "../../../../support/runner/root.ts";

const HAS_BASH = process.platform !== "win32" && spawnSync("bash", ["--version"]).status === 0;
const COUNT = 2;
/** What start.sh and stop.sh use besides bash. */
const TOOLS = [
  "bash",
  "cat",
  "dirname",
  "kill",
  "ls",
  "nohup",
  "rm",
  "sleep",
  "tail",
  "touch",
  "wc",
];

interface Told {
  readonly "Chain-Node Version": string;
}

describe.runIf(HAS_BASH)("nodes of an agency without package, registry and npm", () => {
  let home: string;
  let agency: string;
  let url: string;
  /** Of the nodes' folders. */
  let names: readonly string[];
  /** Of processes that know nothing but Node.js and the basic tools. */
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "chain offline's "));
    mkdirSync(join(home, "bin"));
    symlinkSync(process.execPath, join(home, "bin/node"));
    for (const name of TOOLS) {
      const found = spawnSync("bash", ["-c", `type -P ${name}`], { encoding: "utf8" });
      symlinkSync(found.stdout.trim(), join(home, "bin", name));
    }
    env = { PATH: join(home, "bin"), HOME: "" };
    const rpc = await portsInRow(COUNT);
    const [channel, p2p] = [await portsInRow(COUNT), await portsInRow(COUNT)];
    names = Array.from({ length: COUNT }, (_, index) => `node_127.0.0.1_${p2p + index}`);
    url = `http://127.0.0.1:${rpc}`;
    const work = join(home, "work");
    mkdirSync(join(work, "agency"), { recursive: true });
    const sections = names.map((_, index) =>
      [
        `[node${index}]`,
        "p2p_ip=127.0.0.1",
        "rpc_ip=127.0.0.1",
        "channel_ip=127.0.0.1",
        `p2p_listen_port=${p2p + index}`,
        `channel_listen_port=${channel + index}`,
        `jsonrpc_listen_port=${rpc + index}`,
      ].join("\n"),
    );
    const text = ["[group]", "group_id=1", ...sections, ""].join("\n");
    writeFileSync(join(work, "agency/node_deployment.ini"), text);
    await generate("--create_tool_folder", join(home, "tool"));
    await generate("one-click", "-b", work, "-g");
    const made = join(work, "agency/node");
    agency = join(home, "copied here");
    cpSync(made, agency, { recursive: true });
    rmSync(work, { recursive: true });
    // The host of the folder has no installation where that of the tool was.
    for (const name of names) {
      const launcher = join(agency, name, "chain-node");
      const recorded = readFileSync(launcher, "utf8");
      assert.match(recorded, /^entry='.*main\.js'$/m);
      const gone = recorded.replace(/^(entry|runtime)=.*$/gm, "$1='/gone'");
      writeFileSync(launcher, gone);
    }
  });

  async function generate(...args: string[]): Promise<void> {
    let said = "";
    const add = (text: string) => {
      said += text;
    };
    const io = { stdout: add, stderr: add, ask: async () => "", now: Date.now, env: {} };
    const code = await runGenerator(args, { ...io, cwd: home });
    assert.equal(code, 0, said);
  }

  afterAll(async () => {
    await stop();
    for (const name of names) {
      const file = join(agency, name, "node.pid");
      if (existsSync(file)) process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
    }
    rmSync(home, { recursive: true, force: true });
  });

  const bash = (script: string): Promise<{ status: number; stdout: string }> =>
    new Promise((resolve) => {
      const args = [join(agency, script)];
      // Not to wait in vain: connections of the test are seen to end meanwhile.
      execFile(join(home, "bin/bash"), args, { env, cwd: "/" }, (error, stdout, stderr) =>
        resolve({ status: Number(error?.code ?? 0), stdout: `${stdout}${stderr}` }),
      );
    });

  const stop = () => bash("stop_all.sh");

  async function start(): Promise<void> {
    const { status, stdout } = await bash("start_all.sh");
    assert.equal(status, 0, stdout);
  }

  const height = async () => Number(await ask<string>(url, "getBlockNumber", 1));

  /** Sends a transaction and waits for its block; gives the height. */
  async function commit(): Promise<number> {
    const head = await height();
    const { hash, raw } = createSender(createSmSuite())({ head });
    await ask(url, "sendRawTransaction", 1, raw);
    await askUntil(
      () => ask<unknown>(url, "getTransactionReceipt", 1, hash),
      (receipt) => receipt !== null,
    );
    return await height();
  }

  // Of the national algorithms, so that a chain that the tool has made with -g is seen to commit.
  test("they start by their scripts and commit", async () => {
    for (const name of names) {
      const launcher = join(agency, name, "chain-node");
      const bare = { PATH: env["PATH"], HOME: "" };
      const told = spawnSync(launcher, ["-v"], { env: bare, encoding: "utf8" });
      assert.match(told.stdout, /^chain-node Version : \d/, told.stderr);
      assert.ok(!readdirSync(join(agency, name)).includes("chain-node.d"));
    }
    await start();
    assert.equal(await commit(), 1);
  });

  test("replacing the one folder upgrades all, and their ledgers go on", async () => {
    const next = join(home, "next/chain-node.d");
    cpSync(join(agency, "chain-node.d"), next, { recursive: true });
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      readonly version: string;
    };
    // The facts of the build, as the bundler has put them into the program's parts.
    const parts = join(next, "dist/node");
    for (const name of readdirSync(parts).filter((each) => each.endsWith(".js"))) {
      const text = readFileSync(join(parts, name), "utf8");
      const newer = text.replaceAll(`"version":"${version}"`, '"version":"2.99.0"');
      if (newer !== text) writeFileSync(join(parts, name), newer);
    }
    await copyProgramFolder(next, agency);
    assert.equal((await stop()).status, 0);
    await start();
    for (const [index] of names.entries()) {
      const place = url.replace(/\d+$/, (port) => `${Number(port) + index}`);
      const told = await ask<Told>(place, "getClientVersion");
      assert.equal(told["Chain-Node Version"], "2.99.0 gm");
    }
    assert.equal(await commit(), 2);
  });

  test("on a host that has the package a node's folder needs no other", async () => {
    assert.equal((await stop()).status, 0);
    const host = join(home, "other host");
    mkdirSync(host);
    for (const name of names) renameSync(join(agency, name), join(host, name));
    for (const script of ["start_all.sh", "stop_all.sh"])
      renameSync(join(agency, script), join(host, script));
    agency = host;
    const missing = await bash("start_all.sh");
    assert.equal(missing.status, 1);
    assert.match(missing.stdout, /chain-node is not found: put chain-node\.d next to /);
    const installed = join(home, "bin/chain-node");
    const main = join(ROOT, "dist/node/main.js");
    writeFileSync(installed, `#!/bin/sh\nexec node '${main}' "$@"\n`, { mode: 0o755 });
    await start();
    assert.equal(await commit(), 3);
    assert.equal((await stop()).status, 0);
  });
});
