/** One node as a frame shows it. */
import type { AnyActor } from "xstate";
import { statusOfState } from "../../../core/actors/group.machine.ts";
import type { PbftState } from "../../../core/consensus/pbft/state.ts";
import type { RaftState } from "../../../core/consensus/raft/state.ts";
import type { GroupApi } from "../../../core/api/node-api.ts";
import type { LedgerApi } from "../../../core/ports/ledger.ts";
import type { WrittenBlock } from "../../../core/node/options/group-options.ts";
import type { SyncState } from "../../../core/sync/planner/state.ts";
import { actorView, type Snapshot } from "./charts.ts";
import { pbftView, raftView, sealerIndexOf, type Sight } from "./consensus-view.ts";
import {
  type ActorView,
  type BlockView,
  BLOCKS_SHOWN,
  type GroupView,
  type NodeView,
} from "./frame.ts";
import { bare } from "./message-view.ts";

/** Cores that the actors of a group hold. */
export interface Cores {
  readonly pbft: PbftState | undefined;
  readonly raft: RaftState | undefined;
  readonly sync: SyncState | undefined;
}

/** The context of an actor that is running; undefined when it is not. */
function contextOf(actor: AnyActor | undefined): Record<string, unknown> | undefined {
  const snapshot = actor?.getSnapshot() as Snapshot | undefined;
  const { context, status } = snapshot ?? {};
  if (status !== "active") return undefined;
  return typeof context === "object" && context !== null ? { ...context } : undefined;
}

/** The cores of a group, from its actors. */
export function coresOf(actors: ReadonlyMap<string, AnyActor>, groupId: number): Cores {
  const consensus = contextOf(actors.get(`g${groupId}.consensus`));
  const sync = contextOf(actors.get(`g${groupId}.sync`));
  return {
    pbft: consensus?.["pbft"] as PbftState | undefined,
    raft: consensus?.["raft"] as RaftState | undefined,
    sync: sync?.["sync"] as SyncState | undefined,
  };
}

/** Where a group of a node is examined. */
export interface GroupPlace {
  readonly actors: ReadonlyMap<string, AnyActor>;
  readonly groupId: number;
  /** Undefined while it does not run. */
  readonly group: GroupApi | undefined;
  readonly blocks: readonly BlockView[];
  readonly sight: Sight;
}

/** What a node shows of a group of its own. */
export function groupView(place: GroupPlace) {
  const { actors, groupId, group, blocks, sight } = place;
  const { pbft, raft, sync } = coresOf(actors, groupId);
  const core = pbft ?? raft;
  const index = core && sealerIndexOf(core);
  const newest = blocks.at(-1);
  return {
    role: index !== undefined ? "sealer" : group?.isMember() ? "observer" : "none",
    sealerIndex: index,
    height: newest?.number ?? group?.ledger.head().number ?? 0,
    head: newest?.hash ?? (group && bare(group.ledger.head().hash)),
    blocks,
    pool: group?.pendingCount() ?? 0,
    consensus: pbft ? pbftView(pbft, sight) : raft && raftView(raft, sight),
    sync: sync && {
      downloading: sync.downloading,
      queued: sync.queue.size,
      knownHighest: Math.max(sync.knownHighest, sync.height),
    },
    seenFromOutside: false,
  } satisfies Partial<NodeView>;
}

/** The newest blocks of a group on one node. */
export class BlockList {
  blocks: readonly BlockView[] = [];
  readonly #onBlock: (block: BlockView) => void;

  constructor(onBlock: (block: BlockView) => void = () => undefined) {
    this.#onBlock = onBlock;
  }

  /** A block was written; its seals are added once they are read. */
  written(written: WrittenBlock, ledger: LedgerApi | undefined): void {
    const { number, hash, transactions, sealer } = written;
    const block = { number, hash: bare(hash), transactions, sealer, seals: 0 };
    this.#add(block);
    void ledger
      ?.header(hash)
      .then((stored) => stored && this.#add({ ...block, seals: stored.seals.length }))
      // What cannot be read any more, as of a group that is removed, is not shown.
      .catch(() => undefined);
  }

  /** Begins anew with what is on disk. */
  refill(ledger: LedgerApi): void {
    this.blocks = [];
    // It is nice to have: a store that fails is noticed elsewhere.
    void this.#read(ledger).catch(() => undefined);
  }

  async #read(ledger: LedgerApi): Promise<void> {
    const from = Math.max(0, ledger.head().number - BLOCKS_SHOWN + 1);
    for (let number = from; number <= ledger.head().number; number++) {
      const hash = await ledger.hashOf(number);
      const block = hash && (await ledger.block(hash));
      const seals = hash && (await ledger.header(hash))?.seals.length;
      if (!hash || !block) return;
      const sealer = number === 0 ? undefined : block.header.sealer;
      const transactions = block.transactions.length;
      this.#add({ number, hash: bare(hash), transactions, sealer, seals: seals ?? 0 });
    }
  }

  #add(block: BlockView): void {
    const rest = this.blocks.filter(({ number }) => number !== block.number);
    const blocks = [...rest, block].sort((left, right) => left.number - right.number);
    this.blocks = blocks.slice(-BLOCKS_SHOWN);
    this.#onBlock(block);
  }
}

const GROUP_ACTOR = /^group(\d+)$/;
const SESSION = /^(g\d+\.session\.)([0-9a-f]{8})$/;

/** Words of the groups, by their actors. */
export function groupsOf(actors: ReadonlyMap<string, AnyActor>): GroupView[] {
  const groups: GroupView[] = [];
  for (const [name, actor] of actors) {
    const [, number] = GROUP_ACTOR.exec(name) ?? [];
    if (number === undefined) continue;
    const { value } = actor.getSnapshot() as Snapshot;
    groups.push({ group: Number(number), status: statusOfState(String(value)) });
  }
  return groups.sort((left, right) => left.group - right.group);
}

/** Numbers by the beginnings of node IDs, which sessions are named after. */
export function prefixesOf(numbers: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...numbers].map(([id, number]) => [id.slice(0, 8), number]));
}

/** How an actor is called: a session after the number of its peer. */
export function shownName(name: string, prefixes: ReadonlyMap<string, number>): string {
  const [, beginning, prefix = ""] = SESSION.exec(name) ?? [];
  const peer = beginning === undefined ? undefined : prefixes.get(prefix);
  return peer === undefined ? name : `${beginning}${peer}`;
}

/** Actors by name. */
export function actorsOf(
  actors: ReadonlyMap<string, AnyActor>,
  prefixes: ReadonlyMap<string, number>,
): ActorView[] {
  return [...actors]
    .filter(([, actor]) => (actor.getSnapshot() as Snapshot).status !== "stopped")
    .map(([name, actor]) => actorView(shownName(name, prefixes), actor))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
