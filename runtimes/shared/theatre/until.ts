/** Conditions that end a run, over the frames of its steps. */
import type { Until } from "./api.ts";
import type { Frame, NodeView } from "./frame.ts";

/**
 * Whether a frame satisfies a condition.
 *
 * @param first step before the run
 */
export function isReached(until: Until, frame: Frame, first: number): boolean {
  switch (until.kind) {
    case "steps":
      return frame.step >= first + until.count;
    case "time":
      return frame.timeMs >= until.atMs;
    case "height":
      return someNode(until, frame, ({ height }) => height >= until.height);
    case "view":
      return someNode(until, frame, ({ consensus }) => viewOf(consensus) >= until.view);
    case "event":
      return frame.events.some(({ id, node }) => id === until.id && (until.node ?? node) === node);
    case "delivery":
      return frame.ended.some(({ flight, how }) => {
        const { message = flight.kind, from = flight.from, to = flight.to } = until;
        return (
          how === "delivered" && message === flight.kind && from === flight.from && to === flight.to
        );
      });
  }
}

function someNode(
  { node: wanted }: { readonly node?: number },
  { nodes }: Frame,
  holds: (node: NodeView) => boolean,
): boolean {
  return nodes.some((node) => (wanted === undefined || wanted === node.node) && holds(node));
}

/** View of PBFT, term of Raft. */
function viewOf(consensus: NodeView["consensus"]): number {
  if (!consensus) return -1;
  return consensus.kind === "pbft" ? consensus.view : consensus.term;
}
