/**
 * What `chain-node dev` refuses: one sentence with the next step, a failing code, no harm. How the
 * command ends is examined in some of them; the others run the same start in this process.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { resetDataFolder } from "../../../../runtimes/node/store/data-folder.ts";
import { type StartedChain, startDevChain } from "../../../../runtimes/node/dev/start-dev-chain.ts";
import { devSentence } from "../../../../runtimes/node/cli/fault-sentence.ts";
import { NOTHING_LISTED } from "../../../../runtimes/shared/http-caller.ts";
import {
  ask,
  askUntil,
  endLeftovers,
  endOf,
  freePorts,
  runProgram,
  startDev,
  stop,
  withoutLateViews,
} from "../../../support/process/dev-chain-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { sign } from "../../../support/channel/outside-client.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { inFull } from "../../../support/runner/in-full.ts";

let home: string;
/** A data folder of one node that was stopped in order; tests damage copies of it. */
let pristine: string;
let copies = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-refusals-"));
  pristine = join(home, "pristine");
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  await (await begin(pristine)).close();
});

afterAll(async () => {
  endLeftovers();
  await rm(home, { recursive: true, force: true });
});

function copyOfData(): string {
  const folder = join(home, `copy${++copies}`);
  cpSync(pristine, folder, { recursive: true });
  return folder;
}

/** Starts a chain in this process, on free ports. */
function begin(data: string, nodes = 1, host = "127.0.0.1"): Promise<StartedChain> {
  return startDevChain({
    data,
    nodes,
    ephemeral: false,
    blockTimeMs: 0,
    sm: false,
    host,
    port: 0,
    channel: { port: 0, rsa: false },
    lists: NOTHING_LISTED,
    maxBodyBytes: 1_000_000,
    shareRecovery: true,
    log: { write: () => undefined },
  });
}

/** What the command says of what is refused in this process. */
async function sentenceOf(refused: Promise<unknown>): Promise<string> {
  const cause = await refused.then(
    () => assert.fail("it is not refused"),
    (fault: unknown) => fault,
  );
  const sentence = await devSentence(cause);
  assert.ok(!/\n|\bat .*:\d+:\d+/.test(sentence), `one line and no stack: ${sentence}`);
  return sentence;
}

/** Everything a user would miss: paths and contents, without what only locks and logs. */
function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const kept = names.filter((name) => !/(^|\/)(LOCK|LOG|LOG\.old|lock(\/.*)?)$/.test(name));
  const files = kept.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(
    files.map((name) => {
      const digest = createHash("sha256").update(readFileSync(join(folder, name)));
      return [name, digest.digest("hex")];
    }),
  );
}

/** Runs `chain-node dev` that must refuse; gives its one sentence. */
async function refusalOf(...args: readonly string[]): Promise<string> {
  const nodes = args.includes("--nodes") ? [] : ["--nodes", "1"];
  const port = args.includes("--port") ? [] : ["--port", `${await freePorts(1)}`];
  const { code, stdout, stderr } = await endOf(runProgram("dev", ...nodes, ...port, ...args));
  assert.equal(stdout, "", "nothing on stdout");
  assert.equal(code, 1);
  const [sentence = "", ...more] = stderr.trimEnd().split("\n");
  assert.deepEqual(more, [], "one line");
  assert.ok(!/\bat .*:\d+:\d+/.test(sentence), "no stack");
  return sentence;
}

test("a port in use is named, with the option for another one", async () => {
  const server = createServer();
  const port = await freePorts(2);
  await new Promise<void>((resolve) => server.listen(port + 1, "127.0.0.1", resolve));
  const data = join(home, "port");
  const sentence = await refusalOf("--nodes", "2", "--port", `${port}`, "--data", data);
  await new Promise((resolve) => server.close(resolve));
  const busy = `cannot listen on 127.0.0.1:${port + 1}: the port is in use by`;
  // Only Linux shows who has it.
  const holder = existsSync("/proc/net/tcp") ? `process ${process.pid} (` : "another program";
  assert.ok(sentence.startsWith(`${busy} ${holder}`), sentence);
  assert.match(sentence, /another port with --port/);
  // What was begun is undone: the same folder serves at once.
  const chain = await begin(data, 2);
  assert.deepEqual(await ask(chain.servers[0]?.url ?? "", "getGroupList"), [1]);
  await chain.close();
});

