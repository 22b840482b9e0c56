/** What the page shows as verified, and what as a lie: every forgery must be red. */
// rules: tx-block-codec 8.4
import assert from "node:assert/strict";
import { test } from "vitest";
import { ProofFault, type ProofReason } from "../../../core/client/client-fault.ts";
import type { BlockOf } from "../../../core/client/rpc-methods.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import {
  type Certify,
  checkHeader,
  type CheckName,
  checkTransaction,
  checkTransactions,
  headerOf,
  signedBy,
  type Told,
} from "../../../web/explorer/read/check.ts";
import { proofOfPage } from "../../../web/explorer/read/proof.ts";
import { provedBlock } from "../../support/client/proved-block.ts";
import { TrailChain } from "../../support/client/trail-chain.ts";

const STANDARD = createStandardSuite();
const RULES = { suite: STANDARD, version: NEWEST_VERSION };
const BLOCK = provedBlock(STANDARD, 20);
const OTHER = `0x${"5a".repeat(32)}` as const;

function toldOf(index: number): Told {
  const item = BLOCK.items[index];
  assert.ok(item);
  return toldBeside(BLOCK, item);
}

type Proved = ReturnType<typeof provedBlock>;

/** As the page gets it: what it shows from one answer, the proofs from others. */
function toldBeside({ header }: Proved, item: Proved["items"][number]): Told {
  const { transaction, txProof } = item.transaction;
  const { transactionReceipt: receipt, receiptProof } = item.receipt;
  return { header, transaction, txProof, receipt, receiptProof };
}

const trusted: Certify = async () => undefined;
const refusing =
  (reason: ProofReason): Certify =>
  async () => {
    throw new ProofFault(reason, "not this one");
  };

async function badChecks(told: Told): Promise<readonly CheckName[]> {
  const checks = await checkTransaction(told, trusted, RULES);
  return checks.filter(({ verdict }) => verdict === "bad").map(({ name }) => name);
}

test("the gas that remained counts: another amount than the sealers agreed on is red", async () => {
  const told = toldOf(3);
  assert.equal(told.receipt.remainGas, "0x3");
  assert.deepEqual(await badChecks(told), []);
  const lie = { ...told, receipt: { ...told.receipt, remainGas: "0x4" as const } };
  assert.deepEqual(await badChecks(lie), ["receipt"]);
  const nothing = { ...told, receipt: JSON.parse("null") };
  assert.deepEqual(await badChecks(nothing), ["receipt"]);
});

for (const suite of [STANDARD, createSmSuite()]) {
  test(`a true answer of the ${suite.name} suite is verified in every step`, async () => {
    const block = provedBlock(suite, 5);
    const [, item] = block.items;
    assert.ok(item);
    const told = toldBeside(block, item);
    const checks = await checkTransaction(told, trusted, { ...RULES, suite });
    assert.deepEqual(
      checks.map(({ name, verdict }) => [name, verdict]),
      ["transaction", "receipt", "header", "seals", "sealers"].map((name) => [name, "good"]),
    );
    assert.equal(proofOfPage(checks), "proven");
  });
}

test("a changed event, status or output of the receipt is red at the receipt", async () => {
  const told = toldOf(3);
  const [log] = told.receipt.logs;
  assert.ok(log);
  const forgeries = [
    { logs: [{ ...log, data: "0x00" as const }] },
    { logs: [] },
    { status: "0x16" as const },
    { output: "0x01" as const },
    { contractAddress: `0x${"99".repeat(20)}` as const },
  ];
  for (const forged of forgeries) {
    const receipt = { ...told.receipt, ...forged };
    assert.deepEqual(await badChecks({ ...told, receipt }), ["receipt"], JSON.stringify(forged));
  }
});

/** The value with every text and number in it changed, in its form. */
function changed(value: unknown): unknown {
  if (value === null) return `0x${"99".repeat(20)}`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "string") return value.replace(/.$/, (last) => (last === "1" ? "2" : "1"));
  if (Array.isArray(value)) return value.length === 0 ? ["0x01"] : value.map(changed);
  return Object.fromEntries(Object.entries(value as object).map(([at, it]) => [at, changed(it)]));
}

/** Written anew from `status` wherever it is shown. */
const DERIVED = ["receipt.statusMsg"];

test("each member of a transaction, a receipt and a header is red when it is another", async () => {
  const told = toldOf(3);
  const green: string[] = [];
  let count = 0;
  for (const part of ["transaction", "receipt", "header"] as const) {
    for (const [member, value] of Object.entries(told[part])) {
      const forged = { ...told, [part]: { ...told[part], [member]: changed(value) } };
      count += 1;
      if ((await badChecks(forged)).length === 0) green.push(`${part}.${member}`);
    }
  }
  assert.ok(count >= 45, String(count));
  assert.deepEqual(green, DERIVED);
});

test("a changed step of a Merkle proof is red", async () => {
  const told = toldOf(3);
  const forge = (proof: Told["txProof"]) =>
    proof.map((level, i) => {
      if (i > 0) return level;
      const [first = "", ...rest] = [...level.left, ...level.right];
      const changed = `${first.startsWith("0") ? "1" : "0"}${first.slice(1)}`;
      return level.left.length > 0
        ? { left: [changed, ...rest.slice(0, level.left.length - 1)], right: level.right }
        : { left: [], right: [changed, ...rest] };
    });
  const txProof = forge(told.txProof);
  assert.ok((await badChecks({ ...told, txProof })).includes("transaction"));
  const receiptProof = forge(told.receiptProof);
  assert.deepEqual(await badChecks({ ...told, receiptProof }), ["receipt"]);
});

