/**
 * Losses that bring a group where chance seldom does: two certified locks for different blocks at
 * one height, and a single node that has decided the block of the higher one. Source: pbft 16.4
 */
import type { Lock, Message } from "../../core/consensus/pbft/message.ts";
import type { Packet } from "./network.ts";
import type { SimNode } from "./node.ts";
import type { Random } from "./random.ts";

/** Whether a packet from one node to another is lost; asked until the calm. */
export type Loses = (from: number, to: number, packet: Packet) => boolean;

/** Makes the losses of a schedule for its nodes. */
export type LossesOf = (nodes: readonly SimNode[]) => Loses;

/** Who ends up with what. */
interface TwoLocksPlan {
  readonly height: number;
  /** Alone with the lower lock. */
  readonly holder: number;
  /** Alone with the decided block. */
  readonly decider: number;
}

/** A plan for one of the first blocks. */
export function drawTwoLocks(random: Random, sealers: number): TwoLocksPlan {
  const holder = random.below(sealers);
  const decider = (holder + 1 + random.below(sealers - 1)) % sealers;
  return { height: 1 + random.below(2), holder, decider };
}

/**
 * At the height: until the holder has a lock it alone hears sign votes, and no node hears commit
 * votes. Then it is left out, the others lock another block, and the decider alone hears commit
 * votes. Once that has written the block no node learns of it, and its view brings forth no more:
 * the rest must find the same block in the highest of their locks.
 */
export function twoLocks({ height, holder, decider }: TwoLocksPlan): LossesOf {
  return (nodes) => {
    /** The last view in which the decider heard commit votes. */
    let decidedIn = 0;
    const isBelow = (node: number) => nodes[node]?.height === height - 1;
    const isOver = () => nodes.some((one) => one.number !== decider && !isBelow(one.number));
    return (from, to, packet) => {
      if (isOver()) return false;
      const isAlone = !isBelow(decider);
      if (isAlone && (from === decider || to === decider)) return true;
      if (packet.kind !== "message") return false;
      const { message } = packet;
      const { type, view } = message;
      if (type === "status" || heightOf(message) !== height || (isAlone && view > decidedIn))
        return false;
      const lockedIn = lockOf(nodes[holder], height)?.view;
      if (lockedIn === undefined || view <= lockedIn)
        return type === "commit" || (type === "sign" && to !== holder);
      if (from === holder || to === holder) return true;
      if (type !== "commit") return false;
      if (to === decider) decidedIn = view;
      return to !== decider;
    };
  };
}

/** The height that a message is about. */
function heightOf({ type, height }: Message): number {
  return type === "viewChange" || type === "viewCertificate" ? height + 1 : height;
}

/** The lock that a node has on disk at a height. */
function lockOf(node: SimNode | undefined, height: number): Lock | undefined {
  const record = node?.durableRecord();
  return record?.height === height ? record.lock : undefined;
}

/** Whether one node is alone with a block, while another has a lower lock for another one. */
export function isTornBetweenLocks(nodes: readonly SimNode[]): boolean {
  const highest = Math.max(...nodes.map(({ height }) => height));
  const ahead = nodes.filter(({ height }) => height === highest);
  const [decider] = ahead;
  if (!decider || ahead.length > 1) return false;
  const decided = decider.disk.chain[highest]?.proposal;
  const locks = nodes.flatMap((node) => lockOf(node, highest) ?? []);
  const view = Math.max(...locks.map((lock) => (lock.proposal === decided ? lock.view : -1)));
  return locks.some((lock) => lock.proposal !== decided && lock.view < view);
}
