// A certified peer that says what nobody here wants to hear: counted, a flood is cut off.
// rules: node-network 2, node-network 8
import assert from "node:assert/strict";
import { test } from "vitest";
import { OFFENCES_BEFORE_BAN } from "../../../../core/network/admission.ts";
import { UNSOLICITED_MESSAGES } from "../../../../core/network/unsolicited.ts";
import { sleep, type TestNode, testNode, until, withNodes } from "./p2p-field.ts";
import { approach, introduce, type RawPeer } from "./p2p-raw-peer.ts";

const GROUP = 2;
/** What a test sends in one turn. */
const BATCH = 256;

/** A node that receives nothing of a group. */
async function withDeafNode(body: (node: TestNode) => Promise<void>): Promise<void> {
  const node = await testNode({ index: 0, mayHear: (_, groupId) => groupId !== GROUP });
  await withNodes([node], async () => {
    await node.start();
    await body(node);
  });
}

/** A member's session with a node. */
async function connect(node: TestNode): Promise<RawPeer> {
  const outsider = await approach(`/ip4/127.0.0.1/tcp/${node.port}`, 1);
  await introduce(outsider, { index: 1 });
  return outsider;
}

/** Sends as many messages, or until it is cut off. */
async function flood(outsider: RawPeer, count: number, groupId = GROUP): Promise<void> {
  for (let sequence = 1; sequence <= count && !outsider.isCut(); sequence++) {
    outsider.part({ sequence, groupId });
    if (sequence % BATCH === 0) await sleep(0);
  }
}

const unheard = ({ network }: TestNode) => network.counters().rejected.unauthorised;
/** Sessions that ended because of what was reported in them. */
const cutOff = ({ network }: TestNode) => network.counters().ended["offences"];
const saysBanned = ({ lines }: TestNode) =>
  lines.some(({ message }) => message.includes("banned after repeated offences"));

test("a flood that nobody hears is counted, and ends the session for a while", () =>
  withDeafNode(async (node) => {
    const outsider = await connect(node);
    await flood(outsider, 4 * UNSOLICITED_MESSAGES);
    await until("cut off", () => node.downs.length === 1 && outsider.isCut());
    assert.equal(cutOff(node), 1);
    assert.deepEqual(node.heard, []);
    assert.ok(unheard(node) >= UNSOLICITED_MESSAGES + OFFENCES_BEFORE_BAN);
    await outsider.stop();
    const again = await connect(node);
    assert.ok(saysBanned(node));
    await again.stop();
  }));

test("who leaves before that and comes back goes on where it was", () =>
  withDeafNode(async (node) => {
    const most = UNSOLICITED_MESSAGES - BATCH;
    const first = await connect(node);
    await flood(first, most);
    await until("counted", () => unheard(node) === most);
    await first.stop();
    await until("gone", () => node.downs.length === 1);
    const second = await connect(node);
    await flood(second, most);
    await until("cut off", () => node.downs.length === 2 && second.isCut());
    assert.equal(cutOff(node), 1);
    await second.stop();
  }));

test("fewer are counted and no more; members may say as much as they like", () =>
  withDeafNode(async (node) => {
    const outsider = await connect(node);
    const most = UNSOLICITED_MESSAGES - BATCH;
    await flood(outsider, most);
    await until("counted", () => unheard(node) === most);
    for (let sequence = most + 1; sequence <= 3 * most; sequence++) {
      outsider.part({ sequence, groupId: 1 });
      if (sequence % BATCH === 0) await sleep(0);
    }
    await until("heard", () => node.heard.length === 2 * most);
    assert.deepEqual([unheard(node), node.downs.length], [most, 0]);
    await outsider.stop();
  }));
