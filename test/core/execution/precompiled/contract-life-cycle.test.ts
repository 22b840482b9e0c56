import assert from "node:assert/strict";
import { test } from "vitest";
import type { Address } from "../../../../core/bytes/ids.ts";
import { version } from "../../../../core/model/version.ts";
import { grant, withAccountRow } from "../../../support/execution/added-rows.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { callsOf, outputs } from "../../../support/execution/contract-calls.ts";
import {
  ALICE,
  BOB,
  openTestChain,
  type TestChain,
} from "../../../support/execution/test-chain.ts";

// rules: precompiles 11, execution 3, 4.5, 8

const life = callsOf(0x1007);
const FREEZE = "freeze(address)";
const UNFREEZE = "unfreeze(address)";
const GRANT = "grantManager(address,address)";
const REVOKE = "revokeManager(address,address)";
const STATUS = "getStatus(address)";
const LIST = "listManager(address)";
const CAROL = `0x${"c0".repeat(20)}` as Address;
const NOBODY = `0x${"99".repeat(20)}` as Address;
const INT256 = { kind: "int", bits: 256 } as const;
const STRING = { kind: "string" } as const;
const ADDRESSES = { kind: "array", element: { kind: "address" }, length: undefined } as const;

const status = async (chain: TestChain, address: Address) =>
  outputs([INT256, STRING], await life.receipt(chain, STATUS, [address]));
const managers = async (chain: TestChain, address: Address) =>
  outputs([INT256, ADDRESSES], await life.receipt(chain, LIST, [address]));

async function withContract(since?: number): Promise<{ chain: TestChain; contract: Address }> {
  const chain = await openTestChain(since === undefined ? {} : { version: version(2, since, 0) });
  return { chain, contract: await chain.deploy(assemble("1 0 mstore 32 0 return")) };
}

test("a frozen contract refuses calls until it is available again", async () => {
  const { chain, contract } = await withContract();
  assert.equal(await life.code(chain, UNFREEZE, [contract]), -51_901);
  assert.deepEqual(await status(chain, contract), [0n, "The contract is available."]);
  assert.equal(await life.code(chain, FREEZE, [contract]), 1);
  assert.equal(await life.code(chain, FREEZE, [contract]), -51_900);
  assert.equal((await chain.send({ to: contract })).status, 30);
  const frozen = "The contract has been frozen. You can invoke this contract after unfreezing it.";
  assert.deepEqual(await status(chain, contract), [0n, frozen]);
  assert.equal(await life.code(chain, UNFREEZE, [contract]), 1);
  assert.equal((await chain.send({ to: contract })).status, 0);
  assert.equal(await life.code(chain, FREEZE, [contract]), 1);
});

test("what is no contract is told from what does not exist", async () => {
  const { chain } = await withContract();
  for (const signature of [FREEZE, UNFREEZE, GRANT, REVOKE]) {
    const values = (address: Address): Address[] =>
      signature === GRANT || signature === REVOKE ? [address, BOB] : [address];
    assert.equal(await life.code(chain, signature, values(NOBODY)), -51_904);
    assert.equal(await life.code(chain, signature, values(ALICE)), -51_903);
  }
  assert.deepEqual(await status(chain, NOBODY), [0n, "The address is nonexistent."]);
  assert.deepEqual(await status(chain, ALICE), [0n, "This is not a contract address."]);
  assert.deepEqual(await managers(chain, NOBODY), [-51_904n, []]);
  assert.deepEqual(await managers(chain, ALICE), [-51_903n, []]);
});

test("managers make managers, down to the last one", async () => {
  const { chain, contract } = await withContract();
  assert.deepEqual(await managers(chain, contract), [0n, [ALICE]]);
  assert.equal(await life.code(chain, FREEZE, [contract], BOB), -51_905);
  assert.equal(await life.code(chain, GRANT, [contract, BOB], BOB), -51_905);
  assert.equal(await life.code(chain, GRANT, [contract, BOB]), 1);
  assert.equal(await life.code(chain, GRANT, [contract, BOB]), -51_902);
  assert.deepEqual(await managers(chain, contract), [0n, [ALICE, BOB]]);
  assert.equal(await life.code(chain, FREEZE, [contract], BOB), 1);
  assert.equal(await life.code(chain, REVOKE, [contract, CAROL]), -51_906);
  assert.equal(await life.code(chain, REVOKE, [contract, ALICE], BOB), 1);
  assert.equal(await life.code(chain, REVOKE, [contract, CAROL], BOB), -51_907);
  assert.deepEqual(await managers(chain, contract), [0n, [BOB]]);
});

test("committee members manage every contract from 2.5.0 on", async () => {
  for (const [since, code] of [
    [4, -51_905],
    [5, 1],
  ] as const) {
    const opened = await withContract(since);
    const chain = await grant(opened.chain, "_sys_table_access_", BOB);
    assert.equal(await life.code(chain, FREEZE, [opened.contract], BOB), code);
  }
});

test("a manager is revoked from 2.7.0 on; before, nothing is returned", async () => {
  const { chain, contract } = await withContract(6);
  const { status: failed, output } = await life.receipt(chain, REVOKE, [contract, BOB]);
  assert.deepEqual([failed, output.length], [0, 0]);
  const now = await withContract(7);
  assert.equal(await life.code(now.chain, REVOKE, [now.contract, BOB]), -51_907);
});

test("a row that says false does not freeze", async () => {
  const opened = await openTestChain();
  const contract = await opened.deploy(assemble("stop"));
  const chain = await withAccountRow(opened, contract, { key: "frozen", value: "false" });
  assert.deepEqual(await status(chain, contract), [0n, "The contract is available."]);
  assert.equal((await life.receipt(chain, "nothing()", [])).gasUsed, 21_272n);
});
