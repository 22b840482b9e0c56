/** Cases of JSON-RPC over the channel. Source: channel-protocol 6, 6.2 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { requestText } from "../../../support/channel/channel-client.ts";
import { TYPE } from "../../../support/channel/channel-frames.ts";
import { EMITTER_CREATION, type Visit } from "../../../support/channel/channel-place.ts";
import { answerOf } from "../../../support/process/dev-chain-process.ts";
import {
  abiText,
  callData,
  fromHex,
  textCallData,
  word,
} from "../../../support/channel/outside-client.ts";
import { type RowCase, rowsOf } from "./row-case.ts";

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/;
const NODE_ID = /^[0-9a-f]{128}$/;
const CNS = "0x0000000000000000000000000000000000001004";
const CRUD = "0x0000000000000000000000000000000000001002";
const HELLO = "0x68656c6c6f";

type Members = Record<string, unknown>;

/** A case that compares answers over the channel with answers over HTTP. */
async function sameAsHttp(visit: Visit): Promise<void> {
  const client = await visit.open();
  const asked: readonly (readonly [method: string, params: readonly unknown[]])[] = [
    ["getBlockByNumber", [1, "0", true]],
    ["getNodeIDList", []],
    ["getBlockNumber", [99]],
    ["getBlockNumber", ["x"]],
    ["noSuchMethod", []],
    ["getSystemConfigByKey", [1, "tx_count_limit"]],
    ["getTransactionByHash", [1, "0x12"]],
    ["call", [99, { from: CNS, to: CNS, data: "0x00000000" }]],
  ];
  for (const [method, params] of asked) {
    const overChannel = await client.rpc(method, ...params);
    const overHttp = await answerOf(visit.node(0).rpc, method, params);
    assert.deepEqual(overChannel, overHttp, method);
  }
}

function callRequest(to: string, data: string): Members {
  return { from: `0x${"1".repeat(40)}`, to, value: "0x0", data };
}

/** The transactions that the SDKs make. */
const STYLES = [
  {
    name: "nodejs-sdk and Caliper",
    row: 19,
    call: { gasPrice: 0n, gas: 1_000_000n, extraData: Uint8Array.of(0) },
  },
  { name: "python-sdk", row: 20, call: { gasPrice: 30_000_000n, gas: 30_000_000n } },
  {
    name: "java-sdk",
    row: 21,
    call: { gasPrice: 22_000_000_000n, gas: 4_300_000n, extraData: Buffer.from("user text") },
  },
] as const;

const STYLE_CASES = STYLES.map(
  ({ name, row, call }): RowCase<Visit> => ({
    rows: rowsOf("6.2", row),
    test: `a transaction as ${name} makes it keeps its bytes and is executed`,
    run: async (visit) => {
      const client = await visit.open();
      const deployed = await visit.transact(client, { data: EMITTER_CREATION, ...call });
      assert.equal(deployed.status, "0x0");
      const [topic, other] = [word(1), word(2)];
      const to = deployed.contractAddress;
      // Numbers below 10^9 as python-sdk draws them.
      const nonce = BigInt(1 + (randomBytes(4).readUInt32BE() % 999_999_998));
      const done = await visit.transact(client, { to, data: `0x${topic}${other}`, ...call, nonce });
      assert.equal(done.status, "0x0");
      assert.equal(done.logs[0]?.topics.length, 2);
    },
  }),
);

