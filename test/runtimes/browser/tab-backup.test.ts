/** A chain of a browser as a file: to a Node server, from there to a fresh browser, and on. */
// Source: decision 25
import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { hexBytes } from "../../../core/bytes/hex.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import type { BackupStart, RestoreReport } from "../../../runtimes/browser/link/api.ts";
import { runCheck } from "../../../runtimes/node/cli/check/check.ts";
import { endOf, runProgram } from "../../support/process/dev-chain-process.ts";
import { temporaryFolder } from "../../support/ledger/recorded-folder.ts";
import { createSender, deployment } from "../../support/sender.ts";
import { openSite } from "../../support/browser/site.ts";
import { encodeCall } from "../../support/execution/table-calls.ts";
import { openTabPage, type TabPage } from "../../support/browser/tab-node.ts";

const RUNNING = "status.phase === 'running'";
const PASSPHRASE = "a passphrase for the file";
const send = createSender(createStandardSuite());
const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;
/** Stores the first word of the input at the slot of the second. */
const STORING = deployment(hexBytes("6000356020355500"));

interface Receipt {
  readonly status: string;
  readonly contractAddress: string;
}

async function commit(tab: TabPage, call: { to?: string; input?: Uint8Array }, group = 1) {
  const head = Number(await tab.request("getBlockNumber", [group]));
  const { raw, hash } = send({ ...call, head, groupId: group });
  await tab.request("sendRawTransaction", [group, raw]);
  for (;;) {
    const receipt = await tab.request("getTransactionReceipt", [group, hash]);
    if (receipt) return receipt as Receipt;
    await sleep(20);
  }
}

/** Contracts, their storage, and tables of precompiled contracts. */
async function fill(tab: TabPage): Promise<void> {
  const { contractAddress } = await commit(tab, { input: STORING });
  const words = [7, 1].map((value) => value.toString(16).padStart(64, "0")).join("");
  await commit(tab, { to: contractAddress, input: hexBytes(words) });
  const table = ["t_backup", "id", "name,number"];
  const create = encodeCall("createTable(string,string,string)", ...table);
  await commit(tab, { to: addressOf(0x1001), input: create });
  const entry = JSON.stringify({ name: "tea", number: "3" });
  const row = ["t_backup", "fruit", entry, ""];
  const insert = encodeCall("insert(string,string,string,string)", ...row);
  const { status } = await commit(tab, { to: addressOf(0x1002), input: insert });
  assert.equal(status, "0x0");
}

/** A second group, of the same nodes, with a block. */
async function addGroup(tab: TabPage): Promise<void> {
  const { chain } = await tab.status();
  const genesis = { timestamp: "1700000000000", sealers: chain?.nodeIds };
  for (const [method, params] of [
    ["generateGroup", [2, genesis]],
    ["startGroup", [2]],
  ] as const)
    for (const node of [0, 1, 2, 3]) await tab.request(method, params, node);
  await commit(tab, {}, 2);
}

const FETCH = `async (groupId) => {
  const start = await tab.worker.openBackup(groupId);
  const bytes = [];
  for (;;) {
    const piece = await tab.worker.nextPiece(start.id);
    if (piece.bytes) bytes.push(...piece.bytes);
    else return { start, bytes, contentHash: piece.contentHash };
  }
}`;

interface Fetched {
  readonly start: BackupStart;
  readonly bytes: readonly number[];
  readonly contentHash: string;
}

function fetchBackup(tab: TabPage, groupId: number): Promise<Fetched> {
  return tab.page.evaluate<Fetched>(`(${FETCH})(${groupId})`);
}

function restore(
  tab: TabPage,
  { chainFile, snapshots, passphrase }: Record<string, unknown>,
): Promise<unknown> {
  return tab.page.evaluate(`tab.worker.restore({
    chainFile: new Blob([${JSON.stringify(chainFile)}]),
    passphrase: ${JSON.stringify(passphrase)},
    snapshots: ${JSON.stringify(snapshots)}.map((bytes) => new Blob([new Uint8Array(bytes)])),
  }).catch(({ name, message }) => name + ": " + message)`);
}

