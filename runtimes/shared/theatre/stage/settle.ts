/**
 * Waits until promises have nothing left to do. Whatever a node does between two events it does in
 * promises; all of them run before the next turn of the event loop, on every platform, so a node
 * never sees how long a turn is.
 */

interface NodeGlobals {
  /** Where there is one it is quicker, and it does not keep the process alive. */
  readonly setImmediate?: (run: () => void) => void;
}

/** Makes the function that waits. */
export function createSettle(): () => Promise<void> {
  const { setImmediate } = globalThis as NodeGlobals;
  if (setImmediate) return () => new Promise((resume) => setImmediate(resume));
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.addEventListener("message", () => waiting.shift()?.());
  port1.start();
  return () =>
    new Promise((resume) => {
      waiting.push(resume);
      port2.postMessage(undefined);
    });
}
