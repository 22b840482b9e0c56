/**
 * Threads end by themselves, between two messages. Stopped from outside while it is inside the
 * native signature addon, a thread aborts the whole process.
 */
import { MessageChannel, type MessagePort, Worker, workerData } from "node:worker_threads";
import type { WorkerOptions } from "node:worker_threads";

/** A thread that does not end within this time is in a long step, not in the addon. */
const PATIENCE_MS = 2_000;

/** Part of what every thread is started with. */
interface EndingData {
  /** Its first message asks for the end. */
  readonly ending: MessagePort;
}

/** Makes a thread; it throws where the system has none left. */
export type MakeWorker = (url: URL, options: WorkerOptions) => Worker;

const endings = new WeakMap<Worker, MessagePort>();

/** Starts a thread whose file calls `endWhenAsked`. */
export function startThread(
  url: URL,
  options: WorkerOptions,
  make: MakeWorker = (file, how) => new Worker(file, how),
): Worker {
  const { port1, port2 } = new MessageChannel();
  const data: EndingData = { ...options.workerData, ending: port2 };
  const worker = make(url, { ...options, workerData: data, transferList: [port2] });
  endings.set(worker, port1);
  return worker;
}

/** Resolves when the thread has ended: after the message that it works on. */
export async function endThread(worker: Worker | undefined): Promise<void> {
  if (!worker || worker.threadId < 0) return;
  // The process stays alive for the end, as for `terminate`.
  worker.ref();
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  const late = setTimeout(() => void worker.terminate(), PATIENCE_MS);
  endings.get(worker)?.postMessage(null);
  await ended;
  clearTimeout(late);
}

/** In a thread: ends it when `endThread` asks. */
export function endWhenAsked(): void {
  (workerData as EndingData).ending.once("message", () => process.exit());
}
