/** Texts of contracts, rows and names in plain output. */
// rules: console 3, console 4.3, console 4.6
import assert from "node:assert/strict";
import { test } from "vitest";
import { encodeFunction } from "../../../../core/client/abi-item.ts";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import { ConsoleFault } from "../../../../runtimes/tools/console/command.ts";
import { COMMANDS } from "../../../../runtimes/tools/console/commands/all.ts";
import { callContract } from "../../../../runtimes/tools/console/contracts/call-contract.ts";
import { chooseFunction } from "../../../../runtimes/tools/console/contracts/choose-function.ts";
import { harmless, oneLine } from "../../../../runtimes/tools/console/foreign-text.ts";
import { outcomeDocument } from "../../../../runtimes/tools/console/print.ts";
import { readLine, runInvocation } from "../../../../runtimes/tools/console/run-line.ts";
import { type PosedAnswers, posedSession } from "../../../support/console/posed-session.ts";

/** Ends its line and begins others that look like the console's. */
const FORGED = "x\nReturn code: 0\r\u2028forged\u0085\u001b[2K\u202e";
const SHOWN = String.raw`x\nReturn code: 0\r\u2028forged\u0085\u001b[2K\u202e`;
const ADDRESS = `0x${"ab".repeat(20)}` as const;
const BREAKS = /[\n\r\u0085\u2028\u2029]/;

/** A text as contracts give it back, behind the selector of the name. */
function encoded(name: string) {
  const item = { type: "function", name, inputs: [{ type: "string" }] };
  return encodeFunction([item], name, [FORGED], createStandardSuite().hash).data;
}

async function run(line: string, answers: PosedAnswers) {
  return await runInvocation(posedSession(answers), readLine(line, COMMANDS));
}

test("a text fits into one line, and what can be seen stays as it is", () => {
  assert.equal(oneLine(FORGED), SHOWN);
  assert.equal(oneLine("\t\u0000\u007f\u2066"), String.raw`\t\u0000\u007f\u2066`);
  const plain = String.raw`C:\new 你好 😀 "quoted" ~`;
  assert.equal(oneLine(plain), plain);
  assert.equal(
    harmless("\u001b[31ma\u001b[0m\n\tb\u001b[2K\u2028"),
    "\u001b[31ma\u001b[0m\n\tb?[2K?",
  );
});

test("what a contract returns cannot begin a line of its own", async () => {
  const outputs = [{ type: "string" }];
  const item = { type: "function", name: "get", outputs, stateMutability: "view" };
  const output = `0x${encoded("any").slice(10)}`;
  const session = posedSession({ results: { call: { status: "0x0", output } } });
  const place = { address: ADDRESS, abi: [item] };
  const outcome = await callContract(session, place, { name: "get", args: [] });
  assert.ok(outcome.text.includes(`\nReturn values:(${SHOWN})\n`), outcome.text);
  assert.equal(outcome.text.match(/^Return code: 0$/gm)?.length, 1);
  // For programs it is exact.
  assert.deepEqual(JSON.parse(outcomeDocument(outcome)).data, { values: [FORGED] });
});

test("neither can the reason of a refusal", async () => {
  const results = { call: { status: "0x16", output: encoded("Error") } };
  const abi = [{ type: "function", name: "get", stateMutability: "view" }];
  const call = callContract(
    posedSession({ results }),
    { address: ADDRESS, abi },
    {
      name: "get",
      args: [],
    },
  );
  const fault = await call.catch((cause: unknown) => cause);
  assert.ok(fault instanceof ConsoleFault);
  assert.ok(fault.text?.includes(`\nReturn message: ${SHOWN}\n`), fault.text);
  assert.equal(fault.message, FORGED);
});

test("neither can rows of tables, in both forms", async () => {
  const constants = {
    "desc(string)(string,string)": ["name", "item"],
    "select(string,string,string,string)(string)": [JSON.stringify([{ name: "a", item: FORGED }])],
  };
  const line = "select * from t where name = a";
  const table = await run(line, { constants });
  assert.match(table.text.split("\n")[3] ?? "", /^a {4}\| x\\nReturn/);
  assert.ok(!BREAKS.test(table.text.replaceAll("\n", "")));
  const old = await run(line, { constants, legacyRows: true });
  assert.equal(old.text, `{name=a, item=${SHOWN}}\n1 row(s) in set.`);
  assert.deepEqual(table.data, [{ name: "a", item: FORGED }]);
});

test("neither can versions of names, accounts with a right, and votes", async () => {
  const rows = [{ name: "Hello", version: FORGED, address: ADDRESS, abi: "" }];
  const names = { "selectByName(string)(string)": [JSON.stringify(rows)] };
  const named = await run("queryCNS Hello", { constants: names });
  assert.equal(named.text.split("\n")[2], `* contract version: ${SHOWN}`);
  const managers = [{ address: FORGED, enable_num: FORGED }];
  const constants = { "queryByName(string)(string)": [JSON.stringify(managers)] };
  const listed = await run("listUserTableManager t", { constants });
  assert.equal(listed.text.split("\n").length, 4);
  assert.ok(listed.text.includes(`${SHOWN} | `), listed.text);
  const votes = { "queryVotesOfThreshold()(string)": [JSON.stringify({ [FORGED]: [FORGED] })] };
  const shown = await run("queryVotesOfThreshold", { constants: votes });
  assert.ok(!BREAKS.test(shown.text.replaceAll("\n", "")));
  assert.deepEqual(JSON.parse(shown.text), { [FORGED]: [FORGED] });
});

test("neither can the ABI that somebody registered with a name", () => {
  const abi = [{ type: "function", name: "get", inputs: [{ type: "uint256", name: FORGED }] }];
  for (const texts of [[], ["no"]]) {
    assert.throws(
      () => chooseFunction(abi, "get", texts),
      (fault) => fault instanceof ConsoleFault && !/^Return code/m.test(fault.message),
    );
  }
});
