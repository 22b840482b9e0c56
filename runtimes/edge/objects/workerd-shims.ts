/** What libp2p needs and workerd does not have; imported before anything of libp2p. */

/** Tells nobody: nothing else shares the locks of an object. */
class NoChannel extends EventTarget {
  postMessage(): void {}
  close(): void {}
}

if (!("BroadcastChannel" in globalThis))
  Object.defineProperty(globalThis, "BroadcastChannel", { value: NoChannel });

// The platform holds back the sender by itself.
if (!("bufferedAmount" in WebSocket.prototype))
  Object.defineProperty(WebSocket.prototype, "bufferedAmount", { get: () => 0 });
