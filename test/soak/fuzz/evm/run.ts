/** The executor next to the oracle on random worlds, with what the runs were worth. */
import assert from "node:assert/strict";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import { baseGas } from "../../../../core/execution/executive.ts";
import { gasSchedule } from "../../../../core/execution/evm/gas.ts";
import type { createEvm } from "../../../../core/execution/evm/interpreter.ts";
import { opcodeTable } from "../../../../core/execution/evm/opcodes.ts";
import { version } from "../../../../core/model/version.ts";
import {
  EthereumOracle,
  MAPPED_SCHEDULES,
  type MappedSchedule,
  type OracleOutcome,
} from "../../../support/execution/ethereum-oracle.ts";
import {
  type Ending,
  FREE_DEPOSIT,
  MappedExecutor,
  type Scene,
  type SceneTransaction,
} from "../../../support/execution/mapped-execution.ts";
import { randomScene } from "./scene.ts";

/** What a number of programs came to; a record that a later run goes on from. */
export interface FuzzCounts {
  programs: number;
  success: number;
  revert: number;
  exception: number;
  /** Programs that entered a message below their own. */
  nested: number;
  /** Messages below the first one. */
  messages: number;
  /** The deepest one. */
  depth: number;
  created: number;
  destroyed: number;
  /** Programs that cannot be compared. */
  left: number;
  /** How often each rule was mapped away. */
  mapped: Record<string, number>;
  /** How often each opcode was executed, by its number. */
  executed: number[];
}

/** Nothing yet. */
export function noCounts(): FuzzCounts {
  return {
    programs: 0,
    success: 0,
    revert: 0,
    exception: 0,
    nested: 0,
    messages: 0,
    depth: 0,
    created: 0,
    destroyed: 0,
    left: 0,
    mapped: {},
    executed: new Array<number>(256).fill(0),
  };
}

/** Least shares of programs that succeed and that call, and of programs that are not compared. */
const LEAST = { success: 0.3, nested: 0.1 } as const;
const MOST_LEFT = 0.02;
/** Every opcode is executed so often in a run of a million programs, and never less than once. */
const LEAST_EXECUTIONS = 1_000;
const MILLION = 1_000_000;
/** Programs below which the mixture, and the opcodes, prove nothing. */
const JUDGED = 300;
const OPCODES_JUDGED = 10_000;

/** What a run lacks to be worth its name; nothing is asked of a short one. */
export function shortcomings(counts: FuzzCounts): string[] {
  const { programs } = counts;
  if (programs < JUDGED) return [];
  const found: string[] = [];
  for (const share of ["success", "nested"] as const) {
    if (counts[share] < LEAST[share] * programs) found.push(`only ${counts[share]} ${share}`);
  }
  if (counts.left > MOST_LEFT * programs) found.push(`${counts.left} cannot be compared`);
  if (programs < OPCODES_JUDGED) return found;
  const least = Math.max(1, Math.floor((LEAST_EXECUTIONS * programs) / MILLION));
  for (const [opcode, times] of definedOpcodes(counts)) {
    if (times < least) found.push(`opcode ${opcode} was executed ${times} times`);
  }
  return found;
}

/** What a run came to, line by line. */
export function summary(counts: FuzzCounts): string[] {
  const share = (part: number): string => `${((100 * part) / counts.programs).toFixed(1)} %`;
  const executed = definedOpcodes(counts);
  const least = executed.toSorted(([, a], [, b]) => a - b).slice(0, 5);
  const lines = [
    `success ${share(counts.success)}, revert ${share(counts.revert)}, ` +
      `exception ${share(counts.exception)}, not compared ${share(counts.left)}`,
    `nested calls in ${share(counts.nested)}: ${counts.messages} messages, depth ${counts.depth}`,
    `accounts ${counts.created}, destroyed ${counts.destroyed}`,
    ...Object.entries(counts.mapped).map(([rule, times]) => `mapped: ${rule}: ${times}`),
  ];
  for (let row = 0; row < executed.length; row += HISTOGRAM_COLUMNS) {
    const part = executed.slice(row, row + HISTOGRAM_COLUMNS);
    lines.push(part.map(([opcode, times]) => `${opcode}: ${times}`).join("  "));
  }
  lines.push(`least executed: ${least.map(([opcode, times]) => `${opcode} ${times}`).join(", ")}`);
  return lines;
}

const HISTOGRAM_COLUMNS = 8;

/** Executions of every opcode that exists, by its two digits. */
function definedOpcodes({ executed }: FuzzCounts): [string, number][] {
  const { defined } = opcodeTable(gasSchedule(version(2, 11, 1), { freeStorage: false }));
  return executed.flatMap((times, opcode): [string, number][] =>
    defined[opcode] === 1 ? [[opcode.toString(16).padStart(2, "0"), times]] : [],
  );
}

/**
 * Receipt status of a failure in the library's words, which go on with a place. What is asked of
 * RETURNDATACOPY and not there is no gas to the library. Source: execution 5
 */
