/** What is kept of contracts that were deployed. Source: console 4.3 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { ConsoleFault, EXIT } from "../../../../../runtimes/tools/console/command.ts";
import {
  deployedContracts,
  deploymentLog,
  keepContract,
  keptAbi,
  latestAddress,
  localTime,
  logDeployment,
} from "../../../../../runtimes/tools/console/contracts/deployed.ts";

const [FIRST, SECOND] = ["11", "22"].map((digits) => `0x${digits.repeat(20)}`);
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "deployed-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("ABI and code by group, contract and address; the newest address is the latest", async () => {
  const place = { folder, groupId: 2 };
  const abi = [{ type: "function", name: "f", inputs: [], outputs: [] }];
  const [first = "", second = ""] = [FIRST, SECOND];
  await keepContract(place, { name: "Hello", address: first, abi, code: "60" });
  await keepContract(place, { name: "Hello", address: second, abi, code: "61" });
  const kept = join(folder, "contracts/.compiled/2/Hello");
  assert.equal(await readFile(join(kept, first, "Hello.bin"), "utf8"), "60");
  await utimes(join(kept, second), 1_000, 1_000);
  await utimes(join(kept, first), 2_000, 2_000);
  const found = await deployedContracts(place, "a/path/Hello.sol");
  assert.deepEqual(found, [
    { address: first, deployedAt: 2_000_000 },
    { address: second, deployedAt: 1_000_000 },
  ]);
  assert.equal(await latestAddress(place, "Hello"), first);
  assert.deepEqual(await keptAbi(place, "Hello", first.toUpperCase().replace("0X", "0x")), abi);
  assert.equal(await keptAbi({ folder, groupId: 1 }, "Hello", first), undefined);
});

test("without a deployment there is no latest address", async () => {
  await assert.rejects(
    latestAddress({ folder, groupId: 1 }, "Hello"),
    (fault) =>
      fault instanceof ConsoleFault &&
      fault.exitCode === EXIT.usage &&
      /^Hello was not deployed to group 1 from this folder/.test(fault.message),
  );
});

test("the log has a line per deployment, ten thousand at most, and is read by group", async () => {
  const [first = "", second = ""] = [FIRST, SECOND];
  await logDeployment({ folder, groupId: 1 }, "Hello", first);
  await logDeployment({ folder, groupId: 2 }, "Hello", second);
  const text = await readFile(join(folder, "deploylog.txt"), "utf8");
  const form = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}\[group:1\] {2}Hello {15} {2}0x(11){20}\n/;
  assert.match(text, form);
  const [line] = await deploymentLog({ folder, groupId: 2 }, 5);
  assert.match(line ?? "", /\[group:2\].*0x(22){20}$/);
  const many = Array.from({ length: 10_000 }, (_, i) => `t  [group:1]  Old  ${i}`);
  await writeFile(join(folder, "deploylog.txt"), `${many.join("\n")}\n`);
  await logDeployment({ folder, groupId: 1 }, "New", first);
  const lines = (await readFile(join(folder, "deploylog.txt"), "utf8")).trim().split("\n");
  assert.equal(lines.length, 10_000);
  assert.equal(lines[0], "t  [group:1]  Old  1");
  assert.deepEqual((await deploymentLog({ folder, groupId: 1 }, 2))[0], "t  [group:1]  Old  9999");
});

test("times are local", () => {
  const at = new Date(2026, 0, 2, 3, 4, 5).getTime();
  assert.equal(localTime(at), "2026-01-02 03:04:05");
});
