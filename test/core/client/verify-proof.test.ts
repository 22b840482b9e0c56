/** What is shown by proofs is accepted; anything else that a node could say is not. */
import type { ReceiptWithProof, TransactionWithProof } from "../../../core/client/told-objects.ts";
import assert from "node:assert/strict";
import { test } from "vitest";
import { ProofFault, type ProofReason } from "../../../core/client/client-fault.ts";
import type { BlockHeader } from "../../../core/client/rpc-objects.ts";
import {
  verifyHeader,
  verifyHeaderHash,
  verifyReceiptProof,
  verifyTransaction,
  verifyTransactionProof,
} from "../../../core/client/verify-proof.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { NEWEST_VERSION, version } from "../../../core/model/version.ts";
import { type ProvedItem, provedBlock } from "../../support/client/proved-block.ts";
import { readDataLines } from "../../support/ledger/data-files.ts";
import { NATIONAL_SUITE, STANDARD_SUITE as STANDARD } from "../../support/suites.ts";

// rules: tx-block-codec 7, tx-block-codec 8.4
const SUITES = [STANDARD, NATIONAL_SUITE];
const rulesOf = (suite: CryptoSuite) => ({ suite, version: NEWEST_VERSION });

function refuses(work: () => void, reason?: ProofReason): void {
  try {
    work();
  } catch (fault) {
    assert.ok(fault instanceof ProofFault, String(fault));
    if (reason !== undefined) assert.equal(fault.reason, reason);
    return;
  }
  assert.fail(`accepted although ${reason ?? "it was changed"}`);
}

for (const suite of SUITES) {
  const rules = rulesOf(suite);

  test(`a header of the ${suite.name} suite is shown by a quorum of its sealers`, () => {
    const { header, sealers } = provedBlock(suite, 1);
    verifyHeader(header, sealers, suite);
    verifyHeader(header, [...sealers].reverse(), suite);
  });

  test(`two of four seals of the ${suite.name} suite are too few, however often they stand`, () => {
    const { header, sealers } = provedBlock(suite, 1, [0, 1]);
    refuses(() => verifyHeader(header, sealers, suite), "seals");
    const twice = [...(header.signatureList ?? []), ...(header.signatureList ?? [])];
    refuses(() => verifyHeader({ ...header, signatureList: twice }, sealers, suite), "seals");
  });

  test(`proofs of every item of blocks of the ${suite.name} suite are accepted`, () => {
    for (const count of [1, 17]) {
      const { header, items } = provedBlock(suite, count);
      for (const { transaction, receipt } of items) {
        verifyTransactionProof(transaction, header, rules);
        verifyReceiptProof({ ...receipt, transaction }, header, rules);
      }
    }
  });
}

test("a header is not shown by other sealers, without seals, or by seals of another block", () => {
  const { header, sealers } = provedBlock(STANDARD, 1);
  const [, ...rest] = sealers;
  refuses(() => verifyHeader(header, rest, STANDARD), "sealers");
  refuses(() => verifyHeader(header, [...rest, "ab".repeat(64)], STANDARD), "sealers");
  refuses(() => verifyHeader(header, [], STANDARD), "sealers");
  const { signatureList, ...bare } = header;
  assert.ok(signatureList);
  refuses(() => verifyHeader(bare, sealers, STANDARD), "seals");
  const other = provedBlock(STANDARD, 2).header;
  const seals = { ...header, signatureList: other.signatureList ?? [] };
  refuses(() => verifyHeader(seals, sealers, STANDARD), "seals");
});

/** Texts of hexadecimal digits are changed in their last digit. */
function changed(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, -1) + (value.endsWith("1") ? "2" : "1");
  if (typeof value === "number") return value + 1;
  if (Array.isArray(value)) return value.length === 0 ? ["0x01"] : [changed(value[0])];
  if (value === null) return `0x${"11".repeat(20)}`;
  return Object.fromEntries(Object.entries(value as object).map(([k, v]) => [k, changed(v)]));
}

const HEADER = provedBlock(STANDARD, 3);

test("a header with any field changed is not shown", () => {
  for (const name of Object.keys(HEADER.header) as (keyof BlockHeader)[]) {
    if (name === "signatureList") continue;
    const header = { ...HEADER.header, [name]: changed(HEADER.header[name]) } as BlockHeader;
    refuses(() => verifyHeaderHash(header, STANDARD));
    refuses(() => verifyHeader(header, HEADER.sealers, STANDARD));
  }
});