/** The cases. */
export const RPC_CASES: readonly RowCase<Visit>[] = [
  {
    rows: ["6 text 1"],
    test: "methods and errors are those of HTTP",
    run: sameAsHttp,
  },
  {
    rows: [...rowsOf("6", 5), "6 text 2"],
    test: "a request without id is answered with -32604 and the id null, result 0 in the frame",
    run: async (visit) => {
      const client = await visit.open();
      const request = { jsonrpc: "2.0", method: "getGroupList", params: [] };
      const { data, result } = await client.ask(TYPE.rpc, JSON.stringify(request));
      const { id, error } = JSON.parse(data.toString()) as { id: null; error: { code: number } };
      assert.deepEqual([result, id, error.code], [0, null, -32_604]);
    },
  },
  {
    rows: [...rowsOf("4", 1), "4 text 3"],
    test: "answers are one line with sorted keys and a newline, batches too",
    run: async (visit) => {
      const client = await visit.open();
      const requests = [requestText("getGroupList", []), requestText("getBlockNumber", [99], 2)];
      const batch = `[${requests.join(",")}]`;
      const expected =
        '[{"id":1,"jsonrpc":"2.0","result":[1]},{"error":{"code":-40001,"data":null,' +
        '"message":"GroupID does not exist"},"id":2,"jsonrpc":"2.0"}]\n';
      assert.equal((await client.ask(TYPE.rpc, batch)).data.toString(), expected);
    },
  },
  {
    rows: ["6 text 4"],
    test: "a group before no parameters is accepted",
    run: async (visit) => {
      const client = await visit.open();
      for (const method of ["getClientVersion", "getGroupList", "getPeers", "getNodeIDList"])
        await client.result(method, 1);
    },
  },
  {
    rows: [...rowsOf("6.2", 1, 2), ...rowsOf("6.2", 8)],
    test: "heights, views and sums are quantities",
    run: async (visit) => {
      const client = await visit.open();
      for (const method of ["getBlockNumber", "getPbftView", "getPendingTxSize"])
        assert.match(await client.result<string>(method, 1), QUANTITY);
      const total = await client.result<Members>("getTotalTransactionCount", 1);
      for (const name of ["blockNumber", "failedTxSum", "txSum"])
        assert.match(String(total[name]), QUANTITY);
    },
  },
  {
    rows: [...rowsOf("6.2", 13), ...rowsOf("6.2", 12)],
    test: "over HTTP the height is a quantity and an unknown receipt is null",
    run: async (visit) => {
      const { rpc } = visit.node(0);
      assert.match(String((await answerOf(rpc, "getBlockNumber", [1])).result), QUANTITY);
      const unknown = `0x${randomBytes(32).toString("hex")}`;
      const answer = await answerOf(rpc, "getTransactionReceipt", [1, unknown]);
      assert.equal(answer.result, null);
    },
  },
  {
    rows: [...rowsOf("6.2", 3), ...rowsOf("6.2", 9), ...rowsOf("6.2", 15)],
    test: "a call has a status of 0x0 and its output in hex, 0x when there is none",
    run: async (visit) => {
      const client = await visit.open();
      const contract = await visit.deploy(client);
      const called = await client.result<Members>("call", 1, callRequest(contract, HELLO));
      assert.deepEqual([called["status"], called["output"]], ["0x0", "0x"]);
    },
  },
  {
    rows: [...rowsOf("6.2", 4), ...rowsOf("6.2", 10), ...rowsOf("6.2", 14), ...rowsOf("6.2", 16)],
    test: "the receipt of a creation has what SDKs read of it, and no result or error",
    run: async (visit) => {
      const client = await visit.open();
      const receipt = (await visit.transact(client, { data: EMITTER_CREATION })) as object;
      const members = receipt as Members;
      assert.equal(members["status"], "0x0");
      assert.match(String(members["contractAddress"]), /^0x[0-9a-f]{40}$/);
      assert.match(String(members["transactionHash"]), /^0x[0-9a-f]{64}$/);
      assert.match(String(members["blockNumber"]), QUANTITY);
      assert.match(String(members["output"]), /^0x[0-9a-f]*$/);
      assert.ok(!("result" in members) && !("error" in members));
    },
  },
  {
    rows: [...rowsOf("6.2", 5), ...rowsOf("6.2", 17)],
    test: "the version names all that SDKs read, and the compatibility version is a.b.c",
    run: async (visit) => {
      const client = await visit.open();
      const version = await client.result<Record<string, string>>("getClientVersion");
      const names = ["Supported Version", "Chain Id", "Build Time", "Build Type", "Git Branch"];
      for (const name of ["FISCO-BCOS Version", ...names, "Git Commit Hash"])
        assert.equal(typeof version[name], "string", name);
      assert.match(version["Supported Version"] ?? "", /^\d+\.\d+\.\d+$/);
    },
  },
  {
    rows: [...rowsOf("6.2", 6), ...rowsOf("6.2", 18)],
    test: "node IDs are lower-case digits without 0x, groups are numbers",
    run: async (visit) => {
      const client = await visit.open();
      for (const method of ["getSealerList", "getGroupPeers", "getNodeIDList"]) {
        const ids = await client.result<readonly string[]>(method, 1);
        assert.equal(ids.length, visit.nodes.length, method);
        for (const id of ids) assert.match(id, NODE_ID);
      }
      assert.deepEqual(await client.result("getObserverList", 1), []);
      assert.deepEqual(await client.result("getGroupList"), [1]);
    },
  },
  {
    rows: rowsOf("6.2", 7),
    test: "an unknown name and a described table come back as texts of JSON",
    run: async (visit) => {
      const client = await visit.open();
      const find = textCallData("selectByName(string)", "no such name");
      const names = await client.result<{ output: string }>("call", 1, callRequest(CNS, find));
      assert.equal(abiText(names.output), "[]\n");
      const describe = textCallData("desc(string)", "no such table");
      const table = await client.result<{ output: string }>("call", 1, callRequest(CRUD, describe));
      assert.ok(fromHex(table.output).length >= 64);
    },
  },
  {
    rows: rowsOf("6.2", 11),
    test: "an error has a code, a message and data",
    run: async (visit) => {
      const client = await visit.open();
      const { error } = await client.rpc("getBlockNumber", 99);
      assert.deepEqual(error, { code: -40_001, data: null, message: "GroupID does not exist" });
      const unknown = await client.rpc("noSuchMethod");
      assert.equal(unknown.error?.code, -32_601);
    },
  },
  {
    rows: ["6.2 text 1", "6.2 text 2"],
    test: "a transaction is valid for 500 blocks from the height that the node gave",
    run: async (visit) => {
      const client = await visit.open();
      const head = Number(await client.result("getBlockNumber", 1));
      const receipt = await visit.transact(client, {
        data: EMITTER_CREATION,
        blockLimit: BigInt(head + 500),
      });
      assert.equal(receipt.status, "0x0");
      assert.ok(Number(receipt.blockNumber) > head);
    },
  },
  {
    rows: rowsOf("5.1", 3),
    test: "a client whose first frame is a call, and one whose first is a transaction, are served",
    run: async (visit) => {
      const [caller, sender] = [await visit.open(), await visit.open()];
      const data = callData("getSystemConfigByKey(string)");
      const called = await caller.result<Members>("call", 1, callRequest(CNS, data));
      assert.equal(typeof called["status"], "string");
      const { raw, hash } = await visit.signed(caller, { data: EMITTER_CREATION });
      const seq = sender.send(TYPE.rpc, requestText("sendRawTransaction", [1, raw]));
      const pushed = await sender.taken(TYPE.receiptPush, seq);
      assert.equal((JSON.parse(pushed.data.toString()) as Members)["transactionHash"], hash);
      assert.deepEqual(
        sender.unread.map(({ type }) => type),
        [TYPE.rpc],
      );
    },
  },
  ...STYLE_CASES,
];
