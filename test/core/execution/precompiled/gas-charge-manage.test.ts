import assert from "node:assert/strict";
import { test } from "vitest";
import type { AbiValue } from "../../../../core/abi/encode.ts";
import { bigintOfBytes } from "../../../../core/bytes/bytes.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { grant } from "../../../support/execution/added-rows.ts";
import { callsOf, outputs } from "../../../support/execution/contract-calls.ts";
import {
  ALICE,
  BOB,
  openTestChain,
  type TestChain,
} from "../../../support/execution/test-chain.ts";

// rules: precompiles 13, execution 9

const gas = callsOf(0x1009);
const governance = callsOf(0x1008);
const CHARGE = "charge(address,uint256)";
const DEDUCT = "deduct(address,uint256)";
const QUERY = "queryRemainGas(address)";
const GRANT = "grantCharger(address)";
const REVOKE = "revokeCharger(address)";
const LIST = "listChargers()";
const CAROL = `0x${"c0".repeat(20)}` as Address;
const UINT256 = { kind: "uint", bits: 256 } as const;
const ADDRESSES = { kind: "array", element: { kind: "address" }, length: undefined } as const;
const MAX = 2n ** 256n - 1n;

/** A code of 64 bits, and one of 256. */
const narrow = (code: bigint): bigint => BigInt.asUintN(64, code);
const wide = (code: bigint): bigint => BigInt.asUintN(256, code);

async function word(chain: TestChain, signature: string, values: AbiValue[], from = ALICE) {
  const { status, output } = await gas.receipt(chain, signature, values, from);
  assert.deepEqual([status, output.length], [0, 32]);
  return bigintOfBytes(output, 0, 32);
}

async function pair(chain: TestChain, signature: string, values: AbiValue[], from = ALICE) {
  return outputs([UINT256, UINT256], await gas.receipt(chain, signature, values, from));
}

/** ALICE is the committee, BOB a charger. */
async function withCharger(): Promise<TestChain> {
  const chain = await grant(await openTestChain(), "_sys_table_access_", ALICE);
  assert.equal(await word(chain, GRANT, [BOB]), 0n);
  return chain;
}

test("members of the committee make and revoke chargers", async () => {
  const chain = await withCharger();
  assert.equal(await word(chain, GRANT, [CAROL], BOB), narrow(-53_004n));
  assert.equal(await word(chain, GRANT, [BOB]), narrow(-53_006n));
  assert.equal(await word(chain, GRANT, [ALICE]), 0n);
  assert.deepEqual(outputs([ADDRESSES], await gas.receipt(chain, LIST, [])), [[ALICE, BOB]]);
  const stored = `${ALICE.slice(2)},${BOB.slice(2)},`;
  assert.equal(await chain.ledger.systemConfig("charger_list"), stored);
  assert.equal(await word(chain, REVOKE, [BOB], BOB), narrow(-53_005n));
  assert.equal(await word(chain, REVOKE, [CAROL]), narrow(-53_007n));
  assert.equal(await word(chain, REVOKE, [ALICE]), 0n);
  assert.equal(await word(chain, REVOKE, [BOB]), 0n);
  assert.deepEqual(outputs([ADDRESSES], await gas.receipt(chain, LIST, [])), [[]]);
});

test("the list of the block below counts: of two grants in one block the last one stays", async () => {
  const chain = await withCharger();
  await chain.block(
    gas.sending(GRANT, [CAROL]),
    gas.sending(GRANT, [ALICE]),
    gas.sending(CHARGE, [CAROL, 5n], CAROL),
  );
  assert.deepEqual(outputs([ADDRESSES], await gas.receipt(chain, LIST, [])), [[ALICE, BOB]]);
  assert.deepEqual(await pair(chain, QUERY, [CAROL]), [wide(-52_008n), 0n]);
});

test("chargers give and take gas", async () => {
  const chain = await withCharger();
  assert.deepEqual(await pair(chain, CHARGE, [CAROL, 100n], BOB), [0n, 100n]);
  assert.deepEqual(await pair(chain, CHARGE, [CAROL, 20n], BOB), [0n, 120n]);
  assert.deepEqual(await pair(chain, DEDUCT, [CAROL, 50n], BOB), [0n, 70n]);
  assert.deepEqual(await pair(chain, QUERY, [CAROL]), [0n, 70n]);
  assert.deepEqual(await pair(chain, DEDUCT, [CAROL, 71n], BOB), [narrow(-53_003n), 0n]);
  assert.deepEqual(await pair(chain, CHARGE, [CAROL, MAX], BOB), [narrow(-53_002n), 0n]);
  assert.deepEqual(await pair(chain, CHARGE, [CAROL, MAX - 70n], BOB), [0n, MAX]);
  assert.deepEqual(await pair(chain, DEDUCT, [CAROL, MAX], BOB), [0n, 0n]);
});

test("a charge is refused without value, for a contract, for a frozen account, to others", async () => {
  const chain = await withCharger();
  const contract = await chain.deploy(assemble("stop"));
  for (const signature of [CHARGE, DEDUCT]) {
    assert.deepEqual(await pair(chain, signature, [contract, 0n], BOB), [wide(-53_001n), 0n]);
    assert.deepEqual(await pair(chain, signature, [contract, 1n]), [wide(-52_009n), 0n]);
    assert.deepEqual(await pair(chain, signature, [CAROL, 1n]), [wide(-53_000n), 0n]);
  }
  assert.deepEqual(await pair(chain, CHARGE, [CAROL, 9n], BOB), [0n, 9n]);
  assert.equal(await governance.code(chain, "freezeAccount(address)", [CAROL]), 1);
  assert.deepEqual(await pair(chain, CHARGE, [CAROL, 1n], BOB), [wide(-52_011n), 0n]);
  assert.deepEqual(await pair(chain, QUERY, [CAROL]), [wide(-52_011n), 0n]);
  assert.deepEqual(await pair(chain, QUERY, [contract]), [wide(-52_009n), 0n]);
  assert.equal(await word(chain, GRANT, [contract], BOB), wide(-52_009n));
  assert.equal(await word(chain, GRANT, [CAROL], BOB), wide(-52_011n));
});

test("an unknown method answers its own code", async () => {
  assert.equal(await word(await openTestChain(), "nothing()", []), narrow(-53_008n));
});

test("who has gas left pays with it once charging is on", async () => {
  const chain = await withCharger();
  const config = callsOf(0x1000);
  const setValue = "setValueByKey(string,string)";
  assert.deepEqual(await pair(chain, CHARGE, [CAROL, 50_000n], BOB), [0n, 50_000n]);
  assert.equal(await config.code(chain, setValue, ["enable_charge_mgr", "on"]), 1);
  const paid = await gas.receipt(chain, QUERY, [CAROL], CAROL);
  assert.equal(paid.remainGas, 50_000n - paid.gasUsed);
  const poor = await chain.send({ from: `0x${"77".repeat(20)}` as Address, to: gas.address });
  assert.deepEqual([poor.status, poor.gasUsed], [32, 0n]);
  const free = await gas.receipt(chain, QUERY, [CAROL], BOB);
  assert.deepEqual([free.status, free.gasUsed], [0, 0n]);
});
