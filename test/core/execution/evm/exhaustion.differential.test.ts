/**
 * Programs that want to exhaust a node: each ends within the bounds of work and memory that are
 * asserted here. Time is bounded by work; it is printed, not asserted. EXHAUSTION_GAS=300000000
 * runs them at the default `tx_gas_limit`; usually it is a sixtieth of that.
 */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "vitest";
import { addressOfNumber } from "../../../../core/bytes/hex.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import { WORK_FACTOR } from "../../../../core/execution/chain-rules.ts";
import type { Outcome } from "../../../../core/execution/executive.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { ALICE, commitBase, JournalWorld } from "../../../support/execution/journal-world.ts";

// rules: execution 4, 5, 7, README 21

const GAS_LIMIT = BigInt(process.env["EXHAUSTION_GAS"] ?? 5_000_000);
const MOST_WORK = Number(GAS_LIMIT) * WORK_FACTOR;
/**
 * The largest block of instructions or dynamic cost that may be counted beyond the bound before it
 * is examined: nothing is counted that cannot be paid.
 */
const SLACK = Number(GAS_LIMIT);
/** At the default gas limit hashes take a minute of CPU in the reference engine. */
const PATIENCE_MS = 600_000;
const MIB = 1_048_576;
const HERE = addressOfNumber(0xd000);
const OTHER = addressOfNumber(0xd001);
const OUT_OF_GAS = 12;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** One attack. */
interface Attack {
  readonly name: string;
  readonly code: string;
  /** Contract that the first one calls. */
  readonly other?: string;
  /** The statuses that are right. */
  readonly status: number;
  /** Bytes that may be held while it runs and are not garbage; measured after it. */
  readonly mostMiB?: number;
  readonly check?: (outcome: Outcome) => void;
}

const SELF_CALL = "0 0 0 0 0 address gas call";
const TWICE = `${SELF_CALL} pop ${SELF_CALL} pop stop`;

const ATTACKS: readonly Attack[] = [
  {
    name: "a contract that calls itself as deep as it goes",
    code: `${SELF_CALL} 0 mstore 32 0 return`,
    status: 0,
    mostMiB: 128,
  },
  { name: "a tree of calls that doubles at every level", code: TWICE, status: OUT_OF_GAS },
  {
    name: "calls that run out of gas and give it back, without end",
    code: `again: 0 0 0 0 0 ${BigInt(OTHER)} 1000000 call pop @again jump`,
    other: "again: @again jump",
    status: OUT_OF_GAS,
  },
  {
    name: "memory that grows word by word",
    code: "0 again: dup1 mload pop 32 add @again jump",
    status: OUT_OF_GAS,
  },
  {
    name: "memory of four gigabytes at once",
    code: "1 0xffffffdf mstore stop",
    status: OUT_OF_GAS,
  },
  {
    name: "memory at every level of a recursion",
    code: "0 100000 mstore 0 0 0 0 0 address gas call stop",
    status: 0,
    mostMiB: 256,
  },
  {
    name: "large return data, copied again and again",
    code: `0 0 0 0 0 ${BigInt(OTHER)} gas call pop
      again: returndatasize 0 0 returndatacopy @again jump`,
    other: "1000000 0 return",
    status: OUT_OF_GAS,
  },
  {
    name: "large return data, asked for again and again",
    code: `again: 1000000 0 0 0 0 ${BigInt(OTHER)} gas call pop @again jump`,
    other: "1000000 0 return",
    status: OUT_OF_GAS,
  },
  {
    name: "powers of the largest base and exponent",
    code: "again: 0 not 0 not exp pop @again jump",
    status: OUT_OF_GAS,
  },
  {
    name: "remainders of the widest products",
    code: "again: 1 0 not sub 0 not 2 0 not sub mulmod pop @again jump",
    status: OUT_OF_GAS,
  },
  {
    name: "logs of a megabyte",
    code: "again: 1000000 0 log0 @again jump",
    status: OUT_OF_GAS,
  },
  {
    name: "logs without end",
    code: "again: 0 0 log0 @again jump",
    status: OUT_OF_GAS,
  },
  {
    name: "slots without end",
    code: "0 again: 1 add dup1 dup1 sstore @again jump",
    status: OUT_OF_GAS,
  },
  {
    name: "one slot, changed without end",
    code: "0 again: 1 add dup1 0 sstore @again jump",
    status: OUT_OF_GAS,
  },
  {
    name: "init code full of destinations, analysed again and again",
    code: `0x${"5b".repeat(32)} 0 mstore 0 again: 32 add 0 mload dup2 mstore dup1 30000 gt
      @again jumpi more: 30000 0 0 create pop @more jump`,
    status: OUT_OF_GAS,
  },
  {
    name: "hashes of a megabyte",
    code: "again: 1000000 0 sha3 pop @again jump",
    status: OUT_OF_GAS,
  },
  {
    name: "modular powers of large numbers, asked for again and again",
    code: `200 0 mstore 200 32 mstore 200 64 mstore 0 not 96 mstore 0 not 296 mstore
      0 not 496 mstore again: 0 0 696 0 5 gas staticcall pop @again jump`,
    status: OUT_OF_GAS,
  },
  {
    name: "a modular power too large to be paid",
    code: "8000 0 mstore 8000 32 mstore 8000 64 mstore 0 0 24096 0 5 gas staticcall stop",
    status: 0,
  },
];

/** Runs a contract at the default limit. */
function run({ code, other }: Attack): { readonly outcome: Outcome; readonly ms: number } {
  const codes = new Map<Address, Uint8Array>([[HERE, assemble(code)]]);
  if (other !== undefined) codes.set(OTHER, assemble(other));
  const world = new JournalWorld(commitBase(codes), { watches: false });
  const began = process.cpuUsage();
  const sent = { from: ALICE, to: HERE, input: new Uint8Array(0) };
  const { outcome } = world.run(sent, { gasLimit: GAS_LIMIT });
  const { user, system } = process.cpuUsage(began);
  return { outcome, ms: (user + system) / 1000 };
}

for (const attack of ATTACKS) {
  test(`${attack.name} ends within its bounds`, { timeout: PATIENCE_MS }, () => {
    collect();
    const before = process.memoryUsage();
    const { outcome, ms } = run(attack);
    const after = process.memoryUsage();
    collect();
    const kept = process.memoryUsage();
    const used = (end: NodeJS.MemoryUsage): number =>
      Math.round((end.heapUsed + end.external - before.heapUsed - before.external) / MIB);
    console.log(
      `${attack.name}: status ${outcome.status}, work ${outcome.work}, ` +
        `${Math.round(ms)} ms of CPU, ${used(after)} MiB at the end, ${used(kept)} MiB kept`,
    );
    assert.equal(outcome.status, attack.status);
    assert.ok(outcome.work <= MOST_WORK + SLACK, `work ${outcome.work}`);
    assert.ok(used(kept) <= (attack.mostMiB ?? 64), `${used(kept)} MiB are kept`);
  });
}
