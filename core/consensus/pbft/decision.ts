/** From a final block to the next height; what peers say. Source: pbft 8, 11, 16.3.5, 16.3.8-9 */
import { isSameList, type NodeId } from "../../bytes/ids.ts";
import { verifySeals } from "../certificate.ts";
import { dropWork, isIncomplete, stopGroup } from "./execution.ts";
import type { Received, InputOf } from "./input.ts";
import { checkOwnSeal } from "./lost-votes.ts";
import type { Status } from "./message.ts";
import { answerStale, helpForward, resendVotes, statusOf } from "./resend.ts";
import {
  configure,
  type Decision,
  emptyHeight,
  isSealer,
  type Peer,
  type PbftState,
  type Work,
} from "./state.ts";
import { BLOCK_RETRY_MS, CATCH_UP_DELAY_MS, STATUS_INTERVAL_MS, wantsBlock } from "./timer.ts";
import { broadcast, ignore, report } from "./step-context.ts";

/** Peers whose height is remembered; the rest are not asked for blocks. */
const MAX_PEERS = 1_024;

/** A sealer whose statuses do not come through any more is out of reach after this. */
const DISTANT_MS = 5 * STATUS_INTERVAL_MS;

/** The decision, when the work on its block is at that stage. */
function decisionAt({ decision, work }: PbftState, stage: Work["stage"]): Decision | undefined {
  if (work?.stage !== stage || work.token.proposal !== decision?.proposal) return undefined;
  return decision.writing ? undefined : decision;
}

/** Whether this node refuses what is final. Source: pbft 16.3.4 */
export function isRefused(state: PbftState): boolean {
  return state.work?.wasBound === true && decisionAt(state, "refused") !== undefined;
}

/** This node must not go on. Source: pbft 16.3.4 */
export function stopOverRefusal(state: PbftState): void {
  if (state.decision) stopGroup(state, "executionRefused", state.decision);
}

/** Whether executing what is final gave something else here. Source: pbft 16.3.4 */
export function isExecutedOtherwise(state: PbftState): boolean {
  const decision = decisionAt(state, "executed");
  return decision !== undefined && decision.executed !== state.work?.executed;
}

/** This node must not go on. Source: pbft 16.3.4 */
export function stopOverResult(state: PbftState): void {
  if (state.decision) stopGroup(state, "executionDiffers", state.decision);
}

/** Whether the final block is executed and can be written. Source: pbft 16.3.5 */
export function canWrite(state: PbftState): boolean {
  const decision = decisionAt(state, "executed");
  return decision !== undefined && decision.executed === state.work?.executed;
}

/** Writes it with its seals. Source: pbft 16.3.5 */
export function write(state: PbftState): void {
  const { decision, height } = state;
  if (!decision) return;
  decision.writing = true;
  const { proposal, executed, seals } = decision;
  state.effects.push({ type: "write", height: height + 1, proposal, executed, seals });
}

/** Whether a written block is the next one, or a later one. */
export function isNewBlock(state: PbftState, { height }: InputOf<"written">): boolean {
  return height > state.height;
}

/** A block is written, by core or sync: all starts over above it. Source: pbft 8, 16.3.1 */
export function advanceHead(state: PbftState, input: InputOf<"written">): void {
  const { decision } = state;
  const own = decision?.executed === input.hash ? decision : undefined;
  if (state.work && !own) dropWork(state);
  const proposedHere = own !== undefined && state.ownPrepare?.proposal === own.proposal;
  const { height, hash } = input;
  const view = own?.view ?? 0;
  report(state, { event: "committed", height, hash, proposal: own?.proposal, view });
  configure(state, input.config);
  state.height = height;
  state.head = hash;
  Object.assign(state, emptyHeight(state.now));
  state.futureDue = true;
  if (!isSealer(state)) state.future.clear();
  const ahead = [...state.peers.values()].some((peer) => peer.height > height);
  state.catchUpAt = ahead ? state.now : undefined;
  // Observers learn of the block at once, from one sealer; sealers have their votes.
  if (proposedHere) broadcast(state, statusOf(state), "observers");
}

/** Another node reports where it stands: help it, or ask it for help. Source: pbft 16.3.9 */
export function takeStatus(state: PbftState, { from, message }: Received<Status>): void {
  // An old one that somebody repeats must not stand for what a session says.
  if (state.via !== undefined && state.connected.has(from))
    return ignore(state, from, "status", "duplicate");
  if (message.signer !== from) return ignore(state, from, "status", "otherSigner");
  const peer = peerOf(state, from);
  if (!peer) return;
  peer.height = message.height;
  peer.view = message.view;
  if (state.via !== undefined) noteDistant(state, from, state.now);
  const index = state.indexes.get(from);
  if (message.height < state.height) return answerStale(state, { from });
  if (message.height > state.height) return noteAhead(state, message.height);
  if (index === undefined || !isSealer(state)) return;
  state.views.set(index, message.view);
  if (message.head !== state.head) return ignore(state, from, "status", "otherHead");
  if (message.view < state.view || message.toView <= state.toView)
    helpForward(state, from, message);
  if (message.view === state.view) resendVotes(state, from);
}

