/** Blocks, transactions, receipts and proofs on a small chain. */
import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { hexBytes } from "../../../core/bytes/hex.ts";
import { verifyProof } from "../../../core/crypto/merkle.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";
import { receiptHash } from "../../../core/model/receipt.ts";
import { NEWEST_VERSION } from "../../../core/model/version.ts";
import { ask, BLOCKS, rpcNode } from "../../support/rpc-node.ts";
import { CONTRACT, SENDER, smallTransaction, TOPIC } from "../../support/ledger/small-chain.ts";

const node = rpcNode();
const [GENESIS, FIRST, SECOND] = BLOCKS;
assert.ok(GENESIS && FIRST && SECOND);
const [CREATION] = FIRST.transactions;
const [CALL] = SECOND.transactions;
assert.ok(CREATION && CALL);
const UNKNOWN = `0x${"00".repeat(31)}01`;
const ZEROS = `0x${"0".repeat(40)}`;

async function result(method: string, ...params: unknown[]): Promise<unknown> {
  const reply = await ask(node, method, params);
  assert.equal(reply.error, undefined, reply.error?.message);
  return reply.result;
}

async function code(method: string, ...params: unknown[]): Promise<number | undefined> {
  return (await ask(node, method, params)).error?.code;
}

// rules: rpc-semantics 3.1, 3.2, 6.1, 6.2, README 8-9, 12
describe("blocks", () => {
  const NUMBERS = [
    ["2", 2],
    ["0x2", 2],
    ["02", 2],
    ["", 0],
    ["0x", 0],
    ["0x00", 0],
  ] as const;
  for (const [raw, number] of NUMBERS) {
    test(`${JSON.stringify(raw)} is block ${number}`, async () => {
      assert.equal(await result("getBlockHashByNumber", 1, raw), BLOCKS[number]?.hash);
    });
  }

  for (const raw of ["latest", "-1", "1.5", " 1", "1 ", "0X1", "0xzz", "9223372036854775808"]) {
    test(`${JSON.stringify(raw)} is no block number: -32603`, async () => {
      assert.equal(await code("getBlockHashByNumber", 1, raw), -32603);
    });
  }

  for (const raw of ["3", "0x7fffffffffffffff", "99999999"]) {
    test(`${raw} is above the head: -40004`, async () => {
      for (const method of ["getBlockByNumber", "getBlockHeaderByNumber"]) {
        assert.equal(await code(method, 1, raw, false), -40004);
      }
    });
  }

  test("a block hash that is unknown, short, long or no hexadecimal", async () => {
    for (const method of ["getBlockByHash", "getBlockHeaderByHash"]) {
      assert.equal(await code(method, 1, UNKNOWN, false), -40003);
      assert.equal(await code(method, 1, SECOND.hash.slice(0, 10), false), -40003);
      assert.equal(await code(method, 1, SECOND.hash.slice(2), false), -40003);
      assert.equal(await code(method, 1, `0x${"zz".repeat(32)}`, false), -32603);
    }
  });

  test("of more than 64 digits the last count, in either case", async () => {
    const raw = `0xffff${SECOND.hash.slice(2).toUpperCase()}`;
    const header = (await result("getBlockHeaderByHash", 1, raw, false)) as { hash: string };
    assert.equal(header.hash, SECOND.hash);
  });

  test("a block lists transaction hashes, and no signatures", async () => {
    const block = (await result("getBlockByNumber", 1, "2", false)) as Record<string, unknown>;
    assert.deepEqual(
      block["transactions"],
      SECOND.transactions.map((transaction) => transaction.hash),
    );
    assert.equal(block["number"], "0x2");
    assert.equal(block["timestamp"], "0x174876e8002");
    assert.ok(!("signatureList" in block));
    assert.deepEqual(block, await result("getBlockByHash", 1, SECOND.hash, false));
  });

  test("a block with transactions has them whole; a creation has no receiver", async () => {
    const block = (await result("getBlockByNumber", 1, "1", true)) as {
      transactions: Record<string, unknown>[];
      signatureList: unknown[];
    };
    assert.equal(block.transactions[0]?.["to"], null);
    assert.equal(block.transactions[1]?.["to"], CONTRACT);
    assert.equal(block.transactions[1]?.["transactionIndex"], "0x1");
    assert.deepEqual(block.signatureList[1], { index: "0x2", signature: `0x${"03".repeat(65)}` });
  });

  test("a header has its number as an integer, and signatures when asked", async () => {
    const bare = (await result("getBlockHeaderByNumber", 1, "2", false)) as object;
    const signed = (await result("getBlockHeaderByNumber", 1, "2", true)) as {
      number: unknown;
      signatureList: unknown[];
    };
    assert.equal(signed.number, 2);
    assert.equal(signed.signatureList.length, 2);
    const { signatureList: _, ...rest } = signed;
    assert.deepEqual(bare, rest);
  });
});

