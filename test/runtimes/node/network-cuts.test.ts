/** Four nodes as processes behind proxies that lose traffic: splits, one-way loss, and healing. */
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { sleep } from "../../support/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../../support/node-processes.ts";
import {
  requireReceipts,
  requireSameChain,
  send,
  sendAndSee,
  untilConnected,
} from "../../support/process-checks.ts";
import { between, deaf, type Links, mute } from "../../support/proxy.ts";

const LIMIT_MS = 60_000;
/** More than two views of a group that has no quorum. */
const NO_PROGRESS_MS = 7_000;
const PAUSE_MS = 100;

let chain: ProcessChain;
let links: Links;
let nodes: readonly NodeProcess[];

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 4, linked: true, pauseMs: PAUSE_MS });
  assert.ok(chain.links);
  ({ links, nodes } = { links: chain.links, nodes: chain.nodes });
  await Promise.all(nodes.map((node) => node.start()));
  await untilConnected(nodes);
}, LIMIT_MS);

afterAll(() => chain.close());

const some = (...indexes: readonly number[]) => indexes.flatMap((index) => nodes[index] ?? []);

/** Everything works again: what was sent is on all nodes, and a new transaction too. */
async function requireHealed(hashes: readonly string[], least: number): Promise<void> {
  links.heal();
  await requireReceipts(hashes, nodes);
  await sendAndSee(some(3)[0] as NodeProcess, nodes);
  await requireSameChain(nodes, least + 1);
}

test("neither half of a split makes a block, and both go on together after it", async () => {
  const head = await untilEqual(nodes, 0, LIMIT_MS);
  links.cut(between([0, 1], [2, 3]));
  const hashes = await Promise.all(nodes.map((node) => send(node)));
  await sleep(NO_PROGRESS_MS);
  const heads = await Promise.all(nodes.map((node) => node.blockNumber()));
  assert.deepEqual(heads, [head, head, head, head]);
  await requireHealed(hashes, head);
}, 120_000);

test("three go on without the fourth, which catches up after the cut", async () => {
  const head = await untilEqual(nodes, 1, LIMIT_MS);
  links.cut(between([0], [1, 2, 3]));
  const [alone] = some(0);
  const three = some(1, 2, 3);
  const lost = await Promise.all(some(0).map((node) => send(node)));
  for (let i = 0; i < 4; i++) await sendAndSee(three[i % 3] as NodeProcess, three);
  assert.equal(await alone?.blockNumber(), head);
  await requireHealed(lost, head + 4);
}, 120_000);

test.for([
  { name: "nobody hears one node", cut: mute(1, [0, 2, 3]), sure: [0, 2, 3], left: [] },
  { name: "one node hears nobody", cut: deaf(2, [0, 1, 3]), sure: [0, 1, 3], left: [2] },
  { name: "one node does not hear one other", cut: mute(0, [3]), sure: [0, 1, 2, 3], left: [] },
])("the chain goes on when $name", { timeout: 120_000 }, async ({ cut, sure, left }) => {
  const head = await untilEqual(nodes, 0, LIMIT_MS);
  links.cut(cut);
  const able = some(...sure);
  for (let i = 0; i < 4; i++) await sendAndSee(able[i % able.length] as NodeProcess, able);
  for (const node of some(...left)) assert.equal(await node.blockNumber(), head);
  await requireHealed([], head + 4);
});
