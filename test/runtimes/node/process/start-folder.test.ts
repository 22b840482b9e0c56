/** One process per folder, one chain per folder, and the log files of `chain-node start`. */
// rules: groups 8
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { readNodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import { plainSentence } from "../../../../runtimes/node/cli/fault-sentence.ts";
import { endOf, runProgram } from "../../../support/process/dev-chain-process.ts";
import { startProgram } from "../../../support/process/dev-process.ts";
import { createHouse } from "../../../support/process/hosted-nodes.ts";
import { initProcessChain, type ProcessChain } from "../../../support/process/node-processes.ts";
import { approach, introduce } from "../p2p/p2p-raw-peer.ts";
import { inFull } from "../../../support/runner/in-full.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";

let chain: ProcessChain;
let folder: string;
let config: string;
const house = createHouse("standard");

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 1 });
  folder = chain.nodes[0]?.folder ?? assert.fail();
  config = join(folder, "config.ini");
});

afterAll(async () => {
  await house.close();
  await chain?.close();
});

interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly cause?: string;
}

async function logLines(): Promise<LogLine[]> {
  const names = (await readdir(join(folder, "log"))).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, "log", name), "utf8")));
  return texts
    .join("")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as LogLine);
}

test("a folder in use is refused with its holder; kill -9 leaves it free", async () => {
  const first = await startProgram(["start", "-c", config, "--json"]);
  try {
    const before = await readdir(join(folder, "log"));
    const second = await endOf(runProgram("start", "-c", config));
    assert.deepEqual([second.code, second.stdout], [1, ""]);
    const said = `in use by another process \\(process ${first.pid}\\)`;
    assert.match(second.stderr, new RegExp(said));
    assert.ok(!second.stderr.includes("--data"), second.stderr);
    assert.deepEqual(await readdir(join(folder, "log")), before);
    // The engine would open its inspector. It is alive afterwards: the next test kills it.
    for (let sent = 0; sent < 3; sent++) process.kill(first.pid, "SIGUSR1");
    const { rpc } = JSON.parse(first.line) as { rpc: string };
    assert.equal((await fetch(`${rpc}/healthz`)).status, 200);
    assert.ok(!first.errors().includes("Debugger listening"), first.errors());
  } finally {
    await first.end("SIGKILL");
  }
  const again = await house.start(config, 1);
  await again.end("SIGTERM");
  const messages = (await logLines()).map(({ msg }) => msg);
  for (const message of ["the node starts", "the node runs", "network listens", "the node stops"])
    assert.ok(messages.includes(message), message);
});

test("ledgers of one chain are not opened for another", async () => {
  const text = await readFile(config, "utf8");
  await writeFile(config, text.replace(/^( *id=)1$/m, "$12"));
  const refused = await house.start(config, 1).then(
    () => assert.fail("it started"),
    (fault: unknown) => fault,
  );
  await writeFile(config, text);
  assert.match(
    plainSentence(refused),
    /data holds data of chain 1, not of chain 2.*\[chain\] id \(2\)/,
  );
});

test("why a node cannot start stands in its log file too", async () => {
  const path = join(folder, "conf/node.key");
  const key = await readFile(path);
  await writeFile(path, "no key");
  const { code, stderr } = await endOf(runProgram("start", "-c", config));
  await writeFile(path, key);
  assert.equal(code, 1);
  assert.equal(stderr.split("\n").length, 2, stderr);
  const last = (await logLines()).at(-1);
  assert.deepEqual([last?.level, last?.msg], ["error", "the node cannot start"]);
  assert.match(last?.cause ?? "", /no secp256k1 private key/);
  assert.ok(Math.abs(Date.parse(last?.time ?? "") - Date.now()) < 60_000);
});

/** Connects to the node with a certificate of another chain, and is refused. */
async function beRefused(): Promise<void> {
  const { port } = readNodeConfig(await readFile(config, "utf8"), config).value.p2p.listen;
  const outsider = await approach(`/ip4/127.0.0.1/tcp/${port}`, 3);
  try {
    await introduce(outsider, { index: 3 });
  } finally {
    await outsider.stop();
  }
}

const LEVELS = [
  ["true", "warning"],
  ["false", "info"],
] as const;
for (const [value, expected] of TAKES_ALL_CASES ? LEVELS : LEVELS.slice(1)) {
  test(`with connection_warning=${value} a refused peer is a line of level ${expected}`, async () => {
    const text = await readFile(config, "utf8");
    const line = `connection_warning=${value}`;
    await writeFile(config, text.replace(/^\[p2p\]$/m, `[p2p]\n${line}`));
    await rm(join(folder, "log"), { recursive: true });
    const node = await house.start(config);
    try {
      await beRefused();
    } finally {
      await node.end("SIGTERM");
      await writeFile(config, text);
    }
    const refusals = (await logLines()).filter(({ msg }) => msg.startsWith("peer refused: "));
    assert.deepEqual([...new Set(refusals.map(({ level }) => level))], [expected]);
  });
}

// Where the log goes is in log/log-file.test.ts.
inFull("with enable=false there are no log files, and the terminal gets the lines", async () => {
  const text = await readFile(config, "utf8");
  await rm(join(folder, "log"), { recursive: true });
  await writeFile(config, text.replace(/^( *enable=)true$/m, "$1false"));
  const node = await startProgram(["start", "-c", config, "--json"]);
  await node.end("SIGTERM");
  await writeFile(config, text);
  assert.ok(!existsSync(join(folder, "log")));
  assert.match(node.errors(), /"msg":"the node runs"/);
});
