/**
 * The pool's life: open to imports, outside the group, closed. Imports arrive in batches.
 * Source: txpool 3, 7
 */
import { type ActorRefFrom, setup } from "xstate";
import type { NodeId } from "../bytes/ids.ts";
import type { ImportContext } from "../txpool/admission.ts";
import { clearPool, type ImportItem, type ImportOutcome, importBatch } from "../txpool/pool.ts";
import { onLeftGroup } from "../txpool/spreading.ts";
import type { TxPool } from "../txpool/state.ts";

/** What came of one item; outside the group nothing is imported. */
export type PoolOutcome = ImportOutcome | { readonly ok: false; readonly refusal: "notInGroup" };

/** What the pool is told. */
export type PoolEvent =
  | {
      readonly type: "pool.import";
      readonly items: readonly ImportItem[];
      readonly context: ImportContext;
      /** Called in the same turn with one outcome per item. */
      readonly done: (outcomes: readonly PoolOutcome[]) => void;
    }
  | { readonly type: "group.left" }
  | { readonly type: "group.joined" }
  | { readonly type: "peer.joined"; readonly peer: NodeId }
  | { readonly type: "pool.close" };

/** Guards the pool: who may import, and what happens to it when the node leaves the group. */
export const txpoolMachine = setup({
  types: {} as {
    input: { pool: TxPool };
    context: { pool: TxPool };
    events: PoolEvent;
  },
  actions: {
    importItems: ({ context, event }) => {
      if (event.type === "pool.import")
        event.done(importBatch(context.pool, event.items, event.context));
    },
    refuseItems: ({ event }) => {
      if (event.type === "pool.import")
        event.done(event.items.map(() => ({ ok: false, refusal: "notInGroup" }) as const));
    },
    forgetKnowledge: ({ context }) => onLeftGroup(context.pool),
    clear: ({ context }) => clearPool(context.pool),
  },
}).createMachine({
  id: "txpool",
  context: ({ input }) => ({ pool: input.pool }),
  initial: "open",
  on: { "pool.close": ".closed" },
  states: {
    open: {
      on: {
        "pool.import": { actions: "importItems" },
        "group.left": { target: "outside", actions: "forgetKnowledge" },
      },
    },
    outside: {
      on: { "pool.import": { actions: "refuseItems" }, "group.joined": "open" },
    },
    closed: { entry: "clear", type: "final" },
  },
});

/** A running pool actor. */
export type PoolActor = ActorRefFrom<typeof txpoolMachine>;
