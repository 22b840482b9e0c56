/**
 * The channel port as a transport: requests, pushed receipts, blocks and logs, and messages between
 * clients. Connects when it is used, and again when the connection was lost.
 * Source: channel-protocol 2-8
 */
import { randomUUID } from "node:crypto";
import { utf8Bytes, utf8Text } from "../../../core/bytes/byte-string.ts";
import { type Frame, MESSAGE_TYPE, readTopic, withTopic } from "../../../core/channel/frame.ts";
import { TransportFault, UsageFault } from "../../../core/client/client-fault.ts";
import { abortable, type Signal } from "../../../core/client/platform.ts";
import {
  readMessage,
  requestText,
  resultOf,
  type RpcCall,
  type Submission,
  type Subscription,
  type SubscriptionListener,
  tell,
  type Transport,
} from "../../../core/client/transport.ts";
import type { Hex, Receipt } from "../../../core/client/rpc-objects.ts";
import { ALL_LOOKED_AT } from "../../../core/client/web-socket-transport.ts";
import { ChannelLink, type ChannelPlace } from "./channel-link.ts";
import { countOf, LogFeed, type LogSubscription } from "./log-feed.ts";

/** Answers a message; undefined sends an empty answer. */
export type TopicHandler = (
  content: Uint8Array,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/** A transport over the channel port. */
export interface ChannelTransport extends Transport {
  submit(groupId: number, raw: Hex, signal?: Signal): Promise<Submission>;
  subscribe(params: readonly unknown[], listener: SubscriptionListener): Promise<Subscription>;
  /** Hears the messages of a topic, from clients of this node and of others. */
  onTopic(topic: string, handler: TopicHandler): Promise<Subscription>;
  /**
   * Sends a message to one client of the topic; gives its answer.
   * @throws TransportFault when nobody was reached
   */
  sendTo(topic: string, content: Uint8Array): Promise<Uint8Array>;
  /** Sends a message to all clients of the topic. */
  multicast(topic: string, content: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Pauses before connecting again, while something is subscribed. */
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;
const BLOCK_TOPIC = "_block_notify_";
/** Status of an answer about a message. Source: channel-protocol 9 */
const MESSAGE_FAILURES: ReadonlyMap<number, string> = new Map([
  [100, "no client of the topic is reachable"],
  [101, "the node of the subscriber could not deliver"],
  [102, "no answer in time"],
  [103, "refused by the bandwidth limit of the node"],
  [104, "the subscriber did not answer"],
]);

class Channel implements ChannelTransport {
  readonly #place: ChannelPlace;
  readonly #handlers = new Map<string, TopicHandler>();
  readonly #blocks = new Map<string, Set<SubscriptionListener>>();
  readonly #feeds = new Map<string, LogFeed>();
  #link: Promise<ChannelLink> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;
  #lastId = 0;
  #told: Promise<void> = Promise.resolve();

  constructor(place: ChannelPlace) {
    this.#place = place;
  }

  async request(call: RpcCall, signal?: Signal): Promise<unknown> {
    const link = await abortable(this.#connect(), signal);
    const data = utf8Bytes(requestText(++this.#lastId, call));
    const answer = await abortable(link.ask(MESSAGE_TYPE.rpc, data), signal);
    return resultOf(readMessage(utf8Text(answer.data)), call.method);
  }

  async submit(groupId: number, raw: Hex, signal?: Signal): Promise<Submission> {
    const link = await abortable(this.#connect(), signal);
    const call = { method: "sendRawTransaction", params: [groupId, raw] };
    const data = utf8Bytes(requestText(++this.#lastId, call));
    const { answer, receipt } = await abortable(link.askTransaction(data), signal);
    try {
      const hash = resultOf(readMessage(utf8Text(answer.data)), call.method) as Hex;
      const pushed = receipt.then(receiptOf);
      // Who wants the hash alone does not have to look at it.
      pushed.catch(() => undefined);
      return { hash, receipt: pushed };
    } catch (cause) {
      link.forgetReceipt(answer);
      throw cause;
    }
  }

  async subscribe(
    params: readonly unknown[],
    listener: SubscriptionListener,
  ): Promise<Subscription> {
    const [groupId, kind, filter] = params;
    if (typeof groupId !== "number") throw new UsageFault("a group is expected first");
    if (kind === "blocks") return await this.#subscribeBlocks(groupId, listener);
    if (kind === "logs") {
      const fields = (filter ?? {}) as LogSubscription["filter"];
      return await this.#subscribeLogs({ groupId, filter: fields, listener });
    }
    throw new UsageFault(`the channel port has no subscription to ${String(kind)}`);
  }

  async onTopic(topic: string, handler: TopicHandler): Promise<Subscription> {
    if (this.#handlers.has(topic)) throw new UsageFault(`${topic} has a handler already`);
    this.#handlers.set(topic, handler);
    await this.#announce();
    return {
      stop: async () => {
        if (this.#handlers.delete(topic)) await this.#announce();
      },
    };
  }

  async sendTo(topic: string, content: Uint8Array): Promise<Uint8Array> {
    const answer = await this.#message(MESSAGE_TYPE.amopRequest, topic, content);
    const read = readTopic(answer.data);
    if (!read.ok) throw new TransportFault(`the answer about ${topic} has no topic`);
    return read.content.slice();
  }

  async multicast(topic: string, content: Uint8Array): Promise<void> {
    await this.#message(MESSAGE_TYPE.amopMulticast, topic, content);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const open = this.#link;
    this.#link = undefined;
    (await open?.catch(() => undefined))?.close();
  }

  async #message(type: number, topic: string, content: Uint8Array): Promise<Frame> {
    const link = await this.#connect();
    const answer = await link.ask(type, withTopic(topic, content));
    if (answer.result === 0) return answer;
    const why = MESSAGE_FAILURES.get(answer.result) ?? "the message was not delivered";
    throw new TransportFault(`${topic}: ${why} (${answer.result})`);
  }

  #connect(): Promise<ChannelLink> {
    if (this.#closed) return Promise.reject(new TransportFault("the transport was closed"));
    if (this.#link !== undefined) return this.#link;
    const forget = (): void => {
      if (this.#link === opening) this.#link = undefined;
    };
    const opening = ChannelLink.open(this.#place, {
      // A caller that wants the connection learns that it did not open; pushes have nobody to tell.
      onPush: (frame) => {
        opening.then((link) => this.#take(link, frame)).catch(() => undefined);
      },
      onClosed: () => {
        forget();
        this.#comeBack(FIRST_RETRY_MS);
      },
    }).then(async (link) => {
      await this.#restore(link);
      return link;
    });
    this.#link = opening;
    opening.catch(forget);
    return opening;
  }

  /** While something is subscribed the connection is wanted, whether anybody asks or not. */
  #comeBack(delayMs: number): void {
    const wanted = this.#handlers.size + this.#blocks.size + this.#feeds.size > 0;
    if (this.#closed || !wanted) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#connect().catch(() => this.#comeBack(Math.min(2 * delayMs, LONGEST_RETRY_MS)));
    }, delayMs);
  }

  /** What the node forgot with the last connection. */
  async #restore(link: ChannelLink): Promise<void> {
    const topics = this.#topics();
    if (topics.length > 0) link.post(MESSAGE_TYPE.topics, utf8Bytes(JSON.stringify(topics)));
    for (const feed of this.#feeds.values())
      await register(link, feed).catch((cause: Error) => this.#endFeed(feed, cause));
  }

  #topics(): readonly string[] {
    return [...this.#handlers.keys(), ...this.#blocks.keys()];
  }

  async #announce(): Promise<void> {
    // A new connection announces by itself.
    if (this.#link === undefined) return void (await this.#connect());
    const link = await this.#connect();
    link.post(MESSAGE_TYPE.topics, utf8Bytes(JSON.stringify(this.#topics())));
  }

  async #subscribeBlocks(groupId: number, listener: SubscriptionListener): Promise<Subscription> {
    const topic = `${BLOCK_TOPIC}${groupId}`;
    const listeners = this.#blocks.get(topic) ?? new Set();
    listeners.add(listener);
    this.#blocks.set(topic, listeners);
    await this.#announce();
    return {
      stop: async () => {
        listeners.delete(listener);
        if (listeners.size > 0 || this.#blocks.get(topic) !== listeners) return;
        this.#blocks.delete(topic);
        await this.#announce();
      },
    };
  }

  async #subscribeLogs(subscription: LogSubscription): Promise<Subscription> {
    const call = { method: "getBlockNumber", params: [subscription.groupId] };
    const head = String(await this.request(call));
    const feed = new LogFeed(randomUUID().replaceAll("-", ""), subscription, head);
    const link = await this.#connect();
    this.#feeds.set(feed.id, feed);
    try {
      await register(link, feed);
    } catch (cause) {
      this.#feeds.delete(feed.id);
      throw cause;
    }
    return {
      stop: async () => {
        if (!this.#feeds.delete(feed.id)) return;
        const now = await this.#connect();
        await now.ask(MESSAGE_TYPE.eventUnregister, feed.data());
      },
    };
  }

  #endFeed(feed: LogFeed, cause: Error): void {
    if (this.#feeds.delete(feed.id)) feed.end(cause);
  }

  /** What the node sends unasked. What has not the form of its type is dropped. */
  #take(link: ChannelLink, frame: Frame): void {
    if (frame.type === MESSAGE_TYPE.blockPush) this.#takeBlock(frame);
    else if (frame.type === MESSAGE_TYPE.eventPush) this.#takeLogs(frame);
    else if (frame.type === MESSAGE_TYPE.amopRequest) void this.#takeMessage(link, frame);
    else if (frame.type === MESSAGE_TYPE.amopMulticast) void this.#takeMessage(undefined, frame);
  }

  #takeBlock({ data }: Frame): void {
    const read = readTopic(data);
    if (!read.ok || !this.#blocks.has(read.topic)) return;
    const { topic } = read;
    const group = topic.slice(BLOCK_TOPIC.length);
    const height = heightOf(read.content, group);
    if (height === undefined) return;
    // One after the other: headers arrive in the order of their heights, and no failure stays.
    this.#told = this.#told
      .then(() => this.#tellBlock(topic, Number(group), height))
      .catch(() => undefined);
  }

  async #tellBlock(topic: string, groupId: number, height: number): Promise<void> {
    const call = { method: "getBlockHeaderByNumber", params: [groupId, String(height), false] };
    const header = await this.request(call).catch(() => undefined);
    if (header === undefined) return;
    for (const listener of [...(this.#blocks.get(topic) ?? [])]) tell(listener, header);
  }

  #takeLogs({ data }: Frame): void {
    const push = objectOf(data) as {
      readonly filterID?: unknown;
      readonly logs?: unknown;
      readonly result?: unknown;
    };
    const feed = typeof push.filterID === "string" ? this.#feeds.get(push.filterID) : undefined;
    if (feed === undefined) return;
    feed.take(push.logs);
    if (push.result === 1) this.#endFeed(feed, new TransportFault(ALL_LOOKED_AT));
  }

  async #takeMessage(link: ChannelLink | undefined, frame: Frame): Promise<void> {
    const read = readTopic(frame.data);
    const handler = read.ok ? this.#handlers.get(read.topic) : undefined;
    if (!read.ok || handler === undefined) return;
    try {
      const answer = (await handler(read.content.slice())) ?? new Uint8Array(0);
      link?.answer(frame, MESSAGE_TYPE.amopResponse, withTopic(read.topic, answer));
    } catch {
      // A handler that fails has no answer: the sender is told by its node that none came.
    }
  }
}

/** The object of a text that a node sent; an empty one for anything else. */
function objectOf(data: Uint8Array): object {
  try {
    const value = JSON.parse(utf8Text(data)) as unknown;
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/**
 * `<group>,<height>` of version 1, an object from version 2 on; undefined for anything else.
 * Source: channel-protocol 7.2
 */
function heightOf(content: Uint8Array, groupId: string): number | undefined {
  const text = utf8Text(content);
  if (text.startsWith(`${groupId},`)) return countOf(text.slice(groupId.length + 1).trim());
  const { blockNumber } = objectOf(content) as { readonly blockNumber?: unknown };
  return countOf(blockNumber);
}

function receiptOf({ data }: Frame): Receipt {
  return readMessage(utf8Text(data)) as unknown as Receipt;
}

/** @throws UsageFault when the node refuses the filter. Source: channel-protocol 7.3 */
async function register(link: ChannelLink, feed: LogFeed): Promise<void> {
  const answer = await link.ask(MESSAGE_TYPE.eventRegister, feed.data());
  const read = readTopic(answer.data);
  const { result } = (read.ok ? objectOf(read.content) : {}) as { readonly result?: unknown };
  if (result === 0) return;
  throw new UsageFault(`the node refused the log filter: ${String(result)}`);
}

/**
 * Requests over the channel port, on Node. Nothing is connected before it is used; `close` ends it.
 * @param place host, port, and the three files of the folder `sdk`
 */
export function channelTransport(place: ChannelPlace): ChannelTransport {
  return new Channel(place);
}
