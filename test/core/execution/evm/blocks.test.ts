/** Gas and stack are checked per basic block; gas that a contract sees is corrected. */
// rules: execution 7.1.1, execution 7.1.2, execution 7.1.3, README 26
import assert from "node:assert/strict";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { test } from "vitest";
import { createProgramCache } from "../../../../core/execution/evm/analysis.ts";
import { gasSchedule } from "../../../../core/execution/evm/gas.ts";
import { createEvm } from "../../../../core/execution/evm/interpreter.ts";
import type { FrameResult } from "../../../../core/execution/evm/message.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import {
  addressOf,
  callMessage,
  createTestHost,
  hex,
  type TestHost,
  testContext,
} from "../../../support/execution/evm-host.ts";

const CONTRACT = addressOf(0xc0de);
const schedule = gasSchedule(NEWEST_VERSION, { freeStorage: false });

function run(source: string, gas = 1_000_000): { result: FrameResult; host: TestHost } {
  const host = createTestHost();
  host.deploy(CONTRACT, assemble(source));
  const evm = createEvm({ schedule, hash: keccak_256 });
  return { result: evm.execute(testContext(host), callMessage(CONTRACT, { gas })), host };
}

test("an undefined opcode before an instruction that underflows is an underflow", () => {
  assert.equal(run("basefee 0 sstore").result.status, 14);
  assert.equal(run("basefee 0 0 sstore").result.status, 10);
});

test("out of gas is reported before what goes wrong earlier in the block", () => {
  const dear = "0 0 0 create ".repeat(2);
  assert.equal(run(`invalid ${dear}`, 60_000).result.status, 12);
  assert.equal(run(`invalid ${dear}`, 70_000).result.status, 10);
  assert.equal(run(`1 0 0 returndatacopy ${dear}`, 60_000).result.status, 12);
});

test("gas is examined before the stack, and underflow before overflow", () => {
  assert.equal(run(`pop ${"caller ".repeat(10)}`, 10).result.status, 12);
  assert.equal(run(`pop ${"caller ".repeat(1_100)}`).result.status, 14);
  assert.equal(run("caller ".repeat(1_025)).result.status, 13);
  assert.equal(run("caller ".repeat(1_024)).result.status, 0);
});

test("nothing of a block happens when its entry fails", () => {
  const effects = `1 0 sstore 0 0 log0 0 0 0 0 0 ${BigInt(CONTRACT)} gas call pop 0 0 0 create`;
  const { result, host } = run(`${effects} pop pop`);
  assert.equal(result.status, 14);
  assert.equal(host.entered.length, 1);
  assert.equal(host.accounts.get(CONTRACT)?.slots.size, 0);
});

test("a jump destination begins a block even where code falls through to it", () => {
  const { result, host } = run("1 0 sstore l: pop");
  assert.equal(result.status, 14);
  assert.equal(host.accounts.get(CONTRACT)?.slots.get(0n), 0n, "stored, then taken back");
});

test("code behind a jump that is not taken is a block of its own", () => {
  const { host } = run("1 0 sstore 0 5 jumpi pop");
  assert.equal(host.accounts.get(CONTRACT)?.slots.get(0n), 0n);
});

test("the height of the stack within a block counts only where it ends an instruction", () => {
  // 1023 items, then push and pop again: the block grows by 1, which is the limit.
  assert.equal(run(`${"caller ".repeat(1_023)} l: caller pop`).result.status, 0);
  assert.equal(run(`${"caller ".repeat(1_024)} l: caller pop`).result.status, 13);
  assert.equal(run(`${"caller ".repeat(1_024)} l: pop caller`).result.status, 0);
});

test("gas shows what an interpreter that charges each instruction would show", () => {
  for (const behind of ["", "pop caller ".repeat(30), "32 mload pop"]) {
    const { result } = run(`1 2 add pop gas dup1 0 mstore ${behind} 32 0 return`, 50_000);
    assert.equal(BigInt(`0x${hex(result.output)}`), 50_000n - 13n);
  }
});

test("a call is given 63 64ths of the gas that is seen", () => {
  for (const behind of ["", "pop caller ".repeat(30)]) {
    const { host } = run(`0 0 0 0 ${BigInt(addressOf(9))} not gas staticcall ${behind}`, 50_000);
    const seen = 50_000 - 4 * 3 - 3 - 3 - 2 - 700;
    const given = host.entered[1]?.message.gas;
    assert.equal(given, seen - Math.floor(seen / 64));
  }
});

test("a creation is given 63 64ths of the gas that is seen", () => {
  for (const behind of ["", "pop caller ".repeat(30)]) {
    const { host } = run(`0 0 0 create ${behind}`, 50_000);
    const seen = 50_000 - 9 - 32_000;
    assert.equal(host.entered[1]?.message.gas, seen - Math.floor(seen / 64));
  }
});

test("gas that a call used is taken from the balance without what is only seen", () => {
  // The partner burns what it is given; the rest of the block is then no longer covered.
  const partner = addressOf(0xbeef);
  const code = `0 0 0 0 ${BigInt(partner)} gas staticcall ${"0 0 0 create pop ".repeat(3)} stop`;
  const host = createTestHost();
  host.deploy(CONTRACT, assemble(code));
  host.deploy(partner, assemble("invalid"));
  const evm = createEvm({ schedule, hash: keccak_256 });
  const result = evm.execute(testContext(host), callMessage(CONTRACT, { gas: 200_000 }));
  assert.deepEqual([result.status, result.gasLeft], [12, 200_000]);
  assert.equal(host.entered.length, 2, "no creation is begun");
});

test("dead code is not analysed and may hold anything", () => {
  assert.equal(run(`stop ${"add ".repeat(50)} ${"0 0 0 create ".repeat(500)}`).result.status, 0);
  assert.equal(run('@l jump add invalid add hex"605b" l: 1 0 mstore 32 0 return').result.status, 0);
});

test("push data at the end of code is completed with zeros", () => {
  assert.equal(run('hex"63ff"').result.status, 0);
  const { host } = run('hex"6001600055 7f"'.replace(" ", ""));
  assert.equal(host.accounts.get(CONTRACT)?.slots.get(0n), 1n);
});

test("the cache of analysed code gives back what was used least recently", () => {
  const cache = createProgramCache(schedule, 21 * 250);
  let reads = 0;
  const read = (): Uint8Array => {
    reads++;
    return new Uint8Array(100);
  };
  const first = cache.get("a", read);
  cache.get("b", read);
  assert.equal(cache.get("a", read), first);
  cache.get("c", read);
  assert.equal(reads, 3);
  assert.equal(cache.get("a", read), first, "used after b");
  cache.get("b", read);
  assert.equal(reads, 4);
});
