/** The interpreter beside an independent one, on random programs. */
import assert from "node:assert/strict";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { test } from "vitest";
import type { Address } from "../../../../core/bytes/ids.ts";
import { gasSchedule } from "../../../../core/execution/evm/gas.ts";
import { createEvm } from "../../../../core/execution/evm/interpreter.ts";
import { FRAME_STATUS, type Message } from "../../../../core/execution/evm/message.ts";
import { version } from "../../../../core/model/version.ts";
import { createOracle, type Outcome } from "../../../support/ethereum-oracle.ts";
import {
  addressOf,
  callMessage,
  createTestHost,
  hex,
  testContext,
} from "../../../support/evm-host.ts";
import { createRandom, type Random, randomProgram } from "../../../support/program-generator.ts";

/** How many programs, and the seed of the first one. */
const PROGRAMS = Number(process.env["EVM_PROGRAMS"] ?? 10_000);
const FIRST_SEED = Number(process.env["EVM_SEED"] ?? 1);
const GAS = 50_000_000;
const CONTRACTS = [addressOf(0xc1), addressOf(0xc2), addressOf(0xc3)] as const;
const SILENT = addressOf(0xdead);

// Below 2.6.0 the prices are those of Petersburg, without tracking of original values.
const schedule = gasSchedule(version(2, 4, 0), { freeStorage: false });
const evm = createEvm({ schedule, hash: keccak_256 });

/** One program that may call the next one, and so on, and the input of the first. */
function scene(random: Random): { codes: Map<Address, Uint8Array>; message: Message } {
  const codes = new Map<Address, Uint8Array>();
  const accounts = [...CONTRACTS, SILENT].map(BigInt);
  CONTRACTS.forEach((address, i) => {
    // The empty account is called without value only by chance; both charge for it then.
    const callees = i === 2 ? [] : accounts.slice(i + 1);
    const around = { callees, accounts, mayCreate: i < 2, length: 10 + random.below(40) };
    codes.set(address, randomProgram(random, around));
  });
  const input = Uint8Array.from({ length: random.below(100) }, () => random.below(256));
  return { codes, message: callMessage(CONTRACTS[0], { gas: GAS, input }) };
}

/**
 * Runs ours; `starved` tells that a frame ran out of gas, which is not charged here.
 * Source: execution 5
 */
function runOurs(
  codes: Map<Address, Uint8Array>,
  message: Message,
): { outcome: Outcome; starved: boolean } {
  const host = createTestHost({ emptyCallsSucceed: true, firstNonce: 1 });
  for (const [address, code] of codes) host.deploy(address, code);
  let starved = false;
  const { leave } = host;
  host.leave = (ended, result) => {
    const left = leave(ended, result);
    // The second one is a code deposit that cannot be paid.
    starved ||= [result, left].some(({ status }) => status === FRAME_STATUS.outOfGas);
    return left;
  };
  const context = testContext(host);
  const result = evm.execute(context, message);
  const slots = [...host.accounts].flatMap(([address, { slots }]) =>
    [...slots]
      .filter(([, value]) => value !== 0n)
      .map(([slot, value]) => `${address}:${slot}:${value}`),
  );
  const { success, revert } = FRAME_STATUS;
  const outcome: Outcome = {
    result:
      result.status === success ? "success" : result.status === revert ? "revert" : "exception",
    gasUsed: message.gas - result.gasLeft,
    output: hex(result.output),
    logs: host.logs,
    slots: slots.sort(),
    destroyed: [...host.destroyed].sort(),
  };
  return { outcome, starved };
}

test(`${PROGRAMS} random programs end as on an independent interpreter`, {
  timeout: 900_000,
}, async () => {
  const seen = { success: 0, revert: 0, exception: 0, starved: 0 };
  for (let seed = FIRST_SEED; seed < FIRST_SEED + PROGRAMS; seed++) {
    const { codes, message } = scene(createRandom(seed));
    const { outcome, starved } = runOurs(codes, message);
    if (starved) {
      seen.starved++;
      continue;
    }
    const oracle = await createOracle(codes);
    const expected = await oracle.run(testContext(createTestHost()), message);
    assert.deepEqual(outcome, expected, `EVM_SEED=${seed} EVM_PROGRAMS=1`);
    seen[outcome.result]++;
  }
  console.log(`differential: ${JSON.stringify(seen)}`);
  // A generator that only makes failures would compare nothing.
  assert.ok(PROGRAMS < 100 || seen.success > 0.6 * PROGRAMS, "most programs succeed");
  assert.ok(PROGRAMS < 1_000 || seen.exception > 0, "some programs fail");
  assert.ok(seen.starved <= 0.05 * PROGRAMS, "few programs cannot be compared");
});