test("a changed transaction, and the transaction of another position, are red", async () => {
  const told = toldOf(3);
  for (const forged of [
    { value: "0x1" },
    { input: "0x" },
    { from: OTHER },
    { to: null },
  ] as const) {
    const transaction = { ...told.transaction, ...forged };
    assert.ok((await badChecks({ ...told, transaction })).includes("transaction"));
  }
  const { transaction, txProof } = toldOf(4);
  assert.ok((await badChecks({ ...told, transaction, txProof })).includes("receipt"));
});

test("a header with another state root is red, and so are too few seals", async () => {
  const told = toldOf(0);
  const header = { ...BLOCK.header, stateRoot: OTHER };
  assert.ok((await badChecks({ ...told, header })).includes("header"));
  const few = { ...BLOCK.header, signatureList: BLOCK.header.signatureList?.slice(0, 2) ?? [] };
  assert.ok((await badChecks({ ...told, header: few })).includes("seals"));
});

test("what is not reached is shown in part, what contradicts is red; Raft has no seals", async () => {
  const verdictOf = async (reason: ProofReason) => {
    const checks = await checkHeader(BLOCK.header, refusing(reason), RULES);
    return checks.map(({ name, verdict }) => `${name} ${verdict}`).join();
  };
  assert.equal(await verdictOf("change"), "header good,seals good,sealers warn");
  for (const reason of ["fork", "sealers", "mismatch", "proof"] as const) {
    assert.equal(await verdictOf(reason), "header good,seals good,sealers bad");
  }
  const { signatureList: _, ...bare } = BLOCK.header;
  const raft = await checkHeader(bare, trusted, RULES);
  assert.deepEqual(
    raft.map(({ name, verdict }) => [name, verdict]),
    [
      ["header", "good"],
      ["seals", "warn"],
    ],
  );
  const broken = async () => assert.fail("the node did not answer");
  await assert.rejects(checkHeader(BLOCK.header, broken, RULES), /did not answer/);
});

test("the first block is shown by its hash alone", async () => {
  const genesis = new TrailChain(STANDARD, "ab").header(0);
  const of = async (certify: Certify) =>
    (await checkHeader(genesis, certify, RULES)).map((it) => `${it.name} ${it.verdict}`).join();
  assert.equal(await of(trusted), "header good,first good");
  assert.equal(await of(refusing("fork")), "header good,first bad");
  assert.equal(await of(refusing("change")), "header good,first warn");
});

test("only signatures that verify make a signer", () => {
  const [first, second, ...others] = BLOCK.header.signatureList ?? [];
  assert.ok(first && second);
  const forged = [{ ...first, signature: second.signature }, second, ...others];
  const signed = signedBy({ ...BLOCK.header, signatureList: forged }, RULES);
  const good = [second, ...others].map(({ index }) => Number(index));
  assert.deepEqual([...signed].sort(), good.sort());
});

const now = () => Promise.resolve();

/** The block as getBlockByNumber gives it. */
function shownBlock(block = BLOCK): BlockOf<true> {
  const { number, ...header } = block.header;
  const transactions = block.items.map(({ transaction }) => transaction.transaction);
  return { ...header, number: `0x${number.toString(16)}`, transactions };
}

test("a block that is shown with another member than its hash covers is red", async () => {
  const shown = shownBlock();
  const verdictOf = async (block: BlockOf<true>) =>
    proofOfPage(await checkHeader(headerOf(block), trusted, RULES));
  assert.equal(await verdictOf(shown), "proven");
  const forgeries = [
    { timestamp: "0x1" },
    { sealer: "0x0" },
    { gasUsed: "0x5" },
    { transactionsRoot: OTHER },
    { receiptsRoot: OTHER },
    { parentHash: OTHER },
    { dbHash: OTHER },
    { extraData: ["0x01"] },
    { sealerList: [...shown.sealerList].reverse() },
    { number: "0x8" },
  ] as const;
  for (const forged of forgeries) {
    const proof = await verdictOf({ ...shown, ...forged });
    assert.equal(proof, "contradicted", JSON.stringify(forged));
  }
});

test("a block whose list of transactions is not the one that its header commits to is red", async () => {
  const shown = shownBlock();
  const of = async (transactions: BlockOf<true>["transactions"]) =>
    (await checkTransactions({ ...shown, transactions }, RULES, now)).verdict;
  assert.equal(await of(shown.transactions), "good");
  const [first, second, ...rest] = shown.transactions;
  assert.ok(first && second);
  assert.equal(await of([second, first, ...rest]), "bad");
  assert.equal(await of([first, ...rest]), "bad");
  assert.equal(await of([{ ...first, value: "0x7" }, second, ...rest]), "bad");
  assert.equal(await of([{ ...first, from: second.hash }, second, ...rest]), "bad");
  assert.equal(await of([]), "bad");
});

test("of a long list the hashes are verified, and the page says that it was no more", async () => {
  const long = shownBlock(provedBlock(STANDARD, 101));
  assert.equal((await checkTransactions(long, RULES, now)).verdict, "warn");
  const [first, second, ...rest] = long.transactions;
  assert.ok(first && second);
  const swapped = { ...long, transactions: [second, first, ...rest] };
  assert.equal((await checkTransactions(swapped, RULES, now)).verdict, "bad");
});
