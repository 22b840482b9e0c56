import assert from "node:assert/strict";
import { test } from "vitest";
import type { AbiValue } from "../../../../core/abi/encode.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import { NEWEST_VERSION, version, type Version } from "../../../../core/model/version.ts";
import { grant, withRow } from "../../../support/execution/added-rows.ts";
import { assemble } from "../../../support/execution/assembler.ts";
import { callsOf, errorText, int256, outputs } from "../../../support/execution/contract-calls.ts";
import {
  ALICE,
  BOB,
  openTestChain,
  type TestChain,
} from "../../../support/execution/test-chain.ts";

// rules: precompiles 12, execution 3.2, 4.2, 8

const governance = callsOf(0x1008);
const config = callsOf(0x1000);
const [CAROL, DAVE, ERIN] = ["c0", "da", "e1"].map((pair) => `0x${pair.repeat(20)}`) as [
  Address,
  Address,
  Address,
];
const GRANT = "grantCommitteeMember(address)";
const REVOKE = "revokeCommitteeMember(address)";
const MEMBERS = "listCommitteeMembers()";
const SET_WEIGHT = "updateCommitteeMemberWeight(address,int256)";
const WEIGHT = "queryCommitteeMemberWeight(address)";
const SET_THRESHOLD = "updateThreshold(int256)";
const THRESHOLD = "queryThreshold()";
const VOTES = "queryVotesOfMember(address)";
const THRESHOLD_VOTES = "queryVotesOfThreshold()";
const GRANT_OPERATOR = "grantOperator(address)";
const REVOKE_OPERATOR = "revokeOperator(address)";
const OPERATORS = "listOperators()";
const FREEZE = "freezeAccount(address)";
const UNFREEZE = "unfreezeAccount(address)";
const STATUS = "getAccountStatus(address)";
const ACCESS = "_sys_table_access_";
const BOOL = { kind: "bool" } as const;
const INT256 = { kind: "int", bits: 256 } as const;

const code = (chain: TestChain, signature: string, values: AbiValue[], from?: Address) =>
  governance.code(chain, signature, values, from);
const text = (chain: TestChain, signature: string, values: AbiValue[] = []) =>
  governance.text(chain, signature, values);
const weight = async (chain: TestChain, member: Address) =>
  outputs([BOOL, INT256], await governance.receipt(chain, WEIGHT, [member]));

/** Copies its input, calls the contract with it and reverts. */
const ASK_AND_REVERT = assemble(
  "calldatasize 0 0 calldatacopy 0 0 calldatasize 0 0 4104 gas call 0 0 revert",
);

/** A committee of ALICE and BOB. */
async function withCommittee(chainVersion?: Version): Promise<TestChain> {
  const chain = await openTestChain(chainVersion === undefined ? {} : { version: chainVersion });
  assert.equal(await code(chain, GRANT, [ALICE], ERIN), 1);
  assert.equal(await code(chain, GRANT, [BOB]), 1);
  return chain;
}

test("the first member is granted by anybody, the others by votes", async () => {
  const chain = await withCommittee();
  const [alice, bob] = [
    `{"address":"${ALICE}","enable_num":"1"}`,
    `{"address":"${BOB}","enable_num":"2"}`,
  ];
  assert.equal(await text(chain, MEMBERS), `[${alice},${bob}]\n`);
  assert.equal(await code(chain, GRANT, [BOB]), -52_000);
  assert.equal(await code(chain, GRANT, [CAROL], ERIN), -52_002);
  assert.equal(await code(chain, GRANT, [CAROL]), 0);
  const vote = `{"block_limit":"10005","voter":"${ALICE}"}`;
  assert.equal(await text(chain, VOTES, [CAROL]), `{"grant":[${vote}]}\n`);
  assert.equal(await code(chain, GRANT, [CAROL]), 0);
  assert.equal(await code(chain, GRANT, [CAROL], BOB), 1);
  assert.equal(await text(chain, VOTES, [CAROL]), "null\n");
  assert.deepEqual(await weight(chain, CAROL), [true, 1n]);
});

test("members and nobody else write configuration and roles", async () => {
  const chain = await withCommittee();
  const values = ["tx_count_limit", "7"] as const;
  assert.equal(await config.code(chain, "setValueByKey(string,string)", values, CAROL), -50_000);
  assert.equal(await config.code(chain, "setValueByKey(string,string)", values, BOB), 1);
});

