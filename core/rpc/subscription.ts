/**
 * What a client can subscribe to over a WebSocket, and the two operations for it.
 * Source: channel-protocol 7.3
 */
import type { Address, GroupId, Hash } from "../bytes/ids.ts";
import { isAddress, isHash, toPrefixedHex } from "../bytes/hex.ts";
import { quantity, readBlockNumber } from "../bytes/quantity.ts";
import { RpcFault } from "../fault/rpc-fault.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { type Answer, joined } from "./long-answer.ts";
import { type LocatedLog, type LogFilter, readLogFilter } from "./log-filter.ts";
import { defineMethod, MEMBER_ERRORS, type Method, requireMember } from "./method.ts";
import { GROUP_ID, type Param, textParam } from "./params.ts";
import { BOOLEAN, TEXT } from "./schema.ts";

/** A subscription as it was asked for. */
export type Subscription =
  /** Each block that is written. */
  | { readonly kind: "blocks" }
  /** Receipts: of one transaction, of one sender, or all. */
  | {
      readonly kind: "receipts";
      readonly transactionHash: Hash | undefined;
      readonly sender: Address | undefined;
    }
  | {
      readonly kind: "logs";
      readonly filter: LogFilter;
      readonly from: number | "latest";
      readonly to: number | "latest";
    };

/** Who keeps the subscriptions of a connection. */
export interface Subscriber {
  /** @returns the id @throws RpcFault when the group cannot be followed so */
  subscribe(groupId: GroupId, subscription: Subscription): string;
  /** @returns false when there is none of that id */
  unsubscribe(id: string): boolean;
}

const KIND = textParam("kind", "What is wanted", { enum: ["blocks", "receipts", "logs"] });

const FILTER: Param<JsonObject | null> = {
  name: "filter",
  description:
    "blocks: none; receipts: transactionHash, from, or none; " +
    "logs: addresses, topics, fromBlock, toBlock, each optional",
  schema: { type: ["object", "null"] },
  fits: (value): value is JsonObject | null => value === null || isObject(value),
};

const SUBSCRIPTION_ID = textParam("id", "What subscribe has answered", {});

/** The operations of a connection that has a subscriber; only a WebSocket has one. */
export function subscriptionMethods(subscriber: Subscriber): readonly Method[] {
  return [
    defineMethod({
      name: "subscribe",
      summary: "Over a WebSocket: notifications named subscription until unsubscribe",
      params: [GROUP_ID, KIND, FILTER],
      optional: 1,
      result: { name: "id", schema: TEXT },
      errors: MEMBER_ERRORS,
      run: ({ node }, [groupId, kind, filter]) => {
        requireMember(node, groupId);
        return subscriber.subscribe(groupId, readSubscription(kind, filter ?? {}));
      },
    }),
    defineMethod({
      name: "unsubscribe",
      summary: "Over a WebSocket: ends a subscription; false when there is none",
      params: [SUBSCRIPTION_ID],
      result: { name: "ended", schema: BOOLEAN },
      errors: [],
      run: (_call, [id]) => subscriber.unsubscribe(id),
    }),
  ];
}

/** For the description: the operations of no connection. */
export const SUBSCRIPTION_METHODS: readonly Method[] = subscriptionMethods({
  subscribe: () => {
    throw new RpcFault("methodNotFound");
  },
  unsubscribe: () => false,
});

/** A kind with its filter. @throws RpcFault -32602 that names what does not fit */
export function readSubscription(kind: string, filter: JsonObject): Subscription {
  switch (kind) {
    case "blocks":
      requireOnly(filter, []);
      return { kind };
    case "receipts":
      return readReceipts(filter);
    case "logs":
      return readLogs(filter);
    default:
      return refuse("the kind is none of blocks, receipts and logs");
  }
}

function refuse(sentence: string): never {
  throw new RpcFault("invalidParams", sentence);
}

/** A misspelt member would admit everything. */
function requireOnly(filter: JsonObject, names: readonly string[]): void {
  for (const name of Object.keys(filter)) {
    if (!names.includes(name)) refuse(`the filter has no member ${name.slice(0, 40)}`);
  }
}

function readReceipts(filter: JsonObject): Subscription {
  requireOnly(filter, ["transactionHash", "from"]);
  const { transactionHash, from } = filter;
  const hash = lowerCase(transactionHash);
  const sender = lowerCase(from);
  if (hash !== undefined && !isHash(hash)) return refuse("transactionHash is no hash");
  if (sender !== undefined && !isAddress(sender)) return refuse("from is no address");
  return { kind: "receipts", transactionHash: hash, sender };
}

function lowerCase(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? value.toLowerCase() : value;
}

function readLogs(filter: JsonObject): Subscription {
  requireOnly(filter, ["addresses", "address", "topics", "fromBlock", "toBlock"]);
  const { address = [], addresses = address, topics = [], fromBlock, toBlock } = filter;
  if (!readLogFilter(addresses, [])) {
    return refuse("addresses is an address or a list of at most 1000");
  }
  const read = readLogFilter(addresses, topics);
  if (!read?.topics.every((alternatives) => [...alternatives].every(isHash))) {
    return refuse("topics is a list of up to 4: hash, null, or list of at most 1000 hashes");
  }
  const [from, to] = [readBlock(fromBlock), readBlock(toBlock)];
  if (from === undefined || to === undefined) {
    return refuse("fromBlock and toBlock are numbers of blocks or latest");
  }
  if (typeof from === "number" && typeof to === "number" && to < from) {
    return refuse("toBlock is below fromBlock");
  }
  return { kind: "logs", filter: read, from, to };
}

function readBlock(value: Json | undefined): number | "latest" | undefined {
  if (typeof value !== "number") return readBlockText(value);
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/**
 * A block as a filter names it; an absent one is the latest. Digits are needed: `0x` alone is no
 * number here. Undefined for anything else.
 */
export function readBlockText(value: Json | undefined): number | "latest" | undefined {
  if (value === undefined || value === "latest") return "latest";
  if (typeof value !== "string" || !/[0-9a-fA-F]$/.test(value)) return undefined;
  return readBlockNumber(value);
}

/** A log entry in a notification; all numbers are quantities unless the block's is given. */
export function presentLocatedLog(
  located: LocatedLog,
  blockNumber: string = quantity(located.blockNumber),
): Json {
  return {
    address: located.log.address,
    blockHash: located.blockHash,
    blockNumber,
    data: toPrefixedHex(located.log.data),
    logIndex: quantity(located.logIndex),
    topics: located.log.topics,
    transactionHash: located.transactionHash,
    transactionIndex: quantity(located.transactionIndex),
  };
}

/** A notification; the result is JSON text, null for the last one of a subscription. */
export function notificationText(id: string, result: Answer): Answer {
  const params = `{"id":${JSON.stringify(id)},"result":`;
  return joined([`{"jsonrpc":"2.0","method":"subscription","params":${params}`, result, "}}"]);
}
