import assert from "node:assert/strict";
import { test } from "vitest";
import type { Address } from "../../../../core/bytes/ids.ts";
import { version } from "../../../../core/model/version.ts";
import { grant } from "../../../support/execution/added-rows.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { callsOf, int256 } from "../../../support/execution/contract-calls.ts";
import {
  ALICE,
  BOB,
  openTestChain,
  type TestChain,
} from "../../../support/execution/test-chain.ts";

// rules: precompiles 3, 9, execution 8

const permission = callsOf(0x1005);
const config = callsOf(0x1000);
const INSERT = "insert(string,string)";
const REMOVE = "remove(string,string)";
const BY_NAME = "queryByName(string)";
const GRANT = "grantWrite(address,address)";
const REVOKE = "revokeWrite(address,address)";
const OF_CONTRACT = "queryPermission(address)";
const ACCESS = "_sys_table_access_";
const CAROL = `0x${"c0".repeat(20)}` as Address;

const insert = (chain: TestChain, table: string, address: string, from = ALICE) =>
  permission.code(chain, INSERT, [table, address], from);
const remove = (chain: TestChain, table: string, address: string, from = ALICE) =>
  permission.code(chain, REMOVE, [table, address], from);

test("a grant is listed and in force from the next block on, and so is its end", async () => {
  const chain = await openTestChain();
  const setLimit = ["tx_count_limit", "7"] as const;
  const { receipts } = await chain.block(
    permission.sending(INSERT, ["_sys_config_", BOB.toUpperCase().replace("X", "x")]),
    config.sending("setValueByKey(string,string)", setLimit),
  );
  assert.deepEqual(receipts.map(int256), [1, 1]);
  const listed = `[{"address":"${BOB}","enable_num":"1","table_name":"_sys_config_"}]\n`;
  assert.equal(await permission.text(chain, BY_NAME, ["_sys_config_"]), listed);
  assert.equal(await config.code(chain, "setValueByKey(string,string)", setLimit), -50_000);
  assert.equal(await config.code(chain, "setValueByKey(string,string)", setLimit, BOB), 1);
  assert.equal(await remove(chain, "_sys_config_", BOB), 1);
  assert.equal(await permission.text(chain, BY_NAME, ["_sys_config_"]), "[]\n");
  assert.equal(await config.code(chain, "setValueByKey(string,string)", setLimit), 1);
});

test("names of user tables get their prefix, those of system tables do not", async () => {
  const chain = await openTestChain();
  assert.equal(await insert(chain, "t", BOB), 1);
  assert.match(await permission.text(chain, BY_NAME, ["t"]), /"table_name":"u_t"/);
  const old = await openTestChain({ version: version(2, 1, 0) });
  assert.equal(await insert(old, "t", BOB), 1);
  assert.match(await permission.text(old, BY_NAME, ["t"]), /"table_name":"_user_t"/);
});

test("before 2.5.0 an address is kept as it is written", async () => {
  const chain = await openTestChain({ version: version(2, 4, 0) });
  assert.equal(await insert(chain, "t", "0xAB"), 1);
  assert.equal(await insert(chain, "t", "0xab"), 1);
  assert.match(await permission.text(chain, BY_NAME, ["t"]), /"0xAB".*"0xab"/);
});

for (const [major, minor] of [
  [2, 4],
  [2, 11],
] as const) {
  test(`at ${major}.${minor}.0 a list names addresses, however their text is written`, async () => {
    const chain = await openTestChain({ version: version(major, minor, 0) });
    const write = (from: Address) =>
      config.code(chain, "setValueByKey(string,string)", ["tx_count_limit", "7"], from);
    assert.equal(await insert(chain, "_sys_config_", BOB.slice(2).toUpperCase()), 1);
    assert.deepEqual([await write(BOB), await write(ALICE)], [1, -50_000]);
    assert.equal(await insert(chain, "_sys_config_", CAROL.toUpperCase().replace("X", "x")), 1);
    assert.deepEqual([await write(CAROL), await write(ALICE)], [1, -50_000]);
    // Of another length it names nobody who signs.
    assert.equal(await insert(chain, "_sys_config_", `${ALICE}00`), 1);
    assert.equal(await write(ALICE), -50_000);
  });
}

test("a grant is refused when it is there, too long, no address", async () => {
  const chain = await openTestChain();
  assert.equal(await insert(chain, "t", BOB), 1);
  assert.equal(await insert(chain, "t", BOB), -51_000);
  assert.equal(await insert(chain, "n".repeat(62), BOB), 1);
  assert.equal(await insert(chain, "n".repeat(63), "bad"), -51_002);
  assert.equal(await insert(chain, "t", "0xzz"), -50_102);
  assert.equal(await insert(chain, "t", ""), 1);
  assert.equal(await remove(chain, "t", CAROL), -51_001);
});

