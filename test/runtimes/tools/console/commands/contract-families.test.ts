/**
 * Contracts, names, tables, permissions, votes, life cycle and gas: what is sent for a line, and
 * what is refused before anything is sent. Source: console 4.3, 4.6 to 4.10
 */
// rules: console 4.6, console 4.7, console 4.8, console 4.9, console 4.10, interface 7.5
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { ClientCodeFault } from "../../../../../core/fault/client-codes.ts";
import { ConsoleFault, EXIT } from "../../../../../runtimes/tools/console/command.ts";
import { COMMANDS } from "../../../../../runtimes/tools/console/commands/all.ts";
import { readLine, runInvocation } from "../../../../../runtimes/tools/console/run-line.ts";
import {
  type PosedAnswers,
  POSED_HASH,
  posedSession,
} from "../../../../support/console/posed-session.ts";

const A = `0x${"ab".repeat(20)}`;
const B = `0x${"cd".repeat(20)}`;
const TABLE = { "desc(string)(string,string)": ["name", "item_id,price"] };
const ROWS = JSON.stringify([{ name: "HelloWorld", version: "1.0", address: A, abi: "" }]);
const NAMES = { "selectByName(string)(string)": [ROWS] };

function at(address: string): string {
  return `0x${address.padStart(40, "0")}`;
}

async function run(line: string, answers: PosedAnswers = {}) {
  const posed = posedSession(answers);
  const outcome = await runInvocation(posed, readLine(line, COMMANDS));
  const sent = posed.calls.filter((call) => call.startsWith("send "));
  return { outcome, sent, lines: posed.lines };
}

/** What is refused, with nothing sent. */
async function refusalOf(line: string, answers: PosedAnswers = {}) {
  const posed = posedSession(answers);
  const cause: unknown = await runInvocation(posed, readLine(line, COMMANDS)).then(
    () => undefined,
    (fault: unknown) => fault,
  );
  assert.ok(cause instanceof ConsoleFault || cause instanceof ClientCodeFault, String(cause));
  assert.ok(!posed.calls.some((call) => call.startsWith("send ")), line);
  return cause;
}

