/**
 * From the queue to the ledger: verify runs of blocks, import what is verified, in order. The two
 * stages work side by side. Source: sync 4 (import loop), 9; pbft 8
 */
import { isSameList } from "../../bytes/ids.ts";
import { convict, removeBlock } from "./arrival.ts";
import { dropShard } from "./download.ts";
import type { Offence } from "./effect.ts";
import type { SyncInput } from "./input.ts";
import { credit, mayAnnounce, refreshPeers } from "./peers.ts";
import type { BlockStage, QueuedBlock, Run, SyncState } from "./state.ts";
import { sendStatus, type Turn } from "./turn.ts";
import { BUSY_RETRY_MS, RUN_LIMIT, STATUS_INTERVAL_MS, VERIFIED_AHEAD } from "./tuning.ts";

type Committed = Extract<SyncInput, { type: "committed" }>;
type Verified = Extract<SyncInput, { type: "verified" }>;
type Imported = Extract<SyncInput, { type: "imported" }>;

/** Has the next blocks that follow the verified ones verified. Source: sync 4 (DEVIATE) */
export function advanceVerification(state: SyncState, turn: Turn): void {
  if (state.verifying || !state.rules.verifyFirst) return;
  const run = nextToVerify(state, turn);
  const [first] = run;
  if (!first) return;
  for (const entry of run) entry.stage = "verifying";
  const token = state.nextToken++;
  const from = first.block.number;
  state.verifying = { token, from, to: from + run.length - 1 };
  const { sealers } = state.config;
  const blocks = run.map(({ block }) => block);
  turn.effects.push({ type: "verify", token, blocks, sealers });
}

/**
 * Queued blocks that stand on each other and on what is verified. Only there it is certain who is
 * to blame for a block that does not fit.
 */
function nextToVerify(state: SyncState, turn: Turn): QueuedBlock[] {
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
        if (isCertain) convictSender(state, turn, entry, offence);
        break;
      }
      run.push(entry);
    }
    parent = entry.block.hash;
  }
  return run;
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

function convictSender(state: SyncState, turn: Turn, entry: QueuedBlock, offence: Offence): void {
  const { number } = entry.block;
  const peer = state.peers.get(entry.from);
  if (peer) convict(state, turn, peer, offence);
  removeBlock(state, number);
  state.failedBy.set(number, entry.from);
}

/** The answer to `verify`: good blocks may be imported, the sender of a bad one lied. */
export function onVerified(state: SyncState, turn: Turn, { token, defect }: Verified): void {
  const { verifying } = state;
  if (verifying?.token !== token) return;
  state.verifying = undefined;
  for (let number = verifying.from; number <= verifying.to; number++) {
    const entry = state.queue.get(number);
    if (entry?.stage !== "verifying") continue;
    const isGood = !defect || number < defect.number;
    entry.stage = isGood ? "verified" : "queued";
    if (isGood) state.provenHighest = Math.max(state.provenHighest, number);
    if (number === defect?.number) convictSender(state, turn, entry, "badBlock");
  }
}

/** Imports the verified blocks that follow the head. Source: sync 4 (import loop) */
export function advanceImport(state: SyncState, turn: Turn): void {
  if (state.importing || turn.now < state.importAt) return;
  const run: QueuedBlock[] = [];
  const wanted: BlockStage = state.rules.verifyFirst ? "verified" : "queued";
  for (let number = state.height + 1; run.length < RUN_LIMIT; number++) {
    const entry = state.queue.get(number);
    if (entry?.stage !== wanted) break;
    run.push(entry);
  }
  const [first] = run;
  if (!first) return;
  for (const entry of run) entry.stage = "importing";
  const token = state.nextToken++;
  const from = first.block.number;
  state.importing = { token, from, to: from + run.length - 1 };
  turn.effects.push({ type: "import", token, blocks: run.map(({ block }) => block) });
}

/** The answer to `import`. Source: sync 4 (any failure pops the block) */
export function onImported(state: SyncState, turn: Turn, { token, fault }: Imported): void {
  const run = state.importing;
  if (run?.token !== token) return;
  state.importing = undefined;
  const left = entriesOf(state, run);
  // Verified again: what ended the run may be that other sealers are in force.
  for (const entry of left) entry.stage = "queued";
  dropUnproven(state);
  const next = left.find((entry) => isNext(state, entry));
  if (fault === "own") {
    state.stopped = true;
    turn.effects.push({ type: "stop", number: state.height + 1 });
  } else if (fault === "peer") {
    if (next) convictSender(state, turn, next, "badBlock");
  } else if (fault === "busy" || (left.length > 0 && state.height < run.from)) {
    state.importAt = turn.now + BUSY_RETRY_MS;
  }
}

function entriesOf(state: SyncState, { from, to }: Run): QueuedBlock[] {
  const entries: QueuedBlock[] = [];
  for (let number = from; number <= to; number++) {
    const entry = state.queue.get(number);
    if (entry?.stage === "importing") entries.push(entry);
  }
  return entries;
}

/** A block was written, by consensus or by an import. Source: sync 9 (COMMITTED_BY_CONSENSUS) */
export function onCommitted(state: SyncState, turn: Turn, input: Committed): void {
  const { number, hash, config } = input;
  if (number <= state.height) return;
  settleEntry(state, turn, input);
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
    state.announcedAt = turn.now;
    state.farewellMs = STATUS_INTERVAL_MS;
    sendStatus(state, turn, [...state.peers.keys()]);
  }
  refreshPeers(state, turn);
}

/** Thanks or blames the sender of the block at the number that was written. */
function settleEntry(state: SyncState, turn: Turn, { number, hash }: Committed): void {
  const entry = state.queue.get(number);
  if (!entry) return;
  const peer = state.peers.get(entry.from);
  if (entry.block.hash !== hash) return convictSender(state, turn, entry, "badBlock");
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

/** Other sealers are in force: certificates are looked at again. */
function verifyAgain(state: SyncState): void {
  state.verifying = undefined;
  for (const entry of state.queue.values()) {
    if (entry.stage !== "importing") entry.stage = "queued";
  }
}
