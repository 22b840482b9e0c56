/** Envelopes and batches: the order of checks and what is echoed. */
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { test } from "vitest";
import { StoreFault } from "../../../core/fault/store-fault.ts";
import type { LogFields } from "../../../core/ports/log.ts";
import {
  ALL_LEAVE,
  dispatch,
  MAX_BATCH_ANSWER,
  MAX_BATCH_REQUESTS,
  dispatchAnswer,
} from "../../../core/rpc/dispatch.ts";
import { METHODS } from "../../../core/rpc/registry.ts";
import type { ReadRequest } from "../../../core/rpc/requests.ts";
import { ask, rpcNode, send } from "../../support/rpc-node.ts";

const node = rpcNode();

/** Bodies by what is wrong with them; a later row breaks the rules of the earlier rows no more. */
// rules: rpc-semantics 2.1.1-9, 2.2, 2.4
const ORDER = [
  { rule: "1 text that is not JSON", body: "{", code: -32700, id: null },
  { rule: "2 neither object nor array", body: '"x"', code: -32600, id: null },
  { rule: "3 no method", body: '{"jsonrpc":"1.0","id":5}', code: -32600, id: 5 },
  { rule: "3 no method, all else right", body: '{"jsonrpc":"2.0","id":5}', code: -32600, id: 5 },
  { rule: "3 method no string", body: '{"jsonrpc":"2.0","method":3,"id":5}', code: -32600, id: 5 },
  { rule: "4 no version", body: '{"method":"nope","id":"a"}', code: -32600, id: "a" },
  { rule: "4 version 1.0", body: '{"jsonrpc":"1.0","method":"nope"}', code: -32600, id: null },
  { rule: "4 version a number", body: '{"jsonrpc":2,"method":"x","id":1}', code: -32600, id: 1 },
  {
    rule: "5 id a fraction",
    body: '{"jsonrpc":"2.0","method":"x","id":1.5}',
    code: -32600,
    id: null,
  },
  { rule: "5 id a flag", body: '{"jsonrpc":"2.0","method":"x","id":true}', code: -32600, id: null },
  { rule: "5 id a list", body: '{"jsonrpc":"2.0","method":"x","id":[1]}', code: -32600, id: null },
  {
    rule: "6 params a number",
    body: '{"jsonrpc":"2.0","method":"nope","params":1,"id":8}',
    code: -32600,
    id: 8,
  },
  {
    rule: "7 unknown method before a missing id",
    body: '{"jsonrpc":"2.0","method":"nope"}',
    code: -32601,
    id: null,
  },
  {
    rule: "7 names are case-sensitive",
    body: '{"jsonrpc":"2.0","method":"getblocknumber","params":[1],"id":"x"}',
    code: -32601,
    id: "x",
  },
  {
    rule: "7 names of object members are no methods",
    body: '{"jsonrpc":"2.0","method":"constructor","params":[1],"id":1}',
    code: -32601,
    id: 1,
  },
  {
    rule: "8 no id before the params",
    body: '{"jsonrpc":"2.0","method":"getBlockNumber","params":["x"]}',
    code: -32604,
    id: null,
  },
  {
    rule: "9 too few",
    body: '{"jsonrpc":"2.0","method":"getBlockNumber","params":[],"id":1}',
    code: -32602,
    id: 1,
  },
  {
    rule: "9 too many",
    body: '{"jsonrpc":"2.0","method":"getBlockNumber","params":[1,1],"id":1}',
    code: -32602,
    id: 1,
  },
  {
    rule: "9 text for a number",
    body: '{"jsonrpc":"2.0","method":"getBlockNumber","params":["1"],"id":1}',
    code: -32602,
    id: 1,
  },
  {
    rule: "9 a number for text",
    body: '{"jsonrpc":"2.0","method":"getBlockByNumber","params":[1,2,true],"id":1}',
    code: -32602,
    id: 1,
  },
  {
    rule: "9 a number for a flag",
    body: '{"jsonrpc":"2.0","method":"getBlockByNumber","params":[1,"2",1],"id":1}',
    code: -32602,
    id: 1,
  },
  {
    rule: "9 a list for an object",
    body: '{"jsonrpc":"2.0","method":"call","params":[1,[]],"id":1}',
    code: -32602,
    id: 1,
  },
  {
    rule: "9 no params where some are needed",
    body: '{"jsonrpc":"2.0","method":"getBlockNumber","params":null,"id":1}',
    code: -32602,
    id: 1,
  },
  {
    rule: "9 by name",
    body: '{"jsonrpc":"2.0","method":"getBlockNumber","params":{"groupID":1},"id":1}',
    code: -32602,
    id: 1,
  },
] as const;
for (const { rule, body, code, id } of ORDER) {
  test(`${rule}: ${code} without data`, async () => {
    const reply = await send(node, body);
    assert.equal(reply.error?.code, code);
    assert.equal(reply.id, id);
    assert.ok(!("data" in (reply.error ?? {})));
  });
}

