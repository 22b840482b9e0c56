/**
 * The commands `init` and `cert`: output, exit codes, sentences. Some run as the built program, in
 * a process of its own.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { endOf, runProgram } from "../../../support/process/dev-chain-process.ts";
import { freePort } from "../../../support/process/dev-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";

let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-init-command-"));
});

afterAll(() => rm(home, { recursive: true, force: true }));

/** The built program in a process of its own. */
function built(...args: readonly string[]) {
  return endOf(runProgram(...args));
}

interface InitAnswer {
  readonly folder: string;
  readonly nodes: readonly { readonly folder: string; readonly nodeId: string }[];
}

test("init prints a plain table when piped", async () => {
  const folder = join(home, "table");
  const options = ["--agencies", "A,B", "--groups", "1:pbft,2:raft", "--nodes", "3"];
  const { code, stdout, stderr } = await runHosted("init", folder, ...options);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^chain-node wrote a chain to /);
  assert.match(stdout, /^node +agency +rpc +channel +p2p +id$/m);
  assert.match(
    stdout,
    /^node2 +B +127\.0\.0\.1:8647 +20202 +127\.0\.0\.1:30302 +[0-9a-f]{8}\.\.\.$/m,
  );
  assert.match(stdout, /^groups +1 \(pbft\), 2 \(raft\)$/m);
  assert.match(
    stdout,
    /^next\n {2}bash .*start_all\.sh\n {2}curl .*:8645\n {2}bash .*stop_all\.sh$/m,
  );
  assert.ok(!stdout.includes("\u001b"), "no colours");
});

test("init warns of ports that are in use here", async () => {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const ports = [port, port > 40_000 ? 20_200 : 50_200, port > 40_000 ? 30_300 : 60_300].join(",");
  const options = ["--nodes", "1", "--base-ports", ports];
  const folder = join(home, "busy", "chain");
  const { code, stderr } = await runHosted("init", folder, ...options);
  server.close();
  assert.equal(code, 0);
  const [first, ...more] = stderr.trimEnd().split("\n");
  assert.match(first ?? "", new RegExp(`^warning: ports in use on this host now: .*${port}`));
  assert.match(
    more.join("\n"),
    /^warning: nodes .*: remove .*chain, and write it again with --base/,
  );
});

test("init warns of ports that a node next to it has, and names free ones", async () => {
  const place = join(home, "beside");
  const [rpc, channel, p2p] = [await freePort(), await freePort(), await freePort()];
  const options = ["--nodes", "1", "--base-ports", `${rpc},${channel},${p2p}`];
  const first = await runHosted("init", join(place, "first"), ...options);
  assert.equal(first.stderr, "");
  const { code, stdout, stderr } = await runHosted("init", join(place, "b"), ...options, "--json");
  assert.equal(code, 0);
  const { warnings } = JSON.parse(stdout) as { warnings: string[] };
  assert.deepEqual(
    stderr.trimEnd().split("\n"),
    warnings.map((text) => `warning: ${text}`),
  );
  const [taken = "", next = ""] = warnings;
  assert.match(taken, new RegExp(`ports .* next to this folder have: ${rpc}, .*first.node0\\)$`));
  const free = /--base-ports ([\d,]+)$/.exec(next)?.[1] ?? "";
  const again = ["init", join(place, "third"), "--nodes", "1", "--base-ports", free];
  assert.equal((await runHosted(...again)).stderr, "");
});

test("init into a folder that is not empty says what else is there", async () => {
  const folder = join(home, "shared");
  mkdirSync(folder);
  writeFileSync(join(folder, "notes.txt"), "mine");
  const { code, stderr } = await runHosted("init", folder, "--nodes", "1");
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^warning: .*shared is not empty: the chain lies next to notes\.txt; a folder/,
  );
});

test("init writes a WebSocket port for each node when a fourth base port is given", async () => {
  const folder = join(home, "ws");
  const options = ["--nodes", "2", "--base-ports", "8845,20400,30500,40500"];
  const { code, stdout } = await runHosted("init", folder, ...options);
  assert.equal(code, 0);
  assert.match(stdout, /^node +agency +rpc +channel +p2p +ws +id$/m);
  assert.match(readFileSync(join(folder, "node1/config.ini"), "utf8"), /^ *ws_listen_port=40501$/m);
});

