/**
 * The proof that the lesson shows is real. To take a new one from a chain of four sealers:
 * CHAIN_NODE_DIST=dist/node REWRITE_REFERENCE=1 npx vitest run \
 *   test/web/lessons/proved-transaction.test.ts
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { hexBytes, toHex } from "../../../core/bytes/hex.ts";
import { verifyHeader, verifyTransactionProof } from "../../../core/client/verify-proof.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { signTransaction, withSender } from "../../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { PROVED } from "../../../web/lessons/proved-transaction.ts";
import { alterations, judge, withAlteredByte } from "../../../web/lessons/verdict.ts";
import { ROOT } from "../../support/runner/root.ts";

const suite = createStandardSuite();
const RULES = { suite, version: NEWEST_VERSION };
const FILE = join(ROOT, "web/lessons/proved-transaction.ts");
/** More than one group of sixteen, so that the proof has two levels. */
const COUNT = 40;
/** Which one is proved. */
const CHOSEN = 19;

interface Numbered {
  readonly blockNumber: string;
}

async function takeProof() {
  const { createDevChain } = await import("../../../runtimes/node/dev/dev-chain.ts");
  const chain = await createDevChain({ nodes: 4, blockTimeMs: 900 });
  try {
    const key = hexBytes("5c".repeat(32));
    const from = suite.address(suite.publicKey(key));
    const signed = Array.from({ length: COUNT }, (_, i) => {
      const fields = {
        nonce: BigInt(1_000 + i),
        gasPrice: 1n,
        gas: 300_000n,
        blockLimit: 500n,
        to: null,
        value: 0n,
        input: hexBytes("6001600c60003960016000f300"),
        chainId: BigInt(chain.chainId),
        groupId: BigInt(chain.groupId),
        extraData: new Uint8Array(0),
      };
      return withSender(signTransaction(fields, key, suite), from);
    });
    const send = ({ raw }: { raw: Uint8Array }) =>
      chain.request("sendRawTransaction", [chain.groupId, `0x${toHex(raw)}`]);
    await Promise.all(signed.map(send));
    for (const { hash } of signed)
      while (!(await chain.request("getTransactionReceipt", [chain.groupId, hash])))
        await new Promise((resume) => setTimeout(resume, 50));
    for (const { hash } of signed.toReversed()) {
      const proved = await chain.request("getTransactionByHashWithProof", [chain.groupId, hash]);
      const { transaction } = proved as { transaction: Numbered & { transactionIndex: string } };
      if (Number(transaction?.transactionIndex) !== CHOSEN) continue;
      const number = Number(transaction.blockNumber);
      const header = await chain.request("getBlockHeaderByNumber", [
        chain.groupId,
        String(number),
        true,
      ]);
      const sealers = await chain.request("getSealerList", [chain.groupId]);
      return { header, sealers, proved };
    }
    throw new Error(`no block holds more than ${CHOSEN} transactions: run it again`);
  } finally {
    await chain.close();
  }
}

test("the proof of the lesson is one of a chain of four sealers, and it holds", async () => {
  if (process.env["REWRITE_REFERENCE"] === "1") {
    const head = [
      "/** A transaction, its proof, and the header of its block, as four nodes answered them. */",
      'import type { BlockHeader } from "../../core/client/rpc-objects.ts";',
      'import type { TransactionWithProof } from "../../core/client/verify-proof.ts";',
      "",
      "/** What the lesson verifies. */",
      "export interface Proved {",
      "  readonly header: BlockHeader;",
      "  /** Node IDs of the sealers that the reader trusts. */",
      "  readonly sealers: readonly string[];",
      "  readonly proved: TransactionWithProof;",
      "}",
      "",
      "/** Taken from a running chain by test/web/lessons/proved-transaction.test.ts. */",
      "export const PROVED: Proved = ",
    ];
    writeFileSync(FILE, `${head.join("\n")}${JSON.stringify(await takeProof())};\n`);
    return;
  }
  const { header, sealers, proved } = PROVED;
  verifyHeader(header, sealers, suite);
  verifyTransactionProof(proved, header, RULES);
  assert.equal(sealers.length, 4);
  assert.ok(proved.txProof.length >= 2, "there is more than one level");
});

test("the page's verdict on the proof is good, and each byte that may be changed makes it bad", () => {
  assert.equal(judge(PROVED, suite).ok, true);
  for (const place of alterations(PROVED)) {
    const verdict = judge(withAlteredByte(PROVED, place.id, 0), suite);
    assert.equal(verdict.ok, false, place.id);
    assert.ok(!verdict.ok && verdict.fault.length > 0);
  }
  assert.ok(alterations(PROVED).length >= 5);
});
