/** The vector files about transactions and whole recorded blocks. */
// rules: tx-block-codec 2.1, tx-block-codec 2.2, tx-block-codec 2.3, tx-block-codec 9
// rules: tx-block-codec 7, tx-block-codec 8.3
import assert from "node:assert/strict";
import { afterAll } from "vitest";
import { concatBytes } from "../../core/bytes/bytes.ts";
import { hashOf, hexBytes, idBytes, toHex, toPrefixedHex } from "../../core/bytes/hex.ts";
import { quantity } from "../../core/bytes/quantity.ts";
import { encodeRlp } from "../../core/bytes/rlp.ts";
import { decodeBlock, type EncodedBlock, encodeBlock } from "../support/codecs/whole-block.ts";
import { encodeReceipt } from "../../core/model/receipt.ts";
import { receiptsRoot, transactionsRoot } from "../../core/model/roots.ts";
import {
  decodeTransaction,
  encodeTransaction,
  recoverSender,
  type SignedTransaction,
  signingDigest,
  type Transaction,
  withSender,
} from "../../core/model/transaction.ts";
import { VERSION_RC2 } from "../../core/model/version.ts";
import { type RenderedReceipt, receiptOf } from "./rendered.ts";
import { readVectors, tallyText, type VectorSuite, vectorTests } from "./shared-vectors.ts";
import { STANDARD_SUITE } from "../support/suites.ts";
import { suiteOf } from "./vector-suites.ts";

interface TransactionRow {
  readonly id: string;
  readonly suite: string;
  readonly compatVersion: string;
  readonly kind: "valid" | "invalid";
  readonly rawHex: string;
  readonly expected: Readonly<Record<string, string | null>>;
}

function renderTransaction(transaction: Transaction): Record<string, string | null> {
  return {
    nonce: quantity(transaction.nonce),
    gasPrice: quantity(transaction.gasPrice),
    gas: quantity(transaction.gas),
    blockLimit: quantity(transaction.blockLimit),
    to: transaction.to,
    value: quantity(transaction.value),
    data: toPrefixedHex(transaction.input),
    chainId: quantity(transaction.chainId),
    groupId: quantity(transaction.groupId),
    extraData: toPrefixedHex(transaction.extraData),
    hash: transaction.hash,
  };
}

function checkValid({ suite: tag, rawHex, expected }: TransactionRow): void {
  const suite = suiteOf(tag);
  const raw = hexBytes(rawHex);
  const decoded = decodeTransaction(raw, suite);
  assert.ok(decoded.ok, decoded.ok ? "" : decoded.reason);
  const { transaction } = decoded;
  for (const [name, text] of Object.entries(renderTransaction(transaction))) {
    assert.equal(text, expected[name], name);
  }
  assert.equal(hashOf(signingDigest(raw, suite)), expected.signingHash);
  assert.equal(toHex(encodeTransaction(transaction, transaction.signature)), rawHex);
  const { signature } = transaction;
  assert.equal(toPrefixedHex(signature.subarray(0, 32)), expected.r);
  assert.equal(toPrefixedHex(signature.subarray(32, 64)), expected.s);
  if (tag === "sm") assert.equal(toPrefixedHex(signature.subarray(64)), expected.v);
  if (expected.from !== undefined) {
    assert.equal(recoverSender(transaction, suite), expected.from);
  }
}

/** Rows that fail in their signature items rather than in their form. */
const SIGNATURE_ROWS = new Set(["bad-r-zero", "bad-s-zero", "bad-high-s"]);
/** Rows whose bytes are no list at all. */
const FORMAT_ROWS = new Set(["bad-empty", "bad-not-list"]);

function reasonOf(id: string): string {
  if (SIGNATURE_ROWS.has(id)) return "InvalidSignature";
  return FORMAT_ROWS.has(id) ? "InvalidTransactionFormat" : "BadRLP";
}

function transactionRows({ row, skip }: VectorSuite): void {
  const file = readVectors<{ cases: readonly TransactionRow[] }>("transactions.json");
  for (const tx of file.cases) {
    if (tx.compatVersion === "2.0.0-rc1") skip(tx.id, "rc1");
    else if (tx.kind === "valid") {
      row(`a transaction decodes to its published fields: ${tx.id}`, () => checkValid(tx));
    } else {
      row(`a transaction is refused as ${reasonOf(tx.id)}: ${tx.id}`, () => {
        const decoded = decodeTransaction(hexBytes(tx.rawHex), suiteOf(tx.suite));
        assert.deepEqual(decoded, { ok: false, reason: reasonOf(tx.id) });
      });
    }
  }
}

