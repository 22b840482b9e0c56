/** What went wrong when a peer was dialled. Source: node-network 1 */

/** Whether it was the own address that was dialled. */
export function isOwnAddress(error: unknown): boolean {
  return error instanceof Error && /dial self/i.test(error.message);
}

/** Browsers do not tell a page why a WebSocket failed: what it gets is an event. */
const NO_SOCKET = "no WebSocket: nobody listens there, or its certificate is not trusted";

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
