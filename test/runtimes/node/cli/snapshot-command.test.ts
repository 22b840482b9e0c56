/** `chain-node snapshot` and `restore`: a ledger from one node's folder to another's. */
import assert from "node:assert/strict";
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { writeGenesisFile } from "../../../../runtimes/formats/config/genesis-file.ts";
import { installLedger, settleLedger } from "../../../../runtimes/node/store/installed-ledger.ts";
import { runCheck } from "../../../../runtimes/node/cli/check/check.ts";
import { runExport } from "../../../../runtimes/node/cli/export.ts";
import { holdNode, requireNode } from "../../../../runtimes/node/store/ledger-place.ts";
import { runRestore } from "../../../../runtimes/node/cli/restore.ts";
import { runSnapshot } from "../../../../runtimes/node/cli/snapshot.ts";
import { openLevelStore } from "../../../../runtimes/node/store/store.ts";
import { StoreFault } from "../../../../core/fault/store-fault.ts";
import { endOf, runProgram } from "../../../support/process/dev-chain-process.ts";
import {
  databaseOf,
  emptyNodeFolder,
  fillStore,
  recordedNodeFolder,
  temporaryFolder,
} from "../../../support/ledger/recorded-folder.ts";
import { RECORD_GENESIS } from "../../../support/ledger/signed-record.ts";

let folder = "";
let file = "";
let home = "";
const options = { replace: false, json: true };

beforeAll(async () => {
  folder = await temporaryFolder();
  home = await recordedNodeFolder(folder, "node0");
  file = join(folder, "group1.snapshot");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]) {
  const { code, stdout, stderr } = await endOf(runProgram(...args));
  return { code, out: stdout, err: stderr };
}

test("a snapshot goes to another folder, where it takes the place of a ledger only if told", async () => {
  const written = await run("snapshot", home, "-o", file);
  const told = /^group 1 at block 3: 4 transactions in .*\(\d+ bytes\)\ncontent hash (0x\w{64}): /;
  const [, contentHash] = told.exec(written.out) ?? [];
  assert.ok(contentHash, written.err);
  const other = await emptyNodeFolder(folder, "node1");
  await runRestore(file, other, options);
  await assert.rejects(runRestore(file, other, options), /holds a ledger already: --replace/);
  const restored = await run("restore", file, other, "--replace");
  assert.match(
    restored.out,
    new RegExp(`^group 1 restored to block 3: .*\ncontent hash ${contentHash}`),
  );
  assert.match(restored.out, /\nthe ledger that was there is now .*block\.old-1\n.*silent until/);
  assert.deepEqual([written.code, restored.code], [0, 0], restored.err);
  assert.deepEqual((await readdir(join(other, "data", "group1"))).sort(), ["block", "block.old-1"]);
  assert.equal(await runCheck(other, { ...check, execute: true }), 0);
});

const check = { data: undefined, group: undefined, from: 0, execute: false, json: true };

test("a file that does not fit the node, or is damaged, changes nothing", async () => {
  const node = await emptyNodeFolder(folder, "node2");
  const ini = join(node, "config.ini");
  const genesis = join(node, "conf", "group.1.genesis");
  const said = await readFile(ini, "utf8");
  const with_ = (from: string, to: string) => writeFile(ini, said.replace(from, to));
  const cases: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
    [
      () => with_("id=1", "id=7"),
      /has chain id 1, the node in .* has 7 \(\[chain\] id in config\.ini/,
    ],
    [() => with_("2.11.1", "2.9.0"), /has compatibility version 2\.11\.1, .* has 2\.9\.0/],
    [
      () => appendFile(ini, "sm_crypto=true\n"),
      /has algorithms secp256k1 .*, the node in .* has SM2 and SM3/,
    ],
    [
      () => writeFile(genesis, writeGenesisFile({ ...RECORD_GENESIS, gasLimit: 10_000_000n })),
      /has genesis block 0x\w+, the node in .* has 0x\w+ \(.*group\.1\.genesis\)/,
    ],
    [() => rm(genesis), /group\.1\.genesis is not there: copy it from a member/],
  ];
  for (const [change, words] of cases) {
    await change();
    await assert.rejects(runRestore(file, node, options), words);
    await writeFile(ini, said);
    await rm(join(node, "data"), { recursive: true, force: true });
  }
  await writeFile(genesis, writeGenesisFile(RECORD_GENESIS));
  const bytes = await readFile(file);
  const damaged = join(folder, "damaged.snapshot");
  for (const [content, words] of [
    [
      bytes.subarray(0, -9),
      /damaged\.snapshot: chunk \d+ \(.*\) is cut off: .*\. Nothing was changed: take an older/,
    ],
    [
      Buffer.from(bytes).fill(1, bytes.length - 50, bytes.length - 40),
      /damaged\.snapshot: chunk \d+ \(.*\) is damaged/,
    ],
    [
      Buffer.from("{}"),
      /damaged\.snapshot: the file is no snapshot .*: name a file that chain-node/,
    ],
  ] as const) {
    await writeFile(damaged, content);
    await assert.rejects(runRestore(damaged, node, options), words);
    assert.deepEqual(await readdir(join(node, "data", "group1")).catch(() => []), []);
  }
  // Not even who has a ledger there is sent to replace it by a damaged file.
  await writeFile(damaged, bytes.subarray(0, -9));
  await assert.rejects(
    runRestore(damaged, home, options),
    /damaged\.snapshot: chunk \d+ .* cut off/,
  );
  await assert.rejects(runRestore(file, home, options), /holds a ledger already: --replace/);
  await assert.rejects(runRestore(join(folder, "none"), node, options), /none is not there/);
  const held = await holdNode(await requireNode(node));
  await assert.rejects(
    runRestore(file, node, options),
    /in use by another process .*stop it first/,
  );
  await held.close();
});

