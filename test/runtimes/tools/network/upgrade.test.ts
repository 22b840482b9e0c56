/** Four nodes are restarted one after the other while a client with two endpoints submits. */
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
import { startLoad } from "../../../support/process/steady-load.ts";

const NETWORK = `agencies: [bank]
nodes:
  - { name: node0, agency: bank }
  - { name: node1, agency: bank }
  - { name: node2, agency: bank }
  - { name: node3, agency: bank }
`;
const NODES = 4;
const PER_SECOND = 50;

let place: NetworkPlace;
let up: ToldNetwork;

beforeAll(async () => {
  place = await createNetworkPlace(NETWORK, NODES);
  up = await place.told("up");
});

afterAll(() => place.close());

test("each node votes again before the next one stops, and no submission is lost", async () => {
  // What an older release left there.
  const launcher = join(place.folder, "node1", "chain-node");
  const ours = readFileSync(launcher, "utf8");
  writeFileSync(launcher, ours.replace(/^entry=.*$/m, "entry='/opt/older/main.js'"));
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
  const now = await place.told("status");
  assert.equal(
    now.nodes.filter(({ pid }, index) => pid === up.nodes[index]?.pid).length,
    0,
    "all were restarted",
  );
  const heights = new Set(now.groups.map(({ height }) => height));
  assert.equal(heights.size, 1);
});

test("it is refused, before anything is stopped, when the quorum would be lost", async () => {
  assert.equal((await place.run("down", "node2")).code, 0);
  const before = await place.run("status", "--json");
  const { code, stdout, stderr } = await place.run("upgrade");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^nothing was restarted, because:\n/);
  assert.match(stderr, /group 1: 4 sealers need 3, and without node0 2 are left \(node2 does not/);
  const pids = (told: string) => (JSON.parse(told) as ToldNetwork).nodes.map(({ pid }) => pid);
  const after = await place.run("status", "--json");
  assert.deepEqual(pids(after.stdout), pids(before.stdout));
});

test("what is down is started by it: the others keep the quorum meanwhile", async () => {
  const { code, stdout, stderr } = await place.run("upgrade", "node2", "--json");
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    (JSON.parse(stdout) as readonly { readonly name: string }[]).map(({ name }) => name),
    ["node2"],
  );
});
