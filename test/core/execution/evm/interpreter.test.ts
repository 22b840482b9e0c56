/** Instructions run as code, and the ways a frame ends. */
// rules: execution 4, execution 5, execution 7, execution 7.1
import assert from "node:assert/strict";
import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { test } from "vitest";
import { gasSchedule } from "../../../../core/execution/evm/gas.ts";
import { createEvm } from "../../../../core/execution/evm/interpreter.ts";
import type { FrameResult, Message } from "../../../../core/execution/evm/message.ts";
import { NEWEST_VERSION, version } from "../../../../core/model/version.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { cases } from "../../../support/runner/cases.ts";
import {
  addressOf,
  callMessage,
  createMessage,
  createTestHost,
  hex,
  type TestHost,
  type TestHostOptions,
  testContext,
} from "../../../support/execution/evm-host.ts";
import { reference, word } from "../../../support/execution/word-reference.ts";

const CONTRACT = addressOf(0xc0de);
const PARTNER = addressOf(0xbeef);
const RETURN_TOP = "0 mstore 32 0 return";

interface Setting extends TestHostOptions {
  readonly supported?: number;
  readonly free?: boolean;
  readonly message?: Partial<Message>;
  readonly partner?: string;
}

/** Runs a program as a contract, and gives the result, the gas it took and the host. */
function run(
  source: string,
  setting: Setting = {},
): { result: FrameResult; used: number; host: TestHost } {
  const host = createTestHost(setting);
  host.deploy(CONTRACT, assemble(source));
  if (setting.partner !== undefined) host.deploy(PARTNER, assemble(setting.partner));
  const schedule = gasSchedule(setting.supported ?? NEWEST_VERSION, {
    freeStorage: setting.free ?? false,
  });
  const message = callMessage(CONTRACT, setting.message);
  const result = createEvm({ schedule, hash: keccak_256 }).execute(testContext(host), message);
  return { result, used: message.gas - result.gasLeft, host };
}

/** The word that a program leaves at the top. */
function top(source: string, setting?: Setting): bigint {
  const { result } = run(`${source} ${RETURN_TOP}`, setting);
  assert.equal(result.status, 0);
  return BigInt(`0x${hex(result.output)}`);
}

const INSTRUCTIONS: readonly (readonly [string, string, number])[] = [
  ["add", "add", 3],
  ["mul", "mul", 5],
  ["sub", "sub", 3],
  ["div", "div", 5],
  ["sdiv", "sdiv", 5],
  ["mod", "mod", 5],
  ["smod", "smod", 5],
  ["addmod", "addmod", 8],
  ["mulmod", "mulmod", 8],
  ["signextend", "signExtend", 5],
  ["lt", "lt", 3],
  ["gt", "gt", 3],
  ["slt", "slt", 3],
  ["sgt", "sgt", 3],
  ["eq", "eq", 3],
  ["iszero", "isZero", 3],
  ["and", "and", 3],
  ["or", "or", 3],
  ["xor", "xor", 3],
  ["not", "not", 3],
  ["byte", "byte", 3],
  ["shl", "shl", 3],
  ["shr", "shr", 3],
  ["sar", "sar", 3],
];

for (const [name, operation, gas] of INSTRUCTIONS) {
  test(`${name} computes what it says and costs ${gas}`, () => {
    const expected = reference(operation);
    const base = run(`1 2 3 pop ${RETURN_TOP}`).used;
    fc.assert(
      fc.property(word(), word(), word(), (a, b, c) => {
        const { result, used } = run(`${c} ${b} ${a} ${name} ${RETURN_TOP}`);
        assert.equal(BigInt(`0x${hex(result.output)}`), expected(a, b, c));
        assert.equal(used, base - 2 + gas);
      }),
      { numRuns: cases(100) },
    );
  });
}