test("a snapshot that cannot be written leaves no file", async () => {
  const out = { out: join(folder, "other.snapshot"), group: 2, json: true };
  await assert.rejects(
    runSnapshot(home, out),
    /group2\/block is not there: the node has no ledger/,
  );
  await assert.rejects(runSnapshot(home, { ...out, group: 1, out: file }), /is there already/);
  await assert.rejects(runSnapshot(folder, out), /config\.ini is not there: name a node's folder/);
  const names = (await readdir(folder)).filter((name) => name.includes("other"));
  assert.deepEqual(names, []);
  const theirs = `${out.out}.new`;
  await writeFile(theirs, "theirs");
  await assert.rejects(
    runSnapshot(home, { ...out, group: 1 }),
    /\.new is there already: remove it/,
  );
  const exported = { node: home, rpc: undefined, group: 1, json: true };
  const ledger = join(folder, "other.jsonl");
  await writeFile(`${ledger}.new`, "theirs");
  await assert.rejects(
    runExport(ledger, exported),
    /other\.jsonl\.new is there already: remove it/,
  );
  assert.equal(await readFile(theirs, "utf8"), "theirs");
  assert.equal(await readFile(`${ledger}.new`, "utf8"), "theirs");
  const [table = ""] = (await readdir(databaseOf(home))).filter((name) => name.endsWith(".ldb"));
  const path = join(databaseOf(home), table);
  const bytes = await readFile(path);
  await writeFile(path, Buffer.from(bytes).fill(7, 100, 110));
  const last = join(folder, "last.snapshot");
  await assert.rejects(
    runSnapshot(home, { out: last, group: 1, json: true }),
    new RegExp(`holds damaged files: ${table}: block .* chain-node check says all that is damaged`),
  );
  await writeFile(path, bytes);
});

test("whatever moment a replacement ends at, the old ledger or the new one is there", async () => {
  const place = databaseOf(await recordedNodeFolder(folder, "node3"));
  const isNew = async () => {
    const store = await openLevelStore(place, { create: false });
    const found = store.get("mnew") !== undefined;
    await store.close();
    return found;
  };
  const build = async (path: string) => {
    const store = await openLevelStore(path, { create: true });
    await fillStore(store);
    await store.commit([{ key: "mnew", value: new Uint8Array(1) }], { durable: true });
    await store.close();
  };
  // While it is built, whole or not.
  await build(`${place}.draft`);
  assert.equal(await settleLedger(place), undefined);
  assert.equal(await isNew(), false);
  // It was whole, the old one still in its place; then the old one had gone.
  await rename(`${place}.draft`, `${place}.restored`);
  assert.equal(await settleLedger(place), `${place}.old-1`);
  assert.equal(await isNew(), true);
  await rename(place, `${place}.restored`);
  await settleLedger(place);
  assert.equal(await isNew(), true);
  // What belongs to a ledger is written before it shows itself; else nothing shows.
  const seen: string[] = [];
  const unfiled = installLedger({
    folder: place,
    replace: true,
    fill: async () => undefined,
    addFiles: async () => {
      seen.push(...(await readdir(join(place, ".."))));
      throw new StoreFault("io", "no file");
    },
  });
  await assert.rejects(unfiled, /no file\. Nothing was changed/);
  assert.deepEqual(seen.sort(), ["block", "block.draft", "block.old-1"]);
  // A draft of before is not built upon; one that fails is removed.
  await mkdir(`${place}.draft`);
  await writeFile(join(`${place}.draft`, "CURRENT"), "half");
  const full = () => Promise.reject(new StoreFault("full", "a disk"));
  const failing = installLedger({ folder: place, replace: true, fill: full });
  await assert.rejects(failing, /group1: there is no space left on the disk\. Nothing was changed/);
  assert.deepEqual((await readdir(join(place, ".."))).sort(), ["block", "block.old-1"]);
  assert.equal(await isNew(), true);
});
