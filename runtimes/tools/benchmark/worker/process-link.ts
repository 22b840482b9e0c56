/** Workers as child processes or threads of the manager. Source: benchmark 8 */
import { type ChildProcess, fork } from "node:child_process";
import { parentPort, threadId, Worker } from "node:worker_threads";
import { builtFile } from "../../console/contracts/run-compiler.ts";
import { asMessage, isFor, type WorkerMessage } from "./messages.ts";
import type { ManagerLink, ManagerListener, WorkerLink } from "./worker-link.ts";

/** One worker as the manager holds it. */
interface Held {
  readonly id: string;
  send(message: WorkerMessage): void;
  end(): Promise<void>;
}

/** Starts one worker; the arguments are those of the manager's command line. */
type StartWorker = (args: readonly string[], listener: ManagerListener) => Held;

const WORKER = "benchmark-worker.js";
/** After the message `exit` a worker has so long to end by itself. */
const LEAVE_MS = 2_000;

function hear(id: string, value: unknown, listener: ManagerListener): void {
  const message = asMessage(value);
  if (message) listener.onMessage({ ...message, sender: id });
}

const startProcess: StartWorker = (args, listener) => {
  const child: ChildProcess = fork(builtFile(WORKER), [...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    serialization: "advanced",
  });
  const id = `process-${child.pid ?? 0}`;
  child.on("message", (value) => hear(id, value, listener));
  const ended = new Promise<void>((resolve) => {
    child.once("error", (cause) => {
      listener.onLost(id, cause.message);
      resolve();
    });
    child.once("exit", (code, signal) => {
      listener.onLost(id, `the process ended with ${signal ?? code}`);
      resolve();
    });
  });
  return {
    id,
    send: (message) => void (child.connected && child.send(message)),
    async end() {
      const timer = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
};

const startThread: StartWorker = (args, listener) => {
  const worker = new Worker(builtFile(WORKER), { argv: [...args] });
  const id = `thread-${worker.threadId}`;
  worker.on("message", (value) => hear(id, value, listener));
  const ended = new Promise<void>((resolve) => {
    worker.once("error", (cause) => listener.onLost(id, cause.message));
    worker.once("exit", (code) => {
      listener.onLost(id, `the thread ended with ${code}`);
      resolve();
    });
  });
  return {
    id,
    send: (message) => worker.postMessage(message),
    async end() {
      const timer = setTimeout(() => void worker.terminate(), LEAVE_MS);
      await ended;
      clearTimeout(timer);
    },
  };
};

function ownWorkers(type: string, startOne: StartWorker, args: readonly string[]): ManagerLink {
  const held: Held[] = [];
  return {
    type,
    isRemote: false,
    async start(workers, listener) {
      for (let count = 0; count < workers; count++) held.push(startOne(args, listener));
    },
    send(message) {
      for (const worker of held) if (isFor(worker.id, message)) worker.send(message);
    },
    stop: async () => void (await Promise.all(held.map((worker) => worker.end()))),
  };
}

/** Workers as child processes. @param args the manager's command line */
export function processLink(args: readonly string[]): ManagerLink {
  return ownWorkers("process", startProcess, args);
}

/**
 * Child processes that find the manager by themselves, over a broker or a socket.
 * @param args the manager's command line
 */
export function startDistant(args: readonly string[], count: number): { end(): Promise<void> } {
  const deaf: ManagerListener = { onMessage: () => undefined, onLost: () => undefined };
  const held = Array.from({ length: count }, () => startProcess(args, deaf));
  return { end: async () => void (await Promise.all(held.map((worker) => worker.end()))) };
}

/** Workers as threads of this process. @param args the manager's command line */
export function threadLink(args: readonly string[]): ManagerLink {
  return ownWorkers("worker_threads", startThread, args);
}

/** The end of a worker that the manager started; undefined for any other. */
export function ownLink(): WorkerLink | undefined {
  const port = parentPort;
  if (port) {
    return {
      id: `thread-${threadId}`,
      send: (message) => port.postMessage(message),
      listen: (onMessage) => void port.on("message", onMessage),
      close: async () => port.close(),
    };
  }
  if (!process.send) return undefined;
  return {
    id: `process-${process.pid}`,
    // A manager that is gone receives nothing; that it is gone is told by `disconnect`.
    send: (message) => void process.send?.(message, () => undefined),
    listen(onMessage, onLost) {
      process.on("message", (value) => onMessage(value as WorkerMessage));
      process.once("disconnect", () => onLost("its process has ended"));
    },
    async close() {
      process.removeAllListeners("disconnect");
      if (process.connected) process.disconnect();
    },
  };
}
