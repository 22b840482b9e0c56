/** `chain-node import`: chains that move into new folders with their history. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, test } from "vitest";
import {
  readGenesisFile,
  writeGenesisFile,
} from "../../../../runtimes/formats/config/genesis-file.ts";
import { parsePrivateKey } from "../../../../runtimes/folder/private-key.ts";
import { runCheck } from "../../../../runtimes/node/cli/check/check.ts";
import { leaveWord } from "../../../../runtimes/node/cli/confirm.ts";
import { runImport } from "../../../../runtimes/node/cli/import.ts";
import type { Json } from "../../../../core/rpc/json.ts";
import { deviations } from "../../../../runtimes/shared/ledger-file/differences.ts";
import { runSnapshot } from "../../../../runtimes/node/cli/snapshot.ts";
import { readData } from "../../../support/ledger/data-files.ts";
import { request } from "../../../support/process/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  setIni,
} from "../../../support/process/node-processes.ts";
import { requireSameChain, sendAndSee } from "../../../support/process/process-checks.ts";
import {
  databaseOf,
  emptyNodeFolder,
  recordedNodeFolder,
  temporaryFolder,
} from "../../../support/ledger/recorded-folder.ts";
import { RECORD_GENESIS, signedRecord } from "../../../support/ledger/signed-record.ts";
import { inFull } from "../../../support/runner/in-full.ts";

let folder = "";
let lines: readonly string[] = [];
const plain = { genesis: undefined, supportedVersion: undefined, replace: false, json: true };
const whole = { data: undefined, group: undefined, from: 0, execute: false, json: true };

beforeAll(async () => {
  folder = await temporaryFolder();
  lines = await signedRecord();
  await writeFile(join(folder, "mine.genesis"), writeGenesisFile(RECORD_GENESIS));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, content: readonly string[]): Promise<string> {
  const path = join(folder, `${name}.jsonl.gz`);
  await writeFile(path, gzipSync(content.map((line) => `${line}\n`).join("")));
  return path;
}

async function hashesOf({ url }: NodeProcess, last: number): Promise<readonly unknown[]> {
  const numbers = Array.from({ length: last + 1 }, (_, number) => `${number}`);
  return Promise.all(numbers.map((number) => request(url, "getBlockHashByNumber", [1, number])));
}

/** What export writes of a chain of these nodes' keys. */
async function recordOfNodes(nodes: readonly NodeProcess[]): Promise<readonly string[]> {
  const keys: Uint8Array[] = [];
  for (const node of nodes) {
    const key = parsePrivateKey(await readFile(join(node.folder, "conf", "node.key"), "utf8"));
    assert.ok(key);
    keys.push(key.privateKey);
  }
  const path = join(nodes[0]?.folder ?? "", "conf", "group.1.genesis");
  const { genesis } = readGenesisFile(await readFile(path, "utf8"), path).value;
  return signedRecord("standard", { genesis, keys });
}

test("a chain of four goes on in folders that have its keys and its ledger", async () => {
  const chain = await initProcessChain({ nodes: 4, pauseMs: 100, hosted: true });
  const { nodes } = chain;
  const [first] = nodes;
  assert.ok(first);
  try {
    const record = await recordOfNodes(nodes);
    const history = record.map((line) => JSON.parse(line).header.hash);
    const file = await write("moved", record);
    const genesis = join(first.folder, "conf", "group.1.genesis");
    for (const node of nodes) await runImport(file, node.folder, { ...plain, genesis });
    await Promise.all(nodes.map((node) => node.start()));
    const ready = await (await fetch(`${first.url}/readyz`)).text();
    assert.match(ready, /follows as a silent observer/);
    for (const node of nodes) await leaveWord(node.folder, undefined);
    await sendAndSee(first, nodes);
    await requireSameChain(nodes, history.length);
    for (const node of nodes) assert.deepEqual(await hashesOf(node, history.length - 1), history);
  } finally {
    await chain.close();
  }
});

/** Blocks of the recorded chain that are imported here; all of them are replayed elsewhere. */
const GOLDEN_BLOCKS = 60;

