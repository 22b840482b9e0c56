/** Nodes, their peers and their groups on a chain. */
// rules: console 4.2, 4.5; groups 2, 3; interface 3.1, 7.4
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import { TOKEN } from "./token.ts";

/** Questions that a node answers for each group that it runs. */
export const OF_A_GROUP = [
  "getBlockNumber",
  "getConsensusStatus",
  "getSyncStatus",
  "getSealerList",
  "getObserverList",
  "getNodeIDList",
  "getPendingTransactions",
  "getPendingTxSize",
  "getTotalTransactionCount",
  "getGroupPeers",
];
const TWO_NODES = ["--config", "conf/two-nodes.toml"];

/** Lists the tests. */
export function groupTests({ world, done, refused, nodeId, endpoint }: Steps): void {
  test("one node is asked by itself", async () => {
    const [info, peers, groups, members, addresses] = (await done([
      `getNodeInfo ${endpoint(1)}`,
      `getPeers ${endpoint(2)}`,
      `getGroupList ${endpoint(2)}`,
      `getGroupPeers ${endpoint(2)}`,
      `queryPeers ${endpoint(1)}`,
    ])) as [Record<string, unknown>, unknown[], unknown[], unknown[], string[]];
    assert.equal(info["NodeID"], nodeId(1));
    assert.deepEqual([peers.length, groups, members.length], [3, [1, 2], 4]);
    assert.ok(addresses.length >= 3);
    const [text, closed] = await refused(["getNodeInfo nowhere", "getPeers 127.0.0.1:1"]);
    assert.match(text?.[1] ?? "", /"nowhere" is no endpoint/);
    assert.match(closed?.[1] ?? "", /127\.0\.0\.1:1: TCP does not connect: nothing listens there/);
    assert.equal(closed?.[0], 3);
  });

  test("a group that is not there is an error of the node", async () => {
    // Which nodes a node knows does not depend on groups.
    const questions = ["getPbftView", ...OF_A_GROUP.filter((it) => it !== "getNodeIDList")];
    for (const [code, message] of await refused(questions, "9")) {
      assert.equal(code, -40_001, message);
    }
    const other = await world().run("9", "getBlockNumber");
    assert.deepEqual([other.code, other.stdout.includes('"code":-40001')], [1, true]);
    assert.match(other.stderr, /The node does not run that group: see getGroupList/);
  });

  test("addresses of peers are added and erased", async () => {
    const peer = "127.0.0.1:39999";
    const [, known, , after] = (await done([
      `addPeers ${endpoint(1)} ${peer}`,
      `queryPeers ${endpoint(1)}`,
      `erasePeers ${endpoint(1)} ${peer}`,
      `queryPeers ${endpoint(1)}`,
    ])) as [unknown, string[], unknown, string[]];
    assert.ok(known.includes(peer) && !after.includes(peer));
    const told = await refused([
      `addPeers ${endpoint(1)} here`,
      `erasePeers ${endpoint(1)} here`,
      "queryPeers here",
    ]);
    assert.deepEqual(
      told.map(([code]) => code),
      [2, 2, 2],
    );
  });

  test("connections are a view of the console, which has none over HTTP", async () => {
    const asked = ["getAvailableConnections", "getGroupConnections 2", "getGroupConnections 9"];
    const [all, of2, of9] = await done(asked, ...TWO_NODES);
    const connected = [endpoint(0), endpoint(1)].sort();
    assert.deepEqual([all, of2, of9], [connected, connected, []]);
    const lines = ["getAvailableConnections", "getGroupConnections"];
    for (const [, message] of await refused(lines, "--url", world().urls[0] ?? ""))
      assert.match(message, /this needs the channel port/);
  });

  test.each([
    ["PBFT", 1],
    ["Raft", 2],
  ])("a %s group is stopped, removed, recovered and started on a node", async (_, id) => {
    const at = endpoint(3);
    const status = async () =>
      ((await done([`queryGroupStatus ${at} ${id}`]))[0] as { readonly status: string }).status;
    assert.equal(await status(), "RUNNING");
    assert.deepEqual(await refused([`startGroup ${at} ${id}`, `recoverGroup ${at} ${id}`]), [
      [3, `Group ${id} is already running`],
      [15, `Group ${id} has not been deleted`],
    ]);
    await done([`stopGroup ${at} ${id}`]);
    assert.equal(await status(), "STOPPED");
    assert.deepEqual(await refused([`stopGroup ${at} ${id}`]), [
      [4, `Group ${id} has already been stopped`],
    ]);
    await done([`removeGroup ${at} ${id}`]);
    assert.equal(await status(), "DELETED");
    assert.deepEqual(await refused([`removeGroup ${at} ${id}`]), [
      [5, `Group ${id} has already been deleted`],
    ]);
    await done([`recoverGroup ${at} ${id}`, `startGroup ${at} ${id}`]);
    assert.equal(await status(), "RUNNING");
    const { code, stdout } = await world().run(`${id}`, "queryGroupStatus", at);
    const lines = ["{", '    "code":"0x0",', '    "message":"",', '    "status":"RUNNING"', "}"];
    assert.deepEqual([code, stdout], [0, `${lines.join("\n")}\n\n`]);
    const missing = await world().run("startGroup", at, "77");
    assert.equal(missing.code, 1);
    assert.match(missing.stdout, /"code":"0xb"/);
    const [wrong] = await refused([`queryGroupStatus ${at} 0`]);
    assert.equal(wrong?.[0], 2);
  });

  test("a new group is written on its nodes, one by one or from a file, and starts", async () => {
    const time = Date.now();
    const ids = world().chain.nodes.map((node) => node.nodeId);
    await done([`generateGroup ${endpoint(0)} 5 ${time} false ${ids.join(" ")}`]);
    const [there] = await refused([`generateGroup ${endpoint(0)} 5 ${time} ${ids.join(" ")}`]);
    assert.deepEqual(there, [2, "Group 5 already exists"]);
    const file = join(world().folder, "conf/new-group.toml");
    const [peers, sealers] = [world().endpoints, ids].map((list) => JSON.stringify(list));
    await writeFile(
      file,
      `[groupPeers]\npeers = ${peers}\n[consensus]\nsealerList = ${sealers}\n[genesis]\n` +
        'timestamp = ""\n',
    );
    const { code, stdout } = await world().run("generateGroupFromFile", file, "6");
    assert.equal(code, 0);
    assert.equal(stdout.match(/^\* Result of 127\.0\.0\.1:\d+:$/gm)?.length, 4);
    const again = await world().run("generateGroupFromFile", file, "6");
    assert.deepEqual([again.code, again.stdout.match(/"code":"0x2"/g)?.length], [1, 4]);
    await done(world().endpoints.map((at) => `startGroup ${at} 6`));
    const [, number] = await done(["switch 6", "getBlockNumber"]);
    assert.equal(number, 0);
  });

  test("over HTTP a node is managed with the token that it wants, and by its host otherwise", async () => {
    const [first = "", , , last = ""] = world().urls;
    const local = await world().ask("stopGroup", new URL(first).host, "5", "--url", first);
    assert.equal(local.code, 4);
    const at = new URL(last).host;
    const without = await world().ask("stopGroup", at, "99", "--url", last);
    assert.deepEqual([without.ok, without.code], [false, -100_001]);
    assert.match(without.hint ?? "", /--token-file/);
    const file = join(world().folder, "token.txt");
    await writeFile(file, `${TOKEN}\n`);
    const given = await world().ask("stopGroup", at, "99", "--url", last, "--token-file", file);
    assert.equal(given.code, 6);
    const missing = await world().run("getBlockNumber", "--url", last, "--token-file", "none");
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /none: the file of the token does not exist/);
  });
}