test("an address that this machine does not have is named", async () => {
  // 203.0.113.0/24 is set aside for documentation.
  const sentence = await sentenceOf(begin(join(home, "elsewhere"), 1, "203.0.113.9"));
  assert.match(sentence, /203\.0\.113\.9:\d+: this machine does not have that address\. .*--host/);
});

test("a folder of somebody else is left alone, with --reset as well", async () => {
  const data = join(home, "foreign");
  await mkdir(data);
  await writeFile(join(data, "thesis.txt"), "years of work");
  const before = contentsOf(data);
  assert.match(await sentenceOf(begin(data)), /holds thesis\.txt\. .*--data/);
  assert.match(await sentenceOf(resetDataFolder(data)), /not a data folder.*--data/);
  assert.deepEqual(contentsOf(data), before);
  const file = join(data, "thesis.txt");
  assert.match(await sentenceOf(begin(file)), /is not a folder\. .*--data/);
});

test("a folder that takes no writes is named", async () => {
  const data = join(home, "readonly");
  await mkdir(data);
  await chmod(data, 0o555);
  // Permissions do not bind root; what the system keeps for itself does.
  const target = process.getuid?.() === 0 ? "/proc/chain-node" : join(data, "inside");
  const sentence = await sentenceOf(begin(target));
  assert.ok(sentence.startsWith(target), sentence);
  assert.match(sentence, /--data/);
  assert.ok(!existsSync(target));
});

