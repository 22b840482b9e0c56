/** Freezing contracts on a chain. */
// rules: console 4.9, 9
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import type { People } from "./people.ts";

/** Lists the tests. */
export function lifeCycleTests({ done, refused }: Steps, { mine, other }: People): void {
  test("life cycle: a contract is frozen, and available again", async () => {
    const [deployed] = await done(["deploy HelloWorld"], ...mine.words);
    const { contractAddress: at } = deployed as { contractAddress: string };
    const [before] = await done([`getContractStatus ${at}`, `freezeContract ${at}`], ...mine.words);
    assert.equal(before, "The contract is available.");
    const told = await refused(
      [`freezeContract ${at}`, `call HelloWorld ${at} get`, `call HelloWorld ${at} set x`],
      ...mine.words,
    );
    assert.deepEqual(
      told.map(([code]) => code),
      [-51_900, 30, 30],
    );
    const [status] = await done([`getContractStatus ${at}`]);
    assert.match(String(status), /has been frozen/);
    await done([`unfreezeContract ${at}`, `call HelloWorld ${at} set x`], ...mine.words);
    assert.deepEqual(await refused([`unfreezeContract ${at}`], ...mine.words), [
      [-51_901, "contract available"],
    ]);
  });

  test("life cycle: who may freeze is granted, listed and revoked", async () => {
    const [deployed] = await done(["deploy HelloWorld"], ...mine.words);
    const { contractAddress: at } = deployed as { contractAddress: string };
    assert.deepEqual(await refused([`freezeContract ${at}`], ...other.words), [
      [-51_905, "no authorized"],
    ]);
    const pair = `${at} ${other.address}`;
    await done([`grantContractStatusManager ${pair}`], ...mine.words);
    const [listed] = await done([`listContractStatusManager ${at}`]);
    assert.deepEqual(new Set(listed as string[]), new Set([mine.address, other.address]));
    await done([`freezeContract ${at}`, `unfreezeContract ${at}`], ...other.words);
    const lines = [
      `grantContractStatusManager ${pair}`,
      "getContractStatus 0x1 extra",
      "freezeContract 0x1",
      "listContractStatusManager 0x1",
    ];
    const told = await refused(lines, ...mine.words);
    assert.deepEqual(
      told.map(([code]) => code),
      [-51_902, 2, -51_904, -51_904],
    );
    await done([`revokeContractStatusManager ${pair}`], ...mine.words);
    const [[last] = [], [gone] = []] = await refused(
      [`revokeContractStatusManager ${at} ${mine.address}`, `revokeContractStatusManager ${pair}`],
      ...mine.words,
    );
    assert.deepEqual([last, gone], [-51_907, -51_907]);
    const [nobody] = await done(["getContractStatus 0x1"]);
    assert.equal(nobody, "The address is nonexistent.");
  });
}