describe("what is sent", () => {
  test.each([
    [`grantDeployAndCreateManager ${A}`, "1005", `insert(string,string) _sys_tables_ ${A}`],
    [`revokeDeployAndCreateManager ${A}`, "1005", `remove(string,string) _sys_tables_ ${A}`],
    [`grantNodeManager ${A}`, "1005", `insert(string,string) _sys_consensus_ ${A}`],
    [`grantCNSManager ${A}`, "1005", `insert(string,string) _sys_cns_ ${A}`],
    [`grantSysConfigManager ${A}`, "1005", `insert(string,string) _sys_config_ ${A}`],
    [`grantUserTableManager t ${A}`, "1005", `insert(string,string) t ${A}`],
    [`revokeUserTableManager t 0x1`, "1005", `remove(string,string) t ${at("1")}`],
    [`grantContractWritePermission ${A} ${B}`, "1005", `grantWrite(address,address) ${A} ${B}`],
    [`revokeContractWritePermission ${A} ${B}`, "1005", `revokeWrite(address,address) ${A} ${B}`],
    [`grantCommitteeMember ${A}`, "1008", `grantCommitteeMember(address) ${A}`],
    [`revokeCommitteeMember ${A}`, "1008", `revokeCommitteeMember(address) ${A}`],
    [
      `updateCommitteeMemberWeight ${A} 2`,
      "1008",
      `updateCommitteeMemberWeight(address,int256) ${A} 2`,
    ],
    ["updateThreshold 0", "1008", "updateThreshold(int256) 0"],
    [`grantOperator ${A}`, "1008", `grantOperator(address) ${A}`],
    [`revokeOperator ${A}`, "1008", `revokeOperator(address) ${A}`],
    [`freezeAccount ${A}`, "1008", `freezeAccount(address) ${A}`],
    [`unfreezeAccount ${A}`, "1008", `unfreezeAccount(address) ${A}`],
    [`freezeContract ${A}`, "1007", `freeze(address) ${A}`],
    [`unfreezeContract ${A}`, "1007", `unfreeze(address) ${A}`],
    [`grantContractStatusManager ${A} ${B}`, "1007", `grantManager(address,address) ${A} ${B}`],
    [`revokeContractStatusManager ${A} ${B}`, "1007", `revokeManager(address,address) ${A} ${B}`],
    [`grantCharger ${A}`, "1009", `grantCharger(address) ${A}`],
    [`revokeCharger ${A}`, "1009", `revokeCharger(address) ${A}`],
    [`chargeGas ${A} 5`, "1009", `charge(address,uint256) ${A} 5`],
    [`deductGas ${A} 5`, "1009", `deduct(address,uint256) ${A} 5`],
    [
      "create table t (name varchar primary key, item_id int)",
      "1001",
      "createTable(string,string,string) t name item_id",
    ],
    [
      "insert into t values (fruit, 1, 2);",
      "1002",
      'insert(string,string,string,string) t fruit {"item_id":"1","price":"2"} ',
    ],
    [
      "update t set price = 3 where name = fruit and item_id > 1 limit 1",
      "1002",
      "update(string,string,string,string,string) t fruit " +
        '{"price":"3"} {"item_id":{"gt":"1"},"limit":{"limit":"0,1"}} ',
    ],
    ["delete from t where name = fruit", "1002", "remove(string,string,string,string) t fruit {} "],
    [
      `registerCNS HelloWorld ${B} 2.0`,
      "1004",
      `insert(string,string,string,string) HelloWorld 2.0 ${B} `,
    ],
  ])("%s", async (line, contract, call) => {
    // Two words: a code, and the gas that is left.
    const output = `0x${"1".padStart(64, "0")}${"7".padStart(64, "0")}` as const;
    const { outcome, sent } = await run(line, { constants: { ...TABLE, ...NAMES }, output });
    assert.deepEqual(sent, [`send ${at(contract)} ${call}`]);
    assert.match(outcome.text, new RegExp(`^TransactionHash: ${POSED_HASH}\n`));
  });

  test("a contract that is registered without its ABI is told", async () => {
    const { lines } = await run(`registerCNS HelloWorld ${B} 2.0`, { constants: NAMES });
    assert.match(lines.join(), /was not deployed from here: it is registered without its ABI/);
  });

  test("a vote that is one of several is told", async () => {
    const { lines } = await run("updateThreshold 60", { output: `0x${"0".repeat(64)}` });
    assert.match(lines.join(), /The vote is recorded; it takes effect when enough members agree/);
  });

  test("codes below 0 in both widths are refusals with the hash", async () => {
    const output = `0x${"ffffffffffff30f2".padStart(64, "0")}` as const;
    const fault: unknown = await run(`grantCharger ${A}`, { output }).catch((it: unknown) => it);
    assert.ok(fault instanceof ConsoleFault);
    assert.deepEqual([fault.code, fault.transactionHash], [-53006, POSED_HASH]);
  });
});

describe("what is told", () => {
  const managers = JSON.stringify([{ address: A, enable_num: "7", table_name: "t" }]);

  test("managers as a table in the middle, or that there are none", async () => {
    const signature = "queryByName(string)(string)";
    const { outcome } = await run("listUserTableManager t", {
      constants: { [signature]: [managers] },
    });
    const [rule = "", head = "", row = ""] = outcome.text.split("\n");
    assert.equal(rule, "-".repeat(93));
    assert.equal(head.trim().replace(/\s+/g, " "), "address | enable_num");
    assert.equal(head.indexOf("|"), 46);
    assert.equal(row.trim().replace(/\s+/g, " "), `${A} | 7`);
    const none = await run("listCNSManager", { constants: { [signature]: ["[]\n"] } });
    assert.equal(none.outcome.text, "Empty set.");
  });

  test.each<[string, Readonly<Record<string, readonly unknown[]>>, string]>([
    [
      `queryCommitteeMemberWeight ${A}`,
      { "queryCommitteeMemberWeight(address)(bool,int256)": [true, 3n] },
      `Account: ${A} Weight: 3`,
    ],
    ["queryThreshold", { "queryThreshold()(int256)": [50n] }, "Effective threshold : 50%"],
    ["queryVotesOfThreshold", { "queryVotesOfThreshold()(string)": ["null\n"] }, "Empty set."],
    ["queryVotesOfMember 0x1", { "queryVotesOfMember(address)(string)": ["{}"] }, "Empty set."],
    ["getAccountStatus 0x1", { "getAccountStatus(address)(string)": ["It is."] }, "It is."],
    ["getContractStatus 0x1", { "getStatus(address)(int256,string)": [0n, "So."] }, "So."],
    [
      `queryRemainGas ${A}`,
      { "queryRemainGas(address)(uint256,uint256)": [0n, 12n] },
      `Account: ${A} remainGas: 12`,
    ],
    [
      "desc t;",
      TABLE,
      '[\n    {\n        "key_field":"name",\n        "value_field":"item_id,price"\n    }\n]',
    ],
    [
      "select * from t where name = fruit",
      { ...TABLE, "select(string,string,string,string)(string)": ["[]\n"] },
      "Empty set.",
    ],
    ["queryCNS Other", { "selectByName(string)(string)": ["[]\n"] }, "Empty set."],
    [
      "queryCNS HelloWorld",
      NAMES,
      `${"-".repeat(93)}\n* contract address: ${A}\n* contract version: 1.0\n${"-".repeat(93)}`,
    ],
  ])("%s", async (line, constants, text) => {
    const { outcome } = await run(line, { constants });
    assert.equal(outcome.text, text);
  });

  test("rows as a table, and in the old form", async () => {
    const rows = JSON.stringify([{ _id_: "1", item_id: "1", name: "fruit", price: "2" }]);
    const constants = { ...TABLE, "select(string,string,string,string)(string)": [rows] };
    const line = "select * from t where name = fruit";
    const { outcome } = await run(line, { constants });
    const [, head, , row, , count] = outcome.text.split("\n");
    assert.deepEqual([head, row], ["name  | item_id | price", "fruit | 1       | 2"]);
    assert.equal(count, "1 row(s) in set.");
    const old = await run(line, { constants, legacyRows: true });
    assert.equal(old.outcome.text, "{name=fruit, item_id=1, price=2}\n1 row(s) in set.");
  });
});