/** The entry of a peer, made on first use; undefined when there are too many. */
export function peerOf(state: PbftState, id: NodeId): Peer | undefined {
  let peer = state.peers.get(id);
  if (!peer && state.peers.size < MAX_PEERS) {
    peer = { height: 0, view: 0, failures: 0, answeredAt: Number.NEGATIVE_INFINITY };
    state.peers.set(id, peer);
  }
  return peer;
}

/** A sealer one block behind is most likely about to commit that block itself. Source: sync 4 */
function noteAhead(state: PbftState, height: number): void {
  if (state.catchUpAt !== undefined) return;
  const near = height === state.height + 1 && isSealer(state);
  state.catchUpAt = state.now + (near ? CATCH_UP_DELAY_MS : 0);
}

/** Asks the peer ahead that failed least for the next block. Source: pbft 16.3.9 */
export function catchUpWhenDue(state: PbftState): void {
  if (state.catchUpAt === undefined || state.now < state.catchUpAt || !wantsBlock(state)) return;
  let chosen: NodeId | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [id, peer] of state.peers) {
    if (peer.height <= state.height || peer.failures >= fewest) continue;
    chosen = id;
    fewest = peer.failures;
  }
  if (chosen === undefined) {
    state.catchUpAt = undefined;
    return;
  }
  const peer = peerOf(state, chosen);
  if (peer) peer.failures++;
  state.catchUpAt = state.now + BLOCK_RETRY_MS;
  state.effects.push({ type: "requestBlock", height: state.height + 1, to: chosen });
}

function isOfNoUse(state: PbftState, { block }: InputOf<"block">): boolean {
  return block.proposal.number !== state.height + 1 || !wantsBlock(state);
}

/** Whether Q sealers in force sealed a block: then it is final. Source: pbft 8, 16.3.9 */
export function isSealed(state: PbftState, input: InputOf<"block">): boolean {
  if (isOfNoUse(state, input)) return false;
  const { sealers } = state.config;
  const { proposal, seals } = input.block;
  if (proposal.parentHash !== state.head || !isSameList(proposal.sealers, sealers)) return false;
  return verifySeals(seals, sealers) === "ok";
}

/** It is stale; another peer may have a better one. */
export function ignoreBlock(state: PbftState, input: InputOf<"block">): void {
  const { from, block } = input;
  if (isOfNoUse(state, input)) return ignore(state, from, "block", "stale");
  if (state.catchUpAt !== undefined) state.catchUpAt = state.now;
  const isOther = block.proposal.parentHash !== state.head;
  ignore(state, from, "block", isOther ? "wrongParent" : "badSeals");
}

/** It is executed and written. Source: pbft 8, 16.3.9 */
export function takeBlock(state: PbftState, { from, block }: InputOf<"block">): void {
  const { proposal, executed, seals } = block;
  checkOwnSeal(state, block);
  const peer = state.peers.get(from);
  if (peer) peer.failures = 0;
  const { work } = state;
  if (work && (isIncomplete(work) || work.token.proposal !== proposal.hash)) dropWork(state);
  state.decision ??= {
    view: 0,
    proposal: proposal.hash,
    executed,
    seals: seals.map(({ index, signature }) => ({ index, signature })),
    holders: [from],
    writing: false,
  };
}

/** Sealers that hear this node, itself included. */
export function reachableSealers(state: PbftState, now: number): number {
  let count = isSealer(state) ? 1 : 0;
  for (const id of state.connected) if (state.indexes.has(id)) count++;
  for (const [id, at] of state.distant)
    if (now < at + DISTANT_MS && state.indexes.has(id) && !state.connected.has(id)) count++;
  return count;
}

/** Regaining a quorum forgets the back-off; `before` were in reach. Source: pbft 16.3.8 */
export function noteReach(state: PbftState, before: number, now: number): void {
  const isRegained = before < state.quorum && reachableSealers(state, now) >= state.quorum;
  if (isRegained) state.failedViews = 0;
}

/** The status of a sealer without a session came through. Bounded by the list of sealers. */
export function noteDistant(state: PbftState, from: NodeId, now: number): void {
  for (const id of state.distant.keys()) if (!state.indexes.has(id)) state.distant.delete(id);
  if (!state.indexes.has(from)) return;
  const before = reachableSealers(state, now);
  state.distant.set(from, now);
  noteReach(state, before, now);
}
