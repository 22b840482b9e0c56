/** What people see of `chain-node dev`: first screen, lines, signals, restart. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, test } from "vitest";
import {
  ask,
  askUntil,
  endLeftovers,
  endOf,
  freePorts,
  post,
  run,
  runProgram,
  startDev,
  stop,
  untilReady,
  untilSaid,
  withoutLateViews,
} from "../../../support/process/dev-chain-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { hash, sign, toHex } from "../../../support/channel/outside-client.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const shell = promisify(execFile);
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-command-"));
});

afterAll(async () => {
  endLeftovers();
  await rm(home, { recursive: true, force: true });
});

/** Sends a transaction that needs no contract; resolves when it is in a block. */
async function sendOne(url: string, nonce: bigint): Promise<number> {
  const privateKey = `0x${toHex(hash(Buffer.from("any sender")))}`;
  const head = BigInt(await ask<string>(url, "getBlockNumber", 1));
  const { raw } = sign({ privateKey, nonce, blockLimit: head + 500n, data: "0x00" });
  const sent = await ask<string>(url, "sendRawTransaction", 1, raw);
  const once = () => ask<{ blockNumber: string } | null>(url, "getTransactionReceipt", 1, sent);
  const receipt = await askUntil(once, (found) => found !== null);
  return Number(receipt?.blockNumber);
}

function headOf(url: string) {
  return askUntil(
    async () => {
      const number = Number(await ask(url, "getBlockNumber", 1));
      return { number, hash: await ask<string>(url, "getBlockHashByNumber", 1, `${number}`) };
    },
    () => true,
  );
}

// Those that run processes mostly wait for them, in parallel.
test.concurrent("the first screen shows all that a user needs, and its curl line works as printed", async () => {
  const port = await freePorts(4);
  const data = join(home, "screen");
  // There is nothing to reset, which it says.
  const running = runProgram("dev", "--port", `${port}`, "--data", data, "--reset");
  await untilSaid(running, ({ stdout }) => stdout.includes("\nstop "));
  const screen = running.stdout();
  const lines = screen.trimEnd().split("\n");
  assert.ok(lines.length <= 25, `${lines.length} lines`);
  for (const line of lines) assert.ok(line.length <= 120, line);
  assert.ok(!screen.includes("\u001b"), "no colours in a pipe");
  assert.match(screen, /4 nodes, PBFT, chain 1, group 1/);
  const url = `http://127.0.0.1:${port}`;
  for (const [i, id] of (await ask<string[]>(url, "getNodeIDList", 1)).entries()) {
    assert.ok(screen.includes(`http://127.0.0.1:${port + i}`));
    assert.ok(screen.includes(id.slice(0, 8)));
  }
  assert.equal(screen.match(/0x[0-9a-f]{40} 0x[0-9a-f]{64}/g)?.length, 10);
  assert.ok(screen.includes(data));

  const curl = lines.find((line) => line.includes("curl "))?.replace(/^.*?curl /, "curl ");
  const { stdout } = await shell("sh", ["-c", curl ?? "false"]);
  assert.equal(JSON.parse(stdout).result, "0x0");

  await sendOne(url, 1n);
  await untilSaid(running, (said) => said.stdout.includes("block 1 "));
  const { code, stdout: all, stderr } = await stop(running);
  const said = all.slice(screen.length);
  const [block = "", ...last] = said.split("\n");
  assert.match(block, /^block 1 {2}1 transaction {2}0x[0-9a-f]{16}\.\.\. {2}sealer [0-3]$/);
  assert.deepEqual(last, ["", `stopped; the chain is kept in ${data}`, ""]);
  assert.deepEqual([code, withoutLateViews(stderr)], [0, `nothing to remove at ${data}\n`]);
});

/** Waits until nodes are at a block, which is the same on all. */
async function requireOneBlock(urls: readonly string[], number: number): Promise<void> {
  const head = `0x${number.toString(16)}`;
  const hashes = await Promise.all(
    urls.map(async (url) => {
      await askUntil(
        () => ask<string>(url, "getBlockNumber", 1),
        (seen) => seen === head,
      );
      return await ask<string>(url, "getBlockHashByNumber", 1, `${number}`);
    }),
  );
  assert.equal(new Set(hashes).size, 1);
}

// readme.test.ts reads that line, and dev-package and client tests use all of it.
inFull(
  "--json prints exactly one line with everything; two nodes agree, and log to stderr only",
  async () => {
    const data = join(home, "json");
    const options = ["--data", data, "--block-time", "10", "--log-level", "info"];
    const chain = await startDev(2, ...options);
    const { ready, url } = chain;
    assert.deepEqual(Object.keys(ready), [
      "ready",
      "rpc",
      "page",
      "chainId",
      "groups",
      "nodeIds",
      "accounts",
      "channel",
      "sdk",
      "data",
    ]);
    assert.equal(ready.channel.length, 2);
    assert.equal(ready.sdk, join(data, "sdk"));
    const files = ["ca.crt", "node.crt", "node.key", "sdk.crt", "sdk.key"];
    assert.deepEqual(readdirSync(ready.sdk).sort(), files);
    assert.deepEqual([ready.ready, ready.chainId, ready.groups], [true, 1, [1]]);
    assert.equal(ready.data, data);
    assert.equal(ready.rpc.length, 2);
    assert.equal(new Set(ready.nodeIds).size, 2);
    const sealers = await ask<string[]>(url, "getSealerList", 1);
    assert.deepEqual([...ready.nodeIds].sort(), [...sealers].sort());
    assert.equal(ready.accounts.length, 10);
    for (const account of ready.accounts) {
      assert.deepEqual(Object.keys(account), ["address", "privateKey"]);
      assert.match(account.address, /^0x[0-9a-f]{40}$/);
      assert.match(account.privateKey, /^0x[0-9a-f]{64}$/);
    }
    assert.equal(await pagesOf(url), null, "without --cors no page is named");
    const number = await sendOne(url, 2n);
    await requireOneBlock(ready.rpc, number);
    await untilSaid(chain, ({ stderr }) => stderr.includes("++++") && stderr.includes("^^^^"));
    const { code, stdout, stderr } = await stop(chain, "SIGTERM");
    assert.equal(code, 0);
    assert.equal(stdout.split("\n").length, 2, "one line and its end");
    for (const line of stderr.trim().split("\n")) {
      const { level, msg } = JSON.parse(line) as { level: string; msg: string };
      assert.ok(["info", "warning"].includes(level), line);
      assert.ok(msg.length > 0);
    }
  },
);