test("data of a newer version is left alone", async () => {
  const data = copyOfData();
  const marker = join(data, "chain-node.json");
  const text = readFileSync(marker, "utf8").replace('"version":1', '"version":2');
  await writeFile(marker, text);
  const before = contentsOf(data);
  assert.match(await sentenceOf(begin(data)), /newer program \(version 2.*Use the release/);
  assert.match(await sentenceOf(resetDataFolder(data)), /newer program/);
  assert.deepEqual(contentsOf(data), before);
});

test("data of another number of nodes tells which number continues it", async () => {
  const data = copyOfData();
  const before = contentsOf(data);
  const sentence = await sentenceOf(begin(data, 4));
  assert.match(sentence, /a chain of 1 node, not 4; start with --nodes 1/);
  assert.deepEqual(contentsOf(data), before);
});

const DAMAGES = [
  { file: "chain-node.json", contents: "{", says: /chain-node\.json is damaged/ },
  { file: "chain.json", contents: "", says: /chain\.json is damaged/ },
  { file: "node0/node.key", contents: "not a key", says: /node\.key holds no/ },
  { file: "node0/group1/CURRENT", contents: "gone\n", says: /damaged database/ },
  { file: "node0/group1/MANIFEST", contents: "noise ".repeat(999), says: /damaged database/ },
] as const;
for (const { file, contents, says } of DAMAGES) {
  test(`a damaged ${file} is named and not overwritten`, async () => {
    const data = copyOfData();
    const folder = join(data, file, "..");
    const last = file.split("/").at(-1) ?? "";
    const name = readdirSync(folder).find((found) => found.startsWith(last)) ?? last;
    await writeFile(join(folder, name), contents);
    const before = contentsOf(data);
    const sentence = await sentenceOf(begin(data));
    assert.match(sentence, says);
    assert.match(sentence, /Restore it from a copy.*--reset.*--data/);
    assert.deepEqual(contentsOf(data), before);
  });
}

// store/level-files and check-command.test.ts find changed bytes.
inFull("a byte that changed inside a ledger of twenty blocks is noticed at the start", async () => {
  const data = join(home, "flipped");
  const chain = await begin(data);
  const { privateKey } = chain.accounts[0] ?? assert.fail("no accounts");
  const { url } = chain.servers[0] ?? assert.fail("no port");
  for (let i = 1; i <= 20; i++) {
    const { raw } = sign({ privateKey, nonce: BigInt(i), blockLimit: 500n, data: "0x00" });
    const sent = await ask(url, "sendRawTransaction", 1, raw);
    const once = () => ask(url, "getTransactionReceipt", 1, sent);
    await askUntil(once, (receipt) => receipt !== null);
  }
  await chain.close();
  const folder = join(data, "node0", "group1");
  const name = readdirSync(folder).find((found) => found.endsWith(".log")) ?? assert.fail("no log");
  const bytes = readFileSync(join(folder, name));
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
  await writeFile(join(folder, name), bytes);
  const sentence = await sentenceOf(begin(data));
  assert.ok(sentence.startsWith(join(data, "node0")), sentence);
  assert.match(sentence, /Restore it from a copy/);
});

test("a folder that was marked and then left by a crash is taken up again", async () => {
  const data = join(home, "marked");
  await mkdir(data);
  cpSync(join(pristine, "chain-node.json"), join(data, "chain-node.json"));
  const chain = await begin(data, 2);
  assert.equal(chain.nodes[0]?.api.group(1)?.ledger.head().number, 0);
  await chain.close();
});

test("one damaged node of two stops the start of all, and --reset starts over", async () => {
  const data = join(home, "two");
  await (await begin(data, 2)).close();
  await writeFile(join(data, "node1", "group1", "CURRENT"), "MANIFEST-999999\n");
  const sentence = await sentenceOf(begin(data, 2));
  assert.match(sentence, /node1\/group1 holds a damaged database/);
  const chain = await startDev(1, "--data", data, "--reset");
  assert.equal(await ask(chain.url, "getBlockNumber", 1), "0x0");
  const { code, stderr } = await stop(chain);
  assert.equal(code, 0);
  const removed = ["cert", "chain.json", "node0", "node1", "sdk", "lock", "chain-node.json", ""];
  assert.deepEqual(
    withoutLateViews(stderr).trimEnd().split("\n"),
    removed.map((name) => `removed ${join(data, name)}`),
  );
});

test("a ledger that is gone is missed, and does not begin anew", async () => {
  const data = join(home, "gone");
  await (await begin(data)).close();
  const ledger = join(data, "node0", "group1");
  await rm(ledger, { recursive: true });
  assert.match(await sentenceOf(begin(data)), /group1 holds no ledger any more/);
  assert.match(await sentenceOf(begin(data)), /group1 holds no ledger any more/);
});

// That it is not shared is seen in dev-package.
// process/start-folder.test.ts refuses a folder in use.
inFull("a folder that another process uses is not reset", async () => {
  const data = copyOfData();
  const chain = await begin(data);
  const inUse = new RegExp(`in use by another process \\(process ${process.pid}\\)\\. Stop`);
  assert.match(await refusalOf("--data", data, "--reset"), inUse);
  assert.equal(chain.nodes[0]?.api.group(1)?.ledger.head().number, 0);
  await chain.close();
});

const BAD_OPTIONS = [
  { args: ["dev", "--bogus"], says: /unknown option '--bogus'/ },
  { args: ["dev", "--nodes", "0"], says: /--nodes.*whole number from 1 to 16/ },
  { args: ["dev", "--nodes", "17"], says: /--nodes.*whole number from 1 to 16/ },
  { args: ["dev", "--nodes", "2.5"], says: /--nodes.*whole number/ },
  { args: ["dev", "--nodes", "1e1"], says: /--nodes.*whole number/ },
  { args: ["dev", "--port", "80"], says: /--port.*whole number from 1024/ },
  { args: ["dev", "--port", "70000"], says: /--port.*whole number/ },
  { args: ["dev", "--block-time", "1000"], says: /--block-time.*0 to 999/ },
  { args: ["dev", "--max-body", "-1"], says: /--max-body.*whole number/ },
  { args: ["dev", "--log-level", "loud"], says: /--log-level.*trace, debug, info, warning, error/ },
  { args: ["dev", "--data"], says: /--data <folder>' argument missing/ },
  { args: ["dev", "--ephemeral", "--reset"], says: /--ephemeral.*cannot be used with.*--reset/ },
  { args: ["dev", "--ephemeral", "--data", "x"], says: /--ephemeral.*cannot be used with.*--data/ },
  { args: ["dev", "extra"], says: /too many arguments/ },
  { args: ["devv"], says: /unknown command 'devv'/ },
] as const;
test("every bad option is named, with the way to the help", async () => {
  const [first, ...others] = BAD_OPTIONS;
  const ends = [endOf(runProgram(...first.args)), ...others.map(({ args }) => runHosted(...args))];
  for (const [i, { code, stdout, stderr }] of (await Promise.all(ends)).entries()) {
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, BAD_OPTIONS[i]?.says ?? /$^/);
    assert.match(stderr, /\(chain-node (dev )?--help lists the (options|commands)\)\n$/);
  }
});
