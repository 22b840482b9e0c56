// rules: generator 10.1
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, test } from "vitest";
import { parseCertificates } from "../../../../runtimes/folder/certificate.ts";
import { verifyChain } from "../../../../runtimes/formats/certificates/certificate-chain.ts";
import { readGenesisFile } from "../../../../runtimes/formats/config/genesis-file.ts";
import { readNodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import { runGenerator } from "../../../../runtimes/tools/generator/run.ts";
import { LETTERS } from "../../../../runtimes/tools/generator/build-chain/words.ts";
import {
  GEN_AGENCY_CERT_SCRIPT,
  GEN_NODE_CERT_SCRIPT,
} from "../../../../runtimes/tools/generator/tool-scripts.ts";
import { ask } from "../../../support/process/dev-chain-process.ts";
import { portsInRow } from "../../../support/process/ports.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const HAS_BASH = process.platform !== "win32" && spawnSync("bash", ["--version"]).status === 0;

/** Stands for the nodes' program: a whole one is copied in tests of its own. */
let program: string;
let above: string;
let home: string;

beforeAll(() => {
  above = mkdtempSync(join(tmpdir(), "chain built's "));
  program = join(above, "chain-node");
  const main = join(ROOT, "dist/node/main.js");
  // Each build asks for its version.
  const version = 'if [ "$1" = -v ]; then echo "chain-node Version : 2.12.0"; exit; fi';
  const run = `exec '${process.execPath}' '${main}' "$@"`;
  writeFileSync(program, `#!/bin/sh\n${version}\n${run}\n`);
  chmodSync(program, 0o755);
});

afterAll(() => rmSync(above, { recursive: true, force: true }));

beforeEach(() => {
  home = join(above, "work");
  mkdirSync(home);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs a script of a tool folder that finds the program on the PATH. */
function script(body: string, ...args: string[]) {
  const path = join(home, "tool/scripts/it.sh");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, body);
  const env = { ...process.env, PATH: `${above}:${process.env["PATH"]}` };
  return spawnSync("bash", [path, ...args], { cwd: home, env, encoding: "utf8" });
}

async function build(...args: string[]) {
  const said = { stdout: "", stderr: "" };
  const stdout = (text: string) => {
    said.stdout += text;
  };
  const stderr = (text: string) => {
    said.stderr += text;
  };
  const io = { cwd: home, env: {}, stdout, stderr, ask: async () => "", now: Date.now };
  const code = await runGenerator(["build-chain", ...args], io);
  return { code, ...said };
}

const text = (...path: string[]) => readFileSync(join(home, ...path), "utf8");
const configOf = (folder: string) =>
  readNodeConfig(text("nodes", folder, "config.ini"), `${folder}/config.ini`).value;

test.runIf(HAS_BASH)(
  "a list of addresses gives the tree, by the hosts that nodes go to",
  async () => {
    const { code, stdout, stderr } = await build("-l", "127.0.0.1:2,192.0.2.7:1", "-e", program);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^start {2}bash '.*nodes\/127\.0\.0\.1\/start_all\.sh'$/m);
    assert.ok(stdout.endsWith(`[INFO] All completed. Files in ${join(home, "nodes")}\n`), stdout);
    assert.deepEqual(readdirSync(join(home, "nodes")).sort(), ["127.0.0.1", "192.0.2.7", "cert"]);
    const beside = readdirSync(join(home, "nodes/127.0.0.1")).filter((name) => !/cmd$/.test(name));
    const names = ["chain-node", "node0", "node1", "sdk", "start_all.sh", "stop_all.sh"];
    assert.deepEqual(beside.sort(), names);
    const cert = ["agency.crt", "agency.key", "ca.crt"];
    assert.deepEqual(readdirSync(join(home, "nodes/cert/agency")).sort(), cert);
    const ports = ["127.0.0.1/node0", "127.0.0.1/node1", "192.0.2.7/node0"].map((folder) => {
      const { rpc, p2p } = configOf(folder);
      assert.equal(p2p.peers.length, 3);
      return [rpc.jsonrpc.port, rpc.channel.port, p2p.listen.port, rpc.jsonrpc.ip];
    });
    assert.deepEqual(ports, [
      [8545, 20_200, 30_300, "127.0.0.1"],
      [8546, 20_201, 30_301, "127.0.0.1"],
      [8545, 20_200, 30_300, "127.0.0.1"],
    ]);
    const authorities = parseCertificates(text("nodes/cert/ca.crt"));
    const node = parseCertificates(text("nodes/192.0.2.7/node0/conf/node.crt"));
    const verdict = verifyChain(node, { authorities, now: Date.now() });
    assert.ok(verdict.ok && verdict.agency === "agency");
    assert.equal(text("nodes/192.0.2.7/node0/conf/node.nodeid").trim(), verdict.nodeId);
    const genesis = readGenesisFile(text("nodes/192.0.2.7/node0/conf/group.1.genesis"), "g").value;
    assert.equal(genesis.genesis.sealers.length, 3);
    const again = await build("-l", "127.0.0.1:2", "-e", program);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /nodes exists already: choose another folder with -o/);
  },
);

