/** Every row about the gas of system contracts and of whole transactions. */
// rules: precompiles 2, execution 2
import assert from "node:assert/strict";
import { test } from "vitest";
import { hexBytes } from "../../core/bytes/hex.ts";
import type { Address } from "../../core/bytes/ids.ts";
import { baseGas } from "../../core/execution/executive.ts";
import {
  PRECOMPILED_GAS,
  GasMeter,
  type PrecompiledOperation,
} from "../../core/execution/precompiled/gas-meter.ts";
import { version } from "../../core/model/version.ts";
import { openPlace } from "../support/ledger/call-place.ts";
import { readVectors } from "./shared-vectors.ts";
import { STANDARD } from "./vector-suites.ts";

interface GasStep {
  readonly op?: string;
  readonly memUsed?: number;
  readonly mode?: string;
  readonly total: number;
}

interface GasRow {
  readonly name: string;
  readonly freeStorage?: boolean;
  readonly prices?: Readonly<Record<string, number>>;
  readonly steps?: readonly GasStep[];
  readonly to?: Address;
  readonly create?: boolean;
  readonly input?: string;
  readonly intrinsicGas?: number;
  readonly gasUsed?: number;
  readonly txGasLimit?: number;
  readonly note?: string;
  readonly expect?: { readonly status?: number };
}

/** Our name of an operation: the file's differs in one. */
function operation(name: string): PrecompiledOperation {
  const own = name.length === 2 ? name.toLowerCase() : name[0]?.toLowerCase() + name.slice(1);
  const found = Object.keys(PRECOMPILED_GAS).find((it) => it === own.replace("Addr", "Address"));
  assert.ok(found, name);
  return found as PrecompiledOperation;
}

function checkPrices({ prices = {}, freeStorage = false }: GasRow): void {
  for (const [name, price] of Object.entries(prices)) {
    const meter = new GasMeter(freeStorage);
    meter.add(operation(name));
    assert.equal(meter.total(0), price, name);
  }
  assert.equal(Object.keys(prices).length, Object.keys(PRECOMPILED_GAS).length);
}

function checkTotals({ steps = [], freeStorage = false }: GasRow): void {
  const meter = new GasMeter(freeStorage);
  for (const { op, memUsed = 0, mode, total } of steps) {
    if (op !== undefined) meter.add(operation(op));
    else if (mode === "set") meter.setMemory(memUsed);
    else meter.noteMemory(memUsed);
    assert.equal(meter.total(0), total, op ?? mode);
  }
}

async function checkReceipt(row: GasRow): Promise<void> {
  const { to, input = "", intrinsicGas = 0, gasUsed, txGasLimit, note = "", expect } = row;
  const bytes = hexBytes(input);
  assert.equal(baseGas({ to: to ?? null, input: bytes }), BigInt(intrinsicGas));
  const isOld = note.includes("older than 2.4.0");
  const at = { suite: STANDARD, version: isOld ? version(2, 3, 0) : version(2, 11, 1) };
  const limit = txGasLimit === undefined ? {} : { gasLimit: BigInt(txGasLimit) };
  const place = await openPlace({ ...at, ...limit });
  const outcome = place.call({ ...(to === undefined ? {} : { to }), input: bytes });
  assert.equal(outcome.status, expect?.status ?? 0);
  if (gasUsed !== undefined) assert.equal(outcome.gasUsed, BigInt(gasUsed));
}

for (const row of readVectors<{ cases: readonly GasRow[] }>("exec-gas.json").cases) {
  test(`exec-gas: ${row.name}`, async () => {
    if (row.prices !== undefined) checkPrices(row);
    else if (row.steps !== undefined) checkTotals(row);
    else await checkReceipt(row);
  });
}
