/**
 * One stored block by itself and against the one before: hashes, certificate, roots, indexes.
 * Source: tx-block-codec 6-9; pbft 8
 */
import { equalBytes } from "../../../core/bytes/bytes.ts";
import { hashOf, idBytes, nodeIdOf, toHex } from "../../../core/bytes/hex.ts";
import type { Hash, NodeId } from "../../../core/bytes/ids.ts";
import { encodeRlp } from "../../../core/bytes/rlp.ts";
import { type SealVerdict, verifySeals } from "../../../core/consensus/certificate.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import {
  bodyKey,
  headerKey,
  noncesKey,
  numberKey,
  receiptsKey,
  transactionKey,
} from "../../../core/ledger/keys.ts";
import {
  type Body,
  decodeBody,
  decodeHeaderRecord,
  decodePlace,
  decodeReceiptTable,
  encodeNonces,
  type HeaderRecord,
} from "../../../core/ledger/records.ts";
import { headerHash, type Seal, unexecuted } from "../../../core/model/header.ts";
import { decodeReceipt } from "../../../core/model/receipt.ts";
import { receiptsRoot, transactionsRoot } from "../../../core/model/roots.ts";
import {
  decodeTransaction,
  recoverSender,
  type Transaction,
} from "../../../core/model/transaction.ts";
import type { Version } from "../../../core/model/version.ts";
import type { Store } from "../../../core/ports/store.ts";
import { ABSENT, type Defect, type DefectKind, type Report } from "./defect.ts";

interface BlockRules {
  readonly store: Store;
  readonly suite: CryptoSuite;
  readonly version: Version;
  /** Raft groups have no certificates. */
  readonly certified: boolean;
  readonly report: Report;
}

/** What the next block is compared with. */
export interface CheckedBlock {
  /** Undefined where the block has no readable header. */
  readonly hash: Hash | undefined;
  readonly sealerList: readonly NodeId[] | undefined;
  /** Undefined where they could not be counted. */
  readonly transactions: number | undefined;
  /** Receipts with a status other than 0; undefined where they could not be counted. */
  readonly failed: number | undefined;
}

/** Stands for a block that could not be read. */
const UNREADABLE: CheckedBlock = {
  hash: undefined,
  sealerList: undefined,
  transactions: undefined,
  failed: undefined,
};

/** What the seals of a block are worth, made by these sealers. Source: pbft 8 */
export function sealVerdict(
  { hash, seals }: { readonly hash: Hash; readonly seals: readonly Seal[] },
  sealers: readonly NodeId[],
  suite: CryptoSuite,
): SealVerdict {
  const digest = idBytes(hash);
  const recovered = seals.map(({ index, signature }) => {
    const key = suite.recover(digest, signature);
    return { index, signer: key && nodeIdOf(key) };
  });
  return verifySeals(recovered, sealers);
}

/** Checks of one block; a class because each step reports about the same block. */
class BlockCheck {
  readonly #rules: BlockRules;
  readonly #number: number;

  constructor(rules: BlockRules, number: number) {
    this.#rules = rules;
    this.#number = number;
  }

  async run(before: CheckedBlock | undefined): Promise<CheckedBlock> {
    const { store } = this.#rules;
    const stored = store.get(numberKey(this.#number));
    if (stored?.length !== 32) {
      const shown = stored ? `0x${toHex(stored)}` : ABSENT;
      this.#report("number", "hash of the block", [shown, "32 bytes"]);
      return UNREADABLE;
    }
    const hash = hashOf(stored);
    const bytes = await store.load(headerKey(hash));
    if (bytes === undefined) {
      this.#report("number", "header that the block's number leads to", [ABSENT, hash]);
      return UNREADABLE;
    }
    const record = this.#decoded("header", "header record", () => decodeHeaderRecord(bytes));
    if (record === undefined) return UNREADABLE;
    const isHeader = this.#checkHeader(record, hash, before);
    this.#checkSeals(record, hash);
    const transactions = await this.#checkBody(record);
    const failed = await this.#checkReceipts(record, hash);
    await this.#checkIndexes(transactions);
    const { sealerList } = record.header;
    const told = isHeader ? hash : undefined;
    return { hash: told, sealerList, transactions: record.transactionCount, failed };
  }

  #report(kind: DefectKind, what: string, [stored, expected]: readonly [string, string]): void {
    const defect: Defect = { block: this.#number, kind, what, stored, expected };
    this.#rules.report(defect);
  }

  #compare(kind: DefectKind, what: string, pair: readonly [string, string]): boolean {
    if (pair[0] === pair[1]) return true;
    this.#report(kind, what, pair);
    return false;
  }

  /** What a decoder gives; its fault is a defect. */
  #decoded<Value>(kind: DefectKind, what: string, decode: () => Value): Value | undefined {
    try {
      return decode();
    } catch (cause) {
      if (!(cause instanceof StoreFault)) throw cause;
      this.#report(kind, what, ["does not decode", "a whole record"]);
      return undefined;
    }
  }

