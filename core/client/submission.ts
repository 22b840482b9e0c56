/**
 * Hands in transactions and waits for their receipts. The same bytes may be handed in again and
 * again: a group executes a nonce once. Source: rpc-semantics 8; channel-protocol 6.1
 */
import type { TransactionStatusName } from "../fault/transaction-status.ts";
import type { Clock } from "../ports/clock.ts";
import { type ChainView, toldNumber } from "./chain-view.ts";
import { AbortedFault, ReceiptTimeoutFault, RefusalFault, TransportFault } from "./client-fault.ts";
import {
  abortable,
  pause,
  type Signal,
  throwIfAborted,
  type WaitOptions,
  within,
} from "./platform.ts";
import { formed, hasForm } from "./pushed-form.ts";
import { isSpent, KNOWN, pushedRefusalOf, refusalOf } from "./refusal.ts";
import type { TypedRequest } from "./rpc-methods.ts";
import type { Hex, Receipt } from "./rpc-objects.ts";
import type { PreparedTransaction } from "./transaction-builder.ts";
import type { Transport } from "./transport.ts";

/** What submissions are made with. */
export interface SubmissionParts {
  readonly transport: Transport;
  readonly request: TypedRequest;
  readonly groupId: number;
  readonly clock: Clock;
  readonly view: ChainView;
}

/** A transaction that the node has, or may have. */
export interface Handed {
  /** The receipt as it is pushed. */
  readonly pushed: Promise<Receipt> | undefined;
  /** An earlier attempt went unanswered, so a spent nonce may be its own. */
  readonly doubtful: boolean;
  /** Gives up what pushes, when no caller waits any more. */
  readonly release?: () => void;
}

/** How long to try to reach a node, and to wait for a receipt. */
const WAIT_MS = 60_000;
/** First pause between attempts to reach a node; it doubles. */
const FIRST_RETRY_MS = 250;
/** Pauses between questions for a receipt grow from the first to the second. */
const FIRST_POLL_MS = 50;
const LONGEST_POLL_MS = 1_000;
const POLL_GROWTH = 1.5;
/** Next to a push only what was lost is asked for. */
const PUSHED_POLL_MS = 2_000;
/** When to begin to ask whether the block limit has passed. */
const EXPIRY_AFTER_MS = 5_000;

interface HandInOptions extends WaitOptions {
  /** Whether somebody waits for the receipt. */
  readonly wantsReceipt: boolean;
}

type Pushed = Omit<Handed, "doubtful">;
const NOT_PUSHED: Pushed = { pushed: undefined };

async function handInOnce(
  parts: SubmissionParts,
  { raw, hash }: PreparedTransaction,
  { wantsReceipt, signal }: HandInOptions,
): Promise<Pushed> {
  const { transport, request, groupId } = parts;
  if (transport.submit) {
    const submission = await transport.submit(groupId, raw, signal);
    const pushed = submission.receipt.then(requireReceipt);
    pushed.catch(() => undefined);
    return { pushed };
  }
  const pushed = wantsReceipt ? await subscribedReceipt(parts, hash) : NOT_PUSHED;
  try {
    await request("sendRawTransaction", [groupId, raw], signal);
    return pushed;
  } catch (cause) {
    pushed.release?.();
    throw cause;
  }
}

/** What is pushed in another form counts as lost: it is asked for then. @throws TransportFault */
function requireReceipt(told: unknown): Receipt {
  if (hasForm("receipts", told)) return told as Receipt;
  throw new TransportFault("what came is no receipt");
}

/** The receipt as a notification; undefined where the node does not know subscriptions. */
async function subscribedReceipt(
  { transport, groupId }: SubmissionParts,
  hash: Hex,
): Promise<Pushed> {
  let settle: (receipt: Receipt) => void = () => undefined;
  let end: (cause: Error) => void = () => undefined;
  const pushed = new Promise<Receipt>((resolve, reject) => {
    settle = resolve;
    end = reject;
  });
  pushed.catch(() => undefined);
  const listener = { onResult: (result: unknown) => settle(result as Receipt), onEnd: end };
  const subscription = await transport
    .subscribe?.([groupId, "receipts", { transactionHash: hash }], formed("receipts", listener))
    .catch(() => undefined);
  if (subscription === undefined) return NOT_PUSHED;
  let isOpen = true;
  const release = (): void => {
    if (isOpen) subscription.stop().catch(() => undefined);
    isOpen = false;
  };
  pushed.then(release, () => undefined);
  return { pushed, release };
}

/**
 * Hands in a transaction; tries again while no node is reached.
 *
 * @throws RefusalFault when it can be in no block; NodeFault; TransportFault; AbortedFault
 */
export async function handIn(
  parts: SubmissionParts,
  transaction: PreparedTransaction,
  options: HandInOptions,
): Promise<Handed> {
  const { clock } = parts;
  const { timeoutMs = WAIT_MS, signal } = options;
  const end = clock.steady() + timeoutMs;
  let doubtful = false;
  throwIfAborted(signal);
  for (let delay = FIRST_RETRY_MS; ; delay *= 2) {
    try {
      return { ...(await handInOnce(parts, transaction, options)), doubtful };
    } catch (cause) {
      if (cause instanceof AbortedFault) throw withHash(cause, transaction.hash);
      if (!(cause instanceof TransportFault)) {
        const status = refusalOf(cause);
        if (status === undefined) throw cause;
        await requireHad(parts, transaction.hash, { status, doubtful, cause });
        return { pushed: undefined, doubtful: true };
      }
      if (clock.steady() + delay >= end) throw cause;
      doubtful = true;
      await pause(clock, delay, signal).catch((ended: unknown) => {
        throw withHash(ended, transaction.hash);
      });
    }
  }
}

