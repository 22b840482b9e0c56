/** Calls and batch receipts on a small chain. */
import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";
import { describe, test } from "vitest";
import { hexBytes } from "../../../core/bytes/hex.ts";
import type { CallRequest } from "../../../core/ports/executor.ts";
import { ask, BLOCKS, rpcGroup, rpcNode } from "../../support/rpc-node.ts";
import { CONTRACT, SENDER } from "../../support/ledger/small-chain.ts";

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

// rules: rpc-semantics 7
describe("call", () => {
  async function asked(request: object): Promise<CallRequest | number | undefined> {
    let seen: CallRequest | undefined;
    const group = rpcGroup();
    const caller = rpcNode(
      {},
      {
        ledger: group.ledger,
        call: async (it) => {
          seen = it;
          return { number: 2, status: 26, output: hexBytes("08c379a0") };
        },
      },
    );
    const reply = await ask(caller, "call", [1, request]);
    if (reply.error !== undefined) return reply.error.code;
    assert.deepEqual(reply.result, {
      currentBlockNumber: "0x2",
      output: "0x08c379a0",
      status: "0x1a",
    });
    return seen;
  }

  const plain = { from: SENDER, to: CONTRACT, value: 0n, data: new Uint8Array(0) };
  const READ: readonly (readonly [object, Partial<CallRequest>])[] = [
    [{ to: CONTRACT }, {}],
    [{ to: CONTRACT.slice(2) }, {}],
    [{}, { to: ZEROS as CallRequest["to"] }],
    [{ to: "" }, { to: ZEROS as CallRequest["to"] }],
    [{ to: "0x" }, { to: ZEROS as CallRequest["to"] }],
    [{ to: null }, { to: ZEROS as CallRequest["to"] }],
    [{ to: CONTRACT, value: "0x10" }, { value: 16n }],
    [{ to: CONTRACT, value: "10" }, { value: 10n }],
    [{ to: CONTRACT, value: 10 }, { value: 10n }],
    [{ to: CONTRACT, value: "" }, { value: 0n }],
    [{ to: CONTRACT, value: null }, { value: 0n }],
    [{ to: CONTRACT, data: "0x6d4" }, { data: hexBytes("06d4") }],
    [{ to: CONTRACT, data: 5 }, {}],
    [{ to: CONTRACT, data: "ff", code: "ee" }, { data: hexBytes("ee") }],
    [{ to: CONTRACT, gas: "0x1", gasPrice: "7", randomid: "", blockLimit: "0x", extra: 1 }, {}],
    [{ to: CONTRACT, gas: 1, gasPrice: null, randomid: true, blockNumber: "x" }, {}],
  ];
  for (const [members, expected] of READ) {
    test(`${JSON.stringify(members)} is run`, async () => {
      assert.deepEqual(await asked({ from: SENDER, ...members }), { ...plain, ...expected });
    });
  }

  const REFUSED: readonly (readonly [object, number])[] = [
    [{}, -40006],
    [{ from: "" }, -40006],
    [{ from: null }, -40006],
    [{ from: null, to: "x" }, -40006],
    [{ from: "abc" }, -32603],
    [{ from: 5 }, -32603],
    [{ from: SENDER, to: 1 }, -32603],
    [{ from: SENDER, to: "0x12" }, -32603],
    [{ from: SENDER, value: "0xzz" }, -32603],
    [{ from: SENDER, value: "-1" }, -32603],
    [{ from: SENDER, value: 1.5 }, -32603],
    [{ from: SENDER, value: 1e30 }, -32603],
    [{ from: SENDER, data: "zz" }, -32603],
    [{ from: SENDER, code: "zz" }, -32603],
    [{ from: SENDER, gas: "x" }, -32603],
    [{ from: SENDER, gasPrice: "-1" }, -32603],
    [{ from: SENDER, randomid: "1e3" }, -32603],
    [{ from: SENDER, blockLimit: `0x1${"0".repeat(64)}` }, -32603],
  ];
  for (const [request, expected] of REFUSED) {
    test(`${JSON.stringify(request)} is refused with ${expected}`, async () => {
      assert.equal(await asked(request), expected);
    });
  }
});

describe("batch receipts", () => {
  const METHOD = "getBatchReceiptsByBlockNumberAndRange";

  test("a range of receipts, cut at the end of the block", async () => {
    const rows = [
      ["0", "-1", 5],
      ["1", "2", 2],
      ["0x3", "100", 2],
    ] as const;
    for (const [from, count, expected] of rows) {
      const answer = (await result(METHOD, 1, "2", from, count, false)) as {
        blockInfo: object;
        transactionReceipts: { transactionIndex: string }[];
      };
      assert.equal(answer.transactionReceipts.length, expected);
      assert.equal(Number(answer.transactionReceipts[0]?.transactionIndex), Number(from));
      assert.deepEqual(answer.blockInfo, {
        blockHash: SECOND.hash,
        blockNumber: "0x2",
        receiptRoot: SECOND.header.receiptsRoot,
        receiptsCount: "0x5",
      });
    }
  });

  test("no receipts asked for, none given", async () => {
    const answer = (await result(METHOD, 1, "2", "0", "0", false)) as object;
    assert.deepEqual(Object.keys(answer), ["blockInfo"]);
  });

  test("the compressed form holds the same JSON", async () => {
    const plain = await result(METHOD, 1, "2", "0", "-1", false);
    const packed = (await result(METHOD, 1, "2", "0", "-1", true)) as string;
    const text = inflateSync(Buffer.from(packed, "base64")).toString("utf8");
    assert.deepEqual(JSON.parse(text), plain);
    assert.ok(packed.length < text.length / 2, `${packed.length} of ${text.length}`);
  });

  test("errors: block, index, range", async () => {
    const byHash = "getBatchReceiptsByBlockHashAndRange";
    assert.equal(await code(METHOD, 1, "9", "x", "x", false), -40004);
    assert.equal(await code(byHash, 1, UNKNOWN, "0", "-1", false), -40004);
    assert.equal(await code(METHOD, 1, "2", "-1", "-1", false), -32603);
    assert.equal(await code(METHOD, 1, "2", "0", "-2", false), -32603);
    const { error } = await ask(node, METHOD, [1, "2", "5", "-1", false]);
    assert.equal(error?.code, -40099);
    assert.match(error.message, /the number of receipt is 5$/);
  });
});

test("an output of 4 MiB is answered, a longer one is not, unless max_call_output says so", async () => {
  const most = 4 * 1024 * 1024;
  const asked = async (length: number, maxCallOutputBytes?: number) => {
    const changes = maxCallOutputBytes === undefined ? {} : { maxCallOutputBytes };
    const call = async () => ({ number: 2, status: 0, output: new Uint8Array(length) });
    return ask(rpcNode(changes, { call }), "call", [1, { from: SENDER, to: CONTRACT }]);
  };
  const { result: short } = await asked(most);
  assert.equal((short as { output: string }).output.length, 2 + 2 * most);
  const { error } = await asked(most + 1);
  assert.equal(error?.code, -32_603);
  assert.match(error?.message ?? "", /has 4194305 bytes; \[rpc\] max_call_output allows 4194304$/);
  assert.equal((await asked(most + 1, most + 1)).error, undefined);
});
