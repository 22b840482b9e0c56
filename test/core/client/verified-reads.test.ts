/** Verified reads over a node that lies give what is true, or a fault: nothing else. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { ProofFault } from "../../../core/client/client-fault.ts";
import type { Hex, Receipt } from "../../../core/client/rpc-objects.ts";
import {
  toldHeader,
  toldReceipt,
  type ToldReceiptWithProof,
  toldTransaction,
} from "../../../core/client/told-objects.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { NEWEST_VERSION, version } from "../../../core/model/version.ts";
import { CHAIN, toldClient } from "../../support/client/client-transport.ts";
import { provedBlock } from "../../support/client/proved-block.ts";
import { remembering } from "../../support/client/remembering-suite.ts";
import { readDataLines } from "../../support/ledger/data-files.ts";
import { NATIONAL_SUITE, STANDARD_SUITE } from "../../support/suites.ts";

// rules: tx-block-codec 7, tx-block-codec 8.4
const STANDARD = remembering(STANDARD_SUITE);
const SUITES = [STANDARD, NATIONAL_SUITE];
const VERSION = CHAIN["getClientVersion"] as object;

/** A block of three, and what a node answers about one of its transactions. */
function place(suite: CryptoSuite, index: number) {
  const { header, sealers, items } = provedBlock(suite, 3);
  const item = items[index];
  assert.ok(item);
  const { transaction } = item.transaction;
  const answers = {
    header: header as unknown,
    transaction: item.transaction as unknown,
    receipt: item.receipt as unknown,
    plain: item.receipt.transactionReceipt as unknown,
  };
  const read = async (told: Partial<typeof answers>) => {
    const all = { ...answers, ...told };
    const national = suite.name === "national" ? { "FISCO-BCOS Version": "2.12.0 gm" } : {};
    const { client } = toldClient(
      {
        getClientVersion: { ...VERSION, ...national },
        getBlockHeaderByNumber: () => all.header,
        getTransactionByHashWithProof: () => all.transaction,
        getTransactionReceiptByHashWithProof: () => all.receipt,
        getTransactionReceipt: () => all.plain,
      },
      {},
      suite,
    );
    return await client.getVerifiedReceipt(transaction.hash, { sealers });
  };
  const { transactionReceipt: receipt } = item.receipt;
  return { answers, read, truth: { header, transaction, receipt } };
}

const UNWRITABLE = { toString: 1, valueOf: 1 };

/** Other values of a member: near ones, and ones of other types. */
function liesOf(value: unknown): readonly unknown[] {
  const others = [null, 5, "0x", {}, [null], UNWRITABLE];
  if (typeof value !== "string") return others;
  const last = value.endsWith("1") ? "2" : "1";
  const zeros = `0x${"0".repeat(40)}`;
  return [...others, value.slice(0, -1) + last, `${value}00`, value.toUpperCase(), zeros];
}

/** Each answer with one member changed, or with one member more, however deep. */
function* changesOf(value: unknown, path: string): Generator<[path: string, lie: unknown]> {
  for (const lie of liesOf(value)) yield [path, lie];
  if (typeof value !== "object" || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    // A second item is as the first.
    if (isList && name !== "0") continue;
    for (const [at, lie] of changesOf(member, `${path}.${name}`)) {
      yield [at, isList ? [lie, ...value.slice(1)] : { ...value, [name]: lie }];
    }
  }
  yield [`${path}.more`, isList ? [...value, "0x1"] : { ...value, more: "lie" }];
}

for (const suite of SUITES) {
  test(`what is true is given as it was told, for the ${suite.name} suite`, async () => {
    for (const index of [0, 1, 2]) {
      const { read, truth } = place(suite, index);
      assert.deepEqual(await read({}), truth);
    }
  });
}

/** As nodes answer it. Source: decision 32 */
function documented({ receiptProof, transactionReceipt }: ToldReceiptWithProof) {
  const { remainGas: _, statusMsg: __, ...receipt } = transactionReceipt;
  return { receiptProof, transactionReceipt: receipt };
}