interface RecordedBlock {
  readonly rawHex: string;
  readonly expected: {
    readonly blockHash: string;
    readonly number: string;
    readonly parentHash: string;
    readonly transactionsRoot: string;
    readonly receiptsRoot: string;
    readonly stateRoot: string;
    readonly timestamp: string;
    readonly sealer: string;
    readonly signatureList: readonly { readonly index: string; readonly signature: string }[];
    readonly transactionHashes: readonly string[];
    readonly sendersDigest: string;
    readonly nonceListRlpHex?: string;
    readonly nonceListRlpKeccak?: string;
    readonly receiptCount?: number;
    readonly lastReceiptGasUsed?: string;
    readonly receipts?: readonly RenderedReceipt[];
    readonly firstReceipt?: RenderedReceipt;
    readonly lastReceipt?: RenderedReceipt;
  };
}

const CODEC = { version: VERSION_RC2, suite: STANDARD_SUITE };

function decodeRecorded({ rawHex }: RecordedBlock): EncodedBlock {
  const block = decodeBlock(hexBytes(rawHex), CODEC);
  assert.ok(block);
  return block;
}

function signedTransactions(block: EncodedBlock): SignedTransaction[] {
  return block.transactions.map((raw) => {
    const decoded = decodeTransaction(raw, STANDARD_SUITE);
    assert.ok(decoded.ok);
    const from = recoverSender(decoded.transaction, STANDARD_SUITE);
    assert.ok(from);
    return withSender(decoded.transaction, from);
  });
}

function checkHeader({ header, hash, seals }: EncodedBlock, { expected }: RecordedBlock): void {
  assert.equal(hash, expected.blockHash);
  assert.equal(quantity(header.number), expected.number);
  assert.equal(header.parentHash, expected.parentHash);
  assert.equal(header.stateRoot, expected.stateRoot);
  assert.equal(quantity(header.timestamp), expected.timestamp);
  assert.equal(quantity(header.sealer), expected.sealer);
  assert.deepEqual(
    seals.map((seal) => ({
      index: quantity(seal.index),
      signature: toPrefixedHex(seal.signature),
    })),
    expected.signatureList,
  );
  for (const { index, signature } of seals) {
    const key = STANDARD_SUITE.recover(idBytes(hash), signature);
    assert.equal(key && toHex(key), header.sealerList[index]);
  }
}

function checkTransactions(block: EncodedBlock, { expected }: RecordedBlock): void {
  const signed = signedTransactions(block);
  assert.deepEqual(
    signed.map(({ hash }) => hash),
    expected.transactionHashes,
  );
  const senders = concatBytes(...signed.map(({ from }) => idBytes(from)));
  assert.equal(hashOf(STANDARD_SUITE.hash(senders)), expected.sendersDigest);
  const nonces = encodeRlp(signed.map(({ nonce }) => nonce));
  if (expected.nonceListRlpHex !== undefined) {
    assert.equal(toPrefixedHex(nonces), expected.nonceListRlpHex);
  }
  if (expected.nonceListRlpKeccak !== undefined) {
    assert.equal(hashOf(STANDARD_SUITE.hash(nonces)), expected.nonceListRlpKeccak);
  }
  assert.equal(transactionsRoot(signed, CODEC), expected.transactionsRoot);
}

function checkReceipts({ receipts }: EncodedBlock, { expected }: RecordedBlock): void {
  const items = receipts.map((receipt) => {
    const raw = encodeReceipt(receipt, VERSION_RC2);
    return { raw, hash: hashOf(STANDARD_SUITE.hash(raw)) };
  });
  assert.equal(receiptsRoot(items, CODEC), expected.receiptsRoot);
  if (expected.receiptCount !== undefined) assert.equal(receipts.length, expected.receiptCount);
  const last = receipts.at(-1);
  if (expected.lastReceiptGasUsed !== undefined) {
    assert.equal(quantity(last?.gasUsed ?? 0n), expected.lastReceiptGasUsed);
  }
  if (expected.receipts) assert.deepEqual(receipts, expected.receipts.map(receiptOf));
  if (expected.firstReceipt) assert.deepEqual(receipts[0], receiptOf(expected.firstReceipt));
  if (expected.lastReceipt) assert.deepEqual(last, receiptOf(expected.lastReceipt));
}

function blockRows({ row }: VectorSuite): void {
  for (const number of [1, 2, 3, 4, 10]) {
    const read = () => readVectors<RecordedBlock>(`ledger-rc2-block-${number}.json`);
    row(`recorded block ${number} decodes and encodes back`, () => {
      const recorded = read();
      assert.equal(toHex(encodeBlock(decodeRecorded(recorded), CODEC)), recorded.rawHex);
    });
    row(`recorded block ${number} has its hash, and sealers signed it`, () => {
      const recorded = read();
      checkHeader(decodeRecorded(recorded), recorded);
    });
    row(`recorded block ${number} has its transactions, senders, nonces and root`, () => {
      const recorded = read();
      checkTransactions(decodeRecorded(recorded), recorded);
    });
    row(`recorded block ${number} has its receipts and their root`, () => {
      const recorded = read();
      checkReceipts(decodeRecorded(recorded), recorded);
    });
  }
}

const tally = vectorTests((suite) => {
  transactionRows(suite);
  blockRows(suite);
});

afterAll(() => {
  console.log(`transactions and blocks: ${tallyText(tally)}`);
});
