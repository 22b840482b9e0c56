/** What nobody handles while something is done: outside of tests it would end the process. */

type Event = "unhandledRejection" | "uncaughtException";
type Listener = (cause: unknown) => void;
const EVENTS: readonly Event[] = ["unhandledRejection", "uncaughtException"];

/** Does the work; gives the rejections and exceptions that came to nobody meanwhile. */
export async function unhandledIn(work: () => Promise<void>): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  const listen: Listener = (cause) => found.push(cause);
  // The runner's own listeners would end the test.
  const own = EVENTS.map((name) => [name, process.listeners(name as "uncaughtException")] as const);
  for (const name of EVENTS) process.removeAllListeners(name).on(name, listen);
  try {
    await work();
    // Rejections are reported when the turn in which they came is over.
    for (let turns = 0; turns < 3; turns++) await new Promise((resume) => setImmediate(resume));
  } finally {
    for (const [name, listeners] of own) {
      process.off(name, listen);
      for (const it of listeners) process.on(name, it as Listener);
    }
  }
  return found;
}
