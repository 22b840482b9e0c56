/** Which thread a ledger gets: one that was begun before, then others up to the number allowed. */
import { once } from "node:events";
import { expect, test } from "vitest";
import {
  createExecutorThreads,
  type ExecutorSlot,
} from "../../../../runtimes/node/threads/executor-threads.ts";

/** A thread that answers a caller that takes a place in it with its number. */
const NUMBERED = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId, workerData } from "node:worker_threads";
    workerData.ending.once("message", () => process.exit());
    parentPort.on("message", ({ port }) => port.postMessage(threadId));
  `)}`,
);

async function threadOf({ port }: ExecutorSlot): Promise<number> {
  const [number] = (await once(port, "message")) as [number];
  return number;
}

function take(threads: ReturnType<typeof createExecutorThreads>): ExecutorSlot {
  return threads.take("a ledger", new SharedArrayBuffer(8));
}

test("the thread that was begun is the first that is taken, and stays while it is", async () => {
  const threads = createExecutorThreads(2, NUMBERED);
  const endUnused = threads.begin();
  const slots = [take(threads), take(threads), take(threads)];
  const [first = 0, second = 0, third = 0] = await Promise.all(slots.map(threadOf));
  // Numbers rise, with gaps where other files of this run begin threads meanwhile.
  expect(second).toBeGreaterThan(first);
  expect(third).toBe(first);
  await endUnused();
  const fourth = take(threads);
  expect(await threadOf(fourth)).toBe(second);
  for (const slot of [...slots, fourth]) await slot.leave();
});

test("a thread that nobody takes is ended, and the next ledger gets another one", async () => {
  const threads = createExecutorThreads(1, NUMBERED);
  const endUnused = threads.begin();
  await endUnused();
  await endUnused();
  const slot = take(threads);
  let deaths = 0;
  slot.onDeath(() => {
    deaths += 1;
  });
  await threadOf(slot);
  await endUnused();
  await slot.leave();
  expect(deaths).toBe(0);
});
