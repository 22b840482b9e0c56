/** A WebSocket for the end of a connection that a test dials from: Node 20 has none. */
import { createRequire } from "node:module";

/** Puts the one of `ws` where browsers have theirs. @returns takes it away again */
export function lendWebSocket(): () => void {
  if ("WebSocket" in globalThis) return () => undefined;
  const { WebSocket } = createRequire(import.meta.url)("ws") as { WebSocket: unknown };
  Object.assign(globalThis, { WebSocket });
  return () => void Reflect.deleteProperty(globalThis, "WebSocket");
}
