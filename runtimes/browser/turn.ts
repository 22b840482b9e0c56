/** Turns of the event loop in a browser, where timers are held back and messages are not. */

const waiting: (() => void)[] = [];
const { port1, port2 } = new MessageChannel();
port1.addEventListener("message", () => waiting.shift()?.());
port1.start();

/** Runs a function in a later turn, after what waits already. */
export function nextTurn(run: () => void): void {
  waiting.push(run);
  port2.postMessage(undefined);
}

/** Resolves in a later turn. */
export function turn(): Promise<void> {
  return new Promise(nextTurn);
}
