/** Looks into the actors of a node: their invariants hold and their caches keep to bounds. */
import type { Inspector } from "../../../core/actors/supervise.ts";
import type { PbftState } from "../../../core/consensus/pbft/state.ts";
import type { SyncState } from "../../../core/sync/planner/state.ts";
import { HEAVY_LIMIT } from "../../../core/txpool/limits.ts";
import type { TxPool } from "../../../core/txpool/state.ts";
import { Violation } from "../checkers.ts";
import { checkPbftInvariants, checkSyncInvariants } from "../../support/world/invariants.ts";

/** Messages for later that the consensus core keeps: kinds, heights, views, and signers. */
const MOST_FUTURE = 10_000;

/** What the actors of a group keep. */
interface Context {
  readonly pool?: TxPool;
  readonly pbft?: PbftState;
  readonly sync?: SyncState;
}

interface Seen {
  getSnapshot(): { readonly status: string; readonly context?: Context };
}

/** The actors of one life of a node. */
export class Inside {
  readonly #actors = new Set<Seen>();

  /** Given to the node. */
  readonly inspector: Inspector = (event) => {
    const { type, actorRef } = event as { type: string; actorRef: unknown };
    if (type === "@xstate.actor") this.#actors.add(actorRef as Seen);
  };

  /** @throws Violation, InvariantFault */
  check(): void {
    for (const actor of this.#actors) {
      const { status, context } = actor.getSnapshot();
      if (status !== "active") this.#actors.delete(actor);
      else if (context) checkContext(context);
    }
  }
}

function checkContext({ pool, pbft, sync }: Context): void {
  if (pbft) {
    checkPbftInvariants(pbft);
    if (pbft.future.size > MOST_FUTURE) throw new Violation("too much is kept for later");
  }
  if (sync) checkSyncInvariants(sync);
  if (!pool) return;
  const { limits, byHash, dropped, heavy, memoryBytes } = pool;
  if (byHash.size > limits.count || dropped.size > limits.count || heavy.size > HEAVY_LIMIT)
    throw new Violation(`a pool of ${limits.count} holds ${byHash.size}, ${dropped.size} dropped`);
  if (memoryBytes < 0 || memoryBytes > limits.memoryBytes)
    throw new Violation(`a pool has ${memoryBytes} bytes`);
}
