/** The forms of what is pushed: a listener is told nothing that it could not read. */
import type { SubscriptionListener } from "./transport.ts";

/** What can be subscribed to. */
export type SubscriptionKind = "blocks" | "receipts" | "logs";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isTextOrNull: Check = (value) => value === null || isText(value);

/** Longer lists are in no push, and are not looked through. */
const MOST_ITEMS = 1_000_000;

function listOf(check: Check): Check {
  // Where a list has no item, `every` would not look.
  return (value) => Array.isArray(value) && value.length <= MOST_ITEMS && [...value].every(check);
}

function objectOf(form: Readonly<Record<string, Check>>): Check {
  const members = Object.entries(form);
  return (value) => {
    if (typeof value !== "object" || value === null) return false;
    const told = value as Readonly<Record<string, unknown>>;
    return members.every(([name, check]) => check(told[name]));
  };
}

const isLog = objectOf({ address: isText, data: isText, topics: listOf(isText) });

const FORMS: Readonly<Record<SubscriptionKind, Check>> = {
  logs: isLog,
  blocks: objectOf({
    extraData: listOf(isText),
    hash: isText,
    number: Number.isSafeInteger,
    parentHash: isText,
    receiptsRoot: isText,
    sealer: isText,
    sealerList: listOf(isText),
    stateRoot: isText,
    timestamp: isText,
    transactionsRoot: isText,
  }),
  receipts: objectOf({
    blockNumber: isText,
    contractAddress: isText,
    from: isText,
    logs: listOf(isLog),
    output: isText,
    status: isText,
    to: isTextOrNull,
    transactionHash: isText,
  }),
};

/** Whether a value has the form of its kind. */
export function hasForm(kind: SubscriptionKind, value: unknown): boolean {
  return FORMS[kind](value);
}

/**
 * A listener that hears only what has the form of its kind. The rest is dropped: a node that wanted
 * to keep something back could as well have sent nothing.
 */
export function formed(
  kind: SubscriptionKind,
  listener: SubscriptionListener,
): SubscriptionListener {
  return {
    onResult: (result) => {
      if (hasForm(kind, result)) listener.onResult(result);
    },
    onEnd: (cause) => listener.onEnd?.(cause),
  };
}
