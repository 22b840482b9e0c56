/** Measures families: each block is executed again and again on the same parent. */
import { bigintOfBytes } from "../../../core/bytes/bytes.ts";
import { toHex } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import type { Receipt } from "../../../core/model/receipt.ts";
import {
  openTestChain,
  rawTransaction,
  type TestChain,
} from "../../support/execution/test-chain.ts";
import { EVM_FAMILIES } from "./evm.ts";
import type { Family } from "./family.ts";
import { type HotFunction, hottestOf } from "./hottest.ts";
import { PROOF_FAMILIES } from "./proofs.ts";
import { SYSTEM_FAMILIES } from "./system.ts";
import { TABLE_FAMILIES } from "./tables.ts";

/** What a family can do. */
export interface FamilyFigures {
  readonly name: string;
  /** Calls per second of CPU time of the process, collector and compiler included. */
  readonly callsPerSecond: number;
  /** By self time. */
  readonly hottest: readonly HotFunction[];
}

/** All that are measured. */
export const FAMILIES: readonly Family[] = [
  ...EVM_FAMILIES,
  ...TABLE_FAMILIES,
  ...SYSTEM_FAMILIES,
  ...PROOF_FAMILIES,
];

/** How many functions are named. */
const HOTTEST = 5;
/** Executions at least, before and while measuring. */
const LEAST_RUNS = 2;
const WORD = 32;
/** From here on a number is negative, in 64 bits and from the end of 256 bits. */
const FIRST_NEGATIVE = 1n << 63n;
const NARROW = 1n << 64n;
const WIDE = 1n << 256n;

/** Milliseconds of CPU time of the process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Whether a call did what it is measured for. */
function isFine({ answer }: Family, { status, output }: Receipt): boolean {
  if (status !== 0) return false;
  const code = output.length >= WORD ? bigintOfBytes(output, 0, WORD) : 0n;
  if (answer !== undefined) return code === answer;
  // Texts begin with a small number; addresses and hashes are far from both ends.
  return (code < FIRST_NEGATIVE || code >= NARROW) && code < WIDE - FIRST_NEGATIVE;
}

/** Fails unless every call succeeds: a refusal would be measured as a success. */
export async function requireSuccess(family: Family, chain: TestChain): Promise<void> {
  await family.prepare?.(chain);
  const { head, calls } = await family.block(chain);
  const { receipts } = await chain.block(...head, ...calls);
  for (const [index, receipt] of receipts.entries()) {
    if (index < head.length ? receipt.status === 0 : isFine(family, receipt)) continue;
    const said = `status ${receipt.status}, output ${toHex(receipt.output)}`;
    throw new RangeError(`${family.name}: call ${index} gave ${said}`);
  }
}

/** Executes a block as often as fits; the number of executions. */
async function runFor(milliseconds: number, execute: () => Promise<void>): Promise<number> {
  const end = performance.now() + milliseconds;
  let runs = 0;
  while (runs < LEAST_RUNS || performance.now() < end) {
    await execute();
    runs++;
  }
  return runs;
}

async function measureFamily(family: Family, suite: CryptoSuite, forMs: number) {
  const options = { processor: { suite } };
  await requireSuccess(family, await openTestChain(options));
  const chain = await openTestChain(options);
  await family.prepare?.(chain);
  const { head, calls } = await family.block(chain);
  const request = chain.propose([...head, ...calls].map(rawTransaction));
  const execute = async () => {
    const outcome = await chain.processor.execute(request);
    if (!outcome.ok) throw new RangeError(`${family.name}: ${outcome.reason}`);
  };
  await runFor(forMs / 2, execute);
  const before = cpuMs();
  const runs = await runFor(forMs, execute);
  const seconds = (cpuMs() - before) / 1_000;
  const hottest = await hottestOf(async () => void (await runFor(forMs, execute)), HOTTEST);
  await chain.processor.close();
  return { name: family.name, callsPerSecond: (runs * calls.length) / seconds, hottest };
}

/** Measures every family for so long. */
export async function measureFamilies(
  suite: CryptoSuite,
  forMs: number,
  progress: (line: string) => void,
): Promise<readonly FamilyFigures[]> {
  const figures: FamilyFigures[] = [];
  for (const family of FAMILIES) {
    progress(family.name);
    figures.push(await measureFamily(family, suite, forMs));
  }
  return figures;
}
