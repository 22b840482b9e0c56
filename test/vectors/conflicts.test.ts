/** The vector file about conflicts between the transactions of a block. */
// rules: execution 12, 12.1, 12.2, 12.3
import assert from "node:assert/strict";
import { test } from "vitest";
import { hexBytes } from "../../core/bytes/hex.ts";
import type { Address } from "../../core/bytes/ids.ts";
import { createConflictFields } from "../support/execution/conflict-fields.ts";
import {
  type ConflictEdge,
  conflictEdges,
  conflictWaves,
} from "../support/execution/conflict-graph.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import { SUITE } from "../support/execution/test-chain.ts";
import { readVectors } from "./shared-vectors.ts";

interface Claiming {
  readonly to: Address;
  readonly input: string;
  readonly conflictKeys: readonly string[] | null;
}

interface Row extends Partial<Claiming> {
  readonly name: string;
  readonly vertices?: number;
  readonly edges?: readonly ConflictEdge[];
  readonly waves?: readonly (readonly number[])[];
  readonly transactions?: readonly Claiming[];
}

const fieldsOf = createConflictFields({
  suite: SUITE,
  version: NEWEST_VERSION,
  source: { rows: () => [] },
});

function claims({ to, input, conflictKeys }: Claiming) {
  const found = fieldsOf({ to, input: hexBytes(input) });
  const expected = conflictKeys?.map((key) => key + to.slice(2)) ?? null;
  assert.deepEqual(found?.written ?? null, expected);
  return found;
}

const sorted = (edges: readonly ConflictEdge[]): string[] => edges.map(String).sort();

for (const row of readVectors<{ cases: readonly Row[] }>("exec-dag.json").cases) {
  test(row.name, () => {
    const { vertices, edges = [], waves, transactions } = row;
    assert.ok(vertices !== undefined || transactions || row.to, "the row is of a known kind");
    if (vertices !== undefined) assert.deepEqual(conflictWaves(vertices, edges), waves);
    if (transactions) {
      assert.deepEqual(sorted(conflictEdges(transactions.map(claims))), sorted(edges));
    }
    if (row.to) claims(row as Claiming);
  });
}
