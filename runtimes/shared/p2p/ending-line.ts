/** What the log says of a connection that ended or never was. Source: node-network 1, 2, 9 */
import { type Ending, LOST } from "./peer-link.ts";

/** A later connection of the same pair took its place. */
export const REPLACED = "replaced by a newer connection";

/**
 * The line for an ending, and whether it tells an operator nothing.
 * @param wasActive the exchange had been over
 */
export function endingLine({ reason, detail, refusal }: Ending, wasActive: boolean) {
  // Nothing is wrong: two that dial each other at once drop one connection, each its own way.
  const isEarly = !wasActive && (reason === REPLACED || reason === LOST);
  const isRoutine = /^(duplicate|self)$/.test(reason) || detail === "duplicate" || isEarly;
  const early = refusal ? "peer refused" : "peer not connected";
  const start = wasActive ? "peer disconnected" : early;
  return { text: `${start}: ${reason}${detail === undefined ? "" : ` (${detail})`}`, isRoutine };
}

/** Whether it was the own address that was dialled. */
export function isOwnAddress(error: unknown): boolean {
  return error instanceof Error && /dial self/i.test(error.message);
}

/** What is reported, by whichever layer hears it, of a connection that the other end has closed. */
const CLOSED_SIGNS = [
  "unexpected EOF",
  "ECONNRESET",
  "EPIPE",
  "socket hang up",
  'muxer is "clos',
  "(?:connection|stream) (?:was|has been) (?:closed|reset)",
];
const CLOSED = new RegExp(CLOSED_SIGNS.join("|"), "i");

/**
 * Why a dial failed, in words. Who closes during the handshake has a reason that it cannot tell:
 * certificates have dates, and a wrong clock is what nobody thinks of.
 * @param now this node's clock
 */
export function dialFaultText(error: unknown, now: number): string {
  const reason = reasonOf(error);
  if (!CLOSED.test(reason)) return reason;
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
  return (
    `the peer closed the connection during the handshake (${reason}): its log says why; ` +
    `the clock of either host may be wrong, this one says ${time}`
  );
}

/** Browsers do not tell a page why a WebSocket failed: what it gets is an event. */
const NO_SOCKET = "no WebSocket: nothing listens there, or its certificate is not trusted";

/** Why a peer could not be reached, in words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return isEvent(error) ? NO_SOCKET : String(error);
  if (error.name === "UnsupportedProtocolError") return "no common protocol version";
  const cause = error instanceof AggregateError ? error.errors[0] : undefined;
  return cause instanceof Error ? cause.message : error.message;
}

function isEvent(error: unknown): boolean {
  return typeof error === "object" && error !== null && "type" in error;
}
