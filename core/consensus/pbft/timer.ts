/** How long a view may take, and the one deadline. Source: pbft 7 (timer), 16.3.8 */
import type { PbftState } from "./state.ts";

/** First wait for a leader. Source: pbft 7 (viewTimeout) */
export const VIEW_TIMEOUT_MS = 3_000;
/** Factor per failed view. Source: pbft 7 */
const BACK_OFF = 1.5;
/** No wait grows beyond this. Source: pbft 16.3.8 */
export const MAX_WAIT_MS = 60_000;
/** Failed views beyond this number no longer lengthen a wait; keeps the power finite. */
const MAX_BACK_OFF_STEPS = 20;
/**
 * Worst execution of one transaction on the slowest supported machine: four times `tx_gas_limit` of
 * work. A block of one transaction is waited for that long in its first view.
 * Source: pbft 16.3.8; decision 21
 */
export const ONE_TRANSACTION_EXECUTION_MS = 60_000;
/** How much slower than this node another sealer may be. */
const SLOWER = 3;
/** Status goes out this often. Source: pbft 16.1 */
export const STATUS_INTERVAL_MS = 1_000;
/** Missing parts of a proposal are asked from the next holder after this. Source: pbft 9 */
export const BODY_RETRY_MS = 500;
/** A block is asked from the next peer after this. Source: pbft 16.3.9 */
export const BLOCK_RETRY_MS = 2_000;
/** A sealer one block behind waits so long for its votes before it asks. Source: sync 4 */
export const CATCH_UP_DELAY_MS = 400;
/** How often a stale peer is answered, and own messages are repeated. Source: pbft 16.3.9 */
export const ANSWER_INTERVAL_MS = 200;

/** Whether the proposal of the current view is executing on this node. */
export function isExecuting(state: PbftState): boolean {
  const { work, round } = state;
  return work?.stage === "executing" && work.token.proposal === round.proposal;
}

/** How long the present stage of the view may take. Source: pbft 16.3.8 */
export function waitMs(state: PbftState): number {
  const executing = isExecuting(state);
  const base = executing ? state.config.consensusTimeoutMs : VIEW_TIMEOUT_MS;
  const steps = Math.min(state.failedViews, MAX_BACK_OFF_STEPS);
  const wait = Math.min(base * BACK_OFF ** steps, MAX_WAIT_MS);
  return state.round.txCount === 1 ? Math.max(wait, oneTransactionWaitMs(state)) : wait;
}

/** A transaction alone in its block: its execution, or what slower sealers may need. */
function oneTransactionWaitMs(state: PbftState): number {
  if (isExecuting(state)) return ONE_TRANSACTION_EXECUTION_MS;
  const { work, round } = state;
  const executed = work?.stage === "executed" && work.token.proposal === round.proposal;
  return executed ? Math.min(work.executionMs * SLOWER, ONE_TRANSACTION_EXECUTION_MS) : 0;
}

/** When the current view times out, or own ViewChange is sent again. */
export function viewDeadline(state: PbftState): number {
  return state.waitStart + waitMs(state);
}

/** The earliest time at which something is due. */
export function nextDeadline(state: PbftState): number {
  let at = state.statusAt;
  if (state.index < state.config.sealers.length && !state.decision) {
    at = Math.min(at, viewDeadline(state));
  }
  if (state.work?.stage === "fetching") at = Math.min(at, state.work.retryAt);
  if (state.catchUpAt !== undefined && wantsBlock(state)) at = Math.min(at, state.catchUpAt);
  return at;
}

/** Whether a peer's next block would help: nothing is decided, or it is not at hand. */
export function wantsBlock(state: PbftState): boolean {
  return !state.decision || state.work?.stage === "fetching";
}