test.runIf(HAS_BASH)(
  "a file gives agencies, groups and ports; each setting is in config.ini",
  async () => {
    const lines = ["127.0.0.1:2 A 1,2", "127.0.0.1:1 B 2", "127.0.0.1:1 B 1 31300,21200,9545"];
    writeFileSync(join(home, "hosts"), `${lines.join("\n")}\n`);
    const words = ["-p", "32300,22200,9645", "-iTSF", "-C7", "-v", "2.9.0", "-R", "-o", "nodes"];
    const { code, stderr } = await build("-f", "hosts", ...words, "-D", "-E", "-e", program);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^INFO \| -R is left out: certificates of SDK ports are ECDSA/m);
    const folders = readdirSync(join(home, "nodes/127.0.0.1")).filter((name) => /^node/.test(name));
    const named = [31_300, 32_300, 32_301, 32_302].map((port) => `node_127.0.0.1_${port}`);
    assert.deepEqual(folders.sort(), named);
    const config = text("nodes/127.0.0.1/node_127.0.0.1_32302/config.ini");
    for (const line of ["id=7", "supported_version=2.9.0", "level=debug", "flush=false"])
      assert.match(config, new RegExp(`^ *${line}$`, "m"), line);
    assert.match(config, /^ *enable_statistic=true$/m);
    assert.match(config, /^ *jsonrpc_listen_ip=0\.0\.0\.0$/m);
    const groupsOf = (port: number) =>
      readdirSync(join(home, `nodes/127.0.0.1/node_127.0.0.1_${port}/conf`)).filter((name) =>
        name.endsWith(".genesis"),
      );
    assert.deepEqual(groupsOf(32_300), ["group.1.genesis", "group.2.genesis"]);
    assert.deepEqual(groupsOf(32_302), ["group.2.genesis"]);
    const place = "nodes/127.0.0.1/node_127.0.0.1_31300/conf/group.1.genesis";
    const { genesis } = readGenesisFile(text(place), "g").value;
    assert.deepEqual([genesis.sealers.length, genesis.freeStorage], [3, true]);
  },
);

test.runIf(HAS_BASH)("a chain goes on with its CA, and a national one has its own", async () => {
  assert.equal((await build("-l", "127.0.0.1:1", "-e", program)).code, 0);
  const words = ["-l", "127.0.0.1:1", "-e", program, "-k", "nodes/cert", "-o", "more"];
  const { code, stderr } = await build(...words);
  assert.equal(code, 0, stderr);
  assert.equal(text("more/cert/ca.crt"), text("nodes/cert/ca.crt"));
  const national = await build("-l", "127.0.0.1:1", "-e", program, "-g", "-o", "gm");
  assert.equal(national.code, 0, national.stderr);
  assert.ok(existsSync(join(home, "gm/127.0.0.1/node0/conf/gmnode.crt")));
  const further = script(GEN_NODE_CERT_SCRIPT, "-g", "gm/cert/agency", "-o", "new");
  assert.equal(further.status, 0, further.stderr);
  const own = readdirSync(join(home, "gm/127.0.0.1/node0/conf"));
  assert.deepEqual(
    readdirSync(join(home, "new/conf")),
    own.filter((name) => !name.startsWith("group")),
  );
  // The folder of a national chain has both authorities: one run makes the agency of both.
  writeFileSync(join(home, "tool/chain-node"), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
  const same = script(GEN_AGENCY_CERT_SCRIPT, "-c", "gm/cert", "-g", "gm/cert/", "-a", "B");
  assert.equal(
    same.stdout,
    "generator --generate_agency_certificate gm/cert/ gm/cert/ B --days 3650 -g\n",
  );
});

test("what cannot be ends with 2, says why, and writes nothing", async () => {
  writeFileSync(join(home, "short"), "127.0.0.1:1 A\n");
  const cases: readonly (readonly [string, RegExp])[] = [
    ["", /one of -l and -f is wanted/],
    ["-l 127.0.0.1", /-l: "127\.0\.0\.1" is not IP:N/],
    ["-l 0.0.0.0:1", /"0\.0\.0\.0:1" is not IP:N/],
    ["-l 127.0.0.1:1 -p 1,2,3", /-p: "1,2,3" is not P2P,CHANNEL,RPC/],
    ["-l 127.0.0.1:2 -p 30300,30301,8545", /port 30301 of 127\.0\.0\.1 is wanted by/],
    ["-l 127.0.0.1:1 -s mysql", /-s mysql: nodes keep their ledgers in their own store/],
    ["-l 127.0.0.1:1 -c rpbft", /-c rpbft is not offered: pbft or raft/],
    ["-l 127.0.0.1:1 -X 0", /-X "0" is not allowed: days from 1 to 36500/],
    ["-l 127.0.0.1:1 -v 9.0.0", /-v "9\.0\.0" is not allowed/],
    ["-l 127.0.0.1:1 -C x", /-C "x" is not allowed/],
    ["-l 127.0.0.1:1 -G", /-G: SM TLS for SDKs is not offered/],
    ["-l 127.0.0.1:1 -d", /-d: start scripts for containers come from chain-node network/],
    ["-l 127.0.0.1:1 -y", /-y is no option/],
    ["-l", /-l needs a value/],
    ["-f short", /short, line 1: IP:N AGENCY GROUP/],
  ];
  for (const [words, says] of cases) {
    const { code, stderr } = await build(...words.split(" ").filter((word) => word !== ""));
    assert.equal(code, 2, words);
    assert.match(stderr, says);
    assert.match(stderr, /^usage: build_chain\.sh/m);
  }
  const missing = await build("-l", "127.0.0.1:1", "-e", "none");
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /none -v cannot be run/);
  assert.deepEqual(readdirSync(home), ["short"]);
  const { code, stdout } = await build("-h");
  assert.equal(code, 0);
  for (const letter of Object.keys(LETTERS))
    assert.match(stdout, new RegExp(`^ {2}-${letter} `, "m"));
});