const STATUS_OF: readonly (readonly [string, readonly number[]])[] = [
  ["revert", [22]],
  ["out of gas", [12, 1]],
  ["code store out of gas", [12]],
  ["stack underflow", [14]],
  ["stack overflow", [13]],
  ["invalid JUMP", [11]],
  ["invalid opcode", [10]],
  ["static state change", [1]],
];
/** Found at the entry of a block, before an earlier instruction fails. Source: execution 7.1 */
const FOUND_EARLY = new Set([12, 13, 14]);
const UINT256 = (1n << 256n) - 1n;

/** A block hash that both sides give. */
function blockHash(number: number): Uint8Array {
  return keccak_256(Uint8Array.of(number >> 8, number & 0xff));
}

interface Side {
  readonly schedule: MappedSchedule;
  readonly ours: MappedExecutor;
  readonly oracle: EthereumOracle;
}

/** Compares one program after the other. */
export class EvmFuzz {
  readonly counts: FuzzCounts;
  readonly #sides: readonly Side[];

  private constructor(sides: readonly Side[], counts: FuzzCounts) {
    this.#sides = sides;
    this.counts = counts;
  }

  static async open(
    options: { readonly counts?: FuzzCounts; readonly createEvm?: typeof createEvm } = {},
  ): Promise<EvmFuzz> {
    const suite = createStandardSuite();
    const { createEvm: mutant } = options;
    const common = { suite, blockHash, ...(mutant ? { createEvm: mutant } : {}) };
    const sides: Side[] = [];
    for (const schedule of MAPPED_SCHEDULES) {
      const ours = new MappedExecutor(schedule, common);
      sides.push({ schedule, ours, oracle: await EthereumOracle.open(schedule, blockHash) });
    }
    return new EvmFuzz(sides, options.counts ?? noCounts());
  }

  /** Runs the program of a seed on both sides; throws where they differ. */
  async one(seed: number): Promise<void> {
    // The newest schedule has half of them.
    const side = this.#sides[[0, 1, 0, 2][seed & 3] ?? 0];
    assert.ok(side);
    const scene = randomScene(seed, side.schedule);
    const ours = side.ours.run(scene);
    this.counts.programs++;
    if (ours.mapped.includes(FREE_DEPOSIT)) {
      this.counts.left++;
      return;
    }
    await side.oracle.reset(scene.codes);
    const gas = scene.gasLimit - baseOf(scene, side.schedule);
    const expected = await side.oracle.run({ ...scene, gas });
    compareOutcomes(scene, ours, expected);
    this.#count(ours, expected);
  }

  /** Executed opcodes of the oracles, added to the record. */
  settle(): void {
    for (const { oracle } of this.#sides) {
      oracle.executed.forEach((times, opcode) => {
        this.counts.executed[opcode] = (this.counts.executed[opcode] ?? 0) + times;
      });
      oracle.executed.fill(0);
    }
  }

  #count({ mapped, trace, destroyed, accounts }: Ending, { failure }: OracleOutcome): void {
    const { counts } = this;
    if (failure === undefined) counts.success++;
    else if (failure === "revert") counts.revert++;
    else counts.exception++;
    if (trace.nested > 0) counts.nested++;
    counts.messages += trace.nested;
    counts.depth = Math.max(counts.depth, trace.depth);
    counts.destroyed += destroyed.length;
    counts.created += accounts.length;
    for (const rule of mapped) counts.mapped[rule] = (counts.mapped[rule] ?? 0) + 1;
  }
}

/** What a transaction pays before it runs. Source: execution 2 */
function baseOf(scene: Scene, { freeStorage }: MappedSchedule): bigint {
  return freeStorage ? 20_000n : baseGas(scene);
}

/** Throws where they differ. */
export function compareOutcomes(
  scene: SceneTransaction,
  ours: Ending,
  expected: OracleOutcome,
): void {
  assert.deepEqual(ours.trace.lines, expected.trace.lines);
  const { status, output } = ours.outcome;
  const { failure } = expected;
  if (failure === undefined) assert.equal(status, 0);
  else {
    const wanted = STATUS_OF.find(([start]) => failure.startsWith(start))?.[1] ?? [];
    assert.ok(wanted.includes(status) || FOUND_EARLY.has(status), `${status}: ${failure}`);
  }
  assert.equal(Buffer.from(output).toString("hex"), expected.output);
  assert.equal(ours.outcome.gasUsed, gasUsed(scene, ours, expected));
  assert.deepEqual(ours.logs, expected.logs);
  assert.deepEqual(ours.slots, expected.slots);
  assert.deepEqual(ours.accounts, expected.accounts);
  assert.deepEqual(ours.destroyed, expected.destroyed);
}

/** Gas of the receipt by the rule of refunds. Source: execution 5 */
function gasUsed(
  scene: SceneTransaction,
  { trace }: Ending,
  { gasLeft, refund }: OracleOutcome,
): bigint {
  const half = ((scene.gasField - gasLeft) & UINT256) / 2n;
  const refunded = trace.lines.length > 0 && half < refund ? half : refund;
  return (scene.gasLimit - gasLeft - refunded) & UINT256;
}
