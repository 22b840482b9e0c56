/**
 * From the queue to the ledger: verify runs of blocks, import what is verified, in order. The two
 * stages work side by side. Source: sync 4 (import loop), 9; pbft 8
 */
import { isSameList } from "../../bytes/ids.ts";
import { convict, removeBlock } from "./arrival.ts";
import { dropShard } from "./download.ts";
import type { Offence } from "./effect.ts";
import type { InputOf } from "./input.ts";
import { credit, mayAnnounce, refreshPeers } from "./peers.ts";
import type { QueuedBlock, Run, SyncState } from "./state.ts";
import { sendStatus } from "./step-context.ts";
import { BUSY_RETRY_MS, RUN_LIMIT, STATUS_INTERVAL_MS, VERIFIED_AHEAD } from "./tuning.ts";

type Committed = InputOf<"committed">;
type Verified = InputOf<"verified">;
type Imported = InputOf<"imported">;

/** The next blocks to verify, or the one that proves its sender Byzantine. */
interface NextRun {
  readonly run: readonly QueuedBlock[];
  readonly culprit?: { readonly entry: QueuedBlock; readonly offence: Offence };
}

const NOTHING: NextRun = { run: [] };

/** Queued blocks that stand on what is verified: only there it is certain who is to blame. */
function nextRun(state: SyncState): NextRun {
  if (state.verifying) return NOTHING;
  const run: QueuedBlock[] = [];
  let parent = state.head;
  const last = state.height + VERIFIED_AHEAD;
  for (let number = state.height + 1; number <= last && run.length < RUN_LIMIT; number++) {
    const entry = state.queue.get(number);
    if (!entry) break;
    // A run is without gaps: what was verified before ends it.
    if (entry.stage !== "queued" && run.length > 0) break;
    if (entry.stage === "queued") {
      const offence = defectOf(state, entry, parent);
      if (offence) {
        const isCertain = run.length === 0 && (offence === "wrongParent" || isNext(state, entry));
        return isCertain ? { run, culprit: { entry, offence } } : { run };
      }
      run.push(entry);
    }
    parent = entry.block.hash;
  }
  return { run };
}

/** Whether the next block to verify does not even fit. Source: sync 4 (DEVIATE) */
export function nextIsBad(state: SyncState): boolean {
  return nextRun(state).culprit !== undefined;
}

/** Its sender lied. */
export function convictNext(state: SyncState): void {
  const { culprit } = nextRun(state);
  if (culprit) convictSender(state, culprit.entry, culprit.offence);
}

/** Whether blocks wait that can be verified now. */
export function canVerify(state: SyncState): boolean {
  return nextRun(state).run.length > 0;
}

/** Has the next blocks that follow the verified ones verified. Source: sync 4 (DEVIATE) */
export function verifyNext(state: SyncState): void {
  const { run } = nextRun(state);
  const [first] = run;
  if (!first) return;
  for (const entry of run) entry.stage = "verifying";
  const token = state.nextToken++;
  const from = first.block.number;
  state.verifying = { token, from, to: from + run.length - 1 };
  const { sealers } = state.config;
  const blocks = run.map(({ block }) => block);
  state.effects.push({ type: "verify", token, blocks, sealers });
}

function isNext(state: SyncState, { block }: QueuedBlock): boolean {
  return block.number === state.height + 1;
}

/** A block in a run must fit to the one before it and name the sealers in force. */
function defectOf(state: SyncState, { block }: QueuedBlock, parent: string): Offence | undefined {
  if (block.parentHash !== parent) return "wrongParent";
  const { certified, sealers } = state.config;
  return certified && !isSameList(block.sealers, sealers) ? "wrongSealers" : undefined;
}

function convictSender(state: SyncState, entry: QueuedBlock, offence: Offence): void {
  const { number } = entry.block;
  const peer = state.peers.get(entry.from);
  if (peer) convict(state, peer, offence);
  removeBlock(state, number);
  state.failedBy.set(number, entry.from);
}

/** Whether an answer is that to the verification under way. */
export function isOfThisVerification({ verifying }: SyncState, { token }: Verified): boolean {
  return verifying?.token === token;
}

/** The answer to `verify`: good blocks may be imported, the sender of a bad one lied. */
export function noteVerified(state: SyncState, { defect }: Verified): void {
  const { verifying } = state;
  if (!verifying) return;
  state.verifying = undefined;
  for (let number = verifying.from; number <= verifying.to; number++) {
    const entry = state.queue.get(number);
    if (entry?.stage !== "verifying") continue;
    const isGood = !defect || number < defect.number;
    entry.stage = isGood ? "verified" : "queued";
    if (isGood) state.provenHighest = Math.max(state.provenHighest, number);
    if (number === defect?.number) convictSender(state, entry, "badBlock");
  }
}

/** Whether the next block may be executed now. Source: sync 4 (import loop) */
export function canImport(state: SyncState): boolean {
  if (state.now < state.importAt) return false;
  return state.queue.get(state.height + 1)?.stage === "verified";
}