// rules: rpc-semantics 2.1.10, 2.5
for (const groupId of [2_147_483_648, -2_147_483_649, 4_294_967_296]) {
  test(`group ID ${groupId} does not convert: -32602 with data null`, async () => {
    const { error } = await ask(node, "getBlockNumber", [groupId]);
    assert.equal(error?.code, -32602);
    assert.equal(error?.data, null);
  });
}

for (const groupId of [0, -1, 9, 65_537, 2_147_483_647]) {
  test(`group ID ${groupId} is unknown: -40001`, async () => {
    const { error } = await ask(node, "getBlockNumber", [groupId]);
    assert.deepEqual([error?.code, error?.data], [-40001, null]);
  });
}

// rules: rpc-semantics 2.7
const TOKENS = [
  ["[]", "INVALID_JSON_REQUEST: "],
  ['{"jsonrpc":"2.0","method":"x","id":1}', "METHOD_NOT_FOUND: "],
  ['{"jsonrpc":"2.0","method":"getSealerList","id":1}', "INVALID_PARAMS: "],
  ['{"jsonrpc":"2.0","method":"getSealerList"}', "PROCEDURE_IS_METHOD: "],
  ["", "JSON_PARSE_ERROR: "],
  ['{"jsonrpc":"2.0","method":"getCode","params":[1,"x"],"id":1}', "INTERNAL_ERROR: "],
] as const;
for (const [body, token] of TOKENS) {
  test(`a message begins with ${token}`, async () => {
    const { error } = await send(node, body);
    assert.ok(error);
    assert.ok(error.message.startsWith(token), error.message);
    assert.ok(error.message.length > token.length);
  });
}

test("the answer is compact JSON and a line feed", async () => {
  const body = '{"jsonrpc":"2.0","method":"getBlockNumber","params":[1],"id":7}';
  const text = await dispatch(node, body, { ...ALL_LEAVE });
  assert.equal(text, '{"id":7,"jsonrpc":"2.0","result":"0x2"}\n');
});

for (const params of ["1.0", "1e0", "10e-1"]) {
  test(`${params} is a whole number in params`, async () => {
    const body = `{"jsonrpc":"2.0","method":"getBlockNumber","params":[${params}],"id":1}`;
    assert.equal((await send(node, body)).result, "0x2");
  });
}

for (const params of [undefined, null, {}, [1, "a", null]]) {
  test(`a method without parameters ignores params ${JSON.stringify(params)}`, async () => {
    assert.deepEqual((await ask(node, "getGroupList", params)).result, [1]);
  });
}

test("whole ids are echoed digit for digit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), async (id) => {
      const body = `{"id": ${id},"jsonrpc":"2.0","method":"getGroupList"}`;
      const text = await dispatch(node, body, { ...ALL_LEAVE });
      assert.ok(text.startsWith(`{"id":${id},`), text);
    }),
  );
});

test("ids of any text are echoed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme" }), async (id) => {
      const body = JSON.stringify({ jsonrpc: "2.0", method: "getGroupList", id });
      assert.equal((await send(node, body)).id, id);
    }),
  );
});

// rules: rpc-semantics 2.3
test("a batch is answered in order, large ids included", async () => {
  const request = (id: string) => `{"jsonrpc":"2.0","method":"getGroupList","id":${id}}`;
  const body = `[${request("9007199254740993")},1,[],${request("null")},${request("1e19")}]`;
  const text = await dispatch(node, body, { ...ALL_LEAVE });
  const invalid =
    '{"error":{"code":-32600,"message":"INVALID_JSON_REQUEST: ' +
    'The JSON sent is not a valid JSON-RPC Request object"},"id":null,"jsonrpc":"2.0"}';
  assert.equal(
    text,
    '[{"id":9007199254740993,"jsonrpc":"2.0","result":[1]},' +
      `${invalid},${invalid},` +
      '{"id":null,"jsonrpc":"2.0","result":[1]},' +
      '{"id":1e19,"jsonrpc":"2.0","result":[1]}]\n',
  );
});

