/**
 * Calls and creations seen from the calling frame: messages, results, depth, value, work,
 * cancellation.
 */
// rules: execution 4, execution 5, execution 7, README 21
import assert from "node:assert/strict";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { test } from "vitest";
import { gasSchedule } from "../../../../core/execution/evm/gas.ts";
import { createEvm } from "../../../../core/execution/evm/interpreter.ts";
import {
  Cancelled,
  type FrameResult,
  type Message,
  WorkExceeded,
} from "../../../../core/execution/evm/message.ts";
import { NEWEST_VERSION, version } from "../../../../core/model/version.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import {
  addressOf,
  callMessage,
  createTestHost,
  hex,
  type TestHost,
  type TestHostOptions,
  testContext,
} from "../../../support/execution/evm-host.ts";

const CONTRACT = addressOf(0xc0de);
const PARTNER = addressOf(0xbeef);
const PARTNER_WORD = BigInt(PARTNER);

interface Setting extends TestHostOptions {
  readonly partner?: string;
  readonly supported?: number;
  readonly free?: boolean;
  readonly message?: Partial<Message>;
  readonly workLimit?: number;
}

function run(
  source: string,
  setting: Setting = {},
): { result: FrameResult; host: TestHost; used: number; spent: number } {
  const host = createTestHost(setting);
  host.deploy(CONTRACT, assemble(source));
  if (setting.partner !== undefined) host.deploy(PARTNER, assemble(setting.partner));
  const supported = setting.supported ?? NEWEST_VERSION;
  const schedule = gasSchedule(supported, { freeStorage: setting.free ?? false });
  const message = callMessage(CONTRACT, setting.message);
  const context = testContext(host, setting.workLimit);
  const result = createEvm({ schedule, hash: keccak_256 }).execute(context, message);
  return { result, host, used: message.gas - result.gasLeft, spent: context.work.spent };
}

const KINDS = [
  { kind: "call", value: true, sender: CONTRACT, recipient: PARTNER },
  { kind: "callcode", value: true, sender: CONTRACT, recipient: CONTRACT },
  { kind: "delegatecall", value: false, sender: addressOf(0x0a11ce), recipient: CONTRACT },
  { kind: "staticcall", value: false, sender: CONTRACT, recipient: PARTNER },
] as const;

for (const { kind, value, sender, recipient } of KINDS) {
  test(`${kind} says who calls whom, hands over its input and takes the output`, () => {
    const source = `0x11223344 0 mstore 4 64 4 28 ${value ? "0" : ""} ${PARTNER_WORD} gas ${kind}
      32 mstore returndatasize 0 mstore 96 0 return`;
    const { result, host } = run(source, { partner: "0xaabbccdd 0 mstore 32 0 return" });
    const message = host.entered[1]?.message;
    assert.ok(message);
    assert.deepEqual(
      [message.kind, message.depth, message.sender, message.recipient, message.codeAddress],
      [kind, 1, sender, recipient, PARTNER],
    );
    assert.equal(host.entered[1]?.input, "11223344");
    const words = hex(result.output);
    assert.equal(BigInt(`0x${words.slice(0, 64)}`), 32n, "size of the return data");
    assert.equal(BigInt(`0x${words.slice(64, 128)}`), 1n, "success");
    assert.equal(words.slice(128), "00".repeat(32), "four bytes of 32, which are zero");
  });
}

test("a delegated frame keeps the value and the sender of its caller", () => {
  const source = `0 0 0 0 ${PARTNER_WORD} gas delegatecall`;
  const { host } = run(source, { partner: "caller pop", message: { value: 9n } });
  assert.equal(host.entered[1]?.message.value, 9n);
});

test("a call of an account without code fails, and its answer is return data", () => {
  const { result } = run(`0 0 0 0 ${PARTNER_WORD} gas staticcall 0 mstore 32 0 return`);
  assert.equal(BigInt(`0x${hex(result.output)}`), 0n);
});