test("init --json, cert issue and cert renew work together; a second init is refused", async () => {
  const folder = join(home, "json");
  const { code, stdout } = await built("init", folder, "--nodes", "1", "--json");
  assert.equal(code, 0);
  const answer = JSON.parse(stdout) as InitAnswer;
  const node = answer.nodes[0];
  assert.ok(node);
  const id = readFileSync(join(node.folder, "conf", "node.nodeid"), "utf8");
  assert.equal(id, `${node.nodeId}\n`);
  const launcher = readFileSync(join(node.folder, "chain-node"), "utf8");
  assert.match(launcher, /entry='.*dist\/node\/main\.js'/);

  const out = join(home, "issued");
  const issue = ["cert", "issue", "--ca", folder, "--agency", "agency", "--out", out, "--json"];
  const issued = await runHosted(...issue);
  assert.equal(issued.code, 0, issued.stderr);
  assert.equal((JSON.parse(issued.stdout) as { daysLeft: number }).daysLeft, 3650);
  const renewed = await runHosted("cert", "renew", node.folder, "--ca", folder, "--json");
  assert.equal((JSON.parse(renewed.stdout) as { nodeId: string }).nodeId, node.nodeId);

  rmSync(join(node.folder, "conf", "node.crt"));
  const key = join(node.folder, "conf", "node.key");
  const lost = ["--key", key, "--name", "node0", "--out", join(node.folder, "conf")];
  const found = await runHosted("cert", "issue", "--ca", folder, "--agency", "agency", ...lost);
  assert.equal(found.code, 0, found.stderr);
  assert.match(found.stdout, new RegExp(`^certificate of node0 .*\nid ${node.nodeId}\n$`));
  const sdk = await runHosted("cert", "renew", join(folder, "agency", "sdk"), "--ca", folder);
  assert.match(sdk.stdout, /\ncopy sdk\.crt and node\.crt from .* to every application .*\n$/);

  const again = await built("init", folder);
  assert.deepEqual([again.code, again.stdout], [1, ""]);
  assert.match(again.stderr, /^.*already holds a chain's CA.*\n$/);
});

const BAD_ARGUMENTS = [
  { args: ["--nodes", "0"], says: /A whole number from 1 to 128/ },
  { args: ["--groups", "1:rpbft"], says: /ID:pbft or ID:raft/ },
  { args: ["--base-ports", "80,81,82"], says: /ports from 1024 to 65535/ },
  { args: ["--base-ports", "8545,8546,30300"], says: /port 8546 is wanted twice/ },
  { args: ["--agencies", "a b"], says: /letters, digits/ },
  { args: ["--host", "0.0.0.0"], says: /cannot be dialled/ },
  { args: ["--unknown"], says: /unknown option/ },
] as const;

test("bad arguments end with code 2, the allowed values, and no folder", async () => {
  const folder = join(home, "none");
  const ends = BAD_ARGUMENTS.map(({ args }) => runHosted("init", folder, ...args));
  for (const [index, { code, stderr }] of (await Promise.all(ends)).entries()) {
    const row = BAD_ARGUMENTS[index];
    assert.ok(row);
    assert.equal(code, 2, stderr);
    assert.match(stderr, row.says);
  }
  assert.ok(!existsSync(folder));
});

test("help ends with code 0, a missing option or command with code 2", async () => {
  const [help, none, option, folder] = await Promise.all([
    runHosted("init", "--help"),
    runHosted("cert"),
    runHosted("cert", "renew", home),
    runHosted("init"),
  ]);
  assert.deepEqual([help.code, none.code, option.code, folder.code], [0, 2, 2, 2]);
  assert.match(help.stdout, /Examples:\n {2}\$ chain-node init mychain\n/);
  assert.match(option.stderr, /required option '--ca <folder>'.*\n\(chain-node cert renew --help/);
});