test("the committee is managed by its own contract from 2.5.0 on", async () => {
  const chain = await openTestChain();
  assert.equal(await insert(chain, ACCESS, BOB), -51_004);
  assert.equal(await remove(chain, ACCESS, BOB), -51_004);
  const old = await openTestChain({ version: version(2, 4, 0) });
  assert.equal(await insert(old, ACCESS, BOB), 1);
  assert.equal(await insert(old, ACCESS, CAROL), 1);
  assert.equal(await insert(old, "t", ALICE), -50_000);
  assert.equal(await remove(old, ACCESS, BOB), -50_000);
  assert.equal(await insert(old, "t", ALICE, BOB), 1);
  assert.equal(await remove(old, ACCESS, BOB, CAROL), 1);
});

for (const [since, code] of [
  [version(2, 11, 1), -52_005],
  [version(2, 6, 0), -52_005],
  [version(2, 5, 0), -52_004],
] as const) {
  test(`a committee member does not become an operator, ${code} at ${since}`, async () => {
    const chain = await grant(await openTestChain({ version: since }), ACCESS, BOB);
    assert.equal(await insert(chain, "_sys_tables_", BOB), code);
    assert.equal(await insert(chain, "_sys_cns_", BOB), code);
    assert.equal(await insert(chain, "_sys_config_", BOB), 1);
    const kept = since >= version(2, 6, 0);
    assert.equal(await remove(chain, "_sys_config_", BOB), kept ? -50_000 : 1);
  });
}

const WRITER = assemble("1 0 sstore");

test("managers of a contract say who may write it", async () => {
  const chain = await openTestChain();
  const contract = await chain.deploy(WRITER);
  const pair = [contract, BOB] as const;
  assert.equal(await permission.code(chain, GRANT, pair, BOB), -50_000);
  assert.equal(await permission.code(chain, GRANT, pair), 1);
  assert.equal(await permission.code(chain, GRANT, pair), -51_000);
  const listed = await permission.text(chain, OF_CONTRACT, [contract]);
  assert.equal(
    listed,
    `[{"address":"${BOB}","enable_num":"3","table_name":"c_${contract.slice(2)}"}]\n`,
  );
  assert.equal((await chain.send({ to: contract })).status, 25);
  assert.equal((await chain.send({ to: contract, from: BOB })).status, 0);
  assert.equal(await permission.code(chain, REVOKE, [contract, CAROL]), -51_001);
  assert.equal(await permission.code(chain, REVOKE, pair, BOB), -50_000);
  assert.equal(await permission.code(chain, REVOKE, pair), 1);
  assert.equal((await chain.send({ to: contract })).status, 0);
  assert.equal(await permission.code(chain, GRANT, [CAROL, BOB]), -51_003);
});

test("from 2.6.0 on a manager needs no other permission to grant", async () => {
  for (const [since, code] of [
    [version(2, 5, 0), -50_000],
    [version(2, 6, 0), 1],
  ] as const) {
    const opened = await openTestChain({ version: since });
    const contract = await opened.deploy(WRITER);
    const chain = await grant(await grant(opened, ACCESS, BOB), ACCESS, CAROL);
    assert.equal(await permission.code(chain, GRANT, [contract, BOB]), code);
  }
});

test("before 2.5.0 everybody grants, before 2.3.0 nobody", async () => {
  const chain = await openTestChain({ version: version(2, 4, 0) });
  const contract = await chain.deploy(WRITER);
  assert.equal(await permission.code(chain, GRANT, [contract, BOB], CAROL), 1);
  assert.equal(await permission.code(chain, REVOKE, [contract, BOB], CAROL), 1);
  const old = await openTestChain({ version: version(2, 2, 0) });
  for (const [signature, values] of [
    [GRANT, [contract, BOB]],
    [REVOKE, [contract, BOB]],
    [OF_CONTRACT, [contract]],
  ] as const) {
    const { status, output } = await permission.receipt(old, signature, values);
    assert.deepEqual([status, output.length], [0, 0]);
  }
});

test("two removals in one block both find the row before 2.5.0", async () => {
  for (const [since, second] of [
    [version(2, 4, 0), 1],
    [version(2, 5, 0), -51_001],
  ] as const) {
    const chain = await openTestChain({ version: since });
    assert.equal(await insert(chain, "t", BOB), 1);
    const removal = permission.sending(REMOVE, ["t", BOB]);
    const { receipts } = await chain.block(removal, removal);
    assert.deepEqual(receipts.map(int256), [1, second]);
  }
});

test("an unknown method returns nothing and costs its empty output", async () => {
  const { status, output, gasUsed } = await permission.receipt(
    await openTestChain(),
    "nothing()",
    [],
  );
  assert.deepEqual([status, output.length, gasUsed], [0, 0, 21_272n]);
});
