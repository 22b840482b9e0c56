/** From checks to marks: every check that fails, or is missing, takes the proof from its values. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Check, CheckName } from "../../../web/explorer/read/check.ts";
import {
  proofOfPage,
  proofOfSubject,
  proofsOf,
  type Subject,
} from "../../../web/explorer/read/proof.ts";

const SUBJECTS: readonly Subject[] = ["header", "transactions", "transaction", "receipt"];
const OF_TRANSACTION: readonly CheckName[] = [
  "transaction",
  "receipt",
  "header",
  "seals",
  "sealers",
];
const OF_BLOCK: readonly CheckName[] = ["header", "seals", "sealers", "transactions"];

function checks(names: readonly CheckName[], verdict: Check["verdict"] = "good"): Check[] {
  return names.map((name) => ({ name, verdict, why: undefined }));
}

/** The checks with another verdict of one of them, or without it. */
function but(names: readonly CheckName[], name: CheckName, verdict?: Check["verdict"]): Check[] {
  const others = checks(names.filter((it) => it !== name));
  return verdict === undefined ? others : [...others, { name, verdict, why: undefined }];
}

test("what all checks show is proven: the page, and the values that rest on them", () => {
  assert.equal(proofOfPage(checks(OF_TRANSACTION)), "proven");
  for (const subject of ["header", "transaction", "receipt"] as const) {
    assert.equal(proofOfSubject(subject, checks(OF_TRANSACTION)), "proven");
  }
  // Nobody has examined these.
  assert.equal(proofOfSubject("transactions", checks(OF_TRANSACTION)), "unproven");
  assert.equal(proofOfSubject("transactions", checks(OF_BLOCK)), "proven");
  assert.equal(proofOfSubject("header", checks(["header", "first"])), "proven");
});

test("without a good header nothing is proven, whatever else holds", () => {
  for (const name of ["header", "seals", "sealers"] as const) {
    for (const verdict of ["bad", "warn", undefined] as const) {
      for (const names of [OF_TRANSACTION, OF_BLOCK]) {
        for (const subject of SUBJECTS) {
          const proof = proofOfSubject(subject, but(names, name, verdict));
          assert.notEqual(proof, "proven", `${subject} without ${name}`);
        }
      }
    }
  }
});

test("a receipt falls with its transaction, a transaction does not fall with its receipt", () => {
  const receiptIsBad = but(OF_TRANSACTION, "receipt", "bad");
  assert.equal(proofOfSubject("receipt", receiptIsBad), "contradicted");
  assert.equal(proofOfSubject("transaction", receiptIsBad), "proven");
  const transactionIsBad = but(OF_TRANSACTION, "transaction", "bad");
  assert.equal(proofOfSubject("receipt", transactionIsBad), "contradicted");
  assert.equal(proofOfSubject("transaction", transactionIsBad), "contradicted");
});

test("one contradiction makes the page contradicted, one gap unproven, no check at all too", () => {
  for (const name of OF_BLOCK) {
    assert.equal(proofOfPage(but(OF_BLOCK, name, "bad")), "contradicted");
    assert.equal(proofOfPage(but(OF_BLOCK, name, "warn")), "unproven");
  }
  assert.equal(proofOfPage([]), "unproven");
});

test("checks that could not be made prove nothing, and a lie on the way contradicts", () => {
  const none = { value: undefined, failure: undefined, isLie: false };
  assert.equal(proofsOf(none).page, "pending");
  assert.equal(proofsOf(none).of("receipt"), "pending");
  const failed = proofsOf({ ...none, failure: "no answer" });
  assert.deepEqual([failed.page, failed.of("receipt")], ["unproven", "unproven"]);
  const lied = proofsOf({ ...none, failure: "another chain", isLie: true });
  assert.deepEqual([lied.page, lied.of("receipt")], ["contradicted", "unproven"]);
});
