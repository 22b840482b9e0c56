/** Roles of nodes and the system configuration on a chain. */
// rules: console 4.4; interface 3.2, 7.5
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";

/** Lists the tests. */
export function roleTests({ world, done, refused, nodeId }: Steps): void {
  test("roles: a node becomes an observer, free, an observer and a sealer again", async () => {
    const id = nodeId(3);
    const lines = [
      `addObserver ${id}`,
      "getObserverList",
      `removeNode ${id}`,
      "getObserverList",
      `addObserver ${id}`,
      `addSealer ${id}`,
      "getSealerList",
    ];
    const data = await done(lines);
    assert.deepEqual(data[1], [id]);
    assert.deepEqual(data[3], []);
    assert.equal((data[6] as unknown[]).length, 4);
    const { code, stdout, stderr } = await world().run("addObserver", id);
    assert.deepEqual(
      [code, stdout, stderr],
      [0, '{\n    "code":0,\n    "msg":"success"\n}\n\n', ""],
    );
    const legacy = await world().run("addSealer", id, "--legacy-retcode");
    assert.equal(legacy.stdout, '{\n    "code":1,\n    "msg":"Success"\n}\n\n');
  });

  test("roles: the codes that the console gives itself end with 1, and nothing is sent", async () => {
    const [before] = await done(["getBlockNumber"]);
    const far = "ab".repeat(64);
    const told = await refused([
      "addSealer abc",
      `addSealer ${far}`,
      `removeNode ${far}`,
      `addSealer ${nodeId(0)}`,
    ]);
    assert.deepEqual(told, [
      [-51_100, "invalid node ID"],
      [-51_102, "the node is not reachable"],
      [-51_103, "the node is not a group peer"],
      [-51_104, "the node is already in the sealer list"],
    ]);
    assert.deepEqual(await done(["getBlockNumber"]), [before]);
    await done([`addObserver ${nodeId(3)}`]);
    const { code, stdout } = await world().run("addObserver", nodeId(3));
    const text = "the node is already in the observer list";
    assert.deepEqual([code, stdout], [1, `{\n    "code":-51105,\n    "msg":"${text}"\n}\n\n`]);
    await done([`addSealer ${nodeId(3)}`]);
  });

  test("system configuration is set with the hash printed, read, and refused", async () => {
    const { code, stdout } = await world().run("setSystemConfigByKey", "tx_gas_limit", "310000000");
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^TransactionHash: 0x[0-9a-f]{64}\n\{\n {4}"code":0,\n {4}"msg":"success"\n\}/,
    );
    assert.deepEqual(await done(["getSystemConfigByKey tx_gas_limit"]), ["310000000"]);
    const wrong = await world().run("setSystemConfigByKey", "tx_gas_limit", "5");
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
    assert.match(wrong.stderr, /tx_gas_limit "5": a whole number from 100000 to 2147483647/);
    const [unknown] = await refused(["getSystemConfigByKey what"]);
    assert.match(unknown?.[1] ?? "", /no key of the system configuration/);
  });
}