// Nodes run by their scripts in chain-flow.test.ts.
inFull(
  "the nodes run by their scripts",
  async () => {
    const [p2p, channel, rpc] = [await portsInRow(1), await portsInRow(1), await portsInRow(1)];
    const ports = `${p2p},${channel},${rpc}`;
    assert.equal((await build("-l", "127.0.0.1:1", "-p", ports, "-e", program)).code, 0);
    const script = (name: string) => {
      const { CHAIN_NODE: _, ...env } = process.env;
      const path = join(home, "nodes/127.0.0.1", name);
      return spawnSync("bash", [path], { env, encoding: "utf8" });
    };
    try {
      const started = script("start_all.sh");
      assert.equal(started.status, 0, started.stdout);
      assert.equal(await ask(`http://127.0.0.1:${rpc}`, "getBlockNumber", 1), "0x0");
      const monitored = script("node0/scripts/monitor.sh");
      assert.match(monitored.stdout, /node0/, monitored.stderr);
      const reloaded = script("node0/scripts/reload_sdk_allowlist.sh");
      assert.match(reloaded.stdout, /^node0 has read its SDK allow lists again$/m);
    } finally {
      assert.equal(script("stop_all.sh").status, 0);
    }
  },
  { skip: !HAS_BASH },
);

test.runIf(HAS_BASH)("further certificates come from the folders of chain and agency", async () => {
  assert.equal((await build("-l", "127.0.0.1:1", "-e", program)).code, 0);
  const agency = script(GEN_AGENCY_CERT_SCRIPT, "-c", "nodes/cert", "-a", "B");
  assert.equal(agency.status, 0, agency.stderr);
  const node = script(GEN_NODE_CERT_SCRIPT, "-c", "nodes/cert/B", "-o", "new", "-X", "50");
  assert.equal(node.status, 0, node.stderr);
  const certificates = parseCertificates(text("new/conf/node.crt"));
  const authorities = parseCertificates(text("nodes/cert/ca.crt"));
  const verdict = verifyChain(certificates, { authorities, now: Date.now() });
  assert.ok(verdict.ok && verdict.agency === "B" && verdict.node === "new");
  assert.equal(text("new/conf/node.nodeid").trim(), verdict.nodeId);
  const again = script(GEN_NODE_CERT_SCRIPT, "-c", "nodes/cert/B", "-o", "new");
  assert.deepEqual([again.status, again.stderr.includes("new/conf exists already")], [1, true]);
  const sdk = script(GEN_NODE_CERT_SCRIPT, "-c", "nodes/cert/B/", "-o", "sdk", "-s", "-R");
  assert.equal(sdk.status, 0, sdk.stderr);
  assert.ok(existsSync(join(home, "sdk/sdk.crt")));
  for (const body of [GEN_AGENCY_CERT_SCRIPT, GEN_NODE_CERT_SCRIPT])
    assert.equal(script(body).status, 2);
});
