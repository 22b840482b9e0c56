import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Text } from "../../../core/bytes/byte-string.ts";
import { addressOfNumber, toHex } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { NEWEST_VERSION, version, type Version } from "../../../core/model/version.ts";
import { accountTable } from "../../../core/storage/system-tables.ts";
import { freeze, grant } from "../../support/execution/added-rows.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { callsOf, int256 } from "../../support/execution/contract-calls.ts";
import { ALICE, BOB, initCode, openTestChain } from "../../support/execution/test-chain.ts";

// rules: execution 3.1-2, 4.2, 4.5, 5, 8, 10

test("once somebody may deploy, others may not: status 25 and no gas left", async () => {
  const chain = await grant(await openTestChain(), "_sys_tables_", ALICE);
  const create = { input: initCode(assemble("stop")) };
  const { receipts } = await chain.block({ ...create, from: ALICE }, { ...create, from: BOB });
  assert.deepEqual(
    receipts.map(({ status }) => status),
    [0, 25],
  );
  assert.equal(receipts[1]?.gasUsed, 300_000_000n);
  assert.equal(receipts[1]?.output.length, 0);
});

test("a grant of this block is not in force yet", async () => {
  const chain = await grant(await openTestChain(), "_sys_tables_", ALICE, "1");
  const create = { from: BOB, input: initCode(assemble("stop")) };
  assert.equal((await chain.send(create)).status, 0);
  assert.equal((await chain.send(create)).status, 25);
});

// rules: storage 4
for (const { since, inBlock } of [
  { since: version(2, 4, 0), inBlock: [1, 1, 1, 0] },
  { since: version(2, 5, 0), inBlock: [1, 1, -50_000, 0] },
  { since: NEWEST_VERSION, inBlock: [1, 1, -50_000, 0] },
]) {
  test(`a revocation at ${since} counts for tables that its block opens after it`, async () => {
    const chain = await openTestChain({ version: since });
    const [permission, names, tables] = [callsOf(0x1005), callsOf(0x1004), callsOf(0x1001)];
    const change = (method: string, table: string, address: Address) =>
      permission.sending(`${method}(string,string)`, [table, address]);
    const lists = ["_sys_cns_", "_sys_tables_"];
    const members = [ALICE, BOB];
    const grants = lists.flatMap((table) => members.map((one) => change("insert", table, one)));
    await chain.block(...grants);
    const writes = (name: string) => [
      names.sending("insert(string,string,string,string)", [name, "1", ALICE, "[]"]),
      tables.sending("createTable(string,string,string)", [name, "k", "v"]),
    ];
    // The table of tables is open before the first transaction has run.
    const revoke = lists.map((table) => change("remove", table, ALICE));
    const { receipts } = await chain.block(...revoke, ...writes("now"));
    assert.deepEqual(receipts.map(int256), inBlock);
    const next = await chain.block(...writes("next"));
    assert.deepEqual(next.receipts.map(int256), [-50_000, -50_000]);
  });
}

test("a creation that is not permitted rolls back the whole transaction but not the call", async () => {
  const open = await openTestChain();
  const init = "0 0 0 create 1 mstore";
  const to = await open.deploy(assemble(`9 5 sstore ${init} 5 sload 0 mstore 32 0 return`));
  const chain = await grant(open, "_sys_tables_", ALICE);
  const receipt = await chain.send({ from: BOB, to });
  // The store before the creation is gone although the frame went on. Source: execution 3.1
  assert.deepEqual([receipt.status, toHex(receipt.output)], [0, "0".repeat(64)]);
});

const STORES: readonly { version: Version; status: number; keepsGas: boolean }[] = [
  { version: version(2, 5, 0), status: 22, keepsGas: false },
  { version: version(2, 6, 0), status: 25, keepsGas: true },
  { version: NEWEST_VERSION, status: 25, keepsGas: true },
];
for (const row of STORES) {
  test(`a store that is not permitted ends with status ${row.status} at ${row.version}`, async () => {
    const open = await openTestChain({ version: row.version });
    const to = await open.deploy(assemble("1 0 sstore"));
    const chain = await grant(open, accountTable(to, row.version), ALICE);
    const { receipts } = await chain.block({ from: BOB, to });
    const [receipt] = receipts;
    assert.equal(receipt?.status, row.status);
    assert.equal((receipt?.gasUsed ?? 0n) < 100_000n, row.keepsGas);
    assert.equal((await chain.send({ from: ALICE, to })).status, 0);
  });
}

test("system contracts answer -50000 to who may not write their table", async () => {
  const chain = await grant(await openTestChain(), "_sys_consensus_", ALICE);
  const node = "33".repeat(64);
  const words = ["20".padStart(64, "0"), "80".padStart(64, "0"), Buffer.from(node).toString("hex")];
  const data = `89152d1f${words.join("")}`;
  const send = async (from: Address): Promise<string> =>
    toHex((await chain.send({ from, to: addressOfNumber(0x1003), input: data })).output, 28, 32);
  assert.equal(await send(BOB), "ffff3cb0");
  assert.equal(await send(ALICE), "00000001");
  assert.ok((await chain.ledger.sealers()).some((id) => id === node));
});

test("a frozen contract refuses calls with status 30", async () => {
  const open = await openTestChain();
  const to = await open.deploy(assemble("stop"));
  const caller = await open.deploy(
    assemble(`0 0 0 0 0 ${BigInt(to)} gas call 0 mstore 32 0 return`),
  );
  const chain = await freeze(open, to);
  const receipt = await chain.send({ to });
  assert.deepEqual([receipt.status, receipt.gasUsed], [30, 21_000n]);
  assert.match(utf8Text(receipt.output), new RegExp(`Frozen contract:${to.slice(2)}`));
  const nested = await chain.send({ to: caller });
  assert.deepEqual([nested.status, toHex(nested.output)], [0, "0".repeat(64)]);
});

test("a frozen account can neither call nor create: status 31", async () => {
  const open = await openTestChain();
  const to = await open.deploy(assemble("stop"));
  const chain = await freeze(open, ALICE);
  const call = await chain.send({ from: ALICE, to });
  assert.deepEqual([call.status, call.gasUsed], [31, 21_000n]);
  assert.match(utf8Text(call.output), new RegExp(`Frozen account:${ALICE}`));
  const creation = await chain.send({ from: ALICE, input: initCode(assemble("stop")) });
  assert.deepEqual([creation.status, creation.gasUsed], [31, 300_000_000n]);
  assert.match(utf8Text(creation.output), new RegExp(`Frozen account:${ALICE}`));
  assert.equal((await chain.send({ from: BOB, to })).status, 0);
});