const ADDRESS = /is no address: 0x and up to 40 hexadecimal digits/;

describe("what is refused before anything is sent", () => {
  test.each<[string, RegExp]>([
    ["grantUserTableManager t 0xzz", ADDRESS],
    ["revokeUserTableManager t me", ADDRESS],
    ["grantDeployAndCreateManager 0x", ADDRESS],
    ["revokeDeployAndCreateManager x", ADDRESS],
    ["grantNodeManager x", ADDRESS],
    ["grantCNSManager x", ADDRESS],
    ["grantSysConfigManager x", ADDRESS],
    [`grantContractWritePermission x ${A}`, ADDRESS],
    [`grantContractWritePermission ${A} x`, ADDRESS],
    ["listContractWritePermission x", ADDRESS],
    ["grantCommitteeMember x", ADDRESS],
    ["queryCommitteeMemberWeight x", ADDRESS],
    ["updateCommitteeMemberWeight x 1", ADDRESS],
    [`updateCommitteeMemberWeight ${A} 0`, /weight "0": a whole number from 1 to 2147483647/],
    [`updateCommitteeMemberWeight ${A} -1`, /weight "-1": a whole number from 1/],
    ["updateThreshold 100", /threshold "100": a whole number from 0 to 99/],
    ["updateThreshold -1", /threshold "-1": a whole number from 0 to 99/],
    ["updateThreshold half", /threshold "half": a whole number from 0 to 99/],
    ["queryVotesOfMember x", ADDRESS],
    ["grantOperator x", ADDRESS],
    ["freezeAccount x", ADDRESS],
    ["getAccountStatus x", ADDRESS],
    ["freezeContract x", ADDRESS],
    ["getContractStatus x", ADDRESS],
    ["listContractStatusManager x", ADDRESS],
    [`grantContractStatusManager ${A} x`, ADDRESS],
    [`revokeContractStatusManager x ${A}`, ADDRESS],
    ["chargeGas x 1", ADDRESS],
    [`chargeGas ${A} -1`, /value "-1": a whole number from 0 to 2\^256 - 1/],
    [`deductGas ${A} ${2n ** 256n}`, /a whole number from 0 to 2\^256 - 1/],
    ["queryRemainGas x", ADDRESS],
    ["grantCharger x", ADDRESS],
    ["create table t (a int)", /has no primary key/],
    ["create table t-x (a int primary key, b int)", /^Could not parse SQL statement\./],
    ["insert into t values (1)", /has 3 fields.* 1 values/],
    ["select * from t", /add where name = value/],
    ["update t set name = 1 where name = 1", /key field "name" of a row cannot be changed/],
    ["delete from t where item_id = 1", /add where name = value/],
    ["desc t；", /full-width sign ；/],
    ["registerCNS HelloWorld latest 2.0", ADDRESS],
    ["deploy NoSuchContract", /NoSuchContract does not exist/],
    ["call NoSuchContract latest get", /NoSuchContract was not deployed to group 1/],
    [`call NoSuchContract ${A} get`, /NoSuchContract does not exist/],
    ["call HelloWorld here get", ADDRESS],
    ["listAbi NoSuchContract", /NoSuchContract does not exist/],
    ["listDeployContractAddress HelloWorld 0", /count "0": a whole number from 1/],
    ["getDeployLog 101", /count "101": a whole number from 1 to 100/],
    ["getDeployLog 0", /count "0": a whole number from 1 to 100/],
    ["deploy HelloWorld -l LibA", /-l "LibA": the form is Library:0x<40 digits>/],
    ["listenEvents NoSuchContract latest", /was not deployed to group 1/],
    [`listenEvents HelloWorld ${A} --count 0`, /--count "0": a whole number from 1/],
    [`listenEvents HelloWorld ${A} --from x`, /--from "x": a whole number from 0/],
    ["grantOperator", /Usage:\n/],
    ["queryThreshold now", /Try 'queryThreshold -h or --help' for more information/],
  ])("%s", async (line, message) => {
    const fault = await refusalOf(line, { constants: { ...TABLE, ...NAMES } });
    assert.ok(fault instanceof ConsoleFault);
    assert.match(fault.message, message);
    assert.equal(fault.exitCode, EXIT.usage);
  });

  test.each([
    ["deployByCNS HelloWorld 1.0", -51200, "contract name and version already exist"],
    [`registerCNS HelloWorld ${B} 1.0`, -51200, "contract name and version already exist"],
    [
      `deployByCNS HelloWorld ${"1".repeat(129)}`,
      -51201,
      "version length exceeds the maximum limit",
    ],
    [
      `registerCNS HelloWorld ${B} ${"ü".repeat(65)}`,
      -51201,
      "version length exceeds the maximum limit",
    ],
  ])("%s: a code of the client", async (line, code, message) => {
    const fault = await refusalOf(line, { constants: NAMES });
    assert.deepEqual([fault.code, fault.message], [code, message]);
  });

  test.each<[string, PosedAnswers, number | undefined, string]>([
    [
      "select * from nothere where a = 1",
      { constants: { "desc(string)(string,string)": ["", ""] } },
      undefined,
      `The table "nothere" doesn't exist!`,
    ],
    [
      `queryCommitteeMemberWeight ${A}`,
      { constants: { "queryCommitteeMemberWeight(address)(bool,int256)": [false, -52001n] } },
      -52001,
      "committee member not exist",
    ],
    [
      "listContractStatusManager 0x1",
      { constants: { "listManager(address)(int256,address[])": [-51904n, []] } },
      -51904,
      "table not exist",
    ],
    [
      "queryRemainGas 0x1",
      { constants: { "queryRemainGas(address)(uint256,uint256)": [2n ** 256n - 52008n, 0n] } },
      -52008,
      "account not exist",
    ],
    [
      "callByCNS HelloWorld:9 get",
      { constants: { "selectByNameAndVersion(string,string)(string)": ["[]"] } },
      undefined,
      "No contract is registered as HelloWorld, version 9: see queryCNS.",
    ],
  ])("%s: what the chain says", async (line, answers, code, message) => {
    const fault = await refusalOf(line, answers);
    assert.deepEqual([fault.code, fault.message], [code, message]);
    assert.ok(fault instanceof ConsoleFault && fault.exitCode === EXIT.failed);
  });

  test.each([
    ["grantContractWritePermission 0x1 0x2", "2.2.0", "2.3.0"],
    ["freezeContract 0x1", "2.2.0", "2.3.0"],
    ["grantCommitteeMember 0x1", "2.4.0", "2.5.0"],
    ["revokeContractStatusManager 0x1 0x2", "2.6.0", "2.7.0"],
    ["queryVotesOfThreshold", "2.6.0", "2.7.0"],
    ["chargeGas 0x1 1", "2.8.0", "2.9.0"],
  ])("%s on a chain of %s", async (line, supportedVersion, least) => {
    const fault = await refusalOf(line, { supportedVersion });
    assert.match(fault.message, /^the node is too old for /);
    assert.ok(fault.message.includes(`${least} or later is needed`));
  });
});
