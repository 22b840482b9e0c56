/** Clients in many groups of nodes that run as processes, and what the groups make of them. */
import assert from "node:assert/strict";
import { receiptOf, request, sleep } from "./dev-process.ts";
import type { NodeProcess } from "./node-processes.ts";
import { requireReceipts, send } from "./process-checks.ts";

const LIMIT_MS = 240_000;
/** Seldom enough to leave the time to the nodes. */
const POLL_MS = 100;

/** `1:pbft,2:pbft,...`, as `init --groups` takes it. */
export function groupsText(ids: readonly number[], consensus = "pbft"): string {
  return ids.map((id) => `${id}:${consensus}`).join(",");
}

/**
 * Keeps a group busy: one transaction after the other, through each node in turn. The result ends
 * it, finds every receipt on all nodes in the same block, and says how many there were.
 */
export function keepBusy(nodes: readonly NodeProcess[], groupId: number): () => Promise<number> {
  const hashes: string[] = [];
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      const through = nodes[hashes.length % nodes.length];
      assert.ok(through);
      const hash = await send(through, { groupId });
      hashes.push(hash);
      const end = performance.now() + LIMIT_MS;
      while (!(await receiptOf(through.url, hash, groupId))) {
        assert.ok(performance.now() < end, `a receipt in group ${groupId} within ${LIMIT_MS} ms`);
        await sleep(POLL_MS);
      }
    }
    await requireReceipts(hashes, nodes, groupId);
    return hashes.length;
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
  while ((await node.blockNumber(groupId)) < least) await sleep(POLL_MS);
}