test("a nested frame that runs out of gas gives all gas back", () => {
  const source = `0 0 0 0 ${PARTNER_WORD} 50000 staticcall stop`;
  const { used, spent } = run(source, { partner: "l: @l jump" });
  assert.equal(used, 4 * 3 + 3 + 3 + 700);
  assert.ok(spent > 49_980, "what it did is work all the same");
});

test("a nested frame that fails otherwise takes what it was given", () => {
  for (const partner of ["invalid", "add", "1 jump", "1 0 0 returndatacopy"]) {
    const { used } = run(`0 0 0 0 ${PARTNER_WORD} 50000 staticcall stop`, { partner });
    assert.equal(used, 4 * 3 + 3 + 3 + 700 + 50_000, partner);
  }
});

test("a nested revert gives back its gas and its data", () => {
  const source = `0 0 0 0 ${PARTNER_WORD} 50000 staticcall returndatasize 0 0 returndatacopy
    returndatasize 0 return`;
  const { result } = run(source, { partner: "7 0 mstore 32 0 revert" });
  assert.equal(BigInt(`0x${hex(result.output)}`), 7n);
  assert.equal(result.status, 0);
});

const VALUE_CALLS = [
  { rules: "2.11.1", supported: NEWEST_VERSION, free: false, partner: "stop", used: 6_700 },
  { rules: "2.4.0", supported: version(2, 4, 0), free: false, partner: "stop", used: 6_700 },
  {
    rules: "2.4.0 to nobody",
    supported: version(2, 4, 0),
    free: false,
    partner: undefined,
    used: 31_700,
  },
  {
    rules: "2.5.0 to nobody",
    supported: version(2, 5, 0),
    free: false,
    partner: undefined,
    used: 6_700,
  },
  { rules: "free storage", supported: NEWEST_VERSION, free: true, partner: "stop", used: -5 },
] as const;

for (const { rules, supported, free, partner, used } of VALUE_CALLS) {
  test(`a call with value that nobody can pay leaves ${used} gas less (${rules})`, () => {
    const source = `0 0 0 0 1 ${PARTNER_WORD} 50000 call stop`;
    const setting = { supported, free, ...(partner === undefined ? {} : { partner }) };
    const outcome = run(source, setting);
    assert.equal(outcome.used, 7 * 3 + 700 + used);
    assert.equal(outcome.host.entered.length, 1);
  });
}

test("an endowment that nobody can pay ends a creation before it begins", () => {
  const { result, host, used } = run("0 0 1 create 0 mstore 32 0 return");
  assert.equal(BigInt(`0x${hex(result.output)}`), 0n);
  assert.equal(host.entered.length, 1);
  assert.equal(used, 9 + 32_000 + 3 + 3 + 3 + 6);
});

test("create2 pays for hashing and says its salt", () => {
  const { host } = run("5 64 0 0 create2", { message: { gas: 100_000 } });
  const message = host.entered[1]?.message;
  assert.equal(hex(message?.salt ?? new Uint8Array(0)), "05".padStart(64, "0"));
  // Two words of memory and two words of hashing, before the 64th is kept.
  const seen = 100_000 - 12 - 32_000 - 6 - 12;
  assert.equal(message?.gas, seen - Math.floor(seen / 64));
});

test("a creation costs half in free storage mode", () => {
  assert.equal(run("0 0 1 create stop", { free: true }).used, 9 + 16_000);
});

test("frames nest 1024 deep on a flat JavaScript stack, and no deeper", () => {
  const host = createTestHost();
  const source = "0 0 0 0 0 address gas call pop stop";
  host.deploy(CONTRACT, assemble(source));
  const enter = host.enter;
  const heights = new Set<number>();
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 500;
  host.enter = (message) => {
    heights.add(new Error("height").stack?.split("\n").length ?? 0);
    return enter(message);
  };
  const evm = createEvm({
    schedule: gasSchedule(NEWEST_VERSION, { freeStorage: false }),
    hash: keccak_256,
  });
  const gas = Number.MAX_SAFE_INTEGER;
  const result = evm.execute(testContext(host), callMessage(CONTRACT, { gas }));
  Error.stackTraceLimit = limit;
  assert.equal(result.status, 0);
  assert.equal(Math.max(...host.entered.map(({ message }) => message.depth)), 1_024);
  assert.equal(host.entered.length, 1_025);
  // The first message comes from execute itself, all others from the driver's loop.
  assert.ok(heights.size <= 2, `heights ${[...heights]}`);
});