test("a member is revoked by votes, with all that it had", async () => {
  const chain = await withCommittee();
  assert.equal(await code(chain, REVOKE, [CAROL]), -52_001);
  assert.equal(await code(chain, REVOKE, [ALICE], ERIN), -52_002);
  assert.equal(await code(chain, REVOKE, [ALICE], BOB), 0);
  assert.equal(await code(chain, REVOKE, [ALICE]), 1);
  assert.deepEqual(await weight(chain, ALICE), [false, -52_001n]);
  assert.match(await text(chain, MEMBERS), new RegExp(`^\\[{"address":"${BOB}"[^{]*]\n$`));
  const values = ["tx_count_limit", "7"] as const;
  assert.equal(await config.code(chain, "setValueByKey(string,string)", values), -50_000);
});

test("a second vote on a member replaces the first one", async () => {
  const chain = await withCommittee();
  assert.equal(await code(chain, GRANT, [CAROL]), 0);
  assert.equal(await code(chain, GRANT, [CAROL], BOB), 1);
  // Two votes of three are needed, and ALICE has one however often she votes.
  assert.equal(await code(chain, REVOKE, [CAROL]), 0);
  assert.equal(await code(chain, REVOKE, [CAROL]), 0);
  assert.equal((await text(chain, VOTES, [CAROL])).match(/voter/g)?.length, 1);
  assert.equal(await code(chain, REVOKE, [CAROL], BOB), 1);
});