/** Who ends the wait for a transaction that a node may have is informed which one it is. */
function withHash(cause: unknown, hash: Hex): unknown {
  if (!(cause instanceof AbortedFault)) return cause;
  return new AbortedFault(cause.message, { cause: cause.cause, hash });
}

/** A refusal, and what is known next to it. */
interface Refused {
  readonly status: TransactionStatusName;
  readonly doubtful: boolean;
  readonly cause?: unknown;
}

/** Returns when the refusal says, or may say, that the node has the transaction already. */
async function requireHad(parts: SubmissionParts, hash: Hex, refused: Refused): Promise<void> {
  const { status, doubtful, cause } = refused;
  if (status === KNOWN) return;
  if (doubtful && isSpent(status)) return;
  if (doubtful || isSpent(status)) {
    if ((await receiptOf(parts, hash)) !== null) return;
  }
  if (status === "BlockLimitCheckFail") parts.view.sawHeight(undefined);
  throw new RefusalFault(status, hash, { cause });
}

/** Another one may be as true, and proves nothing about this transaction. */
function isOf({ transactionHash }: Receipt, hash: Hex): boolean {
  return String(transactionHash).toLowerCase() === hash.toLowerCase();
}

/** The receipt, or null while there is none, while no node is reached and what comes is none. */
async function receiptOf(
  { request, groupId }: SubmissionParts,
  hash: Hex,
  signal?: Signal,
): Promise<Receipt | null> {
  try {
    const told = await request("getTransactionReceipt", [groupId, hash], signal);
    const receipt = told === null ? null : requireReceipt(told);
    if (receipt === null || isOf(receipt, hash)) return receipt;
    throw new TransportFault("what came is the receipt of another transaction");
  } catch (cause) {
    if (cause instanceof TransportFault) return null;
    throw cause;
  }
}

/**
 * What is known of transactions that were handed in without waiting, for a node that waits later:
 * over the channel port a refusal, too, comes as a push. Source: channel-protocol 6.1
 */
export class HandedIn {
  readonly #known = new Map<Hex, Handed>();

  /** Remembers a transaction; the oldest is forgotten beyond {@link MOST_HANDED_IN}. */
  add(hash: Hex, handed: Handed): void {
    if (handed.pushed === undefined) return;
    this.#known.delete(hash);
    this.#known.set(hash, handed);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_HANDED_IN && oldest !== undefined) this.#known.delete(oldest);
  }

  /** What is known of a transaction; a push that has to be asked for is asked for. */
  async find(parts: SubmissionParts, hash: Hex): Promise<Handed> {
    return this.#known.get(hash) ?? { ...(await subscribedReceipt(parts, hash)), doubtful: true };
  }
}

/** Receipts that are kept for those who wait later. */
export const MOST_HANDED_IN = 1_000;

/** What a receipt is waited for. */
export interface Awaited {
  readonly hash: Hex;
  /** When it is known, the wait ends as soon as the height has passed it. */
  readonly blockLimit?: bigint;
}

/** A push that has come, or has failed to come; undefined when time has passed. */
type Heard = { readonly receipt: Receipt } | { readonly lost: true } | undefined;

/**
 * Waits for a receipt of any status, by push and by asking.
 *
 * @throws ReceiptTimeoutFault; RefusalFault when the pool dropped it; AbortedFault
 */
export async function awaitReceipt(
  parts: SubmissionParts,
  wanted: Awaited,
  handed: Handed,
  options: WaitOptions,
): Promise<Receipt> {
  try {
    return await hearOrAsk(parts, wanted, handed, options);
  } catch (cause) {
    throw withHash(cause, wanted.hash);
  } finally {
    handed.release?.();
  }
}

async function hearOrAsk(
  parts: SubmissionParts,
  wanted: Awaited,
  { pushed, doubtful }: Handed,
  { timeoutMs = WAIT_MS, signal }: WaitOptions,
): Promise<Receipt> {
  const { clock } = parts;
  const began = clock.steady();
  let push = pushed?.then(
    (receipt): Heard => ({ receipt }),
    (): Heard => ({ lost: true }),
  );
  for (let delay = FIRST_POLL_MS; ; delay = Math.min(delay * POLL_GROWTH, LONGEST_POLL_MS)) {
    const left = began + timeoutMs - clock.steady();
    const heard = await abortable(
      within(push, clock, Math.max(0, Math.min(left, push ? PUSHED_POLL_MS : delay))),
      signal,
    );
    if (heard) {
      push = undefined;
      const receipt = "receipt" in heard ? heard.receipt : undefined;
      const status = receipt && pushedRefusalOf(receipt);
      if (receipt && status === undefined && isOf(receipt, wanted.hash)) return receipt;
      if (status) await requireHad(parts, wanted.hash, { status, doubtful });
    }
    const receipt = await receiptOf(parts, wanted.hash, signal);
    if (receipt !== null) return receipt;
    const waited = clock.steady() - began;
    if (waited < Math.min(EXPIRY_AFTER_MS, timeoutMs)) continue;
    const expired = await hasExpired(parts, wanted);
    // The last block may have come between the two questions.
    const last = expired ? await receiptOf(parts, wanted.hash, signal) : null;
    if (last !== null) return last;
    if (expired || waited >= timeoutMs) throw new ReceiptTimeoutFault(wanted.hash, expired);
  }
}

async function hasExpired(parts: SubmissionParts, { blockLimit }: Awaited): Promise<boolean> {
  if (blockLimit === undefined) return false;
  try {
    const told = await parts.request("getBlockNumber", [parts.groupId]);
    const head = toldNumber(told, "getBlockNumber");
    parts.view.sawHeight(head);
    return head > blockLimit;
  } catch (cause) {
    if (cause instanceof TransportFault) return false;
    throw cause;
  }
}
