/**
 * The newest blocks of a ledger against its head, before a group builds on them: what a power
 * failure or a disk takes away is mostly what was written last. Source: decision 30
 */
import { StoreFault } from "../fault/store-fault.ts";
import { headerHash } from "../model/header.ts";
import { type RootRules, transactionsRoot } from "../model/roots.ts";
import type { Ledger } from "./ledger-view.ts";

/** This many are examined: each is decoded as a whole. */
const BLOCKS = 2;

type NewestSource = Pick<Ledger, "head" | "hashOf" | "block" | "transaction">;

function damaged(number: number, what: string): StoreFault {
  return new StoreFault("corrupt", `block ${number} is damaged: ${what}`);
}

/**
 * Examines the newest blocks: each leads to the one before, its records are there, its transactions
 * are those of its root, and those of the head have their places.
 *
 * @throws StoreFault corrupt
 */
export async function requireNewest(ledger: NewestSource, rules: RootRules): Promise<void> {
  const { number: head } = ledger.head();
  let wanted = ledger.head().hash;
  for (let number = head; number > Math.max(0, head - BLOCKS); number--) {
    if ((await ledger.hashOf(number)) !== wanted)
      throw damaged(number, "its number leads to another one");
    const block = await ledger.block(wanted);
    if (!block) throw damaged(number, "its header is gone");
    const { header, transactions, receipts } = block;
    if (headerHash(header, rules.suite) !== wanted) throw damaged(number, "its header is another");
    if (transactionsRoot(transactions, rules) !== header.transactionsRoot)
      throw damaged(number, "its transactions are others");
    if (receipts.length !== transactions.length) throw damaged(number, "receipts are gone");
    if (number === head) {
      for (const [index, { hash }] of transactions.entries()) {
        const located = await ledger.transaction(hash);
        if (located?.blockHash !== wanted || located.index !== index)
          throw damaged(number, `the place of transaction ${hash} is gone`);
      }
    }
    wanted = header.parentHash;
  }
}
