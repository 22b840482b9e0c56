/** The setting of a group that its executor must know. */
// rules: execution 8, precompiles 12
import assert from "node:assert/strict";
import { test } from "vitest";
import { encodeCall } from "../../../../core/abi/encode.ts";
import { addressOfNumber, toHex } from "../../../../core/bytes/hex.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { STANDARD_SUITE as suite } from "../../../support/suites.ts";

const GOVERNANCE = addressOfNumber(0x1008);

for (const reconfirmCommittee of [true, false]) {
  const whom = reconfirmCommittee ? "anybody" : "members only";
  test(`a second committee member is granted by ${whom}`, async () => {
    const world = new NodeWorld({ suite, nodes: 1, seed: 1, tuning: { reconfirmCommittee } });
    await world.startAll();
    const results: bigint[] = [];
    for (const pair of ["c1", "c2"]) {
      const user = `0x${pair.repeat(20)}` as Address;
      const input = encodeCall("grantCommitteeMember(address)", [user], suite.hash);
      const { hash, outcome } = world.submit(0, { to: GOVERNANCE, input });
      assert.equal((await world.settle(outcome, "admission")).ok, true);
      const height = results.length + 1;
      await world.until(() => world.group(0).ledger.head().number === height, 15_000, "a block");
      const located = await world.settle(world.group(0).ledger.receipt(hash), "receipt");
      assert.ok(located);
      results.push(BigInt.asIntN(256, BigInt(`0x${toHex(located.receipt.output)}`)));
    }
    assert.deepEqual(results, [1n, reconfirmCommittee ? 1n : -52_002n]);
    await world.stopAll();
  });
}