// rules: rpc-semantics 6.3, 6.4, 6.5
describe("transactions and receipts", () => {
  test("a transaction shows its place and signature; a creation the zero address", async () => {
    const transaction = (await result("getTransactionByHash", 1, CREATION.hash)) as Record<
      string,
      unknown
    >;
    assert.equal(transaction["to"], ZEROS);
    assert.equal(transaction["blockNumber"], "0x1");
    assert.equal(transaction["from"], SENDER);
    assert.equal(transaction["nonce"], "0x1");
    const { r, s, v, signature } = transaction["signature"] as Record<string, string>;
    assert.equal(signature, `${r}${s?.slice(2)}0${v?.slice(2)}`);
    assert.equal(r?.length, 66);
  });

  test("by place: the same transaction, and errors in their order", async () => {
    const byHash = await result("getTransactionByHash", 1, CALL.hash);
    const [byBlockHash, byNumber] = [
      "getTransactionByBlockHashAndIndex",
      "getTransactionByBlockNumberAndIndex",
    ];
    assert.deepEqual(await result(byBlockHash, 1, SECOND.hash, "0x0"), byHash);
    assert.deepEqual(await result(byNumber, 1, "2", ""), byHash);
    assert.equal(await code(byBlockHash, 1, UNKNOWN, "x"), -40003);
    assert.equal(await code(byNumber, 1, "9", "x"), -40004);
    assert.equal(await code(byNumber, 1, "2", "x"), -32603);
    assert.equal(await code(byNumber, 1, "2", "5"), -40005);
    assert.equal(await code(byNumber, 1, "0", "0"), -40005);
  });

  test("a creation's receipt has an address and no receiver, a call's the reverse", async () => {
    const creation = (await result("getTransactionReceipt", 1, CREATION.hash)) as object;
    const call = (await result("getTransactionReceipt", 1, CALL.hash)) as object;
    assert.deepEqual(
      { ...creation, logsBloom: "" },
      {
        ...{ blockHash: FIRST.hash, blockNumber: "0x1", contractAddress: CONTRACT, from: SENDER },
        ...{ gasUsed: "0x5208", input: "0x6d4ce63c", logs: [], logsBloom: "", output: "0x" },
        ...{ remainGas: "0x0", root: `0x${"ab".repeat(32)}`, status: "0x0", statusMsg: "None" },
        ...{ to: null, transactionHash: CREATION.hash, transactionIndex: "0x0" },
      },
    );
    const { contractAddress, to, logs } = call as Record<string, unknown>;
    assert.deepEqual([contractAddress, to], [ZEROS, CONTRACT]);
    assert.deepEqual(logs, [{ address: CONTRACT, data: "0x2a", topics: [TOPIC] }]);
  });

  test("a failed transaction has the name of its status", async () => {
    const hash = SECOND.transactions[3]?.hash;
    const receipt = (await result("getTransactionReceipt", 1, hash)) as Record<string, unknown>;
    assert.deepEqual([receipt["status"], receipt["statusMsg"]], ["0x16", "RevertInstruction"]);
  });

  test("a receipt next to its proof has the documented fields alone", async () => {
    for (const { hash } of SECOND.transactions) {
      const plain = (await result("getTransactionReceipt", 1, hash)) as Record<string, unknown>;
      const { transactionReceipt } = (await result(
        "getTransactionReceiptByHashWithProof",
        1,
        hash,
      )) as { transactionReceipt: Record<string, unknown> };
      const { remainGas, statusMsg, ...documented } = plain;
      assert.equal(typeof remainGas, typeof statusMsg);
      assert.deepEqual(transactionReceipt, documented);
      // Source: interface 2.5
      const names =
        "blockHash blockNumber contractAddress from gasUsed input logs logsBloom output";
      const more = "root status to transactionHash transactionIndex";
      assert.deepEqual(Object.keys(transactionReceipt).sort(), `${names} ${more}`.split(" "));
    }
  });

  for (const method of [
    "getTransactionByHash",
    "getTransactionReceipt",
    "getTransactionByHashWithProof",
    "getTransactionReceiptByHashWithProof",
  ]) {
    test(`${method} of an unknown transaction is null`, async () => {
      assert.equal(await result(method, 1, UNKNOWN), null);
    });
  }

  test("proofs fold to the roots of the block", async () => {
    const suite = STANDARD_SUITE;
    const position = 2;
    const transaction = SECOND.transactions[position];
    const receipt = SECOND.receipts[position];
    assert.ok(transaction && receipt);
    const withProof = (await result("getTransactionByHashWithProof", 1, transaction.hash)) as {
      txProof: readonly { left: string[]; right: string[] }[];
    };
    const ofReceipt = (await result(
      "getTransactionReceiptByHashWithProof",
      1,
      transaction.hash,
    )) as { receiptProof: readonly { left: string[]; right: string[] }[] };
    const rows = [
      [withProof.txProof, transaction.hash, SECOND.header.transactionsRoot],
      [
        ofReceipt.receiptProof,
        receiptHash(receipt, NEWEST_VERSION, suite),
        SECOND.header.receiptsRoot,
      ],
    ] as const;
    for (const [shown, hash, root] of rows) {
      const proof = shown.map(({ left, right }) => ({
        left: left.map(hexBytes),
        right: right.map(hexBytes),
      }));
      assert.deepEqual(shown.at(-1), { left: [], right: [] });
      for (const { left, right } of shown)
        for (const digits of [...left, ...right]) assert.match(digits, /^[0-9a-f]+$/);
      const claim = { index: position, itemHash: hexBytes(hash), root: hexBytes(root) };
      assert.ok(verifyProof(claim, proof, suite.hash));
    }
  });

  test("pending transactions are shown in pool order without a place", async () => {
    const pending = [smallTransaction({ nonce: 9n }), smallTransaction({ nonce: 8n, to: null })];
    const busy = rpcNode({}, { pendingTransactions: () => pending, pendingCount: () => 2 });
    const { result: shown } = await ask(busy, "getPendingTransactions", [1]);
    const rows = shown as Record<string, unknown>[];
    assert.deepEqual(
      rows.map((row) => [row["nonce"], row["to"]]),
      [
        ["0x9", CONTRACT],
        ["0x8", null],
      ],
    );
    assert.ok(rows.every((row) => !("blockHash" in row)));
    assert.equal((await ask(busy, "getPendingTxSize", [1])).result, "0x2");
  });

  test("code is given for contracts only", async () => {
    assert.equal(await result("getCode", 1, CONTRACT), "0x6001600255");
    assert.equal(await result("getCode", 1, CONTRACT.slice(2).toUpperCase()), "0x6001600255");
    assert.equal(await result("getCode", 1, SENDER), "0x");
    for (const raw of ["", "0x", "0x1234", `${CONTRACT}00`, `0x${"zz".repeat(20)}`]) {
      assert.equal(await code("getCode", 1, raw), -32603);
    }
  });
});
