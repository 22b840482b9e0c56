/** Permissions on a chain. */
// rules: console 4.7, 9
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import type { People } from "./people.ts";

const GRANTED = [-51_000, "table name or address already exist"];
const MISSING = [-51_001, "table name or address does not exist"];

/** Managers, and a line that only they may send; its refusal. */
const FAMILIES: readonly (readonly [string, string, number])[] = [
  ["DeployAndCreateManager", "deploy HelloWorld", 25],
  ["CNSManager", "registerCNS HelloWorld 0x1 other", -50_000],
  ["SysConfigManager", "setSystemConfigByKey tx_gas_limit 320000000", -50_000],
  ["NodeManager", "", 0],
];

/** Lists the tests. */
export function permissionTests(
  { world, done, refused, nodeId }: Steps,
  { mine, other }: People,
): void {
  test.each(FAMILIES)(
    "permissions: %s is granted, listed, holds, and is revoked",
    async (...it) => {
      const [manager, restricted, refusal] = it;
      const line = restricted === "" ? `addObserver ${nodeId(3)}` : restricted;
      assert.deepEqual((await done([`list${manager}`]))[0], []);
      await done([`grant${manager} ${mine.address}`], ...mine.words);
      const [listed] = await done([`list${manager}`]);
      const [row] = listed as { address: string; enable_num: string }[];
      assert.equal(row?.address, mine.address);
      const again = await refused([`grant${manager} ${mine.address}`], ...mine.words);
      assert.deepEqual(again, [GRANTED]);
      const [[code] = []] = await refused([line], ...other.words);
      assert.equal(code, refusal === 0 ? -50_000 : refusal);
      await done([`revoke${manager} ${mine.address}`], ...mine.words);
      const twice = await refused([`revoke${manager} ${mine.address}`], ...mine.words);
      assert.deepEqual(twice, [MISSING]);
      if (restricted !== "") await done([line], ...other.words);
      const shown = await world().run(`list${manager}`);
      assert.deepEqual([shown.code, shown.stdout], [0, "Empty set.\n\n"]);
    },
  );

  test("permissions: of a table", async () => {
    const { address } = mine;
    await done([`grantUserTableManager t_demo ${address}`], ...mine.words);
    const listed = await world().run("listUserTableManager", "t_demo");
    const line = listed.stdout.split("\n").map((it) => it.trim().replace(/\s+/g, " "));
    assert.equal(line[1], "address | enable_num");
    assert.match(line[2] ?? "", new RegExp(`^${address} \\| \\d+$`));
    const insert = "insert into t_demo values (kiwi, 1, 2)";
    const told = await refused([insert], ...other.words);
    assert.deepEqual(told, [[-50_000, "permission denied"]]);
    await done([insert, `revokeUserTableManager t_demo ${address}`], ...mine.words);
    assert.deepEqual(await refused([`revokeUserTableManager t_demo ${address}`], ...mine.words), [
      MISSING,
    ]);
  });

  test("permissions: of a contract", async () => {
    const [deployed] = await done(["deploy HelloWorld"], ...mine.words);
    const { contractAddress } = deployed as { contractAddress: string };
    const pair = `${contractAddress} ${mine.address}`;
    const [none] = await done([`listContractWritePermission ${contractAddress}`]);
    assert.deepEqual(none, []);
    await done([`grantContractWritePermission ${pair}`], ...mine.words);
    assert.deepEqual(await refused([`grantContractWritePermission ${pair}`], ...mine.words), [
      GRANTED,
    ]);
    const [listed] = await done([`listContractWritePermission ${contractAddress}`]);
    assert.equal((listed as { address: string }[])[0]?.address, mine.address);
    const [[code] = []] = await refused(
      [`call HelloWorld ${contractAddress} set x`],
      ...other.words,
    );
    assert.equal(code, 25);
    await done([`revokeContractWritePermission ${pair}`], ...mine.words);
    assert.deepEqual(await refused([`revokeContractWritePermission ${pair}`], ...mine.words), [
      MISSING,
    ]);
  });
}
