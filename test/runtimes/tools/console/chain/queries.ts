/** Questions about chain, blocks and transactions on a chain. */
// rules: console 4.2
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import { growingPauses } from "../../../../support/process/dev-process.ts";
import { OF_A_GROUP } from "./groups.ts";

const NOWHERE = `0x${"ee".repeat(32)}`;

/** Lists the tests. */
export function queryTests({ world, done, refused }: Steps, consensus: "PBFT" | "Raft"): void {
  const isPbft = consensus === "PBFT";

  /** Asks until the node has heard all in this view: it tells the views of those alone. */
  async function answersOfAll(lines: readonly string[], words: readonly string[]) {
    const pause = growingPauses();
    for (;;) {
      const data = await done(lines, ...words);
      const of = (name: string): unknown => data[lines.indexOf(name)];
      const [, views] = of("getConsensusStatus") as [unknown, unknown[]];
      if (!isPbft || views.length === 4) return of;
      await pause();
    }
  }

  test("questions about the group are answered, over the channel and over HTTP", async () => {
    const lines = ["getNodeVersion", ...OF_A_GROUP, "getPeers", "getGroupList", "getCryptoType"];
    for (const words of [[], ["--url", world().urls[0] ?? ""]]) {
      const of = await answersOfAll(lines, words);
      assert.equal((of("getNodeVersion") as Record<string, unknown>)["Chain Id"], "1");
      assert.ok(Number(of("getBlockNumber")) > 4);
      const [status] = of("getConsensusStatus") as Record<string, unknown>[];
      assert.equal(typeof status?.["leaderId"], isPbft ? "undefined" : "string");
      assert.deepEqual([of("getPendingTxSize"), of("getPendingTransactions")], [0, []]);
      assert.equal((of("getSealerList") as unknown[]).length, 4);
      assert.equal((of("getNodeIDList") as unknown[]).length, 4);
      assert.equal((of("getPeers") as unknown[]).length, 3);
      assert.deepEqual(of("getGroupList"), [1, 2]);
      assert.deepEqual(of("getCryptoType"), { ledger: "ECDSA", ssl: "ECDSA" });
    }
  });

  test("the view is told by PBFT alone", async () => {
    if (isPbft) {
      const [view] = await done(["getPbftView"]);
      assert.ok(Number(view) >= 0);
    } else assert.equal((await refused(["getPbftView"]))[0]?.[0], -40_007);
  });

  test("blocks are shown by number and by hash", async () => {
    const [hash, header, block, whole] = (await done([
      "getBlockHashByNumber 1",
      "getBlockHeaderByNumber 1 true",
      "getBlockByNumber 1",
      "getBlockByNumber 1 true",
    ])) as [string, Record<string, unknown>, Record<string, unknown[]>, Record<string, unknown[]>];
    assert.equal(header["hash"], hash);
    // Blocks of Raft carry no seals.
    const { length: seals } = header["signatureList"] as unknown[];
    assert.ok(isPbft ? seals >= 3 : seals === 0, `${seals}`);
    assert.equal(typeof block["transactions"]?.[0], "string");
    assert.equal(typeof whole["transactions"]?.[0], "object");
    const again = await done([
      `getBlockByHash ${hash}`,
      `getBlockByHash ${hash} true`,
      `getBlockHeaderByHash ${hash}`,
    ]);
    // Which seals a block has may differ between the two nodes.
    const seen = (again as (typeof block)[]).map((it) => [it["hash"], it["transactions"]]);
    assert.deepEqual(seen.slice(0, 2), [
      [hash, block["transactions"]],
      [hash, whole["transactions"]],
    ]);
    const { stdout } = await world().run("getBlockHashByNumber", "1");
    assert.equal(stdout, `"${hash}"\n\n`);
    const told = await refused([
      "getBlockHashByNumber 99999",
      "getBlockByNumber 99999",
      "getBlockHeaderByNumber 99999",
      `getBlockByHash ${NOWHERE}`,
      `getBlockHeaderByHash ${NOWHERE}`,
      "getBlockByHash 0x12",
      "getBlockByNumber 1 yes",
      "getBlockByNumber -1",
    ]);
    const codes = told.map(([code]) => code);
    assert.deepEqual(codes, [-40_004, -40_004, -40_004, -40_003, -40_003, 2, 2, 2]);
  });

  test("transactions and receipts are shown, by hash and by place", async () => {
    const [block] = (await done(["getBlockByNumber 1"])) as [Record<string, unknown>];
    const [hash] = block["transactions"] as string[];
    const of = String(block["hash"]);
    const data = (await done([
      `getTransactionByHash ${hash}`,
      `getTransactionByBlockHashAndIndex ${of} 0`,
      "getTransactionByBlockNumberAndIndex 1 0",
      `getTransactionReceipt ${hash}`,
      `getTransactionReceipt ${hash} --decode`,
      `getTransactionByHashWithProof ${hash}`,
      `getTransactionReceiptByHashWithProof ${hash}`,
      `getBatchReceiptsByBlockHashAndRange ${of}`,
      "getBatchReceiptsByBlockNumberAndRange 1 0 1",
    ])) as Record<string, unknown>[];
    const [transaction, ...rest] = data;
    assert.equal(transaction?.["hash"], hash);
    assert.deepEqual(rest.slice(0, 2), [transaction, transaction]);
    assert.equal(rest[2]?.["status"], "0x0");
    assert.ok(rest[4]?.["txProof"] && rest[5]?.["receiptProof"]);
    assert.deepEqual(rest[6], rest[7]);
    const told = await refused([
      `getTransactionByHash ${NOWHERE}`,
      `getTransactionReceipt ${NOWHERE}`,
      `getTransactionByHashWithProof ${NOWHERE}`,
      `getTransactionReceiptByHashWithProof ${NOWHERE}`,
      `getTransactionByBlockHashAndIndex ${of} 7`,
      "getTransactionByBlockNumberAndIndex 1 7",
      `getTransactionByBlockHashAndIndex ${NOWHERE} 0`,
      `getBatchReceiptsByBlockHashAndRange ${NOWHERE}`,
      "getBatchReceiptsByBlockNumberAndRange 99999",
      "getTransactionByHash 12",
      "getTransactionReceipt 12",
    ]);
    for (const [, message] of told.slice(0, 4))
      assert.equal(message, `This transaction hash doesn't exist: ${NOWHERE}`);
    const codes = told.slice(4).map(([code]) => code);
    assert.deepEqual(codes, [-40_005, -40_005, -40_003, -40_004, -40_004, 2, 2]);
  });

  test("a contract that is not there is told, and an address is filled up with zeros", async () => {
    const [missing, wrong] = await refused(["getCode 0x1", "getCode 1"]);
    assert.deepEqual(missing, [1, `This address doesn't exist: 0x${"1".padStart(40, "0")}`]);
    assert.match(wrong?.[1] ?? "", /"1" is no address/);
  });
}
