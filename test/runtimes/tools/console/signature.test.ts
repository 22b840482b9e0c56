/** Functions of contracts by a line of text, and codes of precompiled contracts. */
// rules: console 3, precompiles 0
import assert from "node:assert/strict";
import { test } from "vitest";
import { ConsoleFault } from "../../../../runtimes/tools/console/command.ts";
import { codeOf, sendForCode } from "../../../../runtimes/tools/console/precompiled.ts";
import { faultText } from "../../../../runtimes/tools/console/print.ts";
import { itemOf } from "../../../../runtimes/tools/console/signature.ts";
import { POSED_HASH, posedSession } from "../../../support/console/posed-session.ts";

test("a signature names the parameters, and the results behind them", () => {
  assert.deepEqual(itemOf("f()"), { type: "function", name: "f", inputs: [], outputs: [] });
  const item = itemOf("select(string, address)(bool,int256[])");
  assert.deepEqual(
    [item.inputs, item.outputs].map((list) => list?.map(({ type }) => type)),
    [
      ["string", "address"],
      ["bool", "int256[]"],
    ],
  );
  for (const text of ["", "f", "f(", "f(a)b", "f((a,b))"])
    assert.throws(() => itemOf(text), /is no signature of a function/);
});

test("a code is one word with its sign; no output is 0", () => {
  assert.equal(codeOf({ output: "0x" }), 0);
  assert.equal(codeOf({ output: `0x${"5".padStart(64, "0")}` }), 5);
  const minus = `0x${BigInt.asUintN(256, -51_101n).toString(16)}` as const;
  assert.equal(codeOf({ output: minus }), -51_101);
});

test("the hash is printed above the code, unless the command prints none", async () => {
  const call = { to: "0x01", signature: "f(string)", args: ["a"] } as const;
  const shown = await sendForCode(posedSession(), call);
  assert.ok(shown.text.startsWith(`TransactionHash: ${POSED_HASH}\n{`));
  assert.deepEqual(shown.data, { code: 0, msg: "success", transactionHash: POSED_HASH });
  const hidden = await sendForCode(posedSession(), { ...call, hidesHash: true });
  assert.ok(hidden.text.startsWith("{"));
  assert.deepEqual(hidden.data, shown.data, "programs get it from every command");
  const output = `0x${BigInt.asUintN(256, -50_000n).toString(16)}` as const;
  await assert.rejects(sendForCode(posedSession({ output }), call), /permission denied/);
  const refused = sendForCode(posedSession({ output }), { ...call, hidesHash: true });
  await assert.rejects(refused, (cause) => {
    assert.ok(cause instanceof ConsoleFault);
    assert.ok(faultText(cause).startsWith("{"), faultText(cause));
    assert.equal(cause.transactionHash, POSED_HASH);
    return true;
  });
});