test("creations nest as calls do", () => {
  // Code that copies itself and creates again.
  const { host } = run("codesize 0 0 codecopy codesize 0 0 create stop", {
    message: { gas: 2 ** 45 },
  });
  assert.equal(Math.max(...host.entered.map(({ message }) => message.depth)), 1_024);
});

test("work counts what nested frames did, whatever gas they gave back", () => {
  const loop = `l: 0 0 0 0 ${PARTNER_WORD} 50000 staticcall pop @l jump`;
  const { spent, used } = run(loop, { partner: "m: @m jump", message: { gas: 1_000_000 } });
  assert.equal(used, 0, "the whole frame ran out of gas");
  assert.ok(spent > 40_000_000, `${spent}`);
});

test("work beyond the limit ends the whole transaction", () => {
  const loop = `l: 0 0 0 0 ${PARTNER_WORD} 50000 staticcall pop @l jump`;
  const setting = { partner: "m: @m jump", message: { gas: 1_000_000 }, workLimit: 4_000_000 };
  assert.throws(() => run(loop, setting), WorkExceeded);
  const { spent } = run("100 l: 1 swap1 sub dup1 @l jumpi stop");
  const exact = (workLimit: number): FrameResult =>
    run("100 l: 1 swap1 sub dup1 @l jumpi stop", { workLimit }).result;
  assert.equal(exact(spent).status, 0);
  assert.throws(() => exact(spent - 1), WorkExceeded);
});

test("every kind of charge is work", () => {
  const parts = ["0 mload pop", "65 0 sha3 pop", "2 0xffff exp pop", "1 0 sstore", "9 0 log0"];
  for (const source of [...parts, "65 0 0 codecopy", "0 64 0 0 create2 pop"]) {
    const { used, spent } = run(`${source} stop`);
    assert.equal(spent, used, source);
  }
  const { used, spent } = run(`0 0 0 0 1 ${PARTNER_WORD} 0 call stop`, { partner: "stop" });
  assert.equal(spent, used + 2_300, "a stipend that came back is no work undone");
});

test("memory that work forbids is never made", () => {
  const gas = Number.MAX_SAFE_INTEGER;
  const setting = { message: { gas }, workLimit: 1_000_000 };
  assert.throws(() => run("0xfffffff0 mload", setting), WorkExceeded);
});

test("a cancelled execution is left within some two million units of work", () => {
  let asked = 0;
  const cancelled = (): boolean => ++asked === 3;
  const setting = { cancelled, message: { gas: 100_000_000 } };
  assert.throws(() => run("l: @l jump", setting), Cancelled);
  const quiet = { cancelled: () => false, message: { gas: 5_000_000 } };
  assert.equal(run("l: @l jump", quiet).result.status, 12);
});

test("an interpreter that was left by an exception runs the next transaction as new", () => {
  const host = createTestHost();
  host.deploy(CONTRACT, assemble(`0 0 0 0 ${PARTNER_WORD} gas staticcall 0 mstore 32 0 return`));
  host.deploy(PARTNER, assemble("l: @l jump"));
  const evm = createEvm({
    schedule: gasSchedule(NEWEST_VERSION, { freeStorage: false }),
    hash: keccak_256,
  });
  const first = (): FrameResult => evm.execute(testContext(host, 10_000), callMessage(CONTRACT));
  assert.throws(first, WorkExceeded);
  const second = evm.execute(testContext(host), callMessage(CONTRACT));
  assert.deepEqual([second.status, hex(second.output)], [0, "00".repeat(32)]);
});
