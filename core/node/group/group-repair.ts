/**
 * Builds the ledger of a group anew next to a damaged one: blocks come from peers by certificate,
 * rows from executing them. It never votes, and no node but peers sees it.
 * Source: decision 30; decision 25
 */
import { describe } from "../../actors/supervise.ts";
import type { SyncStatus } from "../../api/node-api.ts";
import type { NodeId } from "../../bytes/ids.ts";
import { maxFaulty } from "../../consensus/quorum.ts";
import { GroupFault } from "../../fault/group-fault.ts";
import { ResultFault } from "../../fault/invariant.ts";
import { StoreFault, type StoreFaultKind } from "../../fault/store-fault.ts";
import type { GenesisConfig } from "../../model/config.ts";
import type { LedgerRepair } from "../options/node-ports.ts";
import { writeAbstention } from "../voting/abstention-store.ts";
import type { GroupRuntime } from "./group-runtime.ts";
import { GroupInstance, type InstanceOptions } from "./group-instance.ts";

/** How often it is examined how far the second ledger is. */
const LOOK_MS = 250;
/** A second ledger that is damaged itself is begun anew this many times. */
const MOST_ATTEMPTS = 3;
/** Of a second ledger: damaged, or begun with a genesis file that was not the right one. */
const USELESS: ReadonlySet<StoreFaultKind> = new Set(["corrupt", "foreign"]);

/** What is repaired. */
export interface RepairOptions extends Pick<InstanceOptions, "shared" | "genesis" | "parent"> {
  readonly repair: LedgerRepair;
  /** The newest block of the damaged ledger, as far as it could be read. */
  readonly head: number;
}

/** Whether no other sealer has the blocks of a group: then the sentence for operators. */
export function unrepairable({ sealers }: GenesisConfig, self: NodeId): string | undefined {
  if (sealers.some((sealer) => sealer !== self)) return undefined;
  return "no other sealer has its blocks: restore a backup with chain-node restore --replace";
}

/**
 * The height that the honest give, by what sealers report: one of f + 1 of them is honest.
 * Undefined while too few have reported where they stand: those who have not are shown at block 0,
 * and so would be a ledger without blocks.
 */
export function heightOfOthers(
  sealers: readonly NodeId[],
  peers: SyncStatus["peers"],
  byzantine: number,
): number | undefined {
  const heard = peers.filter(({ nodeId, isHeard }) => isHeard && sealers.includes(nodeId));
  const heights = heard.map(({ number }) => number);
  return heights.toSorted((left, right) => right - left)[byzantine];
}

/** One repair under way. */
export class GroupRepair {
  readonly #options: RepairOptions;
  #instance: GroupInstance | undefined;
  #goal: number;
  #isStopped = false;
  #failure: { readonly cause: unknown } | undefined;
  #wake: () => void = () => {};
  #closing: Promise<void> = Promise.resolve();

  constructor(options: RepairOptions) {
    this.#options = options;
    this.#goal = options.head;
  }

  /** What peers talk to meanwhile. */
  get runtime(): GroupRuntime | undefined {
    return this.#instance?.runtime;
  }

  /** How far it is, in words. */
  progress(): string {
    const at = this.#instance?.head() ?? 0;
    return `repairing: at block ${at} of ${Math.max(at, this.#goal)}`;
  }

  /**
   * Resolves when the second ledger is closed and as far as the damaged one and the others.
   * @throws GroupFault when it was stopped; what the second ledger failed with
   */
  async run(): Promise<void> {
    const { shared, repair, genesis } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        this.#failure = undefined;
        const work = this.#follow();
        this.#closing = work.catch(() => undefined);
        return await work;
      } catch (cause) {
        // Its rows may be what is wrong; where they give the same again, the program is.
        const differs = cause instanceof ResultFault && attempt === 1;
        const isUseless = differs || (cause instanceof StoreFault && USELESS.has(cause.kind));
        if (this.#isStopped || !isUseless || attempt === MOST_ATTEMPTS) throw cause;
        const fields = { group: genesis.groupId, cause: describe(cause) };
        shared.ports.log.write("error", "the repair of a ledger begins anew", fields);
        await repair.discard(genesis.groupId);
      }
    }
  }

  /** Gives it up where it is; resolves when nothing of it is open. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#closing;
  }

  async #follow(): Promise<void> {
    const { shared, repair, genesis, parent } = this.#options;
    const instance = new GroupInstance({
      shared,
      genesis,
      parent,
      openStore: () => repair.openStore(genesis.groupId),
      openExecutor: repair.openExecutor,
      // The votes of this node are in the damaged ledger, if anywhere.
      admit: (_, store) => writeAbstention(store, { mode: "silent", cause: "lostVotes", since: 0 }),
      // What it says would be reported of a ledger that no node has adopted.
      isAbstaining: () => true,
      isEnding: () => this.#isStopped,
      onFailure: (cause) => {
        this.#failure ??= { cause };
        this.#wake();
      },
    });
    this.#instance = instance;
    try {
      await instance.open();
      while (!this.#isThere(instance)) {
        await this.#pause();
        if (this.#isStopped) throw new GroupFault("the repair was stopped");
      }
    } finally {
      this.#instance = undefined;
      await instance.close();
    }
    // What failed last may have been the last block.
    if (this.#failure) throw this.#failure.cause;
  }

  /** @throws what it failed with */
  #isThere(instance: GroupInstance): boolean {
    if (this.#failure) throw this.#failure.cause;
    const { runtime } = instance;
    if (!runtime) return false;
    const sealers = runtime.voting().map(({ nodeId }) => nodeId);
    const byzantine = runtime.consensusType === "raft" ? 0 : maxFaulty(sealers.length);
    const theirs = heightOfOthers(sealers, runtime.syncStatus().peers, byzantine);
    this.#goal = Math.max(this.#options.head, theirs ?? 0);
    return theirs !== undefined && instance.head() >= this.#goal;
  }

  #pause(): Promise<void> {
    const { clock } = this.#options.shared.ports;
    return new Promise((resolve) => {
      const cancel = clock.after(LOOK_MS, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
      if (this.#isStopped || this.#failure) this.#wake();
    });
  }
}
