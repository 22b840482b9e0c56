/** Contracts by name on a chain. */
// rules: console 4.3, 9; interface 7.5
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import type { People } from "./people.ts";

/** Lists the tests. */
export function nameTests({ world, done, refused }: Steps, { mine }: People): void {
  test("names: two versions are deployed, and the last is meant without a version", async () => {
    const { code, stdout } = await world().run(...mine.words, "deployByCNS", "HelloWorld", "1.0");
    assert.equal(code, 0);
    const lines = stdout.split("\n");
    assert.match(lines[0] ?? "", /^transaction hash: 0x\w{64}$/);
    assert.match(lines[1] ?? "", /^contract address: 0x\w{40}$/);
    const rest = [
      `currentAccount: ${mine.address}`,
      "{",
      '    "code":0,',
      '    "msg":"success"',
      "}",
    ];
    assert.deepEqual(lines.slice(2), [...rest, "", ""]);
    const data = await done([
      "deployByCNS HelloWorld 2.0",
      "callByCNS HelloWorld set two",
      "callByCNS HelloWorld get",
      "callByCNS HelloWorld:1.0 get",
      "callByCNS HelloWorld:2.0 get",
      "queryCNS HelloWorld",
      "queryCNS HelloWorld 2.0",
      "queryCNS Nobody",
    ]);
    const [, , last, first, second, all, two, none] = data;
    assert.deepEqual(last, { values: ["two"] });
    assert.deepEqual(first, { values: ["Hello, World!"] });
    assert.deepEqual(second, { values: ["two"] });
    const versions = (all as { version: string }[]).map(({ version }) => version);
    assert.deepEqual(versions, ["1.0", "2.0"]);
    assert.deepEqual([(two as unknown[]).length, none], [1, []]);
  });

  test("names: a contract that exists is registered, with the ABI that was kept", async () => {
    const [listed] = await done(["listDeployContractAddress HelloWorld 1"]);
    const [{ address } = { address: "" }] = listed as { address: string }[];
    const registered = await world().run("registerCNS", "HelloWorld", address, "3.0");
    assert.deepEqual([registered.code, registered.stderr], [0, ""]);
    const foreign = await world().run("registerCNS", "HelloWorld", `0x${"9".repeat(40)}`, "4.0");
    assert.equal(foreign.code, 0);
    assert.match(foreign.stderr, /registered without its ABI/);
    const [third] = await done(["callByCNS HelloWorld:3.0 get"]);
    assert.deepEqual(third, { values: ["two"] });
  });

  test("names: the codes that the console gives itself, and nothing is sent", async () => {
    const [before] = await done(["getBlockNumber"]);
    const long = "1".repeat(129);
    const told = await refused([
      "deployByCNS HelloWorld 1.0",
      `deployByCNS HelloWorld ${long}`,
      `registerCNS HelloWorld 0x1 2.0`,
      `registerCNS HelloWorld 0x1 ${long}`,
      "callByCNS HelloWorld:9.0 get",
      "callByCNS Nobody get",
    ]);
    assert.deepEqual(told.slice(0, 4), [
      [-51_200, "contract name and version already exist"],
      [-51_201, "version length exceeds the maximum limit"],
      [-51_200, "contract name and version already exist"],
      [-51_201, "version length exceeds the maximum limit"],
    ]);
    assert.match(told[4]?.[1] ?? "", /No contract is registered as HelloWorld, version 9\.0/);
    assert.match(told[5]?.[1] ?? "", /No contract is registered as Nobody/);
    assert.deepEqual(await done(["getBlockNumber"]), [before]);
    const single = await world().run("deployByCNS", "HelloWorld", "1.0");
    assert.equal(single.code, 1);
    const text = "contract name and version already exist";
    assert.equal(single.stdout, `{\n    "code":-51200,\n    "msg":"${text}"\n}\n\n`);
  });
}
