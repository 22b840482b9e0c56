/** JSON-RPC over HTTP, and over whatever the caller brings along. */
import { NodeFault, TransportFault } from "./client-fault.ts";
import type { Signal } from "./platform.ts";
import { readMessage, requestText, resultOf, type RpcCall, type Transport } from "./transport.ts";

/** A POST request. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: Signal | undefined;
}

/** What a server answered. */
export interface PostAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a POST request; rejects when there is no answer in time. */
export type SendPost = (post: Post) => Promise<PostAnswer>;

/** Settings of the HTTP transport. */
export interface HttpOptions {
  /** Sent with each request, such as those that a proxy asks for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long one request may take; 30 s when absent. */
  readonly timeoutMs?: number;
}

/** Longer than any call of a contract takes. */
const HTTP_TIMEOUT_MS = 30_000;

/** A transport over HTTP. */
export function createHttpTransport(
  url: string,
  send: SendPost,
  options: HttpOptions = {},
): Transport {
  const headers = { "content-type": "application/json", ...options.headers };
  const timeoutMs = options.timeoutMs ?? HTTP_TIMEOUT_MS;
  let lastId = 0;
  return {
    async request(call: RpcCall, signal?: Signal): Promise<unknown> {
      const post = { url, headers, body: requestText(++lastId, call), timeoutMs, signal };
      const { status, body } = await send(post);
      // A node answers 200 to everything it understands; anything else comes from in front of it.
      if (status !== 200) throw new TransportFault(`${url} answered ${call.method} with ${status}`);
      return resultOf(readMessage(body), call.method);
    },
  };
}

/** Something that answers requests: a wallet, a proxy, a node in the same process. */
export interface Provider {
  /** The result; rejects with an error that has a `code` when the node answered with one. */
  request(call: { method: string; params: unknown[] }): Promise<unknown>;
}

/** A transport over a provider. */
export function customTransport(provider: Provider): Transport {
  return {
    async request({ method, params }: RpcCall): Promise<unknown> {
      try {
        return await provider.request({ method, params: [...params] });
      } catch (cause) {
        const { code, message, data } = cause as {
          readonly code?: unknown;
          readonly message?: unknown;
          readonly data?: unknown;
        };
        const text = String(message ?? cause);
        if (typeof code === "number") throw new NodeFault(text, { code, method, data });
        throw new TransportFault(`${method}: ${text}`, { cause });
      }
    },
  };
}