test("weights decide, and only a share above the threshold", async () => {
  const chain = await withCommittee();
  assert.equal(await code(chain, SET_WEIGHT, [CAROL, 3n]), -52_001);
  assert.equal(await code(chain, SET_WEIGHT, [ALICE, 1n]), -52_012);
  assert.equal(await code(chain, SET_WEIGHT, [ALICE, 3n], ERIN), -52_002);
  assert.equal(await code(chain, SET_WEIGHT, [ALICE, 3n]), 0);
  const votes = await text(chain, VOTES, [ALICE]);
  assert.match(votes, /^{"update_weight":\[{"block_limit":"\d+","target":"3","voter":"0xa1/);
  assert.equal(await code(chain, SET_WEIGHT, [ALICE, 3n], BOB), 1);
  assert.deepEqual(await weight(chain, ALICE), [true, 3n]);
  // Three of four are more than a half.
  assert.equal(await code(chain, SET_THRESHOLD, [75n]), 1);
  // Three of four are not more than 75 percent.
  assert.equal(await code(chain, SET_THRESHOLD, [40n]), 0);
  assert.equal(await code(chain, SET_THRESHOLD, [40n], BOB), 1);
});

// rules: storage 4
test("a weight is not found by its new value where a removal was rolled back", async () => {
  const chain = await withCommittee();
  const contract = await chain.deploy(ASK_AND_REVERT);
  assert.equal(await code(chain, REVOKE, [ALICE], BOB), 0);
  const heavier = (from: Address) => governance.sending(SET_WEIGHT, [ALICE, 3n], from);
  const removal = { ...governance.sending(REVOKE, [ALICE]), to: contract };
  const block = await chain.block(removal, heavier(ALICE), heavier(BOB), heavier(ERIN));
  const [undone, ...votes] = block.receipts;
  assert.equal(undone?.status, 22);
  assert.deepEqual(votes.map(int256), [0, 1, -52_002]);
  assert.deepEqual(await weight(chain, ALICE), [true, 3n]);
  assert.equal(await code(chain, SET_WEIGHT, [ALICE, 3n], ERIN), -52_012);
});

test("a weight is above 0 from 2.7.0 on", async () => {
  const chain = await withCommittee();
  for (const value of [0n, -1n]) {
    const refused = await governance.receipt(chain, SET_WEIGHT, [CAROL, value]);
    const what = `updateCommitteeMemberWeight failed for invalid weight "${value}"`;
    assert.equal(errorText(refused), `${what}, the weight must be greater than 0`);
  }
  const old = await withCommittee(version(2, 6, 0));
  assert.equal(await code(old, SET_WEIGHT, [ALICE, 0n]), 0);
});

test("the threshold is a percentage from 0 to 99", async () => {
  const chain = await withCommittee();
  assert.equal(await code(chain, THRESHOLD, []), 50);
  assert.equal(await code(chain, SET_THRESHOLD, [-1n]), -52_003);
  assert.equal(await code(chain, SET_THRESHOLD, [100n]), -52_003);
  assert.equal(await code(chain, SET_THRESHOLD, [50n], ERIN), -52_012);
  assert.equal(await code(chain, SET_THRESHOLD, [7n], ERIN), -52_002);
  assert.equal(await code(chain, SET_THRESHOLD, [7n]), 0);
  assert.equal(await code(chain, SET_THRESHOLD, [29n], BOB), 0);
  const shown = await text(chain, THRESHOLD_VOTES);
  assert.match(shown, /^{"0\.070000":\[{[^[]*"voter":"0xa1[^[]*],"0\.290000":\[{[^[]*0xb0/);
  assert.equal(await code(chain, SET_THRESHOLD, [29n]), 1);
  // Floating point: 0.29 times 100 is a little less than 29.
  assert.equal(await code(chain, THRESHOLD, []), 28);
  assert.equal(await text(chain, THRESHOLD_VOTES), "null\n");
});

test("passed votes on the threshold stay below 2.7.0", async () => {
  const chain = await withCommittee(version(2, 6, 0));
  assert.equal(await code(chain, SET_THRESHOLD, [60n]), 0);
  assert.equal(await code(chain, SET_THRESHOLD, [60n], BOB), 1);
  assert.equal((await text(chain, THRESHOLD_VOTES)).match(/voter/g)?.length, 2);
  assert.equal(await code(chain, GRANT, [CAROL]), 0);
  assert.equal(await code(chain, GRANT, [CAROL], BOB), 1);
  assert.equal(await text(chain, VOTES, [CAROL]), "null\n");
});

test("a vote counts for 10000 blocks", async () => {
  for (const [limit, result] of [
    ["2", 0],
    ["3", 1],
  ] as const) {
    const columns = { key: CAROL, value: "grant", origin: BOB, block_limit: limit };
    const table = "_sys_committee_votes_";
    const chain = await withRow(await withCommittee(), { table, key: CAROL, columns });
    assert.equal(await code(chain, GRANT, [CAROL]), result);
    const votes = await text(chain, VOTES, [CAROL]);
    assert.equal(votes.match(/voter/g)?.length, result === 1 ? undefined : 1);
  }
});

test("operators create tables and contracts, and are no members", async () => {
  const chain = await withCommittee();
  assert.equal(await code(chain, GRANT_OPERATOR, [DAVE], ERIN), -52_002);
  assert.equal(await code(chain, GRANT_OPERATOR, [BOB]), -52_005);
  assert.equal(await code(chain, GRANT_OPERATOR, [DAVE]), 1);
  assert.equal(await code(chain, GRANT_OPERATOR, [DAVE], BOB), -52_006);
  assert.equal(await text(chain, OPERATORS), `[{"address":"${DAVE}","enable_num":"5"}]\n`);
  assert.equal(await code(chain, GRANT, [DAVE]), -52_004);
  assert.equal((await chain.send({ from: ALICE, input: "00" })).status, 25);
  assert.equal((await chain.send({ from: DAVE, input: "00" })).status, 0);
  assert.equal(await code(chain, REVOKE_OPERATOR, [DAVE], ERIN), -52_002);
  assert.equal(await code(chain, REVOKE_OPERATOR, [CAROL]), -52_007);
  assert.equal(await code(chain, REVOKE_OPERATOR, [DAVE]), 1);
  assert.equal(await text(chain, OPERATORS), "[]\n");
});

// rules: precompiles 9
test("a permission that a member or an operator has already is not given twice", async () => {
  const chain = await openTestChain();
  const permission = callsOf(0x1005);
  const insert = (table: string, user: Address) =>
    permission.code(chain, "insert(string,string)", [table, user]);
  const listed = async (table: string) => {
    const rows = await permission.text(chain, "queryByName(string)", [table]);
    return (JSON.parse(rows) as { address: string; enable_num: string }[]).map((row) => [
      row.address,
      row.enable_num,
    ]);
  };
  assert.equal(await insert("_sys_consensus_", ALICE), 1);
  assert.equal(await insert("_sys_cns_", DAVE), 1);
  assert.equal(await code(chain, GRANT, [ALICE], ERIN), 1);
  assert.equal(await code(chain, GRANT_OPERATOR, [DAVE]), 1);
  assert.deepEqual(await listed("_sys_consensus_"), [[ALICE, "1"]]);
  assert.deepEqual(await listed("_sys_config_"), [[ALICE, "3"]]);
  assert.deepEqual(await listed("_sys_cns_"), [[DAVE, "2"]]);
  assert.deepEqual(await listed("_sys_tables_"), [[DAVE, "4"]]);
});

// rules: execution 8
test("a member decides at once, and changes other lists from the block after its grant on", async () => {
  const chain = await withCommittee();
  const listed = async (table: string) => {
    const rows = await callsOf(0x1005).text(chain, "queryByName(string)", [table]);
    return (JSON.parse(rows) as { address: string }[]).map(({ address }) => address);
  };
  const vote = (signature: string, user: Address, from?: Address) =>
    governance.sending(signature, [user], from);
  await chain.block(
    vote(GRANT, CAROL),
    vote(GRANT, CAROL, BOB),
    vote(GRANT, DAVE),
    vote(GRANT, DAVE, CAROL),
    vote(REVOKE, ALICE, BOB),
    vote(REVOKE, ALICE, DAVE),
    vote(REVOKE, ALICE, CAROL),
  );
  assert.deepEqual(await listed(ACCESS), [BOB, CAROL, DAVE]);
  // CAROL gave DAVE nothing more, and took nothing more from ALICE.
  assert.deepEqual(await listed("_sys_config_"), [ALICE, BOB, CAROL]);
  assert.deepEqual(await weight(chain, DAVE), [true, 1n]);
  assert.deepEqual(await weight(chain, ALICE), [false, -52_001n]);
});

test("a member makes operators from the block after its grant on", async () => {
  const chain = await withCommittee();
  await code(chain, GRANT, [CAROL]);
  const { receipts } = await chain.block(
    governance.sending(GRANT, [CAROL], BOB),
    governance.sending(GRANT_OPERATOR, [DAVE], CAROL),
  );
  const [granted, refused] = receipts;
  assert.ok(granted && refused);
  assert.equal(int256(granted), 1);
  const message = `Permission denied. ${CAROL} can't grantOperator operator ${DAVE}`;
  assert.equal(errorText(refused), message);
  assert.equal(await code(chain, GRANT_OPERATOR, [DAVE], CAROL), 1);
});

test("members freeze accounts that exist, but none of their own", async () => {
  const opened = await openTestChain();
  const contract = await opened.deploy(assemble("stop"));
  for (const from of [CAROL, BOB]) await opened.send({ from, input: "00" });
  const chain = await grant(await grant(opened, ACCESS, ALICE), ACCESS, BOB);
  for (const [signature, state] of [
    [FREEZE, -52_011],
    [UNFREEZE, -52_010],
  ] as const) {
    assert.equal(await code(chain, signature, [ERIN]), -52_008);
    assert.equal(await code(chain, signature, [contract]), -52_009);
    assert.equal(await code(chain, signature, [CAROL], ERIN), -50_000);
    if (signature === FREEZE) assert.equal(await code(chain, FREEZE, [BOB]), -50_000);
    assert.equal(await code(chain, signature, [CAROL]), 1);
    assert.equal(await code(chain, signature, [CAROL]), state);
    assert.equal(await code(chain, signature, [CAROL]), state);
    const isFrozen = signature === FREEZE;
    assert.equal((await chain.send({ from: CAROL, to: contract })).status, isFrozen ? 31 : 0);
    assert.equal((await chain.send({ from: CAROL, input: "00" })).status, isFrozen ? 31 : 0);
    const status = isFrozen
      ? "The account has been frozen. You can use this account after unfreezing it."
      : "The account is available.";
    assert.equal(await text(chain, STATUS, [CAROL]), status);
  }
  assert.equal(await text(chain, STATUS, [ERIN]), "The address is nonexistent.");
  assert.equal(await text(chain, STATUS, [contract]), "This is not a account address.");
});

test("where the committee is confirmed again, a second member needs no vote", async () => {
  const chain = await openTestChain({ processor: { reconfirmCommittee: true } });
  assert.equal(await code(chain, GRANT, [ALICE], ERIN), 1);
  assert.equal(await code(chain, GRANT, [BOB], ERIN), 1);
  assert.equal(await code(chain, GRANT, [CAROL], ERIN), -52_002);
});

test("an unknown method returns nothing", async () => {
  const receipt = await governance.receipt(await openTestChain(), "nothing()", []);
  assert.deepEqual([receipt.status, receipt.output.length, receipt.gasUsed], [0, 0, 21_272n]);
});

for (const at of [NEWEST_VERSION, version(2, 6, 0)]) {
  test(`at ${at} a block that rolled back the first use of the votes has no threshold`, async () => {
    const chain = await openTestChain({ version: at });
    const contract = await chain.deploy(ASK_AND_REVERT);
    const ask = governance.sending(THRESHOLD, []);
    const [undone, failed, refused] = (
      await chain.block({ ...ask, to: contract }, ask, governance.sending(SET_THRESHOLD, [60n]))
    ).receipts;
    assert.deepEqual([undone?.status, failed?.status], [22, 21]);
    const shown = at === NEWEST_VERSION ? "Entries no exists: 0" : "PrecompiledError";
    assert.equal(failed && errorText(failed), shown);
    // Who may vote is asked before the threshold.
    assert.equal(refused && int256(refused), -52_002);
    assert.equal(await code(chain, THRESHOLD, []), 50);
  });
}
