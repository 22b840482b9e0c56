/** Clients in many groups of nodes that run as processes, and what the groups make of them. */
import assert from "node:assert/strict";
import { request, sleep } from "./dev-process.ts";
import type { NodeProcess } from "./node-processes.ts";
import { requireReceipts, send } from "./process-checks.ts";

/** `1:pbft,2:pbft,...`, as `init --groups` takes it. */
export function groupsText(ids: readonly number[], consensus = "pbft"): string {
  return ids.map((id) => `${id}:${consensus}`).join(",");
}

/** Keeps a group busy: one transaction after the other, each until its receipt is on all nodes. */
export function keepBusy(nodes: readonly NodeProcess[], groupId: number): () => Promise<number> {
  let isOver = false;
  const run = async () => {
    let done = 0;
    for (; !isOver; done++) {
      const through = nodes[done % nodes.length];
      assert.ok(through);
      await requireReceipts([await send(through, { groupId })], nodes, groupId);
    }
    return done;
  };
  const end = run();
  // Told when it is stopped.
  end.catch(() => undefined);
  return () => {
    isOver = true;
    return end;
  };
}

/** Stops a group on every node. */
export async function stopEverywhere(nodes: readonly NodeProcess[], groupId: number) {
  const answers = await Promise.all(nodes.map(({ url }) => request(url, "stopGroup", [groupId])));
  for (const answer of answers) assert.equal((answer as { code: string }).code, "0x0");
}

/** Milliseconds between neighbouring blocks of a group, by their own time stamps. */
export async function blockIntervals(
  { url }: NodeProcess,
  groupId: number,
  [from, to]: readonly [from: number, to: number],
): Promise<number[]> {
  const times: number[] = [];
  for (let number = from; number <= to; number++) {
    const header = await request(url, "getBlockHeaderByNumber", [groupId, `${number}`, false]);
    times.push(Number((header as { timestamp: string }).timestamp));
  }
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

/** How many views ended by time-out so far, on all nodes and in all groups. */
export function countTimeouts(nodes: readonly NodeProcess[]): number {
  return nodes.reduce((sum, node) => sum + node.viewChanges().length, 0);
}

/** Waits until a group has made some blocks more. */
export async function untilBlocks(node: NodeProcess, groupId: number, count: number) {
  const least = (await node.blockNumber(groupId)) + count;
  while ((await node.blockNumber(groupId)) < least) await sleep(50);
}
