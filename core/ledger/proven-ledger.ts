/**
 * What is known of a ledger that is damaged somewhere: blocks that prove themselves by hash. All
 * else is refused: neither a row, nor that something is not there, can be believed.
 * Source: decision 30
 */
import { hashOf } from "../bytes/hex.ts";
import type { Hash } from "../bytes/ids.ts";
import type { Block } from "../model/block.ts";
import { headerHash } from "../model/header.ts";
import { receiptsRoot, type RootRules, transactionsRoot } from "../model/roots.ts";
import type { LedgerApi } from "../ports/ledger.ts";
import type { Ledger } from "./ledger-view.ts";

type ProvenSource = Pick<
  Ledger,
  "head" | "hashOf" | "header" | "block" | "rawReceipts" | "transaction" | "genesisHash"
>;

/** A view of a damaged ledger. @param fail throws what is told instead of an answer */
export function provenLedger(source: ProvenSource, rules: RootRules, fail: () => never): LedgerApi {
  const { suite } = rules;

  /** What was found; that nothing was is no answer. */
  async function found<Value>(read: Promise<Value | undefined>): Promise<Value> {
    const value = await read.catch(fail);
    return value === undefined ? fail() : value;
  }

  async function header(hash: Hash) {
    const sealed = await found(source.header(hash));
    return headerHash(sealed.header, suite) === hash ? sealed : fail();
  }

  async function proven(hash: Hash): Promise<Block> {
    const { header: of } = await header(hash);
    const whole = await found(source.block(hash));
    // Block 0 has zero there, not a root of nothing.
    if (of.number === 0) return whole;
    const raw = await found(source.rawReceipts(hash));
    const receipts = raw.map((bytes) => ({ raw: bytes, hash: hashOf(suite.hash(bytes)) }));
    const isWhole =
      transactionsRoot(whole.transactions, rules) === of.transactionsRoot &&
      receiptsRoot(receipts, rules) === of.receiptsRoot;
    return isWhole ? whole : fail();
  }

  /** A caller that asks for a transaction mostly asks for the next one of its block then. */
  let last: { readonly hash: Hash; readonly block: Promise<Block> } | undefined;
  function block(hash: Hash): Promise<Block> {
    if (last?.hash !== hash) last = { hash, block: proven(hash) };
    return last.block;
  }

  async function located(blockHash: Hash, index: number) {
    const { header: of, transactions, receipts } = await block(blockHash);
    const [transaction, receipt] = [transactions[index], receipts[index]];
    if (!transaction || !receipt) return undefined;
    return { transaction, receipt, blockHash, blockNumber: of.number, index };
  }

  async function ofHash(hash: Hash) {
    const place = await found(source.transaction(hash));
    const told = await found(located(place.blockHash, place.index));
    return told.transaction.hash === hash ? told : fail();
  }

  const refuse = async () => fail();
  return {
    head: () => source.head(),
    genesisHash: () => source.genesisHash(),
    async hashOf(number) {
      const hash = await found(source.hashOf(number));
      return (await header(hash)).header.number === number ? hash : fail();
    },
    header,
    block,
    transactionAt: located,
    transaction: ofHash,
    receipt: ofHash,
    transactionProof: refuse,
    receiptProof: refuse,
    totals: refuse,
    systemConfig: refuse,
    code: refuse,
    sealers: refuse,
    observers: refuse,
  };
}