test("an empty batch is one error, not a list", async () => {
  const reply = await send(node, " [ ] ");
  assert.equal(reply.error?.code, -32600);
});

test("a request without id in a batch is answered with -32604", async () => {
  const body = '[{"jsonrpc":"2.0","method":"getGroupList"}]';
  const text = await dispatch(node, body, { ...ALL_LEAVE });
  assert.match(text, /^\[\{"error":\{"code":-32604,.*"id":null,"jsonrpc":"2.0"\}\]\n$/);
});

test("a failure of the node is -32603 without its inner text, and is logged", async () => {
  const lines: [string, LogFields | undefined][] = [];
  const log = {
    write: (_: unknown, message: string, fields?: LogFields) => lines.push([message, fields]),
  };
  const broken = rpcNode({
    groupList: () => {
      throw new TypeError("secret path");
    },
  });
  const body = '{"jsonrpc":"2.0","method":"getGroupList","id":1}';
  const text = await dispatch(broken, body, { ...ALL_LEAVE, log });
  assert.match(text, /"code":-32603,"data":null,"message":"INTERNAL_ERROR: /);
  assert.ok(!text.includes("secret"));
  assert.deepEqual(lines, [
    ["rpc method failed", { method: "getGroupList", cause: "secret path" }],
  ]);
});

test("what is damaged is named", async () => {
  const broken = rpcNode({
    groupList: () => {
      throw new StoreFault("corrupt", "data/group1/block is damaged");
    },
  });
  const body = '{"jsonrpc":"2.0","method":"getGroupList","id":1}';
  const text = await dispatch(broken, body, { ...ALL_LEAVE });
  assert.match(text, /"message":"INTERNAL_ERROR: StoreFault: data\/group1\/block is damaged"/);
});

const GROUP_LIST = '{"jsonrpc":"2.0","method":"getGroupList","id":1}';

/** A batch of this many requests for the list of groups. */
function batchOf(count: number): string {
  return `[${Array(count).fill(GROUP_LIST).join(",")}]`;
}

test("a batch has at most 1,000 requests; a longer one is one error, and nothing is run", async () => {
  let runs = 0;
  const counting = rpcNode({ groupList: () => [++runs] });
  const full = await dispatch(counting, batchOf(MAX_BATCH_REQUESTS), { ...ALL_LEAVE });
  assert.equal((JSON.parse(full) as unknown[]).length, 1_000);
  const { error, id } = await send(counting, batchOf(MAX_BATCH_REQUESTS + 1));
  assert.deepEqual([error?.code, id, runs], [-32600, null, 1_000]);
  assert.equal(error?.message, "INVALID_JSON_REQUEST: A batch has at most 1000 requests");
});

for (const body of [`[${"{},".repeat(100_000)}{}]`, `{"a":[${"1,".repeat(200_000)}1]}`]) {
  test(`a body of ${body.length} bytes in small values is refused unread`, async () => {
    const { error, id } = await send(node, body);
    assert.deepEqual([error?.code, id], [-32600, null]);
    const detail = "The body holds more than 200000 values";
    assert.equal(error?.message, `INVALID_JSON_REQUEST: ${detail}`);
  });
}

test("requests of a batch whose answers are too long together are not run, each is told", async () => {
  const { build } = node;
  let runs = 0;
  const long = "x".repeat(MAX_BATCH_ANSWER / 4);
  const wordy = rpcNode();
  Object.defineProperty(wordy, "build", {
    get: () => {
      runs++;
      return { ...build, gitBranch: long };
    },
  });
  const requests = Array.from({ length: 6 }, (_, id) => ({
    jsonrpc: "2.0",
    method: "getClientVersion",
    id,
  }));
  const text = await dispatch(wordy, JSON.stringify(requests), { ...ALL_LEAVE });
  const replies = JSON.parse(text) as { id: number; error?: { code: number; message: string } }[];
  assert.deepEqual(
    replies.map(({ id, error }) => [id, error?.code]),
    [0, 1, 2, 3, 4, 5].map((id) => [id, id < 3 ? undefined : -32603]),
  );
  assert.match(replies[5]?.error?.message ?? "", /^INTERNAL_ERROR: Not run .* 33554432 bytes$/);
  assert.equal(runs, 4);
});

test("an answer that cannot be sent is an error with its id", async () => {
  const [request] = [GROUP_LIST.replace('"id":1', '"id":"one"')];
  const cut = await dispatch(node, request, { ...ALL_LEAVE, maxAnswer: 20 });
  const { id, error } = JSON.parse(cut) as { id: string; error: { code: number; message: string } };
  assert.deepEqual([id, error.code], ["one", -32603]);
  assert.equal(error.message, "INTERNAL_ERROR: The answer is longer than 20 bytes");
  const whole = await dispatch(node, GROUP_LIST, { ...ALL_LEAVE, maxAnswer: 50 });
  assert.equal(whole, '{"id":1,"jsonrpc":"2.0","result":[1]}\n');
});

test("large ids of a long batch are found in one pass", async () => {
  const request = '{"jsonrpc":"2.0","method":"getGroupList","id":9e18}';
  const body = `["${"x".repeat(8_000_000)}",${Array(500).fill(request).join(",")}]`;
  // The best of some tries: the threads of other tests count too.
  const took: number[] = [];
  while (took.length < 4 && !(Math.min(...took) < 1_000_000)) {
    const before = process.cpuUsage();
    const text = await dispatch(node, body, { ...ALL_LEAVE });
    took.push(process.cpuUsage(before).user);
    assert.equal(text.split('{"id":9e18,').length, 501);
  }
  assert.ok(Math.min(...took) < 1_000_000, `${took} microseconds`);
});

test("others have a turn between the requests of a batch", async () => {
  let turns = 0;
  const pace = async () => void turns++;
  await dispatch(node, batchOf(5), { ...ALL_LEAVE, pace });
  assert.equal(turns, 4);
  await dispatch(node, GROUP_LIST, { ...ALL_LEAVE, pace });
  assert.equal(turns, 4);
});

test("what is parsed of a long body counts by its values", async () => {
  const grown: number[] = [];
  const onGrown = (bytes: number) => grown.push(bytes) > 0;
  const request = { jsonrpc: "2.0", id: 1, method: "getClientVersion", params: [] };
  const body = JSON.stringify({ ...request, more: Array.from({ length: 2_000 }, () => ({})) });
  await dispatch(rpcNode(), body, { ...ALL_LEAVE, onGrown });
  // Brackets and commas: 2,000 objects and as many commas, five members and two lists around.
  assert.deepEqual(grown, [(4_000 + 7) * 64]);
});

test("a long body waits for its turn, and is not parsed once its client has gone", async () => {
  let isGone = false;
  const seen: number[] = [];
  const options = {
    ...ALL_LEAVE,
    pace: async () => {
      isGone = true;
    },
    onGrown: (bytes: number) => seen.push(bytes) > 0 && !isGone,
  };
  const body = `[${GROUP_LIST}${" ".repeat(16_384)}]`;
  assert.equal(await dispatch(node, body, options), "");
  assert.deepEqual(seen, [0], "nothing was parsed that would count");
});

test("of a batch that is read elsewhere nothing is asked once its client has gone", async () => {
  const asked: number[] = [];
  const at = (index: number) => {
    asked.push(index);
    return { value: null, envelope: { valid: false, id: "null" } } as unknown as ReadRequest;
  };
  const batch = { kind: "batch", count: 3, at } as const;
  const onGrown = () => asked.length === 0;
  const text = await dispatchAnswer(rpcNode(), batch, { ...ALL_LEAVE, onGrown });
  assert.deepEqual([text, asked], ["", [0]]);
});

test("the rest of a batch that no caller waits for is not run", async () => {
  let runs = 0;
  const counting = rpcNode({ groupList: () => [++runs] });
  const grown: number[] = [];
  const onGrown = (characters: number) => grown.push(characters) < 6;
  const text = await dispatch(counting, batchOf(9), { ...ALL_LEAVE, onGrown });
  assert.deepEqual([text, runs], ["", 3]);
  // What is parsed of nine requests, and three answers; before each further one it is asked.
  assert.deepEqual(grown, [9 * 128, 37, 0, 37, 0, 37]);
});

// rules: README 24
for (const { name, params, changes } of METHODS) {
  const isRead = /^(get|query|call$|rpc)/.test(name);
  test(`a page of another origin ${isRead ? "may ask for" : "is refused"} ${name}`, async () => {
    assert.equal(changes === true, !isRead);
    // Any values of the right number and kind: what is asked about does not matter.
    const values = params.map(({ fits }) => [1, "0x1", true, [], {}].find((it) => fits(it)));
    const { error } = await ask(node, name, values, false);
    assert.equal(error?.code === -100_001, !isRead, error?.message);
  });
}