/** Imports the verified blocks that follow the head. Source: sync 4 (import loop) */
export function importNext(state: SyncState): void {
  const run: QueuedBlock[] = [];
  const from = state.height + 1;
  for (let number = from; run.length < RUN_LIMIT; number++) {
    const entry = state.queue.get(number);
    if (entry?.stage !== "verified") break;
    run.push(entry);
  }
  for (const entry of run) entry.stage = "importing";
  const token = state.nextToken++;
  state.importing = { token, from, to: from + run.length - 1 };
  state.effects.push({ type: "import", token, blocks: run.map(({ block }) => block) });
}

/** Whether an answer is that to the import under way. */
export function isOfThisImport({ importing }: SyncState, { token }: Imported): boolean {
  return importing?.token === token;
}

/** Whether a certified block gives other results here. */
export function isOwnFault(state: SyncState, answer: Imported): boolean {
  return answer.fault === "own" && isOfThisImport(state, answer);
}

/** Whether a block was refused. */
export function isPeersFault(state: SyncState, answer: Imported): boolean {
  return answer.fault === "peer" && isOfThisImport(state, answer);
}

/** This node must not go on. Source: sync 4 */
export function stopPlanner(state: SyncState): void {
  takeBack(state);
  state.effects.push({ type: "stop", number: state.height + 1 });
  if (state.lastDeadline !== undefined) state.effects.push({ type: "deadline", at: undefined });
  state.lastDeadline = undefined;
}

/** A node that sent the block that was refused lied. Source: sync 4 (any failure pops the block) */
export function blameSender(state: SyncState): void {
  const [next] = takeBack(state).left;
  if (next && isNext(state, next)) convictSender(state, next, "badBlock");
}

/** The run is over, or has to wait. Source: sync 4 (import loop) */
export function endImport(state: SyncState, { fault }: Imported): void {
  const { left, from } = takeBack(state);
  if (fault === "busy" || (left.length > 0 && state.height < from))
    state.importAt = state.now + BUSY_RETRY_MS;
}

/** What was not imported waits again, as far as it may. */
function takeBack(state: SyncState): { left: readonly QueuedBlock[]; from: number } {
  const { importing } = state;
  if (!importing) return { left: [], from: 0 };
  state.importing = undefined;
  const left = entriesOf(state, importing);
  // Verified again: what ended the run may be that other sealers are in force.
  for (const entry of left) entry.stage = "queued";
  dropUnproven(state);
  return { left, from: importing.from };
}

function entriesOf(state: SyncState, { from, to }: Run): QueuedBlock[] {
  const entries: QueuedBlock[] = [];
  for (let number = from; number <= to; number++) {
    const entry = state.queue.get(number);
    if (entry?.stage === "importing") entries.push(entry);
  }
  return entries;
}

/** Whether a block is above the head. */
export function isNewBlock({ height }: SyncState, { number }: Committed): boolean {
  return number > height;
}

/** A block was written, by consensus or by an import. Source: sync 9 (COMMITTED_BY_CONSENSUS) */
export function advanceHead(state: SyncState, input: Committed): void {
  const { number, hash, config } = input;
  settleEntry(state, input);
  const wasAnnouncing = mayAnnounce(state);
  const sameSealers = isSameList(config.sealers, state.config.sealers);
  state.config = config;
  state.height = number;
  state.head = hash;
  state.provenHighest = Math.max(state.provenHighest, number);
  state.nearSince = undefined;
  state.announceDue = true;
  if (state.sealing <= number) state.sealing = 0;
  trim(state);
  if (!sameSealers) verifyAgain(state);
  dropUnproven(state);
  // A node that left says so at once to all, later only to whom it may matter. Source: sync 2
  if (wasAnnouncing && !mayAnnounce(state)) {
    state.announcedAt = state.now;
    state.farewellMs = STATUS_INTERVAL_MS;
    sendStatus(state, [...state.peers.keys()]);
  }
  refreshPeers(state);
}

/** Thanks or blames the sender of the block at the number that was written. */
function settleEntry(state: SyncState, { number, hash }: Committed): void {
  const entry = state.queue.get(number);
  if (!entry) return;
  const peer = state.peers.get(entry.from);
  if (entry.block.hash !== hash) return convictSender(state, entry, "badBlock");
  if (entry.stage === "importing" && peer) credit(peer);
}

/** Forgets what is not above the head any more. */
function trim(state: SyncState): void {
  for (const number of state.queue.keys()) if (number <= state.height) removeBlock(state, number);
  for (const number of state.failedBy.keys()) {
    if (number <= state.height) state.failedBy.delete(number);
  }
  for (const shard of state.shards) {
    for (const number of shard.waiting) if (number <= state.height) shard.waiting.delete(number);
    if (shard.waiting.size === 0) dropShard(state, shard);
  }
}

/**
 * Without certificates a block counts for its sender only: those of former sealers are asked of
 * others, who did no wrong. Source: raft 8
 */
function dropUnproven(state: SyncState): void {
  const { certified, sealers } = state.config;
  if (certified) return;
  for (const shard of state.shards) if (!sealers.includes(shard.peer)) dropShard(state, shard);
  for (const [number, entry] of state.queue) {
    if (entry.stage !== "importing" && !sealers.includes(entry.from)) removeBlock(state, number);
  }
}

/** Other sealers are in force: certificates are examined again. */
function verifyAgain(state: SyncState): void {
  state.verifying = undefined;
  for (const entry of state.queue.values()) {
    if (entry.stage !== "importing") entry.stage = "queued";
  }
}
