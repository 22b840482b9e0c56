/**
 * What a peer may say that it was not asked for, by nodes whose groups it is not in, before that is
 * an offence. Honest nodes report such things: one that was removed and does not know, one that was
 * added in a block that this node lacks, one whose group this node does not have.
 * Source: node-network 2, 8
 */
import type { NodeId } from "../bytes/ids.ts";
import { createBucket, isFull, spendPermits, type TokenBucket } from "../limits/token-bucket.ts";

const MIB = 1024 * 1024;

/** Messages at once: more than all that the queues of an honest peer hold. */
export const UNSOLICITED_MESSAGES = 8_192;
/** And this many in a second from then on: several times what a sealer of a busy group sends. */
export const UNSOLICITED_PER_SECOND = 200;
/** Bytes at once: what the queues of consensus and transactions of an honest peer hold. */
export const UNSOLICITED_BYTES = 128 * MIB;
/** And this many in a second from then on. */
export const UNSOLICITED_BYTES_PER_SECOND = 4 * MIB;

/** A message, and how much of it is charged. */
export interface UnsolicitedMessage {
  readonly bytes: number;
  /** Above 0, at most 1. */
  readonly charge: number;
  /** Steady time. */
  readonly now: number;
}

/** What a peer may still say. */
interface Account {
  readonly messages: TokenBucket;
  readonly bytes: TokenBucket;
}

/** The accounts of all peers: a peer that connects again goes on with its own. */
export class UnsolicitedBudgets {
  readonly #accounts = new Map<NodeId, Account>();

  /** Peers that have sent something, or had when they were examined last. */
  get size(): number {
    return this.#accounts.size;
  }

  /** Charges a message to a peer; false when that is more than an honest peer says. */
  charge(peer: NodeId, { bytes, charge, now }: UnsolicitedMessage): boolean {
    const account = this.#accounts.get(peer) ?? this.#open(peer, now);
    const isOneOfFew = spendPermits(account.messages, charge, now);
    return spendPermits(account.bytes, charge * bytes, now) && isOneOfFew;
  }

  /** Accounts that are full again are closed, so that there are as many as peers that speak. */
  #open(peer: NodeId, now: number): Account {
    for (const [other, { messages, bytes }] of this.#accounts)
      if (isFull(messages, now) && isFull(bytes, now)) this.#accounts.delete(other);
    const account = {
      messages: createBucket(UNSOLICITED_PER_SECOND, now, UNSOLICITED_MESSAGES),
      bytes: createBucket(UNSOLICITED_BYTES_PER_SECOND, now, UNSOLICITED_BYTES),
    };
    this.#accounts.set(peer, account);
    return account;
  }
}