test("exp costs 10 and 50 for each byte of the exponent", () => {
  const expected = reference("exp");
  const base = run(`1 2 3 pop ${RETURN_TOP}`).used - 2;
  fc.assert(
    fc.property(word(), word(), (a, b) => {
      const { result, used } = run(`0 ${b} ${a} exp ${RETURN_TOP}`);
      assert.equal(BigInt(`0x${hex(result.output)}`), expected(a, b, 0n));
      const bytes = b === 0n ? 0 : Math.ceil(b.toString(16).length / 2);
      assert.equal(used, base + 10 + 50 * bytes);
    }),
    { numRuns: cases(100) },
  );
});

const ORIGIN = BigInt(addressOf(0x0a11ce));
const VALUES: readonly (readonly [string, bigint])[] = [
  ["address", BigInt(CONTRACT)],
  ["origin", ORIGIN],
  ["caller", ORIGIN],
  ["callvalue", 5n],
  ["calldatasize", 3n],
  ["gasprice", 7n],
  ["coinbase", 0n],
  ["timestamp", 1_600_000_000_000n],
  ["number", 42n],
  ["difficulty", 0n],
  ["gaslimit", 0n],
  ["chainid", 0n],
  ["selfbalance", 0n],
  ["caller pc", 1n],
  ["returndatasize", 0n],
  ["msize", 0n],
  ["33 mload msize", 96n],
  ["codesize", 9n],
  ["0 calldataload", 0x010203n << 232n],
  ["1 calldataload", 0x0203n << 240n],
  ["3 calldataload", 0n],
  ["0x10000000000000000 calldataload", 0n],
  ["5 blockhash", blockHash(5)],
  ["42 blockhash", blockHash(42)],
  ["100 blockhash", 0n],
  ["0x100000000000005 blockhash", 0n],
  ["0 extcodesize", 0n],
  ["caller extcodehash", 0n],
  ["caller balance", 0n],
];

function blockHash(number: number): bigint {
  return BigInt(`0x${hex(keccak_256(Uint8Array.of(number)))}`);
}

for (const [source, expected] of VALUES) {
  test(`a contract sees ${expected} by ${source}`, () => {
    const message = { input: Uint8Array.of(1, 2, 3), value: 5n };
    assert.equal(top(source, { message }), expected);
  });
}

test("chainid and selfbalance do not exist below 2.6.0", () => {
  for (const name of ["chainid", "selfbalance"]) {
    assert.equal(run(name, { supported: version(2, 5, 0) }).result.status, 10);
    assert.equal(run(name, { supported: version(2, 6, 0) }).result.status, 0);
  }
});

test("opcodes later than Istanbul do not exist", () => {
  for (const opcode of ["48", "49", "4a", "5c", "5d", "5e", "5f", "0c", "1e", "21", "b0", "fe"]) {
    const { result } = run(`hex"${opcode}"`);
    assert.deepEqual([result.status, result.gasLeft], [10, 0], opcode);
  }
});

const ENDS: readonly (readonly [string, string, number, number | "all"])[] = [
  ["an invalid instruction", "invalid", 10, 0],
  ["a jump to no destination", "1 jump", 11, 0],
  ["a jump into push data", 'hex"6005565b605b00"', 11, 0],
  ["a jump beyond 2^32", "0x100000003 jump jumpdest", 11, 0],
  ["a computed jump to no destination", "1 1 add jump", 11, 0],
  ["a conditional jump to no destination", "1 caller jumpi", 11, 0],
  ["a missing operand", "add", 14, 0],
  ["a copy of return data that is not there", "1 0 0 returndatacopy", 1, 0],
  ["a copy beyond the end of return data by nothing", "0 1 0 returndatacopy", 1, 0],
  ["a program too dear", "l: @l jump", 12, "all"],
  ["memory beyond 2^32", "0x100000000 mload", 12, "all"],
  ["a size beyond 2^32", "0x100000000 0 return", 12, "all"],
  ["memory that cannot be paid", "0xffffffff mload", 12, "all"],
];

