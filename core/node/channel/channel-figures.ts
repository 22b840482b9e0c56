/** What a port counts, and the words for why a session ended. */
import type { CloseReason } from "../../channel/session/state.ts";

/** Why a session ended. */
export type SessionEnd = CloseReason | "client" | "unread" | "oversize" | "memory" | "stopped";

/** Figures of a port since its start. */
export interface ChannelCounters extends Readonly<ReturnType<typeof newFigures>> {
  readonly sessions: number;
  /** Requests that are worked on. */
  readonly running: number;
}

/** The figures of a port that has just been opened. */
export function newFigures() {
  const ended: Record<SessionEnd, number> = {
    idle: 0,
    malformed: 0,
    versions: 0,
    drained: 0,
    client: 0,
    unread: 0,
    oversize: 0,
    memory: 0,
    stopped: 0,
  };
  const traffic = { framesIn: 0, framesOut: 0, bytesIn: 0, bytesOut: 0 };
  return { opened: 0, refused: 0, ...traffic, heldBytes: 0, ended };
}

/** What the log says of a session that is cut. */
export const TEXT_OF_CUT = {
  unread: "an SDK is cut off: it does not read what it is sent",
  oversize: "an SDK is cut off: what it is to be sent does not fit into a frame",
  memory: "an SDK is cut off: sessions hold too much memory, and it holds most",
} as const;
