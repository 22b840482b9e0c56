/** The two ends of what connects manager and workers. */
import type { WorkerMessage } from "./messages.ts";

/** What a worker has of the connection. */
export interface WorkerLink {
  /** Its name for the manager. */
  readonly id: string;
  send(message: WorkerMessage): void;
  /** @param onMessage learns what is for this worker; @param onLost when nothing comes any more */
  listen(onMessage: (message: WorkerMessage) => void, onLost: (reason: string) => void): void;
  close(): Promise<void>;
}

/** What the manager hears. */
export interface ManagerListener {
  onMessage(message: WorkerMessage): void;
  /** @param id of the worker; undefined when all are lost, with the broker for example */
  onLost(id: string | undefined, reason: string): void;
}

/** What the manager has of the connection. */
export interface ManagerLink {
  /** `process`, `worker_threads`, `mqtt` or `websocket`. */
  readonly type: string;
  /** Whether workers may be on other machines. */
  readonly isRemote: boolean;
  /** Opens the connection, and starts workers where it does that. @throws BenchmarkFault */
  start(workers: number, listener: ManagerListener): Promise<void>;
  send(message: WorkerMessage): void;
  /** Ends the connection, and the workers that it started. */
  stop(): Promise<void>;
}
