/** JSON-RPC over a WebSocket: one connection, opened when it is needed, with notifications. */
import type { Clock } from "../ports/clock.ts";
import { TransportFault } from "./client-fault.ts";
import { abortable, type Signal } from "./platform.ts";
import {
  readMessage,
  requestText,
  resultOf,
  type RpcCall,
  type RpcMessage,
  type Subscription,
  type SubscriptionListener,
  tell,
  tellEnd,
  type Transport,
} from "./transport.ts";

/** A socket that is open, or is being opened. */
export interface Socket {
  send(text: string): void;
  close(): void;
}

/** What a socket tells; after `onClose` it reports nothing. */
export interface SocketListener {
  onOpen(): void;
  onText(text: string): void;
  onClose(reason: string): void;
}

/** Opens a socket. */
export type OpenSocket = (url: string, listener: SocketListener) => Socket;

/** Settings of the WebSocket transport. */
export interface SocketOptions {
  /** How long one request, or opening the connection, may take; 30 s when absent. */
  readonly timeoutMs?: number;
}

const SOCKET_TIMEOUT_MS = 30_000;

interface Waiting {
  settle(message: RpcMessage): void;
  fail(cause: Error): void;
}

interface Connection {
  readonly socket: Socket;
  readonly waiting: Map<number, Waiting>;
  readonly subscriptions: Map<unknown, SubscriptionListener>;
}

interface SocketParts {
  readonly url: string;
  readonly open: OpenSocket;
  readonly clock: Clock;
}

class SocketTransport implements Transport {
  readonly #parts: SocketParts;
  readonly #timeoutMs: number;
  #connection: Promise<Connection> | undefined;
  #lastId = 0;

  constructor(parts: SocketParts, { timeoutMs = SOCKET_TIMEOUT_MS }: SocketOptions) {
    this.#parts = parts;
    this.#timeoutMs = timeoutMs;
  }

  async request(call: RpcCall, signal?: Signal): Promise<unknown> {
    const connection = await abortable(this.#connect(), signal);
    return await abortable(this.#ask(connection, call), signal);
  }

  async subscribe(
    params: readonly unknown[],
    listener: SubscriptionListener,
  ): Promise<Subscription> {
    const connection = await this.#connect();
    const { subscriptions } = connection;
    // The id is known before the next message is examined: none is lost.
    const register = (id: unknown): unknown => {
      subscriptions.set(id, listener);
      return id;
    };
    const id = await this.#ask(connection, { method: "subscribe", params }, register);
    return {
      stop: async () => {
        if (!subscriptions.delete(id)) return;
        await this.#ask(connection, { method: "unsubscribe", params: [id] });
      },
    };
  }

  async close(): Promise<void> {
    const open = this.#connection;
    this.#connection = undefined;
    const connection = await open?.catch(() => undefined);
    connection?.socket.close();
    if (connection) end(connection, new TransportFault("the transport was closed"));
  }

  #connect(): Promise<Connection> {
    if (this.#connection !== undefined) return this.#connection;
    const opening = this.#open(() => {
      if (this.#connection === opening) this.#connection = undefined;
    });
    this.#connection = opening;
    opening.catch(() => {
      if (this.#connection === opening) this.#connection = undefined;
    });
    return opening;
  }

  #open(onClosed: () => void): Promise<Connection> {
    const { url, open, clock } = this.#parts;
    return new Promise((resolve, reject) => {
      let connection: Connection | undefined;
      const fail = (why: string, cause?: unknown): void => {
        late();
        onClosed();
        const fault = new TransportFault(`${url} ${why}`, cause === undefined ? {} : { cause });
        reject(fault);
        if (connection) end(connection, fault);
      };
      const late = clock.after(this.#timeoutMs, () => {
        fail(`did not open in ${this.#timeoutMs} ms`);
        connection?.socket.close();
      });
      const listener: SocketListener = {
        onOpen: () => {
          late();
          if (connection) resolve(connection);
        },
        onText: (text) => connection && receive(connection, text),
        onClose: (reason) => fail(`closed the connection: ${reason}`),
      };
      try {
        const socket = open(url, listener);
        connection = { socket, waiting: new Map(), subscriptions: new Map() };
      } catch (cause) {
        fail(`cannot be opened: ${String(cause)}`, cause);
      }
    });
  }

  #ask(
    { socket, waiting }: Connection,
    call: RpcCall,
    onResult: (result: unknown) => unknown = (result) => result,
  ): Promise<unknown> {
    const id = ++this.#lastId;
    const { clock, url } = this.#parts;
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown): void => {
        late();
        waiting.delete(id);
        reject(cause);
      };
      const late = clock.after(this.#timeoutMs, () =>
        fail(new TransportFault(`${url} did not answer ${call.method} in time`)),
      );
      const settle = (message: RpcMessage): void => {
        try {
          const result = onResult(resultOf(message, call.method));
          late();
          waiting.delete(id);
          resolve(result);
        } catch (cause) {
          fail(cause);
        }
      };
      waiting.set(id, { settle, fail });
      try {
        socket.send(requestText(id, call));
      } catch (cause) {
        fail(new TransportFault(`${url}: ${String(cause)}`, { cause }));
      }
    });
  }
}

/** Why a subscription to logs of a range ends. */
export const ALL_LOOKED_AT = "all blocks of the filter have been examined";

/**
 * One message: an answer, or a notification. What is neither is dropped, a notification without a
 * result too. Nothing is thrown: nobody would catch it, and the process would end.
 */
function receive(connection: Connection, text: string): void {
  let message: RpcMessage;
  try {
    message = readMessage(text);
  } catch {
    return;
  }
  if (message.method === "subscription") {
    const { id, result } = (message.params ?? {}) as { id?: unknown; result?: unknown };
    const listener = connection.subscriptions.get(id);
    if (listener === undefined || result === undefined) return;
    if (result !== null) return tell(listener, result);
    connection.subscriptions.delete(id);
    return tellEnd(listener, new TransportFault(ALL_LOOKED_AT));
  }
  if (typeof message.id === "number") connection.waiting.get(message.id)?.settle(message);
}

function end({ waiting, subscriptions }: Connection, cause: Error): void {
  for (const { fail } of [...waiting.values()]) fail(cause);
  const listeners = [...subscriptions.values()];
  subscriptions.clear();
  for (const listener of listeners) tellEnd(listener, cause);
}

/**
 * A transport over a WebSocket. It opens with the first request and again when it was closed;
 * subscriptions end with their connection.
 */
export function createSocketTransport(parts: SocketParts, options: SocketOptions = {}): Transport {
  return new SocketTransport(parts, options);
}