// dev-refusals.test.ts takes up a folder that a crash left; start-groups.test.ts names stopped
// groups.
inFull(
  "a chain that was interrupted in its start goes on, names a stopped group, outlives its reader",
  async () => {
    const data = join(home, "kept");
    const port = await freePorts(2);
    const options = ["--nodes", "2", "--port", `${port}`, "--data", data];
    const early = runProgram("dev", "--json", ...options);
    await askUntil(
      async () => existsSync(join(data, "chain-node.json")),
      (isMarked) => isMarked,
    );
    assert.equal((await stop(early)).code, 0);
    const chain = await startDev(2, "--data", data, "--block-time", "10");
    assert.equal(await sendOne(chain.url, 10n), 1);
    const head = await headOf(chain.url);
    await ask(chain.url, "stopGroup", 1);
    const ended = await stop(chain, "SIGHUP");
    assert.deepEqual([ended.code, withoutLateViews(ended.stderr)], [0, ""]);
    const last = runProgram("dev", ...options);
    await untilSaid(last, ({ stdout }) => stdout.includes("\nstop "));
    last.child.stdout?.destroy();
    const url = `http://127.0.0.1:${port}`;
    await ask(url, "startGroup", 1);
    assert.deepEqual(await headOf(url), head);
    for (let i = 0; i < 3; i++) assert.equal(await sendOne(url, BigInt(20 + i)), i + 2);
    const { code, stderr } = await stop(last);
    const said = "node 0: group 1 is STOPPED since an earlier run; send it startGroup\n";
    assert.deepEqual([code, withoutLateViews(stderr)], [0, said]);
  },
);

test.concurrent("npm start ends in order when npm alone is told to end", async () => {
  const port = await freePorts(1);
  const args = ["start", "--silent", "--", "--ephemeral", "--json", "--nodes", "1"];
  const running = run("npm", [...args, "--port", `${port}`], { detached: true });
  const { ready, url } = await untilReady(running);
  await stop(running, "SIGTERM");
  await assert.rejects(ask(url, "getGroupList"), "nothing listens any more");
  assert.ok(!existsSync(ready.data), "the temporary folder is gone");
});

/** The pages that may read an answer, by the header that says so. */
async function pagesOf(url: string): Promise<string | null> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"getGroupList","params":[]}';
  const { headers } = await post(url, body, { origin: "http://localhost:3000" });
  return headers.get("access-control-allow-origin");
}

// The first screen is examined above; origins are in dev-http.test.ts.
inFull(
  "--quiet drops the lines per block, --host of another address warns, --cors * names every page",
  async () => {
    const port = await freePorts(1);
    const opened = ["--host", "0.0.0.0", "--cors", "*"];
    const one = ["--ephemeral", "--nodes", "1", "--port", `${port}`];
    const running = runProgram("dev", "--quiet", ...one, ...opened);
    await untilSaid(running, ({ stdout }) => stdout.includes("\nstop "));
    const screen = running.stdout();
    assert.match(screen, /1 node, PBFT/);
    assert.match(screen, /removed at the end/);
    await untilSaid(running, ({ stderr }) => stderr.includes("with --cors"));
    assert.match(running.stderr(), /^warning: .*reachable from outside/m);
    assert.match(running.stderr(), /^warning: with --cors \* every web page/m);
    const url = `http://127.0.0.1:${port}`;
    assert.ok(screen.includes(url));
    assert.deepEqual(await ask(url, "getGroupList"), [1]);
    assert.equal(await pagesOf(url), "*");
    assert.equal(await sendOne(url, 3n), 1);
    const { code, stdout } = await stop(running);
    const said = `${screen}\nstopped; nothing is kept\n`;
    assert.deepEqual({ code, stdout }, { code: 0, stdout: said });
  },
);

test("a name with a port is no name of a host", async () => {
  const { code, stderr } = await runHosted("dev", "--allow-host", "a.example:8545");
  assert.equal(code, 2);
  assert.match(stderr, /host names like chain\.example\.org are wanted, or \*/);
});

test("--version and --help answer on stdout and end with 0", async () => {
  const text = await readFile(join(ROOT, "package.json"), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  const told = await endOf(runProgram("--version"));
  assert.deepEqual({ code: told.code, stderr: told.stderr }, { code: 0, stderr: "" });
  const lines = told.stdout.trimEnd().split("\n");
  assert.equal(lines[0], `chain-node Version : ${version}`);
  const names = lines.slice(1).map((line) => line.split(" : ")[0]?.trimEnd());
  assert.deepEqual(names, ["Build Time", "Build Type", "Git Branch", "Git Commit Hash"]);
  const help = await runHosted("dev", "--help");
  assert.equal(help.code, 0);
  for (const option of ["--nodes", "--port", "--data", "--ephemeral", "--json", "--host"]) {
    assert.ok(help.stdout.includes(option), option);
  }
});
