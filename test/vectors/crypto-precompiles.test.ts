/** The vector file about Paillier, group and ring signatures and the Crypto contract. */
// rules: precompiles 16
import assert from "node:assert/strict";
import { test } from "vitest";
import { type AbiValue, encodeAbi, encodeCall } from "../../core/abi/encode.ts";
import { parseAbiTypes, parseSignature } from "../../core/abi/type.ts";
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import type { Address } from "../../core/bytes/ids.ts";
import { invariant } from "../../core/fault/invariant.ts";
import { openTestChain, SUITE } from "../support/execution/test-chain.ts";
import { readVectors } from "./shared-vectors.ts";

interface Row {
  readonly name: string;
  readonly to: Address;
  readonly fn: string;
  readonly selector: string;
  readonly args: readonly string[];
  readonly expect: {
    readonly output?: string;
    readonly abi?: readonly string[];
    readonly values?: readonly (string | boolean)[];
  };
}

function argumentsOf(row: Row): AbiValue[] {
  const inputs = parseSignature(row.fn)?.inputs ?? [];
  return row.args.map((text, i) => (inputs[i]?.kind === "string" ? text : hexBytes(text)));
}

function expectedOutput({ expect }: Row): string {
  if (expect.output !== undefined) return expect.output;
  const types = parseAbiTypes(expect.abi ?? []);
  invariant(types !== undefined, "the row names ABI types");
  return toPrefixedHex(encodeAbi(types, (expect.values ?? []) as AbiValue[]));
}

const { cases } = readVectors<{ cases: readonly Row[] }>("exec-crypto-precompiles.json");
for (const row of cases) {
  test(`${row.name} answers as recorded`, async () => {
    const input = encodeCall(row.fn, argumentsOf(row), SUITE.hash);
    assert.equal(toPrefixedHex(input.subarray(0, 4)), row.selector);
    const chain = await openTestChain();
    const receipt = await chain.send({ to: row.to, input });
    assert.equal(receipt.status, 0);
    assert.equal(toPrefixedHex(receipt.output), expectedOutput(row));
  });
}