  #checkHeader(record: HeaderRecord, hash: Hash, before: CheckedBlock | undefined): boolean {
    const { header } = record;
    const { suite } = this.#rules;
    const isWhole = this.#compare("header", "hash of the header", [
      headerHash(header, suite),
      hash,
    ]);
    this.#compare("header", "number", [`${header.number}`, `${this.#number}`]);
    if (before?.hash !== undefined)
      this.#compare("header", "parent hash", [header.parentHash, before.hash]);
    const proposal = this.#number === 0 ? hash : headerHash(unexecuted(header), suite);
    this.#compare("header", "hash as proposed", [record.unexecuted, proposal]);
    const isUnchanged = before?.sealerList?.join() === header.sealerList.join();
    // Only transactions change the list of sealers.
    if (before?.sealerList && before.transactions === 0 && !isUnchanged)
      this.#compare("header", "sealer list", [header.sealerList.join(), before.sealerList.join()]);
    return isWhole;
  }

  /** Seals are over the hash of the block, by the sealers that its header names. */
  #checkSeals({ header, seals }: HeaderRecord, hash: Hash): void {
    const { certified, suite } = this.#rules;
    if (this.#number === 0 || (!certified && seals.length === 0)) return;
    const verdict = sealVerdict({ hash, seals }, header.sealerList, suite);
    if (verdict === "ok") return;
    const expected = `a quorum of ${header.sealerList.length} sealers`;
    this.#report("seals", "certificate", [`${seals.length} seals, ${verdict}`, expected]);
  }

  async #checkBody(record: HeaderRecord): Promise<readonly Transaction[] | undefined> {
    const body = await this.#body(record);
    if (body === undefined) return undefined;
    const { suite } = this.#rules;
    const transactions: Transaction[] = [];
    for (const [index, raw] of body.transactions.entries()) {
      const decoding = decodeTransaction(raw, suite);
      if (decoding.ok) transactions.push(decoding.transaction);
      else this.#report("transactions", `transaction ${index}`, ["does not decode", "RLP"]);
    }
    if (transactions.length < body.transactions.length) return undefined;
    // Block 0 has zero there, not a root of nothing.
    if (this.#number > 0) {
      const root = transactionsRoot(transactions, this.#rules);
      const { header } = record;
      this.#compare("transactions", "transactions root", [root, header.transactionsRoot]);
    }
    for (const [index, transaction] of transactions.entries()) {
      const sender = recoverSender(transaction, suite) ?? "nobody";
      const pair = [body.senders[index] ?? ABSENT, sender] as const;
      this.#compare("senders", `sender of transaction ${index}`, pair);
    }
    return transactions;
  }

  async #body({ unexecuted: key, transactionCount }: HeaderRecord): Promise<Body | undefined> {
    if (transactionCount === 0) return { transactions: [], senders: [] };
    const bytes = await this.#rules.store.load(bodyKey(key));
    const wanted = `${transactionCount} transactions`;
    if (bytes === undefined) {
      this.#report("transactions", "body", [ABSENT, wanted]);
      return undefined;
    }
    const body = this.#decoded("transactions", "body", () => decodeBody(bytes));
    if (body === undefined) return undefined;
    const found = `${body.transactions.length} transactions`;
    return this.#compare("transactions", "body", [found, wanted]) ? body : undefined;
  }

  /** Gives the number of failed ones; undefined when it is not known. */
  async #checkReceipts(record: HeaderRecord, hash: Hash): Promise<number | undefined> {
    const { header, transactionCount } = record;
    const { store, suite, version } = this.#rules;
    const bytes = transactionCount === 0 ? undefined : await store.load(receiptsKey(hash));
    const wanted = `${transactionCount} receipts`;
    if (transactionCount > 0 && bytes === undefined) {
      this.#report("receipts", "receipts", [ABSENT, wanted]);
      return undefined;
    }
    const raw = this.#decoded("receipts", "receipts", () =>
      bytes === undefined ? [] : decodeReceiptTable(bytes),
    );
    if (raw === undefined) return undefined;
    const found = `${raw.length} receipts`;
    if (!this.#compare("receipts", "receipts", [found, wanted])) return undefined;
    const items = raw.map((receipt) => ({ raw: receipt, hash: hashOf(suite.hash(receipt)) }));
    if (this.#number > 0) {
      const root = receiptsRoot(items, this.#rules);
      const isSame = this.#compare("receipts", "receipts root", [root, header.receiptsRoot]);
      if (!isSame) return undefined;
    }
    const receipts = raw.map((receipt) => decodeReceipt(receipt, version));
    return receipts.filter((receipt) => receipt !== undefined && receipt.status !== 0).length;
  }

  async #checkIndexes(transactions: readonly Transaction[] | undefined): Promise<void> {
    if (transactions === undefined) return;
    const { store } = this.#rules;
    const places = await Promise.all(
      transactions.map(({ hash }) => store.load(transactionKey(hash))),
    );
    for (const [index, { hash }] of transactions.entries()) {
      const bytes = places[index];
      const place = this.#decoded("index", `place of transaction ${index}`, () =>
        bytes === undefined ? null : decodePlace(bytes),
      );
      if (place === undefined) continue;
      const shown = place ? `block ${place.number}, index ${place.index}` : ABSENT;
      const expected = `block ${this.#number}, index ${index}`;
      this.#compare("index", `place of transaction ${hash}`, [shown, expected]);
    }
    const nonces = encodeNonces(transactions.map(({ nonce }) => encodeRlp(nonce)));
    const kept = await store.load(noncesKey(this.#number));
    if (kept !== undefined && equalBytes(kept, nonces)) return;
    const shown = kept === undefined ? ABSENT : `0x${toHex(kept)}`;
    this.#report("nonces", "nonces", [shown, `0x${toHex(nonces)}`]);
  }
}

/** Checks a block. What the store cannot give is a defect of the block, too. */
export async function checkBlock(
  rules: BlockRules,
  number: number,
  before: CheckedBlock | undefined,
): Promise<CheckedBlock> {
  try {
    return await new BlockCheck(rules, number).run(before);
  } catch (cause) {
    if (!(cause instanceof StoreFault)) throw cause;
    const expected = "readable data";
    const what = "what the store gives";
    rules.report({ block: number, kind: "store", what, stored: cause.message, expected });
    return UNREADABLE;
  }
}
