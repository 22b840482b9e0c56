/** Transports over what Node, browsers and edge workers have in common: fetch and WebSocket. */
import { TransportFault, UsageFault } from "../../../core/client/client-fault.ts";
import {
  createHttpTransport,
  type HttpOptions,
  type SendPost,
} from "../../../core/client/http-transport.ts";
import type { Signal } from "../../../core/client/platform.ts";
import type { Transport } from "../../../core/client/transport.ts";
import {
  createSocketTransport,
  type OpenSocket,
  type SocketOptions,
} from "../../../core/client/web-socket-transport.ts";
import { webClock } from "../platform/web-platform.ts";

/** An answer of fetch, as far as it is used. */
export interface FetchAnswer {
  readonly status: number;
  text(): Promise<string>;
}

/** The platform's `fetch`, or one that stands in for it. */
export type Fetch = (
  url: string,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly signal: AbortSignal;
  },
) => Promise<FetchAnswer>;

/** Settings of {@link httpTransport}. */
export interface HttpTransportOptions extends HttpOptions {
  /** In place of the platform's `fetch`: a service binding of an edge worker, a proxy. */
  readonly fetch?: Fetch;
}

/** One signal of the time limit and of the caller. */
function limited(timeoutMs: number, signal: Signal | undefined) {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  return {
    signal: controller.signal,
    done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}

/** Requests over a fetch; they end at their deadlines. */
export function postOver(fetchAnswer: Fetch): SendPost {
  return async ({ url, headers, body, timeoutMs, signal }) => {
    const limit = limited(timeoutMs, signal);
    try {
      const answer = await fetchAnswer(url, {
        method: "POST",
        headers,
        body,
        signal: limit.signal,
      });
      return { status: answer.status, body: await answer.text() };
    } catch (cause) {
      const { aborted } = limit.signal;
      const why = aborted && !signal?.aborted ? `no answer in ${timeoutMs} ms` : reasonOf(cause);
      throw new TransportFault(`${url}: ${why}`, { cause });
    } finally {
      limit.done();
    }
  };
}

/** The innermost text: "fetch failed" alone helps nobody. */
function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message : String(inner);
}

/**
 * Requests over HTTP.
 *
 * @param url of the RPC port: `http://127.0.0.1:8545`
 */
export function httpTransport(url: string, options: HttpTransportOptions = {}): Transport {
  // Called as a function of its own: browsers refuse fetch as a method of another object.
  const send = options.fetch ?? ((to, request) => fetch(to, request));
  return createHttpTransport(url, postOver(send), options);
}

/** The part of a `WebSocket` that is used. */
export interface WebSocketLike {
  send(text: string): void;
  close(code?: number): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** Settings of {@link webSocketTransport}. */
export interface WebSocketTransportOptions extends SocketOptions {
  /** In place of the platform's, which Node has from version 22 on: the class of `ws`, say. */
  readonly WebSocket?: new (
    url: string,
  ) => WebSocketLike;
}

function openWith(Socket: new (url: string) => WebSocketLike): OpenSocket {
  return (url, listener) => {
    const socket = new Socket(url);
    let closed = false;
    const onClose = (reason: string): void => {
      if (!closed) listener.onClose(reason);
      closed = true;
    };
    socket.addEventListener("open", () => listener.onOpen());
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") listener.onText(data);
    });
    socket.addEventListener("error", () => onClose("no connection"));
    socket.addEventListener("close", ({ code, reason }) => onClose(`${code} ${reason}`.trim()));
    return { send: (text) => socket.send(text), close: () => socket.close() };
  };
}

/**
 * Requests and subscriptions over a WebSocket; receipts are pushed.
 *
 * @param url of the RPC port: `ws://127.0.0.1:8545`
 * @throws UsageFault where the platform has no WebSocket and none is given
 */
export function webSocketTransport(
  url: string,
  options: WebSocketTransportOptions = {},
): Transport {
  const platform = globalThis as { readonly WebSocket?: new (url: string) => WebSocketLike };
  const Socket = options.WebSocket ?? platform.WebSocket;
  if (Socket === undefined) {
    throw new UsageFault("there is no WebSocket here: give one, such as that of the package ws");
  }
  return createSocketTransport({ url, open: openWith(Socket), clock: webClock }, options);
}
