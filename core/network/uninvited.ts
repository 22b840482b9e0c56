/**
 * What a peer may say that it was not asked for, by nodes whose groups it is not in, before that is
 * an offence. Honest nodes say such things: one that was removed and does not know, one that was
 * added in a block that this node lacks, one whose group this node does not have.
 * Source: node-network 2, 8
 */
import type { NodeId } from "../bytes/ids.ts";

const MIB = 1024 * 1024;

/** Messages at once: more than all that the queues of an honest peer hold. */
export const UNINVITED_MESSAGES = 8_192;
/** And so many in a second from then on: several times what a sealer of a busy group sends. */
export const UNINVITED_PER_SECOND = 200;
/** Bytes at once: what the queues of consensus and transactions of an honest peer hold. */
export const UNINVITED_BYTES = 128 * MIB;
/** And so many in a second from then on. */
export const UNINVITED_BYTES_PER_SECOND = 4 * MIB;

/** A message, and how much of it is charged. */
export interface UninvitedMessage {
  readonly bytes: number;
  /** Above 0, at most 1. */
  readonly charge: number;
  /** Steady time. */
  readonly now: number;
}

/** What of a peer's words is not forgotten yet. */
interface Account {
  messages: number;
  bytes: number;
  at: number;
}

/** The accounts of all peers: a peer that connects again goes on with its own. */
export class UninvitedAccounts {
  readonly #accounts = new Map<NodeId, Account>();

  /** Peers whose account is not empty, or was not when it was looked at last. */
  get size(): number {
    return this.#accounts.size;
  }

  /** Charges a message to a peer; false when that is more than an honest peer says. */
  charge(peer: NodeId, { bytes, charge, now }: UninvitedMessage): boolean {
    const account = this.#accounts.get(peer) ?? this.#open(peer, now);
    forget(account, now);
    account.messages += charge;
    account.bytes += charge * bytes;
    const isWithin = account.messages <= UNINVITED_MESSAGES && account.bytes <= UNINVITED_BYTES;
    // A debt does not grow: whoever stops is heard again as soon as anybody.
    account.messages = Math.min(account.messages, UNINVITED_MESSAGES);
    account.bytes = Math.min(account.bytes, UNINVITED_BYTES);
    return isWithin;
  }

  /** Accounts that are empty by now are closed, so that there are as many as peers that speak. */
  #open(peer: NodeId, now: number): Account {
    for (const [other, account] of this.#accounts) {
      forget(account, now);
      if (account.messages === 0 && account.bytes === 0) this.#accounts.delete(other);
    }
    const account = { messages: 0, bytes: 0, at: now };
    this.#accounts.set(peer, account);
    return account;
  }
}

function forget(account: Account, now: number): void {
  const seconds = Math.max(0, now - account.at) / 1_000;
  account.messages = Math.max(0, account.messages - seconds * UNINVITED_PER_SECOND);
  account.bytes = Math.max(0, account.bytes - seconds * UNINVITED_BYTES_PER_SECOND);
  account.at = now;
}