for (const [name, source, status, gasLeft] of ENDS) {
  test(`${name} ends a frame with status ${status} and leaves ${gasLeft} gas`, () => {
    const { result } = run(source, { message: { gas: 100_000 } });
    assert.equal(result.status, status);
    assert.equal(result.gasLeft, gasLeft === "all" ? 100_000 : gasLeft);
  });
}

test("a jump that is not taken may name no destination", () => {
  assert.equal(run("0 1 jumpi stop").result.status, 0);
  assert.equal(run("0 caller jumpi stop").result.status, 0);
});

test("revert keeps the gas and gives its data", () => {
  const { result, used } = run("42 0 mstore 1 31 revert");
  assert.deepEqual([result.status, hex(result.output)], [22, "2a"]);
  assert.equal(used, 3 + 3 + 3 + 3 + 3 + 3);
});

test("a size of zero touches no memory, wherever its offset is", () => {
  const far = `0x${"f".repeat(64)}`;
  for (const source of [`0 ${far} sha3`, `0 0 ${far} codecopy`, `0 ${far} log0`]) {
    assert.equal(top(`${source} msize`), 0n, source);
  }
  assert.equal(run(`0 ${far} return`).result.status, 0);
  assert.equal(top(`0 0 ${far} returndatacopy msize`), 0n);
});

test("memory costs 3 for a word and a 512th of the square", () => {
  for (const words of [1, 22, 23, 24, 512, 724, 1024, 5000]) {
    const { used } = run(`${32 * words - 32} mload stop`);
    assert.equal(used, 6 + 3 * words + Math.floor((words * words) / 512), `${words} words`);
  }
});

test("memory of an earlier frame is not seen by a later one", () => {
  const source = `0 0 0 0 0 ${BigInt(PARTNER)} gas call pop 0 0 0 0 0 ${BigInt(PARTNER)} gas call
    pop 32 0 0 returndatacopy 0 mload ${RETURN_TOP}`;
  const partner = `64 mload dup1 0x1234 64 mstore pop ${RETURN_TOP}`;
  assert.equal(BigInt(`0x${hex(run(source, { partner }).result.output)}`), 0n);
});

test("hashing, copying and logging are priced by the word or byte", () => {
  assert.equal(run("65 0 sha3 stop").used, 6 + 30 + 3 * 6 + 3 * 3);
  assert.equal(run("65 0 0 calldatacopy stop").used, 9 + 3 + 3 * 3 + 3 * 3);
  assert.equal(run("65 0 0 codecopy stop").used, 9 + 3 + 3 * 3 + 3 * 3);
  assert.equal(run("65 0 0 caller extcodecopy stop").used, 11 + 700 + 3 * 3 + 3 * 3);
  assert.equal(run("1 2 65 0 log2 stop").used, 12 + 3 * 375 + 8 * 65 + 3 * 3);
});

const STORES = [
  { rules: "2.6.0", supported: version(2, 6, 0), free: false, costs: [20_000, 5_000, 800, 5_000] },
  {
    rules: "2.5.0",
    supported: version(2, 5, 0),
    free: false,
    costs: [20_000, 5_000, 5_000, 5_000],
  },
  {
    rules: "2.6.0, free",
    supported: version(2, 6, 0),
    free: true,
    costs: [1_200, 1_200, 800, 1_200],
  },
  {
    rules: "2.5.0, free",
    supported: version(2, 5, 0),
    free: true,
    costs: [1_200, 1_200, 1_200, 1_200],
  },
] as const;

for (const { rules, supported, free, costs } of STORES) {
  test(`stores cost ${costs.join(", ")} under the rules of ${rules}`, () => {
    const setting = { supported, free };
    const [added, modified, unchanged, deleted] = costs;
    const first = run("7 0 sstore stop", setting).used - 6;
    assert.equal(first, added);
    assert.equal(run("7 0 sstore 8 0 sstore stop", setting).used - 12 - added, modified);
    assert.equal(run("7 0 sstore 7 0 sstore stop", setting).used - 12 - added, unchanged);
    assert.equal(run("7 0 sstore 0 0 sstore stop", setting).used - 12 - added, deleted);
    assert.equal(run("0 0 sstore stop", setting).used - 6, unchanged);
    assert.equal(run("0 sload pop stop", setting).used - 5, free ? 1_200 : 200);
  });
}