for (const suite of SUITES) {
  test(`the gas that remained is asked for, and proved, in the ${suite.name} suite`, async () => {
    for (const index of [0, 2]) {
      const { answers, read, truth } = place(suite, index);
      assert.equal(truth.receipt.remainGas, `0x${index}`);
      const receipt = documented(answers.receipt as ToldReceiptWithProof);
      assert.deepEqual(await read({ receipt }), truth);
      for (const plain of [{ ...truth.receipt, remainGas: "0x77" }, null, {}, "0x"]) {
        await assert.rejects(read({ receipt, plain }), ProofFault);
      }
      // What else a plain receipt tells is not examined.
      const other = { ...truth.receipt, gasUsed: "0x77", status: "0x1" };
      assert.deepEqual(await read({ receipt, plain: other }), truth);
    }
  });
}

for (const kind of ["header", "transaction", "receipt"] as const) {
  test(`whatever member of a ${kind} is a lie, the truth comes or a fault`, async () => {
    const { answers, read, truth } = place(STANDARD, kind === "transaction" ? 0 : 2);
    let count = 0;
    for (const [path, lie] of changesOf(answers[kind], kind)) {
      // That there is no such transaction is not shown.
      if (lie === null && path === kind) continue;
      count++;
      const what = `${path}: ${JSON.stringify(lie)?.slice(0, 200)}`;
      try {
        const shown = await read({ [kind]: lie });
        // A quorum is enough: what is left out of the signatures is no lie.
        const seals = shown?.header.signatureList?.length;
        assert.ok(shown, what);
        assert.deepEqual({ ...shown, header: truth.header }, truth, what);
        assert.equal(seals, 3, what);
        assert.deepEqual(shown.header, truth.header, what);
      } catch (fault) {
        if (fault instanceof assert.AssertionError) throw fault;
        assert.ok(fault instanceof ProofFault, `${what}: ${String(fault)}`);
      }
    }
    assert.ok(count > 80, `${count}`);
  }, 60_000);
}

test("names, halves of signatures and further members are not reported as a node wrote them", async () => {
  const { read, answers, truth } = place(STANDARD, 2);
  const { receipt, transaction, header } = truth;
  const signature = { ...transaction.signature, r: "0x1", s: "0x2", v: "0x3", w: "0x4" };
  const shown = await read({
    header: { ...header, more: 1, signatureList: [...(header.signatureList ?? []), ...FORGED] },
    transaction: {
      ...(answers.transaction as object),
      transaction: { ...transaction, signature, more: 1 },
    },
    receipt: {
      ...(answers.receipt as object),
      transactionReceipt: { ...receipt, statusMsg: "None", more: 1 },
    },
  });
  assert.equal(receipt.statusMsg, "RevertInstruction");
  assert.deepEqual(shown, truth);
});

const FORGED = [
  { index: "0x1", signature: `0x${"11".repeat(64)}00` },
  { index: "0x9", signature: "0x" },
];

test("below 2.9.0 no gas remains, whatever a node reports", () => {
  const { receipt } = place(STANDARD, 2).truth;
  const told: Receipt = { ...receipt, remainGas: "0x77" as Hex };
  assert.equal(toldReceipt(told, { version: version(2, 8, 0) }).remainGas, "0x0");
  assert.equal(toldReceipt(told, { version: NEWEST_VERSION }).remainGas, "0x77");
  const { remainGas, ...old } = told;
  assert.equal(toldReceipt(old, { version: version(2, 8, 0) }).remainGas, "0x0");
});

test("what the reference node told is read as it was told", () => {
  let count = 0;
  type Told = { readonly case: string; readonly response: { readonly body: string } };
  for (const told of readDataLines<Told>("golden/proofs.jsonl")) {
    const { result } = JSON.parse(told.response.body);
    if (result === null || typeof result !== "object") continue;
    const { transaction, transactionReceipt } = result;
    if (told.case.startsWith("header of block")) assert.deepEqual(toldHeader(result), result);
    if (transaction) assert.deepEqual(toldTransaction(transaction, STANDARD), transaction);
    const rules = { version: NEWEST_VERSION };
    if (transactionReceipt) {
      assert.deepEqual(toldReceipt(transactionReceipt, rules), transactionReceipt);
    }
    count++;
  }
  assert.ok(count >= 50, `${count}`);
});
