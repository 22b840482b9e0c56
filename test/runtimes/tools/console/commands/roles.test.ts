/** Roles and system configuration: what is checked before anything is sent. */
// rules: console 4.4, interface 7.5
import assert from "node:assert/strict";
import { test } from "vitest";
import { ClientCodeFault } from "../../../../../core/fault/client-codes.ts";
import { ConsoleFault } from "../../../../../runtimes/tools/console/command.ts";
import { COMMANDS } from "../../../../../runtimes/tools/console/commands/all.ts";
import { readLine, runInvocation } from "../../../../../runtimes/tools/console/run-line.ts";
import { posedSession } from "../../../../support/console/posed-session.ts";

const [SEALER, OBSERVER, FREE, FAR] = ["aa", "bb", "cc", "dd"].map((text) => text.repeat(64));
const CONSENSUS = `0x${"1003".padStart(40, "0")}`;
const CONFIG = `0x${"1000".padStart(40, "0")}`;

function session() {
  return posedSession({
    results: {
      getSealerList: [SEALER],
      getObserverList: [OBSERVER],
      getNodeIDList: [SEALER, OBSERVER, FREE],
      getSystemConfigByKey: "1000",
    },
  });
}

/** What is sent for a line; the lookups before it are left out. */
async function sentBy(line: string): Promise<readonly string[]> {
  const posed = session();
  await runInvocation(posed, readLine(line, COMMANDS));
  return posed.calls.filter((call) => call.startsWith("send"));
}

async function refusalOf(line: string): Promise<ConsoleFault | ClientCodeFault> {
  const posed = session();
  const cause: unknown = await runInvocation(posed, readLine(line, COMMANDS)).then(
    () => undefined,
    (fault: unknown) => fault,
  );
  assert.ok(cause instanceof ConsoleFault || cause instanceof ClientCodeFault, line);
  assert.deepEqual(
    posed.calls.filter((call) => call.startsWith("send")),
    [],
  );
  return cause;
}

test("roles are changed by the Consensus contract", async () => {
  const is = (name: string, node: string) => [`send ${CONSENSUS} ${name}(string) ${node}`];
  assert.deepEqual(await sentBy(`addSealer ${FREE}`), is("addSealer", FREE ?? ""));
  assert.deepEqual(await sentBy(`addSealer ${FREE?.toUpperCase()}`), is("addSealer", FREE ?? ""));
  assert.deepEqual(await sentBy(`addObserver ${SEALER}`), is("addObserver", SEALER ?? ""));
  assert.deepEqual(await sentBy(`removeNode ${OBSERVER}`), is("remove", OBSERVER ?? ""));
});

/** Lines, and the code that the console gives itself. */
const CODES: readonly (readonly [line: string, code: number, message: string])[] = [
  ["addSealer abc", -51_100, "invalid node ID"],
  [`addObserver ${FREE?.slice(1)}`, -51_100, "invalid node ID"],
  [`removeNode 0x${FREE}`, -51_100, "invalid node ID"],
  [`addSealer ${FAR}`, -51_102, "the node is not reachable"],
  [`removeNode ${FREE}`, -51_103, "the node is not a group peer"],
  [`addSealer ${SEALER}`, -51_104, "the node is already in the sealer list"],
  [`addObserver ${OBSERVER}`, -51_105, "the node is already in the observer list"],
];
for (const [line, code, message] of CODES) {
  test(`${line.slice(0, 20)} is refused with ${code} before anything is sent`, async () => {
    const fault = await refusalOf(line);
    assert.deepEqual([fault.code, fault.message], [code, message]);
  });
}

test("values of the system configuration are set within their ranges", async () => {
  const is = (text: string) => [`send ${CONFIG} setValueByKey(string,string) ${text}`];
  for (const text of [
    "tx_count_limit 1",
    "tx_count_limit 2147483647",
    "tx_gas_limit 100000",
    "consensus_timeout 3",
    "consensus_timeout 2147482",
    "rpbft_epoch_sealer_num 1",
    "enable_charge_mgr on",
    "enable_charge_mgr off",
  ])
    assert.deepEqual(await sentBy(`setSystemConfigByKey ${text}`), is(text));
});

/** Values that are refused, and the sentence. */
const VALUES: readonly (readonly [text: string, said: string])[] = [
  ["tx_count_limit 0", 'tx_count_limit "0": a whole number from 1 to 2147483647 is wanted.'],
  ["tx_gas_limit 99999", 'tx_gas_limit "99999": a whole number from 100000 to 2147483647'],
  ["consensus_timeout 2", 'consensus_timeout "2": a whole number from 3 to 2147482'],
  ["consensus_timeout 2147483", 'consensus_timeout "2147483": a whole number from 3'],
  ["rpbft_epoch_block_num x", 'rpbft_epoch_block_num "x": a whole number from 1'],
  ["enable_charge_mgr 1", 'enable_charge_mgr "1": on or off is wanted.'],
  ["tx_limit 1", '"tx_limit" is no key of the system configuration. Keys: tx_count_limit, '],
];
for (const [text, said] of VALUES) {
  test(`setSystemConfigByKey ${text} is refused with code 2`, async () => {
    const fault = await refusalOf(`setSystemConfigByKey ${text}`);
    assert.ok(fault instanceof ConsoleFault && fault.exitCode === 2);
    assert.ok(fault.message.startsWith(said), fault.message);
  });
}

test("keys of rPBFT come with a note, and an unknown key lists those that are", async () => {
  const posed = session();
  const line = readLine("getSystemConfigByKey rpbft_epoch_block_num", COMMANDS);
  assert.equal((await runInvocation(posed, line)).text, "1000");
  assert.match(posed.lines.join("\n"), /with rPBFT only/);
  assert.match((await refusalOf("getSystemConfigByKey limit")).message, /Keys: tx_count_limit/);
});
