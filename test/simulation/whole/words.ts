/** What honest sealers report, and who watches it. */
import type { NodeId } from "../../../core/bytes/ids.ts";

/** Who speaks, and the disk of the group. */
export interface Speaker {
  readonly number: number;
  readonly nodeId: NodeId;
  /** What would be there after the worst crash now. */
  readonly durable: { get(key: string): Uint8Array | undefined };
}

/** A message that leaves an honest node. */
export interface Saying {
  readonly speaker: Speaker;
  readonly to: NodeId;
  readonly bytes: Uint8Array;
}

/** Watches what the sealers of one group say. */
export interface Words {
  /** @throws Violation when something must not be sent */
  check(saying: Saying): void;
}
