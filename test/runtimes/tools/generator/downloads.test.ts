// rules: interface 4.3, generator 2, generator 11
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { ACTION_ROWS, readArguments } from "../../../../runtimes/tools/generator/flags.ts";
import { runGenerator } from "../../../../runtimes/tools/generator/run.ts";
import { inFull } from "../../../support/runner/in-full.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "chain downloads "));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs the tool in the folder. */
async function generator(...args: string[]) {
  const said = { stdout: "", stderr: "" };
  const code = await runGenerator(args, {
    cwd: home,
    env: {},
    stdout: (text) => {
      said.stdout += text;
    },
    stderr: (text) => {
      said.stderr += text;
    },
    ask: async () => "",
    now: Date.now,
  });
  return { code, ...said };
}

test("each spelling of the download writes the program, says where it runs, prints its path", async () => {
  const row = ACTION_ROWS.find(({ name }) => name === "downloadProgram");
  assert.ok(row);
  const spellings = ["--download_chain-node", "--download_fisco", "--download_fisco-bcos"];
  for (const flag of spellings) assert.ok(row.flags.includes(flag), flag);
  const { code, stdout, stderr } = await generator("--download_chain-node", "meta", "--cdn");
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `${join(home, "meta/chain-node")}\n`);
  assert.match(stderr, /^INFO \| .*meta\/chain-node says: chain-node Version : \d/m);
  assert.match(stderr, /^INFO \| nodes run on .*linux-x64/m);
  assert.match(stderr, /^INFO \| --cdn has no effect: /m);
  assert.ok(existsSync(join(home, "meta/chain-node.d/dist/node/main.js")));
});

test("--version asks for that of the tool, or names the one to download", () => {
  const tool = readArguments(["--version"]);
  assert.ok(tool.kind === "action" && tool.row.name === "version");
  const words = ["--download_fisco", "meta", "--version", "2.13.0", "--cdn"];
  const other = readArguments(words);
  assert.ok(other.kind === "action" && other.row.name === "downloadProgram");
  assert.deepEqual(other.args, ["meta"]);
  assert.deepEqual(other.modifiers.get("release"), ["2.13.0"]);
  assert.ok(other.modifiers.has("cdn"));
});

test("--dry-run writes nothing, and a wrong version is a failure", async () => {
  const dry = await generator("--download_fisco", "meta", "--dry-run");
  assert.deepEqual([dry.code, dry.stdout, readdirSync(home)], [0, "", []]);
  const wrong = await generator("--download_fisco", "next", "--version", "2.x");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^ERROR \| "2\.x" is no version/m);
  assert.ok(!existsSync(join(home, "next")));
  const none = await generator("--download_fisco");
  assert.equal(none.code, 2);
});

const NODE = `[node0]
p2p_ip=127.0.0.1
rpc_ip=127.0.0.1
channel_ip=0.0.0.0
p2p_listen_port=31300
channel_listen_port=31200
jsonrpc_listen_port=31545
`;

test("a console knows the nodes and gets the agency's SDK certificate, made once", async () => {
  await generator("--generate_chain_certificate", "chain");
  await generator("--generate_agency_certificate", ".", "chain", "A");
  mkdirSync(join(home, "conf"));
  mkdirSync(join(home, "meta"));
  for (const name of ["agency.key", "agency.crt", "ca.crt"])
    writeFileSync(join(home, "meta", name), readFileSync(join(home, "A", name)), { mode: 0o600 });
  writeFileSync(join(home, "conf/node_deployment.ini"), `[group]\ngroup_id=1\n${NODE}`);
  // What fails leaves nothing, no certificate either.
  writeFileSync(join(home, "console"), "a file of the user\n");
  assert.equal((await generator("--download_console", "./")).code, 1);
  assert.ok(!existsSync(join(home, "meta/sdk")));
  rmSync(join(home, "console"));
  const { code, stdout, stderr } = await generator("--download_console", "./");
  assert.equal(code, 0, stderr);
  assert.equal(stdout, `${join(home, "console/chain-node")}\n`);
  const text = readFileSync(join(home, "console/conf/config.toml"), "utf8");
  assert.match(text, /^peers = \["127\.0\.0\.1:31200"\]$/m);
  assert.match(text, /^# rpc = \["http:\/\/127\.0\.0\.1:31545"\]$/m);
  const conf = readdirSync(join(home, "console/conf")).filter((name) => /key|crt/.test(name));
  assert.deepEqual(conf.sort(), ["ca.crt", "sdk.crt", "sdk.key"]);
  const key = () => readFileSync(join(home, "meta/sdk/sdk.key"), "utf8");
  const first = key();
  assert.equal(readFileSync(join(home, "console/conf/sdk.key"), "utf8"), first);
  assert.equal((await generator("--get_sdk_file", "elsewhere")).code, 0);
  assert.equal(readFileSync(join(home, "elsewhere/sdk.key"), "utf8"), first);
  assert.equal(key(), first);
  // Of an agency that meta had before.
  await generator("--generate_chain_certificate", "other");
  writeFileSync(join(home, "meta/sdk/ca.crt"), readFileSync(join(home, "other/ca.crt")));
  const stale = await generator("--get_sdk_file", "next");
  assert.equal(stale.code, 1);
  assert.match(stale.stderr, /meta\/sdk is of another chain than .*meta\/ca\.crt: remove it/);
});

// A console of an agency is written above.
inFull(
  "a console without an agency says what is to be copied and written, --json tells all",
  async () => {
    const { code, stdout, stderr } = await generator("--download_console", ".", "--json");
    assert.equal(code, 0, stderr);
    const told = JSON.parse(stdout) as { launcher: string; platforms: { store: string[] } };
    assert.equal(told.launcher, join(home, "console/chain-node"));
    assert.ok(told.platforms.store.includes("linux-x64"));
    assert.match(
      stderr,
      /^WARN \| there is no conf\/node_deployment\.ini: write where the nodes are/m,
    );
    assert.match(
      stderr,
      /^INFO \| .*console\/conf lacks ca\.crt, sdk\.crt and sdk\.key: copy them/m,
    );
  },
);
