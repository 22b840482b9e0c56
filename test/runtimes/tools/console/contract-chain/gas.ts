/** Gas charging on a chain whose committee has one member. */
// rules: console 4.10
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import type { People } from "./people.ts";

const CUSTOMER = `0x${"7".repeat(40)}`;

/** Lists the tests. */
export function gasTests({ world, done, refused }: Steps, { mine, other }: People): void {
  test("gas: a charger gives and takes, and what is left is told", async () => {
    assert.deepEqual((await done(["listChargers"]))[0], []);
    await done([`grantCharger ${other.address}`], ...mine.words);
    assert.deepEqual((await done(["listChargers"]))[0], [other.address]);
    const charged = await world().run(...other.words, "chargeGas", CUSTOMER, "1000");
    assert.equal(charged.code, 0);
    const code = '{\n    "code":0,\n    "msg":"success"\n}';
    const hash = /^TransactionHash: 0x\w{64}\n/;
    assert.match(charged.stdout, hash);
    assert.equal(charged.stdout.replace(hash, ""), `${code}\nremainGas: 1000\n\n`);
    const [deducted] = await done([`deductGas ${CUSTOMER} 1`], ...other.words);
    assert.equal((deducted as { remainGas: string }).remainGas, "999");
    const left = await world().run("queryRemainGas", CUSTOMER);
    assert.equal(left.stdout, `Account: ${CUSTOMER} remainGas: 999\n\n`);
  });

  test("gas: refusals", async () => {
    const byCharger = await refused(
      [
        `chargeGas ${CUSTOMER} 0`,
        `deductGas ${CUSTOMER} 1000`,
        `grantCharger ${CUSTOMER}`,
        `revokeCharger ${other.address}`,
        `queryRemainGas 0x${"8".repeat(40)}`,
        `chargeGas ${CUSTOMER} -1`,
      ],
      ...other.words,
    );
    assert.deepEqual(
      byCharger.map(([code]) => code),
      [-53_001, -53_003, -53_004, -53_005, -52_008, 2],
    );
    const byMember = await refused(
      [`chargeGas ${CUSTOMER} 1`, `grantCharger ${other.address}`, `revokeCharger ${CUSTOMER}`],
      ...mine.words,
    );
    assert.deepEqual(
      byMember.map(([code]) => code),
      [-53_000, -53_006, -53_007],
    );
    await done([`revokeCharger ${other.address}`], ...mine.words);
    assert.deepEqual((await done(["listChargers"]))[0], []);
  });
}