async function program(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await endOf(runProgram(...args, "--json"));
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** A Node server's folder that lacks only the ledger. */
async function nodeFolder(parent: string, genesis: string): Promise<string> {
  const home = join(parent, "node0");
  await mkdir(join(home, "conf"), { recursive: true });
  const ini = ["[compatibility]", "supported_version=2.11.1", "[chain]", "id=1"];
  await writeFile(join(home, "config.ini"), `${ini.join("\n")}\n`);
  await writeFile(join(home, "conf", "group.1.genesis"), genesis);
  return home;
}

interface Backup {
  readonly fetched: Fetched;
  readonly second: Fetched;
  readonly chainFile: string;
  readonly genesis: string;
  /** The block with its roots. */
  readonly block: unknown;
}

async function backUp(): Promise<Backup> {
  const site = await openSite();
  try {
    const tab = await openTabPage(site);
    await tab.start({ kind: "chain", nodes: 4, consensus: "pbft" });
    await tab.until(RUNNING);
    await fill(tab);
    await addGroup(tab);
    assert.deepEqual(await tab.page.evaluate("tab.worker.keptGroups()"), [1, 2]);
    const ofFile = JSON.stringify({ ofFile: PASSPHRASE });
    const empty = "tab.worker.chainFile({ ofFile: '' }).catch(({ message }) => message)";
    assert.match(await tab.page.evaluate<string>(empty), /an empty passphrase/);
    const fetched = await fetchBackup(tab, 1);
    const asked = [1, `${fetched.start.height}`, true];
    const backup = {
      fetched,
      second: await fetchBackup(tab, 2),
      chainFile: await tab.page.evaluate<string>(`tab.worker.chainFile(${ofFile})`),
      genesis: await tab.page.evaluate<string>("tab.worker.genesisFile(1)"),
      block: await tab.request("getBlockByNumber", asked),
    };
    // A chain that is stopped is backed up just so.
    await tab.page.evaluate("tab.stop()");
    const { contentHash, start } = await fetchBackup(tab, 1);
    assert.deepEqual([contentHash, start.height], [fetched.contentHash, fetched.start.height]);
    assert.match(String(await restore(tab, { chainFile: "{}", snapshots: [] })), /wipe it first/);
    assert.deepEqual(site.errors, []);
    return backup;
  } finally {
    await site.close();
  }
}

/** The snapshot of a server that has imported the backup and executed its blocks once more. */
async function throughNode({ fetched, genesis }: Backup): Promise<readonly number[]> {
  const folder = await temporaryFolder();
  try {
    const home = await nodeFolder(folder, genesis);
    const [file, back] = [join(folder, "tab.snapshot"), join(folder, "node.snapshot")];
    await writeFile(file, Uint8Array.from(fetched.bytes));
    const imported = await program("import", file, home);
    assert.equal(imported["contentHash"], fetched.contentHash);
    assert.equal(imported["number"], fetched.start.height);
    const check = { data: undefined, group: undefined, from: 0, execute: true, json: true };
    assert.equal(await runCheck(home, check), 0);
    const written = await program("snapshot", home, "-o", back);
    assert.equal(written["contentHash"], fetched.contentHash);
    return [...(await readFile(back))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireRefused(tab: TabPage, backup: Backup, bytes: readonly number[]) {
  const { chainFile, second } = backup;
  const good = { chainFile, snapshots: [bytes, second.bytes], passphrase: PASSPHRASE };
  const damaged = bytes.map((byte, index) => (index === bytes.length - 30 ? byte ^ 1 : byte));
  for (const [request, words] of [
    [{ ...good, passphrase: "another" }, /KeyFault: this is not the passphrase/],
    [{ ...good, chainFile: "{}" }, /ChainFileFault: this is no chain file/],
    [{ ...good, snapshots: [] }, /ChainFileFault: no snapshot was given/],
    [{ ...good, snapshots: [bytes, bytes] }, /ChainFileFault: two snapshots are of group 1/],
    [{ ...good, snapshots: [bytes] }, /ChainFileFault: there is no snapshot of group 2/],
    [{ ...good, snapshots: [damaged, second.bytes] }, /SnapshotFault: chunk/],
    [{ ...good, snapshots: [second.bytes, bytes.slice(0, 500)] }, /SnapshotFault: /],
    [
      { ...good, chainFile: chainFile.replace('"created": 1', '"created": 2') },
      /ChainFileFault: the chain file was changed/,
    ],
  ] as const)
    assert.match(String(await restore(tab, request)), words);
  const { chain } = await tab.status();
  assert.equal(chain, undefined);
}

test("a chain goes from a browser to a Node server, and into a fresh browser, all the same", async () => {
  const backup = await backUp();
  const { fetched, second, chainFile, block } = backup;
  const bytes = await throughNode(backup);
  const site = await openSite();
  try {
    const tab = await openTabPage(site);
    await requireRefused(tab, backup, bytes);
    const request = { chainFile, snapshots: [second.bytes, bytes], passphrase: PASSPHRASE };
    const report = (await restore(tab, request)) as RestoreReport;
    const { height } = fetched.start;
    const groups = [second, fetched].map(({ start, contentHash }) => {
      const { groupId, height: last } = start;
      return { groupId, height: last, contentHash };
    });
    assert.deepEqual(report, { groups });
    await tab.page.evaluate("tab.worker.resume()");
    const silent = "groups.length === 2 && groups.every(({ silence }) => silence)";
    const all = `status.nodes.length === 4 && status.nodes.every(({ groups }) => ${silent})`;
    await tab.until(`${RUNNING} && ${all}`);
    assert.deepEqual(await tab.request("getBlockByNumber", [1, `${height}`, true], 3), block);
    const again = await fetchBackup(tab, 1);
    assert.equal(again.contentHash, fetched.contentHash);
    // All sealers came back together: their user says so, and the chain goes on.
    await tab.page.evaluate("tab.worker.confirmOnlyCopy()");
    await commit(tab, {});
    await commit(tab, {}, 2);
    await tab.until(`status.nodes.every(({ groups: [g] }) => g?.height === ${height + 1})`);
    assert.deepEqual(site.errors, []);
    assert.deepEqual(site.foreign, []);
  } finally {
    await site.close();
  }
});
