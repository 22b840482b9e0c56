/**
 * Four nodes: one that is down is started by an upgrade, all are restarted one after the other
 * while a client with two endpoints submits, and all are stopped and started as a network.
 */
// rules: pbft 1, groups 2
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import {
  createNetworkPlace,
  type NetworkPlace,
  type ToldNetwork,
} from "../../../support/process/network-place.ts";
import { startNode } from "../../../../runtimes/tools/network/node-processes.ts";
import { ask } from "../../../support/process/dev-chain-process.ts";
import { growingPauses } from "../../../support/process/dev-process.ts";
import { startLoad } from "../../../support/process/steady-load.ts";

const NETWORK = `agencies: [bank]
nodes:
  - { name: node0, agency: bank }
  - { name: node1, agency: bank }
  - { name: node2, agency: bank }
  - { name: node3, agency: bank }
`;
const NODES = 4;
const PER_SECOND = 20;

let place: NetworkPlace;

beforeAll(async () => {
  place = await createNetworkPlace(NETWORK, NODES);
  const { nodes } = await place.write();
  // All but one, which is down for the first tests.
  await Promise.all(
    nodes.filter(({ spec }) => spec.name !== "node2").map(({ folder }) => startNode(folder)),
  );
  const pause = growingPauses();
  while ((await status()).groups[0]?.voting.length !== NODES - 1) await pause();
});

afterAll(() => place.close());

async function status(): Promise<ToldNetwork> {
  return JSON.parse((await place.run("status", "--json")).stdout) as ToldNetwork;
}

test("it is refused, before anything is stopped, when the quorum would be lost", async () => {
  const before = await status();
  const { code, stdout, stderr } = await place.run("upgrade");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^nothing was restarted, because:\n/);
  assert.match(stderr, /group 1: 4 sealers need 3, and without node0 2 are left \(node2 does not/);
  const pids = ({ nodes }: ToldNetwork) => nodes.map(({ pid }) => pid);
  assert.deepEqual(pids(await status()), pids(before));
});

test("what is down is started by it: the others keep the quorum meanwhile", async () => {
  const { code, stdout, stderr } = await place.run("upgrade", "node2", "--json");
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    (JSON.parse(stdout) as readonly { readonly name: string }[]).map(({ name }) => name),
    ["node2"],
  );
});

test("each node votes again before the next one stops, and no submission is lost", async () => {
  // What an older release left there.
  const launcher = join(place.folder, "node1", "chain-node");
  const ours = readFileSync(launcher, "utf8");
  writeFileSync(launcher, ours.replace(/^entry=.*$/m, "entry='/opt/older/main.js'"));
  const up = await status();
  const urls = up.nodes.map(({ rpc }) => rpc ?? "");
  const load = startLoad(urls.slice(0, 2), PER_SECOND);
  const { code, stdout, stderr } = await place.run("upgrade", "--json");
  const report = await load.stop();
  assert.equal(code, 0, stderr);
  const done = JSON.parse(stdout) as readonly { readonly name: string; readonly seconds: number }[];
  const away = done.map(({ name, seconds }) => `${name} ${seconds} s`).join(", ");
  const { submitted, refused, lost, longestGapMs, turnedAway } = report;
  console.log(
    `upgrade: ${submitted} submissions at ${PER_SECOND}/s, ${turnedAway} by the second endpoint, ` +
      `longest gap ${(longestGapMs / 1_000).toFixed(1)} s, away: ${away}`,
  );
  assert.deepEqual({ refused, lost }, { refused: [], lost: [] });
  assert.deepEqual(
    done.map(({ name }) => name),
    ["node0", "node1", "node2", "node3"],
  );
  assert.equal(readFileSync(launcher, "utf8"), ours);
  const now = await status();
  assert.equal(
    now.nodes.filter(({ pid }, index) => pid === up.nodes[index]?.pid).length,
    0,
    "all were restarted",
  );
  const heights = new Set(now.groups.map(({ height }) => height));
  assert.equal(heights.size, 1);
});

test("down and up again keep all data", async () => {
  const before = await status();
  const [first] = before.nodes;
  const url = first?.rpc ?? "";
  const { transactions } = await ask<{ readonly transactions: readonly string[] }>(
    url,
    "getBlockByNumber",
    1,
    "0x1",
    false,
  );
  const down = await place.run("down");
  assert.equal(down.code, 0, down.stderr);
  assert.match(down.stdout, /^4 stopped, ledgers are kept in /);
  assert.equal((await place.run("status")).code, 1);
  const up = await place.told("up");
  const receipt = await ask<{ readonly status: string }>(
    up.nodes[3]?.rpc ?? "",
    "getTransactionReceipt",
    1,
    transactions[0],
  );
  assert.equal(receipt.status, "0x0");
  assert.ok(up.groups.every(({ writable }) => writable));
  assert.equal(up.groups[0]?.height, before.groups[0]?.height);
});
