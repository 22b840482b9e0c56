/**
 * From a final block to the next height: execute if needed, write, start over; blocks from peers
 * ahead.
 * Source: pbft 8, 16.3.5, 16.3.9
 */
import { isSameList, type NodeId } from "../../bytes/ids.ts";
import { verifySeals } from "../certificate.ts";
import { dropWork, isIncomplete, stopGroup } from "./execution.ts";
import type { Input } from "./input.ts";
import { checkOwnSeal } from "./lost-votes.ts";
import type { Status } from "./message.ts";
import { answerStale, helpForward, resendVotes, statusOf } from "./resend.ts";
import { configure, emptyHeight, isSealer, type Peer, type PbftState } from "./state.ts";
import { hearDistant } from "./reach.ts";
import { BLOCK_RETRY_MS, CATCH_UP_DELAY_MS, wantsBlock } from "./timer.ts";
import { broadcast, ignore, report, type Turn } from "./turn.ts";

/** Peers whose height is remembered; the rest are not asked for blocks. */
const MAX_PEERS = 1_024;

/** Writes the decided block once this node has executed it. Source: pbft 16.3.5 */
export function advanceDecision(state: PbftState, turn: Turn): boolean {
  const { decision, work } = state;
  if (!decision || decision.writing || work?.token.proposal !== decision.proposal) return false;
  if (work.stage === "refused" && work.wasBound) {
    stopGroup(state, turn, "executionRefused", decision);
    return true;
  }
  if (work.stage !== "executed") return false;
  if (work.executed !== decision.executed) {
    stopGroup(state, turn, "executionDiffers", decision);
    return true;
  }
  decision.writing = true;
  const { proposal, executed, seals } = decision;
  turn.effects.push({ type: "write", height: state.height + 1, proposal, executed, seals });
  return true;
}

/**
 * A block is written, by this core or by sync: everything starts over above it.
 * Source: pbft 8, 16.3.1
 */
export function onWritten(
  state: PbftState,
  turn: Turn,
  input: Extract<Input, { type: "written" }>,
): void {
  if (input.height <= state.height) return;
  const { decision } = state;
  const own = decision?.executed === input.hash ? decision : undefined;
  if (state.work && !own) dropWork(state, turn);
  const proposedHere = own !== undefined && state.ownPrepare?.proposal === own.proposal;
  const { height, hash } = input;
  const view = own?.view ?? 0;
  report(turn, { event: "committed", height, hash, proposal: own?.proposal, view });
  configure(state, input.config);
  state.height = height;
  state.head = hash;
  Object.assign(state, emptyHeight(turn.now));
  state.futureDue = true;
  if (!isSealer(state)) state.future.clear();
  const ahead = [...state.peers.values()].some((peer) => peer.height > height);
  state.catchUpAt = ahead ? turn.now : undefined;
  // Observers hear of the block at once, from one sealer; sealers have their votes.
  if (proposedHere) broadcast(turn, statusOf(state), "observers");
}

/** Another node says where it stands: help it, or ask it for help. Source: pbft 16.3.9 */
export function onStatus(state: PbftState, turn: Turn, from: NodeId, message: Status): void {
  const peer = peerOf(state, from);
  if (!peer) return;
  peer.height = message.height;
  peer.view = message.view;
  if (turn.via !== undefined) hearDistant(state, from, turn.now);
  const index = state.indexes.get(from);
  if (message.height < state.height) return answerStale(state, turn, from);
  if (message.height > state.height) return noteAhead(state, turn, message.height);
  if (index === undefined || !isSealer(state)) return;
  state.views.set(index, message.view);
  if (message.head !== state.head) return ignore(turn, from, "status", "otherHead");
  if (message.view < state.view || message.toView <= state.toView) {
    helpForward(state, turn, { to: from, view: message.view, toView: message.toView });
  }
  if (message.view === state.view) resendVotes(state, turn, from);
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
function noteAhead(state: PbftState, turn: Turn, height: number): void {
  if (state.catchUpAt !== undefined) return;
  const near = height === state.height + 1 && isSealer(state);
  state.catchUpAt = turn.now + (near ? CATCH_UP_DELAY_MS : 0);
}

/** Asks the peer ahead that failed least for the next block. Source: pbft 16.3.9 */
export function catchUpWhenDue(state: PbftState, turn: Turn): void {
  if (state.catchUpAt === undefined || turn.now < state.catchUpAt || !wantsBlock(state)) return;
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
  state.catchUpAt = turn.now + BLOCK_RETRY_MS;
  turn.effects.push({ type: "requestBlock", height: state.height + 1, to: chosen });
}

/**
 * A block with seals from a peer: final when Q sealers of the list in force sealed it.
 * Source: pbft 8, 16.3.9
 */
export function onBlock(
  state: PbftState,
  turn: Turn,
  { from, block }: Extract<Input, { type: "block" }>,
): void {
  const { proposal, executed, seals } = block;
  if (proposal.number !== state.height + 1 || !wantsBlock(state)) {
    return ignore(turn, from, "block", "stale");
  }
  const { sealers } = state.config;
  const listed = isSameList(proposal.sealers, sealers);
  const sealed = listed && verifySeals(seals, sealers) === "ok";
  if (!sealed || proposal.parentHash !== state.head) {
    if (state.catchUpAt !== undefined) state.catchUpAt = turn.now;
    return ignore(
      turn,
      from,
      "block",
      proposal.parentHash === state.head ? "badSeals" : "wrongParent",
    );
  }
  checkOwnSeal(state, turn, block);
  const peer = state.peers.get(from);
  if (peer) peer.failures = 0;
  const { work } = state;
  if (work && (isIncomplete(work) || work.token.proposal !== proposal.hash)) dropWork(state, turn);
  state.decision ??= {
    view: 0,
    proposal: proposal.hash,
    executed,
    seals: seals.map(({ index, signature }) => ({ index, signature })),
    holders: [from],
    writing: false,
  };
}
