/**
 * What goes between a page and the worker that runs the node: through comlink, directly or over a
 * channel of the page's own when the worker belongs to another tab.
 */
import type { TabStatus } from "./api.ts";
import type { EvictionMark } from "../store/eviction-mark.ts";

/** A caller that holds it is the only one that writes the data of this origin. */
export const NODE_LOCK = "chain-node";
/** The tab that holds it keeps the worker; the others wait for it. */
export const HOLDER_LOCK = "chain-node.seat";
/** Workers that begin, and tabs that look for one. */
export const HALL = "chain-node";

/** Held by a tab as long as it lives; also the name of its own channel. */
export function clientName(client: string): string {
  return `chain-node.client.${client}`;
}

/** What a worker is told in its address. */
export interface Beginning {
  /** What the page remembers of chains that ran here. */
  readonly marks: readonly EvictionMark[];
  readonly isHidden: boolean;
}

/** What is reported in the hall. */
export type HallMessage =
  /** A worker owns the node from now on. */
  | { readonly kind: "owner" }
  /** A tab wants to be served. */
  | { readonly kind: "hello"; readonly client: string };

/** What a worker says besides its answers. */
export type WorkerEvent =
  /** It serves: what was asked before is lost. */
  | { readonly event: "serving" }
  | { readonly event: "status"; readonly status: TabStatus }
  /** The subscriptions to a node, or to all, are over: a caller that wants them asks again. */
  | { readonly event: "renewed"; readonly node: number | undefined }
  /** The text of a notification of a subscription. */
  | { readonly event: "notification"; readonly node: number; readonly text: string };

/** One end of a connection. */
export interface Wire {
  post(message: unknown, transfer?: Transferable[]): void;
  /** Hears everything that the other end posts. */
  listen(onMessage: (message: unknown) => void): void;
  close(): void;
}

/** True for what a worker says besides its answers. */
export function isWorkerEvent(message: unknown): message is WorkerEvent {
  return typeof message === "object" && message !== null && "event" in message;
}

/** A wire over a channel of that name; nothing is sent once it is closed. */
export function channelWire(name: string): Wire {
  const channel = new BroadcastChannel(name);
  let isClosed = false;
  return {
    // A channel copies; it cannot hand over. What a tab asked for may be ready after it has gone.
    post: (message) => {
      if (!isClosed) channel.postMessage(message);
    },
    listen: (onMessage) => {
      channel.onmessage = ({ data }: MessageEvent<unknown>) => onMessage(data);
    },
    close: () => {
      isClosed = true;
      channel.close();
    },
  };
}
