/** Behaviour of gas charging: who is checked, who pays, what receipts show. */
// rules: execution 2.3, 2.5, 9
import assert from "node:assert/strict";
import { test } from "vitest";
import { addressOfNumber } from "../../../core/bytes/hex.ts";
import { type Address, ZERO_HASH } from "../../../core/bytes/ids.ts";
import type { Receipt } from "../../../core/model/receipt.ts";
import { version, type Version } from "../../../core/model/version.ts";
import { grant, withRow } from "../../support/execution/added-rows.ts";
import { assemble } from "../../support/execution/assembler.ts";
import { ALICE, BOB, openTestChain, type TestChain } from "../../support/execution/test-chain.ts";

const CAROL = `0x${"ca".repeat(20)}` as Address;
const GOVERNANCE = addressOfNumber(0x1008);
const LIMIT = 300_000_000n;
const BASE = 21_000n;

interface Setting {
  readonly version?: Version;
  readonly value?: string;
  readonly freeStorage?: boolean;
  /** What ALICE has left; undefined for no row. */
  readonly remain?: bigint;
}

/** A chain with the switch set, and a contract of BOB, who has gas to spare. */
async function openCharging(setting: Setting = {}, code = assemble("stop")) {
  const { value = "on", freeStorage = false } = setting;
  const own = setting.version === undefined ? {} : { version: setting.version };
  let chain = await openTestChain({ ...own, genesis: { freeStorage } });
  const to = await chain.deploy(code);
  const columns = { key: "enable_charge_mgr", value, enable_num: "0" };
  chain = await withRow(chain, { table: "_sys_config_", key: "enable_charge_mgr", columns });
  if (setting.remain !== undefined) chain = await give(chain, ALICE, setting.remain);
  return { chain, to };
}

function give(chain: TestChain, account: Address, remain: bigint): Promise<TestChain> {
  return withRow(chain, {
    table: `c_${account.slice(2)}`,
    key: "remain_gas",
    columns: { key: "remain_gas", value: `${remain}` },
  });
}

const seen = ({ status, gasUsed, remainGas }: Receipt) => [status, gasUsed, remainGas];

for (const value of ["off", "ON", ""]) {
  test(`with the switch at "${value}" nobody is charged`, async () => {
    const { chain, to } = await openCharging({ value, remain: 5n });
    assert.deepEqual(seen(await chain.send({ to })), [0, BASE, 5n]);
  });
}

test("before 2.9.0 the switch does nothing", async () => {
  const { chain, to } = await openCharging({ version: version(2, 8, 0), remain: 5n });
  assert.equal((await chain.send({ to })).status, 0);
});

test("a call takes its gas from the sender's row, block after block", async () => {
  const { chain, to } = await openCharging({ remain: 50_000n });
  assert.deepEqual(seen(await chain.send({ to })), [0, BASE, 29_000n]);
  const { receipts } = await chain.block({ to }, { to });
  assert.deepEqual(receipts.map(seen), [
    [0, BASE, 8_000n],
    [32, 0n, 8_000n],
  ]);
});

test("a sender without the base, or without a row, is refused before anything runs", async () => {
  const effect = assemble("1 0 sstore stop");
  for (const [remain, shown] of [
    [BASE - 1n, BASE - 1n],
    [0n, 0n],
  ] as const) {
    const { chain, to } = await openCharging({ remain }, effect);
    const receipt = await chain.send({ to });
    assert.deepEqual(seen(receipt), [32, 0n, shown]);
    assert.equal(receipt.output.length, 0);
  }
  const { chain, to } = await openCharging({}, effect);
  assert.deepEqual(seen(await chain.send({ from: CAROL, to })), [32, 0n, 0n]);
});

test("the refusal of a sender who has something left writes the row again", async () => {
  const rootsOf = async (remain: bigint) => {
    const { chain, to } = await openCharging({ remain });
    return (await chain.block({ to })).header.stateRoot;
  };
  // Nothing is written for one who has nothing, and so nothing is hashed.
  assert.equal(await rootsOf(0n), ZERO_HASH);
  assert.notEqual(await rootsOf(BASE - 1n), ZERO_HASH);
});