const [, SECOND, THIRD] = HEADER.items as [ProvedItem, ProvedItem, ProvedItem];
/** What repeats the signature in another form; the whole signature is checked. */
const REPEATED = new Set(["r", "s", "v"]);

test("a transaction with any field changed is not shown", () => {
  const { transaction } = SECOND.transaction;
  verifyTransaction(transaction, STANDARD);
  for (const name of Object.keys(transaction) as (keyof typeof transaction)[]) {
    const told = { ...transaction, [name]: changed(transaction[name]) };
    const proof = { ...SECOND.transaction, transaction: told } as TransactionWithProof;
    refuses(() => verifyTransactionProof(proof, HEADER.header, rulesOf(STANDARD)));
  }
  for (const name of REPEATED) {
    const signature = { ...transaction.signature, [name]: "0x0" };
    verifyTransaction({ ...transaction, signature }, STANDARD);
  }
});

test("a receipt with any field changed is not shown, next to its transaction", () => {
  const { transactionReceipt: receipt } = SECOND.receipt;
  for (const name of Object.keys(receipt) as (keyof typeof receipt)[]) {
    // A name for the status next to it.
    if (name === "statusMsg") continue;
    const told = { ...receipt, [name]: changed(receipt[name]) };
    const proof = { ...SECOND.receipt, transactionReceipt: told } as ReceiptWithProof;
    const whole = { ...proof, transaction: SECOND.transaction };
    refuses(() => verifyReceiptProof(whole, HEADER.header, rulesOf(STANDARD)));
  }
});

test("a receipt is not that of another transaction of the block", () => {
  const told = { ...SECOND.receipt, transaction: THIRD.transaction };
  refuses(() => verifyReceiptProof(told, HEADER.header, rulesOf(STANDARD)), "mismatch");
});

test("a proof that is shortened, empty or of another item leads nowhere", () => {
  const { header } = HEADER;
  const rules = rulesOf(STANDARD);
  const { transaction } = SECOND.transaction;
  for (const txProof of [[], SECOND.transaction.txProof.slice(1), THIRD.transaction.txProof]) {
    refuses(() => verifyTransactionProof({ transaction, txProof }, header, rules), "proof");
  }
  const other = provedBlock(STANDARD, 2).header;
  refuses(() => verifyTransactionProof(SECOND.transaction, other, rules), "mismatch");
});

test("receipts of versions below 2.9.0 have another form", () => {
  const rules = { suite: STANDARD, version: version(2, 8, 0) };
  refuses(() => verifyReceiptProof(SECOND.receipt, HEADER.header, rules), "proof");
});

test("texts that are no numbers, hashes or bytes are malformed, not trusted", () => {
  const { transaction } = SECOND.transaction;
  for (const change of [{ nonce: "1" }, { to: "0x12" }, { input: "0x1" }, { gas: "" }]) {
    const told = { ...transaction, ...change } as typeof transaction;
    refuses(() => verifyTransaction(told, STANDARD), "malformed");
  }
  const header = { ...HEADER.header, number: -1 };
  refuses(() => verifyHeaderHash(header, STANDARD), "malformed");
});

test("recorded proofs of the reference node are accepted", () => {
  const rules = { suite: STANDARD, version: NEWEST_VERSION };
  type Told = { readonly case: string; readonly response: { readonly body: string } };
  const told = readDataLines<Told>("golden/proofs.jsonl");
  const results = told.map(({ case: name, response }) => {
    const { result } = JSON.parse(response.body) as { result: object };
    return { name, result };
  });
  const headers = new Map<string, BlockHeader>();
  for (const { name, result } of results) {
    if (!name.startsWith("header of block") || result === null) continue;
    const header = result as BlockHeader;
    verifyHeader(header, header.sealerList, STANDARD);
    headers.set(header.hash, header);
  }
  assert.ok(headers.size >= 8);
  let count = 0;
  for (const { result } of results) {
    if (result === null || typeof result !== "object") continue;
    const of = { ...result } as Partial<TransactionWithProof & ReceiptWithProof>;
    const header = headers.get((of.transaction ?? of.transactionReceipt)?.blockHash ?? "");
    if (header === undefined) continue;
    count++;
    if (of.transaction) verifyTransactionProof(of as TransactionWithProof, header, rules);
    else verifyReceiptProof(of as ReceiptWithProof, header, rules);
  }
  assert.ok(count >= 50, `${count}`);
});
