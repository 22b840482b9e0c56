/** How requests reach a node: the interface of all transports, and what an answer says. */
import { NodeFault, TransportFault } from "./client-fault.ts";
import type { Signal } from "./platform.ts";
import type { Hex, Receipt } from "./rpc-objects.ts";

/** One request. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The text of a request; big integers become decimal texts. */
export function requestText(id: number, { method, params }: RpcCall): string {
  const plain = (_: string, value: unknown): unknown =>
    typeof value === "bigint" ? value.toString() : value;
  return JSON.stringify({ jsonrpc: "2.0", id, method, params }, plain);
}

/** What came of handing in a transaction over a transport that pushes receipts. */
export interface Submission {
  readonly hash: Hex;
  /** Settles when the node pushes the receipt; rejects when the connection ends. */
  readonly receipt: Promise<Receipt>;
}

/** A subscription that is open. */
export interface Subscription {
  /** Ends it; nothing more is delivered. */
  stop(): Promise<void>;
}

/** Who learns of a subscription. */
export interface SubscriptionListener {
  /**
   * One notification. What it throws costs this call only, and is reported by the platform as a
   * rejection that nobody handled.
   */
  onResult(result: unknown): void;
  /** The subscription is over and was not ended by the caller. */
  onEnd?(cause: Error): void;
}

/** Tells one notification; what the listener throws is its own and keeps nobody from the next. */
export function tell(listener: SubscriptionListener, result: unknown): void {
  apart(() => listener.onResult(result));
}

/** Tells the end of a subscription, as {@link tell} does. */
export function tellEnd(listener: SubscriptionListener, cause: Error): void {
  apart(() => listener.onEnd?.(cause));
}

function apart(call: () => void): void {
  try {
    call();
  } catch (cause) {
    // A promise of nobody: the program learns of its mistake, the connection does not.
    void Promise.reject(cause);
  }
}

/** A way to a node. */
export interface Transport {
  /** The result of a request. @throws NodeFault for an error answer; TransportFault */
  request(call: RpcCall, signal?: Signal): Promise<unknown>;
  /** Hands in a signed transaction; its receipt is pushed. Absent where nothing is pushed. */
  submit?(groupId: number, raw: Hex, signal?: Signal): Promise<Submission>;
  /** Subscribes; the parameters are those of `subscribe`. Absent where nothing is pushed. */
  subscribe?(params: readonly unknown[], listener: SubscriptionListener): Promise<Subscription>;
  /** Closes connections. Absent where there are none. */
  close?(): Promise<void>;
}

/** An answer or a notification as it was parsed. */
export interface RpcMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The object of a text. @throws TransportFault when it is none */
export function readMessage(text: string): RpcMessage {
  try {
    const message = JSON.parse(text) as unknown;
    if (typeof message === "object" && message !== null) return message;
  } catch (cause) {
    throw new TransportFault(`no JSON-RPC answer: ${excerpt(text)}`, { cause });
  }
  throw new TransportFault(`no JSON-RPC answer: ${excerpt(text)}`);
}

/** Texts of others are quoted up to this length. */
const MAX_QUOTED_CHARS = 80;

function excerpt(text: string): string {
  return text.length <= MAX_QUOTED_CHARS ? text : `${text.slice(0, MAX_QUOTED_CHARS)}...`;
}

/** The result of an answer. @throws NodeFault; TransportFault for what is neither */
export function resultOf(message: RpcMessage, method: string): unknown {
  const { error } = message;
  if (error !== undefined && error !== null) throw nodeFault(error, method);
  if (message.result !== undefined) return message.result;
  throw new TransportFault(`the answer to ${method} has neither result nor error`);
}

function nodeFault(error: unknown, method: string): NodeFault {
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  const text = typeof message === "string" ? message : JSON.stringify(error);
  return new NodeFault(text, { code: typeof code === "number" ? code : 0, method, data });
}
