/** Random worlds: a few contracts that call each other, and a transaction. */
import type { Address } from "../../../../core/bytes/ids.ts";
import type { MappedSchedule } from "../../../support/execution/ethereum-oracle.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { addressOf } from "../../../support/execution/evm-host.ts";
import type { Scene } from "../../../support/execution/mapped-execution.ts";
import {
  createRandom,
  type Random,
  randomInit,
  randomProgram,
  type Surroundings,
} from "../../../support/execution/program-generator.ts";

const ALICE = addressOf(0x0a11ce);
const CONTRACTS = [addressOf(0xc1), addressOf(0xc2), addressOf(0xc3)] as const;
const SILENT = addressOf(0xdead);
const HOLDER = addressOf(0xc4);
/** Differs from the first contract in its highest bytes only. */
const TWIN = `0x0badcafe${CONTRACTS[0].slice(10)}` as Address;
/** What most transactions have; the dearest instruction costs 32000 and the oracle is slow. */
const GAS = 3_000_000n;
/** Where code may loop: it is not made by the generator alone. */
const WILD_GAS = 250_000n;
/** Room for the base of a transaction. */
const LEAST_GAS = 60_000;
/** The client's gas field when refunds are not cut. Source: execution 5 */
const NO_FIELD = 1n;

/** The scene of a seed; the same on every machine. */
export function randomScene(seed: number, schedule: MappedSchedule): Scene {
  const random = createRandom(seed);
  const wild = random.below(100);
  const codes = randomCodes(random, schedule);
  const isWild = wild < 12;
  if (isWild) codes.set(CONTRACTS[0], spoil(random, codes.get(CONTRACTS[0]), wild));
  const isCreation = random.below(6) === 0;
  const poor = random.below(8) === 0;
  const gas = isWild ? WILD_GAS : poor ? BigInt(LEAST_GAS + random.below(150_000)) : GAS;
  const data = randomBytes(random, random.below(100));
  const input = isCreation ? initOf(random, codes, schedule) : data;
  const base = BigInt(68 * input.length);
  return {
    codes,
    from: ALICE,
    to: isCreation ? null : random.below(50) === 0 ? SILENT : CONTRACTS[0],
    input,
    gasPrice: BigInt(random.below(1_000)),
    gasField: random.below(2) === 0 ? NO_FIELD : gas + base,
    gasLimit: gas + base,
    number: 300 + random.below(400),
    timestamp: 1_600_000_000_000n + BigInt(random.below(1_000_000)),
  };
}

function randomCodes(random: Random, schedule: MappedSchedule): Map<Address, Uint8Array> {
  const codes = new Map<Address, Uint8Array>();
  CONTRACTS.forEach((address, i) => {
    const length = random.pick([2, 5, 9, 24]) + random.below(8);
    codes.set(address, randomProgram(random, around(i, length, schedule)));
  });
  codes.set(HOLDER, assemble("0 9 sstore"));
  codes.set(TWIN, assemble("7 0 mstore address 32 mstore 64 0 return"));
  return codes;
}

function around(place: number, length: number, { precompiled }: MappedSchedule): Surroundings {
  const contracts = CONTRACTS.map(BigInt);
  const ends = [SILENT, TWIN].map(BigInt);
  return {
    // Calls with all the gas only go down: trees end.
    callees: [...contracts.slice(place + 1), ...ends],
    returns: contracts.slice(0, place + 1),
    holder: BigInt(HOLDER),
    accounts: [...contracts, ...ends, ...[ALICE, HOLDER].map(BigInt)],
    mayCreate: place < 2,
    precompiled,
    length,
  };
}

function initOf(
  random: Random,
  codes: ReadonlyMap<Address, Uint8Array>,
  schedule: MappedSchedule,
): Uint8Array {
  const length = 3 + random.below(16);
  const runtime = codes.get(CONTRACTS[2]) ?? new Uint8Array(0);
  if (random.below(3) === 0) return randomProgram(random, around(0, length, schedule));
  return randomInit(random, around(0, length, schedule), runtime);
}

function randomBytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}

/** Code that no generator makes: random bytes, or a program with bytes changed, lost or added. */
function spoil(random: Random, code: Uint8Array | undefined, kind: number): Uint8Array {
  if (kind < 3 || code === undefined) return randomBytes(random, 1 + random.below(120));
  const bytes = [...code];
  for (let i = 1 + random.below(4); i > 0 && bytes.length > 0; i--) {
    const at = random.below(bytes.length);
    const what = random.below(4);
    if (what === 0) bytes.splice(at, 1 + random.below(3));
    else if (what === 1) bytes.splice(at, 0, random.below(256));
    else if (what === 2) bytes.length = Math.max(1, at);
    else bytes[at] = random.below(256);
  }
  return Uint8Array.from(bytes);
}