test("a store fails from 2.6.0 on when 2300 or less is left", () => {
  // 800 for the store itself would be there; the static cost behind the store counts as left.
  for (const [gas, status] of [
    [2_306, 12],
    [2_307, 0],
  ] as const) {
    assert.equal(run("0 0 sstore", { message: { gas } }).result.status, status);
    const later = run("0 0 sstore 1 1 add pop", { message: { gas } });
    assert.equal(later.result.status, status, "instructions behind the store change nothing");
  }
  const old = { supported: version(2, 5, 0), message: { gas: 5_006 } };
  assert.equal(run("0 0 sstore", old).result.status, 0);
});

test("a forbidden store is 25 and keeps its gas; below 2.6.0 it is 22 and takes it", () => {
  const denies = (): boolean => true;
  const now = run("1 0 sstore", { denies }).result;
  assert.deepEqual([now.status, now.gasLeft], [25, 1_000_000]);
  const before = run("1 0 sstore", { denies, supported: version(2, 5, 0) }).result;
  assert.deepEqual([before.status, before.gasLeft], [22, 0]);
  assert.equal(run("0 0 sstore", { denies }).result.status, 0, "an unchanged value is no store");
});

test("a slot that was stored before its price ran out goes back", () => {
  const { result, host } = run("1 0 sstore", { message: { gas: 19_000 } });
  assert.deepEqual([result.status, result.gasLeft], [12, 19_000]);
  assert.equal(host.accounts.get(CONTRACT)?.slots.get(0n), 0n, "the host has seen the store");
});

test("nothing that changes state runs in a static frame", () => {
  const call = `0 0 0 0 1 ${BigInt(PARTNER)} gas call`;
  for (const source of ["1 0 sstore", "0 0 log0", "0 0 0 create", "0 0 0 0 create2", call]) {
    const { result, host } = run(source, { message: { isStatic: true }, partner: "stop" });
    assert.deepEqual([result.status, result.gasLeft], [1, 0], source);
    assert.equal(host.logs.length, 0);
  }
  assert.equal(run("caller selfdestruct", { message: { isStatic: true } }).result.status, 1);
  const code = `0 0 0 0 1 ${BigInt(PARTNER)} gas callcode`;
  assert.equal(run(code, { message: { isStatic: true }, partner: "stop" }).result.status, 0);
});

test("a static call makes all frames below it static", () => {
  const middle = addressOf(0x77);
  const host = createTestHost();
  const forward = (to: string, kind: string): string => `0 0 0 0 ${BigInt(to)} gas ${kind}`;
  host.deploy(CONTRACT, assemble(`${forward(middle, "staticcall")} ${RETURN_TOP}`));
  host.deploy(middle, assemble(`0 ${forward(PARTNER, "call")} ${RETURN_TOP}`));
  host.deploy(PARTNER, assemble("1 0 sstore"));
  const evm = createEvm({
    schedule: gasSchedule(NEWEST_VERSION, { freeStorage: false }),
    hash: keccak_256,
  });
  evm.execute(testContext(host), callMessage(CONTRACT));
  assert.deepEqual(
    host.entered.map(({ message }) => message.isStatic),
    [false, true, true],
  );
  assert.equal(host.accounts.get(PARTNER)?.slots.size, 0);
});

test("creations know their call data only as code", () => {
  const host = createTestHost();
  const evm = createEvm({
    schedule: gasSchedule(NEWEST_VERSION, { freeStorage: false }),
    hash: keccak_256,
  });
  const init = assemble(`calldatasize 0 calldataload add codesize add ${RETURN_TOP}`);
  const result = evm.execute(testContext(host), createMessage(init));
  assert.ok(result.created);
  const stored = BigInt(`0x${hex(host.code(result.created))}`);
  assert.equal(stored, BigInt(init.length));
});
