/**
 * What one peer is served in a second: a question is small and its answer large, and no node but
 * the asker knows whether it is relevant. Generous: an honest node that catches up imports a few
 * mebibytes a second, of several peers. A node that asks for more waits while others are served.
 * Source: sync 4 (serving), 10
 */
import type { NodeId } from "../bytes/ids.ts";
import { createBucket, isFull, refill, type TokenBucket } from "../limits/token-bucket.ts";

const MEBIBYTE = 1024 * 1024;

/** Bytes a second that one peer is served for ever. */
export const SERVED_BYTES_PER_SECOND = 8 * MEBIBYTE;
/** Bytes that it is served at once when it has asked for little before. */
export const SERVED_BURST_BYTES = 64 * MEBIBYTE;
/** What reading and sending a block costs besides its bytes. */
export const SERVED_BLOCK_COST = 4 * 1024;
/** Peers that are remembered; those that sent no request lately are forgotten first. */
const BUDGET_LIMIT = 1_024;
const SECOND_MS = 1_000;

/** The budgets of all peers, also of those without a session: a new one is no new budget. */
export type ServingBudgets = Map<NodeId, TokenBucket>;

/** Whatever is served is paid for afterwards: the size is not known before. */
export function chargeServed(
  budgets: ServingBudgets,
  peer: NodeId,
  bytes: number,
  now: number,
): void {
  let budget = budgets.get(peer);
  if (!budget) {
    makeRoom(budgets, now);
    budget = createBucket(SERVED_BYTES_PER_SECOND, now, SERVED_BURST_BYTES);
    budgets.set(peer, budget);
  }
  refill(budget, now);
  budget.stored -= bytes;
}

/** When a peer may be served again; not after now while it has something left. */
export function servableAt(budgets: ServingBudgets, peer: NodeId, now: number): number {
  const budget = budgets.get(peer);
  if (!budget) return now;
  refill(budget, now);
  if (budget.stored > 0) return now;
  // Rounded up: a timer of whole milliseconds must find something in store.
  return now + Math.ceil((-budget.stored / budget.ratePerSecond) * SECOND_MS) + 1;
}

/** Forgets budgets that are full, or the oldest one. */
function makeRoom(budgets: ServingBudgets, now: number): void {
  if (budgets.size < BUDGET_LIMIT) return;
  for (const [peer, budget] of budgets) if (isFull(budget, now)) budgets.delete(peer);
  for (const peer of budgets.keys()) {
    if (budgets.size < BUDGET_LIMIT) return;
    budgets.delete(peer);
  }
}