test("with exactly the base a transfer of control runs and leaves nothing", async () => {
  const { chain, to } = await openCharging({ remain: BASE });
  assert.deepEqual(seen(await chain.send({ to })), [0, BASE, 0n]);
});

test("what costs more than the sender has runs, and takes all", async () => {
  const { chain, to } = await openCharging({ remain: 30_000n }, assemble("1 0 sstore stop"));
  assert.deepEqual(seen(await chain.send({ to })), [0, 30_000n, 0n]);
});

test("one that uses up everything pays the base alone", async () => {
  const { chain, to } = await openCharging({ remain: 50_000n }, Uint8Array.of(0xfe));
  const receipt = await chain.send({ to });
  assert.notEqual(receipt.status, 0);
  assert.deepEqual([receipt.gasUsed, receipt.remainGas], [BASE, 29_000n]);
});

test("refunds beyond what was used make a transaction free, and nothing wraps", async () => {
  const slots = Array.from({ length: 12 }, (_, slot) => `calldatasize ${slot} sstore`);
  const code = assemble(`${slots.join(" ")} stop`);
  const { chain, to } = await openCharging({ remain: 1_000_000n }, code);
  const { remainGas } = await chain.send({ to, input: new Uint8Array(1), gas: 0n });
  assert.deepEqual(seen(await chain.send({ to, gas: 0n })), [0, 0n, remainGas]);
});

test("data above the gas limit is refused before the check and costs nothing", async () => {
  const { chain, to } = await openCharging({ remain: 50_000n });
  const input = new Uint8Array(Number(LIMIT / 68n)).fill(1);
  assert.deepEqual(seen(await chain.send({ to, input })), [4, LIMIT, 50_000n]);
});

test("free storage charges 20,000, but asks for the normal base", async () => {
  const enough = await openCharging({ freeStorage: true, remain: BASE });
  assert.deepEqual(seen(await enough.chain.send({ to: enough.to })), [0, 20_000n, 1_000n]);
  const short = await openCharging({ freeStorage: true, remain: BASE - 1n });
  assert.deepEqual(seen(await short.chain.send({ to: short.to })), [32, 0n, BASE - 1n]);
});

test("chargers, committee members and calls of governance are free and show no gas", async () => {
  const { chain, to } = await openCharging();
  assert.equal((await chain.send({ from: BOB, to })).status, 32);
  const value = `${BOB.slice(2)},${CAROL.slice(2)},`;
  const charged = await withRow(chain, {
    table: "_sys_config_",
    key: "charger_list",
    columns: { key: "charger_list", value, enable_num: "0" },
  });
  assert.deepEqual(seen(await charged.send({ from: BOB, to })), [0, 0n, 0n]);
  assert.deepEqual(seen(await charged.send({ from: CAROL, to })), [0, 0n, 0n]);
  assert.equal((await charged.send({ from: ALICE, to })).status, 32);
  const member = await grant(charged, "_sys_table_access_", ALICE);
  assert.deepEqual(seen(await member.send({ from: ALICE, to })), [0, 0n, 0n]);
  const dave = `0x${"da".repeat(20)}` as Address;
  const receipt = await member.send({ from: dave, to: GOVERNANCE });
  assert.deepEqual([receipt.status === 32, receipt.gasUsed], [false, 0n]);
});

test("the switch counts from the block that its row names", async () => {
  let chain = await openTestChain();
  const to = await chain.deploy(assemble("stop"));
  const columns = { key: "enable_charge_mgr", value: "on", enable_num: "3" };
  chain = await withRow(chain, { table: "_sys_config_", key: "enable_charge_mgr", columns });
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await chain.send({ to })).status);
  assert.deepEqual(statuses, [0, 0, 32]);
});

test("a call without a signature is not charged", async () => {
  const { chain, to } = await openCharging();
  const outcome = await chain.processor.call({
    from: CAROL,
    to,
    value: 0n,
    data: new Uint8Array(0),
  });
  assert.equal(outcome.status, 0);
});
