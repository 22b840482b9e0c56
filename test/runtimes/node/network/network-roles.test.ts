/** Roles in a group of nodes: each change is in force on every node from the next block on. */
// rules: groups 5
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "vitest";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { ask, growingPauses, sleep } from "../../../support/process/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  setIni,
} from "../../../support/process/node-processes.ts";
import {
  requireSameChain,
  send,
  sendAndSee,
  untilConnected,
} from "../../../support/process/process-checks.ts";
import {
  changeRole,
  headerOf,
  type RoleChange,
  rolesOn,
} from "../../../support/process/process-roles.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const LIMIT_MS = 240_000;
const PAUSE_MS = 100;
/** Several statuses of a sealer. */
const FREE_MS = 1_500;
const NOT_IN_GROUP = -40009;
const LAST_SEALER = -51101n;

const idsOf = (nodes: readonly NodeProcess[]) => nodes.map(({ nodeId }) => nodeId).sort();

/** The sealers of a block, as every one of these nodes has it. */
async function sealersOf(nodes: readonly NodeProcess[], number: number) {
  const headers = await Promise.all(nodes.map((node) => headerOf(node, number)));
  const lists = headers.map(({ sealerList }) => [...sealerList].sort());
  for (const list of lists) assert.deepEqual(list, lists[0], `sealers of block ${number}`);
  return lists[0];
}

/** Who is what before a change or after it. */
interface Roles {
  readonly sealers: readonly NodeProcess[];
  readonly observers: readonly NodeProcess[];
}

/** Changes one role; the block of the change has the old sealers, the next one the new ones. */
async function change(what: RoleChange, node: NodeProcess, before: Roles, after: Roles) {
  const [through] = before.sealers;
  assert.ok(through);
  const { code, number } = await changeRole(through, what, node.nodeId);
  assert.equal(code, 1n);
  const members = [...after.sealers, ...after.observers];
  await untilMember(members);
  await sendAndSee(through, members);
  assert.deepEqual(await sealersOf(members, number), idsOf(before.sealers));
  assert.deepEqual(await sealersOf(members, number + 1), idsOf(after.sealers));
  for (const member of members) {
    const { sealers, observers } = await rolesOn(member);
    assert.deepEqual([...sealers].sort(), idsOf(after.sealers));
    assert.deepEqual([...observers].sort(), idsOf(after.observers));
  }
}

/** Waits until nodes know that they are in the group. */
async function untilMember(nodes: readonly NodeProcess[]): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (const { url } of nodes) {
    const pause = growingPauses();
    while ((await ask(url, "getBlockNumber", [1])).error) {
      assert.ok(performance.now() < end, `${url} is in the group`);
      await pause();
    }
  }
}

async function requireOutside({ url }: NodeProcess): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (const pause = growingPauses(); ; await pause()) {
    const { error } = await ask(url, "getBlockNumber", [1]);
    if (error?.code === NOT_IN_GROUP) return;
    assert.ok(performance.now() < end, `${url} is not in the group`);
  }
}

/** Sends until a block was proposed by a node. */
async function untilProposer(node: NodeProcess, through: NodeProcess, all: readonly NodeProcess[]) {
  for (let tries = 0; tries < 4 * all.length; tries++) {
    await sendAndSee(through, all);
    const { sealer, sealerList } = await headerOf(node, await node.blockNumber());
    if (sealerList[sealer] === node.nodeId) return;
  }
  assert.fail("the new sealer proposed no block");
}

test.concurrent("a node joins late, observes, seals, is removed, and returns to what it kept", async () => {
  const chain = await initProcessChain({ nodes: 4, sealers: 3, pauseMs: PAUSE_MS, hosted: true });
  try {
    const { nodes } = chain;
    const three = nodes.slice(0, 3);
    const [first, , , late] = nodes;
    assert.ok(first && late);
    await Promise.all(three.map((node) => node.start()));
    for (let i = 0; i < 5; i++) await sendAndSee(first, three);
    await late.start();
    await untilConnected(nodes);
    await requireOutside(late);
    const without = { sealers: three, observers: [] };
    const observing = { sealers: three, observers: [late] };
    const sealing = { sealers: nodes, observers: [] };
    await change("addObserver", late, without, observing);
    await requireSameChain(nodes, 6);
    await sendAndSee(late, nodes);
    await change("addSealer", late, observing, sealing);
    await untilProposer(late, first, nodes);
    await change("remove", late, sealing, without);
    await requireOutside(late);
    for (let i = 0; i < 3; i++) await sendAndSee(first, three);
    const head = await requireSameChain(three, 10);
    await change("addObserver", late, without, observing);
    await requireSameChain(nodes, head + 1);
  } finally {
    await chain.close();
  }
});

// A command that takes the last sealer fails in role, sealers that change in the whole simulator.
if (TAKES_ALL_CASES)
  test.concurrent("sealers are removed down to the last one, which stays, and come back", async () => {
    const chain = await initProcessChain({ nodes: 3, pauseMs: PAUSE_MS, hosted: true });
    try {
      const { nodes } = chain;
      const [first, ...others] = nodes;
      assert.ok(first);
      await Promise.all(nodes.map((node) => node.start()));
      await sendAndSee(first, nodes);
      const rolesWith = (count: number) => ({ sealers: nodes.slice(0, count), observers: [] });
      for (const [index, node] of [...others.entries()].reverse()) {
        await change("remove", node, rolesWith(index + 2), rolesWith(index + 1));
        await requireOutside(node);
      }
      for (const what of ["remove", "addObserver"] as const) {
        assert.equal((await changeRole(first, what, first.nodeId)).code, LAST_SEALER);
      }
      await send(first);
      assert.deepEqual((await rolesOn(first)).sealers, idsOf([first]));
      for (const [index, node] of others.entries()) {
        await change("addSealer", node, rolesWith(index + 1), rolesWith(index + 2));
      }
      await requireSameChain(nodes, 7);
    } finally {
      await chain.close();
    }
  });

// core/node/group/non-member.test.ts serves a non-member no block.
inFull("a free node is served nothing until a sealer allows free nodes to read", async () => {
  const chain = await initProcessChain({ nodes: 2, sealers: 1, pauseMs: PAUSE_MS, hosted: true });
  try {
    const [sealer, free] = chain.nodes;
    assert.ok(sealer && free);
    // Without it a free node answers no question about the group.
    await setIni(join(free.folder, "config.ini"), "rpc", ["act_as_group_member", "true"]);
    await Promise.all([sealer.start(), free.start()]);
    await untilConnected(chain.nodes);
    for (let i = 0; i < 3; i++) await sendAndSee(sealer, [sealer]);
    await sleep(FREE_MS);
    assert.equal(await free.blockNumber(), 0);
    await sealer.end("SIGTERM");
    await setIni(join(sealer.folder, "conf/group.1.ini"), "sync", ["allow_free_node", "true"]);
    await sealer.start();
    await requireSameChain(chain.nodes, 3);
    await sendAndSee(sealer, chain.nodes);
    assert.deepEqual((await rolesOn(free)).sealers, [sealer.nodeId]);
  } finally {
    await chain.close();
  }
});
