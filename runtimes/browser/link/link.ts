/** The page's end of a connection to the worker. */
import { type Endpoint, type Remote, wrap } from "comlink";
import type { WorkerApi } from "./api.ts";
import { isWorkerEvent, type Wire, type WorkerEvent } from "./wire.ts";

/** Why a call did not come back: the worker is gone, or another one has taken its place. */
export class LinkLost extends Error {
  override readonly name = "LinkLost";
}

/** A connection that can be lost. */
export interface Link {
  readonly remote: Remote<WorkerApi>;
  /** Settles calls under way, with {@link LinkLost}; nothing is heard any more. */
  lose(reason: string): void;
}

type Listener = (event: MessageEvent) => void;

/** What comlink sends: calls have an id, and so have their answers. */
function idOf(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !("id" in message)) return undefined;
  return typeof message.id === "string" ? message.id : undefined;
}

/** An answer of comlink that a call has failed. */
function failure(id: string, reason: string): unknown {
  const value = { name: "LinkLost", message: reason, stack: "" };
  return { id, type: "HANDLER", name: "throw", value: { isError: true, value } };
}

/** Connects over a wire. */
export function createLink(wire: Wire, onEvent: (event: WorkerEvent) => void): Link {
  const listeners = new Set<Listener>();
  const asked = new Set<string>();
  let lost: string | undefined;
  const tell = (data: unknown) => {
    for (const listener of listeners) listener({ data } as MessageEvent);
  };
  wire.listen((message) => {
    if (lost !== undefined) return;
    if (isWorkerEvent(message)) {
      onEvent(message);
      return;
    }
    const id = idOf(message);
    if (id !== undefined && asked.delete(id)) tell(message);
  });
  const endpoint: Endpoint = {
    addEventListener: (_type, listener) => void listeners.add(listener as Listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener as Listener),
    postMessage(message: unknown, transfer: Transferable[] = []) {
      const id = idOf(message);
      if (lost !== undefined) {
        const reason = lost;
        if (id !== undefined) queueMicrotask(() => tell(failure(id, reason)));
        return;
      }
      if (id !== undefined) asked.add(id);
      wire.post(message, transfer);
    },
  };
  return {
    remote: wrap<WorkerApi>(endpoint),
    lose(reason) {
      if (lost !== undefined) return;
      lost = reason;
      wire.close();
      for (const id of asked) tell(failure(id, reason));
      asked.clear();
    },
  };
}
