/** What Tab offers. */
// rules: console 2
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import type { ConsoleCommand } from "../../../../../runtimes/tools/console/command.ts";
import { COMMANDS } from "../../../../../runtimes/tools/console/commands/all.ts";
import { complete } from "../../../../../runtimes/tools/console/interactive/completion.ts";
import { isSecretLine } from "../../../../../runtimes/tools/console/interactive/editor.ts";
import { posedSession } from "../../../../support/console/posed-session.ts";

const ADDRESSES = Array.from({ length: 22 }, (_, i) => `0x${String(i).padStart(40, "0")}`);
const ABI = [
  { type: "function", name: "get", inputs: [], outputs: [] },
  { type: "function", name: "set", inputs: [{ type: "string" }], outputs: [] },
  { type: "event", name: "Set", inputs: [] },
];
const run = () => Promise.resolve({ text: "", data: null });
const CALL: ConsoleCommand = {
  name: "callIt",
  says: "Call",
  parameters: [
    { name: "contract", says: "c", completes: "contract" },
    { name: "address", says: "a", completes: "contractAddress" },
    { name: "function", says: "f", completes: "contractFunction" },
  ],
  run,
};
let folder: string;

/** The contract at addresses of a group, the last one being the newest. */
async function deploy(groupId: number, addresses: readonly string[]): Promise<void> {
  for (const [index, address] of addresses.entries()) {
    const place = join(folder, "contracts/.compiled", String(groupId), "HelloWorld", address);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, "HelloWorld.abi"), JSON.stringify(ABI));
    const at = new Date(1_700_000_000_000 + 1_000 * index);
    await utimes(place, at, at);
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "console-completion-"));
  await mkdir(join(folder, "contracts/solidity"), { recursive: true });
  for (const name of ["HelloWorld.sol", "Table.sol", "TableTest.sol", "notes.txt"])
    await writeFile(join(folder, "contracts/solidity", name), "");
  await mkdir(join(folder, "account"));
  await writeFile(join(folder, "account", `${ADDRESSES[1]}.pem`), "");
  await writeFile(join(folder, "account", `${ADDRESSES[2]}_gm.p12`), "");
  await deploy(1, ADDRESSES);
  await deploy(2, ADDRESSES.slice(0, 1));
});

afterAll(() => rm(folder, { recursive: true }));

async function offered(line: string, groupId = 1): Promise<readonly string[]> {
  const session = posedSession({
    folder,
    groupId,
    keyFolder: join(folder, "account"),
    endpoints: ["127.0.0.1:20200", "127.0.0.1:20201"],
    results: { getGroupList: [1, 2], getNodeIDList: ["aa", "ab"] },
  });
  const commands = [...COMMANDS, CALL];
  return (await complete(line, { session, commands, workingFolder: folder }))[0];
}

test("names of commands are offered in any case, and a single one with a blank", async () => {
  assert.deepEqual(await offered("getblockn"), ["getBlockNumber "]);
  assert.deepEqual(await offered("addP"), ["addPeers "]);
  const many = await offered("getTransactionB");
  assert.ok(many.length > 3 && many.every((name) => name.startsWith("getTransactionB")));
  assert.ok((await offered("")).length >= COMMANDS.length);
  assert.deepEqual(await offered("nothing"), []);
});

test("contracts are offered by name without Table, and by path", async () => {
  assert.deepEqual(await offered("callIt "), ["HelloWorld", "TableTest"]);
  assert.deepEqual(await offered("callIt tab"), ["TableTest "]);
  assert.deepEqual(await offered("callIt contracts/sol"), ["contracts/solidity/"]);
  assert.ok(
    (await offered("callIt contracts/solidity/H")).includes("contracts/solidity/HelloWorld.sol "),
  );
});

test("then latest and up to 20 addresses of the current group, then functions", async () => {
  const addresses = await offered("callIt HelloWorld ");
  assert.equal(addresses.length, 21);
  assert.ok(addresses.includes("latest") && !addresses.includes(ADDRESSES[0] ?? ""));
  assert.deepEqual(await offered("callIt HelloWorld ", 2), [ADDRESSES[0], "latest"]);
  assert.deepEqual(await offered("callIt HelloWorld latest "), ["get", "set"]);
  assert.deepEqual(await offered(`callIt HelloWorld ${ADDRESSES[3]} s`), ["set "]);
  assert.deepEqual(await offered("callIt Unknown latest "), []);
});

test("keys, formats, accounts, groups, endpoints, node IDs, flags and files are offered", async () => {
  assert.ok((await offered("setSystemConfigByKey ")).includes("tx_count_limit"));
  assert.deepEqual(await offered("newAccount p"), ["p12", "pem"]);
  assert.deepEqual(await offered("newAccount --l"), ["--label "]);
  const accounts = await offered("loadAccount 0x");
  assert.deepEqual(accounts, [ADDRESSES[1], ADDRESSES[2]]);
  assert.ok((await offered("loadAccount acc")).includes("account/"));
  assert.deepEqual(await offered("switch "), ["1", "2"]);
  assert.deepEqual(await offered("startGroup "), ["127.0.0.1:20200", "127.0.0.1:20201"]);
  assert.deepEqual(await offered("addSealer aa"), ["aa "]);
  assert.deepEqual(await offered("generateGroupFromFile con"), ["contracts/"]);
  assert.deepEqual(await offered("getBlockByNumber 5 t"), ["true "]);
  assert.ok((await offered("help sw")).includes("switch "));
});

test("behind an unknown command, or where no node answers, nothing is offered", async () => {
  assert.deepEqual(await offered("nothing "), []);
  const session = posedSession();
  const place = { session, commands: COMMANDS, workingFolder: folder };
  assert.deepEqual(await complete("addSealer a", place), [[], "a"]);
});

test("lines that may hold a password are not kept", () => {
  assert.ok(isSecretLine("newAccount p12 secret", COMMANDS));
  assert.ok(isSecretLine("NEWACCOUNT p12 secret", COMMANDS));
  for (const line of ["newAccount", "newAccount p12", "getBlockByNumber 1 true"])
    assert.ok(!isSecretLine(line, COMMANDS), line);
  // A misspelt command may hold one too.
  assert.ok(isSecretLine("newAcount p12 secret", COMMANDS));
});
