/** The classes of messages between nodes: codes, order, bounds. Source: node-network 3 */
import type { MessageClass } from "../ports/network.ts";

/** What travels between nodes. */
export type NetworkClass = MessageClass;

/** Classes by urgency; the position is the code on the wire. Source: node-network 3 */
export const CLASSES = [
  "consensus",
  "transactions",
  "blocks",
  "topics",
] as const satisfies NetworkClass[];

/** Bounds of one class. */
export interface ClassLimits {
  /** A longer message is neither sent nor accepted, compressed or not. */
  readonly messageBytes: number;
  /** At either bound of a queue the oldest message of the class is dropped and counted. */
  readonly queueMessages: number;
  readonly queueBytes: number;
  /** Share of a batch before other classes had theirs, in bytes. */
  readonly turnBytes: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** A batch is what one turn writes to a peer. */
export const BATCH_BYTES = 256 * KIB;

/** The bounds of each class. */
export const CLASS_LIMITS: Readonly<Record<NetworkClass, ClassLimits>> = {
  consensus: {
    messageBytes: 16 * MIB,
    queueMessages: 4_096,
    queueBytes: 64 * MIB,
    turnBytes: BATCH_BYTES,
  },
  // Any transaction that fits into a request of the RPC port. Source: rpc-semantics 1 (body limit)
  transactions: {
    messageBytes: 32 * MIB,
    queueMessages: 1_024,
    queueBytes: 64 * MIB,
    turnBytes: 128 * KIB,
  },
  // Any block that is executed: a node that missed it could never follow otherwise.
  blocks: {
    messageBytes: 64 * MIB,
    queueMessages: 256,
    queueBytes: 128 * MIB,
    turnBytes: 64 * KIB,
  },
  topics: {
    messageBytes: 16 * MIB,
    queueMessages: 1_024,
    queueBytes: 32 * MIB,
    turnBytes: 32 * KIB,
  },
};

/** The class of a code on the wire; undefined for an unknown one. */
export function classOf(code: number): NetworkClass | undefined {
  return CLASSES[code];
}

/** A value for each class. */
export function perClass<Value>(make: (kind: NetworkClass) => Value): Record<NetworkClass, Value> {
  const values = CLASSES.map((kind) => [kind, make(kind)]);
  return Object.fromEntries(values) as Record<NetworkClass, Value>;
}
