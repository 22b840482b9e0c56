/** The pool's life: open to imports, outside the group, closed. Source: txpool 3, 7 */
import { type ActorRefFrom, setup } from "xstate";
import type { ImportContext } from "../txpool/admission.ts";
import { clearPool, type ImportItem, type ImportOutcome, importBatch } from "../txpool/pool.ts";
import { onLeftGroup } from "../txpool/spreading.ts";
import type { TxPool } from "../txpool/state.ts";

/** What came of one item; outside the group nothing is imported. */
export type PoolOutcome = ImportOutcome | { readonly ok: false; readonly refusal: "notInGroup" };

/** Guards the pool: who may import, and what happens to it when the node leaves the group. */
export const txpoolMachine = setup({
  types: {} as {
    input: { pool: TxPool };
    context: { pool: TxPool };
    events:
      | { type: "group.left" | "group.joined" | "pool.close" }
      /** What an import threw: the pool cannot be trusted any more. */
      | { type: "pool.broke"; cause: unknown };
  },
  actions: {
    forgetKnowledge: ({ context }) => onLeftGroup(context.pool),
    clear: ({ context }) => clearPool(context.pool),
    // The actor ends with it, and its owner stops the group.
    fail: ({ event }) => {
      if (event.type === "pool.broke") throw event.cause;
    },
  },
}).createMachine({
  id: "txpool",
  context: ({ input }) => ({ pool: input.pool }),
  initial: "open",
  on: { "pool.close": ".closed", "pool.broke": { actions: "fail" } },
  states: {
    open: { on: { "group.left": { target: "outside", actions: "forgetKnowledge" } } },
    outside: { on: { "group.joined": "open" } },
    closed: { entry: "clear", type: "final" },
  },
});

/** A running pool actor. */
export type PoolActor = ActorRefFrom<typeof txpoolMachine>;

/**
 * Imports a batch if the pool is open. The chart says when; the items do not travel through it: a
 * submission that comes alone would cost several times as much as an event as it does itself. What
 * goes wrong in an import ends the actor all the same.
 * @returns one outcome per item, in order
 * Source: txpool 3
 */
export function importInto(
  actor: PoolActor,
  items: readonly ImportItem[],
  context: ImportContext,
): readonly PoolOutcome[] {
  const { status, value, context: own } = actor.getSnapshot();
  if (status === "active" && value === "open") {
    try {
      return importBatch(own.pool, items, context);
    } catch (cause) {
      actor.send({ type: "pool.broke", cause });
    }
  }
  return items.map(() => ({ ok: false, refusal: "notInGroup" }) as const);
}