// A chain goes on with the same ledger above.
inFull("a node without its keys serves what was recorded", async () => {
  const some = readData("golden/replay/group1.jsonl").split("\n", GOLDEN_BLOCKS);
  const file = await write("group1", some);
  const genesis = join(folder, "recorded.genesis");
  await writeFile(genesis, readData("golden/replay/group.1.genesis.txt"));
  const chain = await initProcessChain({ nodes: 1, hosted: true });
  const [node] = chain.nodes;
  assert.ok(node);
  try {
    const conf = join(node.folder, "conf");
    for (const name of ["group.1.genesis", "group.1.ini"]) await rm(join(conf, name));
    await runImport(file, node.folder, { ...plain, genesis });
    // Who is no member serves nobody, unless that is wanted.
    const ini = join(node.folder, "config.ini");
    await setIni(ini, "rpc", ["act_as_group_member", "true"]);
    await node.start();
    for (const line of some.filter((_, number) => number % 7 === 4)) {
      const { number, block, receipts } = JSON.parse(line);
      const found = await request(node.url, "getBlockByNumber", [1, `${number}`, true]);
      // A creation: the record shows the zero address where this node shows null.
      assert.deepEqual(deviations("block", block, found as Json), []);
      for (const receipt of receipts) {
        const hash = receipt.transactionHash;
        const shown = await request(node.url, "getTransactionReceipt", [1, hash]);
        assert.deepEqual(deviations("receipt", receipt, shown as Json), []);
      }
    }
    assert.equal(await node.blockNumber(), GOLDEN_BLOCKS - 1);
  } finally {
    await chain.close();
  }
});

test("an imported ledger is whole, and its group gets the files that it lacks", async () => {
  const home = await emptyNodeFolder(folder, "node0");
  await rm(join(home, "conf", "group.1.genesis"));
  await runImport(await write("mine", lines), home, plain);
  assert.deepEqual((await readdir(join(home, "conf"))).sort(), ["group.1.genesis", "group.1.ini"]);
  assert.equal(await runCheck(home, { ...whole, execute: true }), 0);
  const bare = await emptyNodeFolder(folder, "node4");
  await rm(join(bare, "conf", "group.1.genesis"));
  // Stands where the draft of the file would be.
  await mkdir(join(bare, "conf", "group.1.genesis.new"));
  await assert.rejects(runImport(join(folder, "mine.jsonl.gz"), bare, plain), /cannot be written/);
  assert.deepEqual(await readdir(join(bare, "data", "group1")), []);
  const snapshot = join(folder, "mine.snapshot");
  await runSnapshot(home, { out: snapshot, group: 1, json: true });
  const other = await emptyNodeFolder(folder, "node1");
  await runImport(snapshot, other, plain);
  assert.equal(await runCheck(other, whole), 0);
});

test("a ledger that differs or does not fit is refused, and nothing changes", async () => {
  const home = await emptyNodeFolder(folder, "node2");
  const genesis = join(folder, "mine.genesis");
  const mine = await write("mine", lines);
  const changed = await write(
    "changed",
    lines.map((line, i) => (i === 2 ? line.replace(/"gasUsed":"0x/g, "$&1") : line)),
  );
  const cut = join(folder, "cut.jsonl.gz");
  await writeFile(cut, gzipSync(lines.join("\n")).subarray(0, 900));
  const ini = join(home, "config.ini");
  const said = await readFile(ini, "utf8");
  const refused = async (file: string, options: object, words: RegExp, config = said) => {
    await writeFile(ini, config);
    await assert.rejects(runImport(file, home, { ...plain, genesis, ...options }), words);
    await writeFile(ini, said);
    await rm(join(home, "data", "chain-node.json"), { force: true });
    assert.deepEqual(await readdir(join(home, "data", "group1")).catch(() => []), []);
    await rm(join(home, "data"), { recursive: true, force: true });
  };
  const differs = /block 2: header\.hash\n {2}recorded 0x[\s\S]*\nblock 2 differs: .*Nothing was/;
  await refused(changed, {}, differs);
  await refused(cut, {}, /cut\.jsonl\.gz cannot be read to its end|line \d+: /);
  await refused(await write("empty", []), {}, /holds no block/);
  const older = { supportedVersion: "2.9.0" };
  await refused(mine, older, /has compatibility version 2\.9\.0, the node in .* has 2\.11\.1/);
  const foreign = said.replace("id=1", "id=7");
  await refused(
    mine,
    {},
    /block 1 has a transaction of chain 1: set \[chain\] id .* is 7/,
    foreign,
  );
  const another = join(folder, "another.genesis");
  await writeFile(another, writeGenesisFile({ ...RECORD_GENESIS, gasLimit: 10_000_000n }));
  await refused(mine, { genesis: another }, /has genesis block 0x\w+, the node in .* has 0x/);
  await refused(join(folder, "none.jsonl"), {}, /none\.jsonl is not there/);
  await refused(genesis, {}, /ends with \.jsonl or \.jsonl\.gz is wanted/);
  const held = await recordedNodeFolder(folder, "node3");
  await assert.rejects(runImport(mine, held, plain), /holds a ledger already: --replace/);
  await rename(databaseOf(held), `${databaseOf(held)}.restored`);
  await runImport(mine, held, { ...plain, replace: true });
  const names = await readdir(join(held, "data", "group1"));
  assert.deepEqual(names.sort(), ["block", "block.old-1"]);
});
