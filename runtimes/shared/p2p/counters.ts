/** What the network has counted since it was made, for metrics. */
import { type NetworkClass, perClass } from "../../../core/network/classes.ts";

/** Messages and their bytes before compression. */
export interface Traffic {
  messages: number;
  bytes: number;
}

/** Why a frame was dropped. */
export type FrameFault = "malformed" | "oversize" | "replayed" | "unauthorised";

/** The counters; only the network writes them. */
export interface P2pCounters {
  readonly sent: Record<NetworkClass, Traffic>;
  readonly received: Record<NetworkClass, Traffic>;
  /** Dropped at a full queue on the way out. */
  readonly dropped: Record<NetworkClass, number>;
  /** Frames of peers that were dropped. */
  readonly rejected: Record<FrameFault, number>;
  /** Connections that this node refused, by reason. */
  readonly refused: Record<string, number>;
  /** Sessions that ended, by reason. */
  readonly ended: Record<string, number>;
  dials: number;
  failedDials: number;
  /** On the wire, frames included. */
  bytesOut: number;
  bytesIn: number;
}

/** All zero. */
export function newCounters(): P2pCounters {
  return {
    sent: perClass(() => ({ messages: 0, bytes: 0 })),
    received: perClass(() => ({ messages: 0, bytes: 0 })),
    dropped: perClass(() => 0),
    rejected: { malformed: 0, oversize: 0, replayed: 0, unauthorised: 0 },
    refused: {},
    ended: {},
    dials: 0,
    failedDials: 0,
    bytesOut: 0,
    bytesIn: 0,
  };
}

/** Adds one under a name. */
export function count(table: Record<string, number>, name: string): void {
  table[name] = (table[name] ?? 0) + 1;
}
