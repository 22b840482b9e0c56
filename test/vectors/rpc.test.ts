/**
 * The shared JSON-RPC vectors: envelopes and errors, result shapes, rendering, published samples,
 * string conversions.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { fromHex, hexBytes, toHex, toPrefixedHex } from "../../core/bytes/hex.ts";
import type { Address, Hash, NodeId } from "../../core/bytes/ids.ts";
import {
  quantity,
  readBlockNumber,
  readHash,
  readHexBytes,
  readU256,
} from "../../core/bytes/quantity.ts";
import { type Header, headerHash } from "../../core/model/header.ts";
import { decodeTransaction, recoverSender, withSender } from "../../core/model/transaction.ts";
import { decideGroupOperation } from "../../core/node/group/group-lifecycle.ts";
import { ALL_LEAVE, dispatch } from "../../core/rpc/dispatch.ts";
import { presentBlock, presentTransaction } from "../../core/rpc/present.ts";
import { rpcGroup, ask, BLOCKS } from "../support/rpc-node.ts";
import { dataNode, nodeIdOf } from "../support/data-node.ts";
import { CONTRACT, SENDER, smallTransaction } from "../support/ledger/small-chain.ts";
import { readVectors } from "./shared-vectors.ts";
import { suiteOf } from "./vector-suites.ts";
import { STANDARD_SUITE } from "../support/suites.ts";

// rules: sm-suite 5, rpc-semantics 2.1, 2.6, 3.1-2, 5.2-3, 11

function casesOf<Case>(file: string): readonly Case[] {
  return readVectors<{ cases: readonly Case[] }>(file).cases;
}

const pending = [smallTransaction({ nonce: 30n, to: null })];
const [, FIRST] = BLOCKS;
assert.ok(FIRST);
const group = rpcGroup({
  pendingTransactions: () => pending,
  syncStatus: () => ({
    isSyncing: true,
    knownHighestNumber: 9,
    knownLatestHash: FIRST.hash,
    peers: [{ nodeId: nodeIdOf("a1"), number: 9, genesisHash: FIRST.hash, latestHash: FIRST.hash }],
  }),
  submit: async (raw) => {
    const decoded = decodeTransaction(raw, STANDARD_SUITE);
    if (!decoded.ok) return { ok: false, refusal: "undecodable", reason: decoded.reason };
    return { ok: true, hash: decoded.transaction.hash };
  },
});

/** The precondition of the vectors: a sealer of running group 1; no group 9, 30000, 30001. */
const node = dataNode([group], {
  peers: () => [
    { nodeId: nodeIdOf("a1"), endpoint: "127.0.0.1:1", agency: "a", node: "n", topics: ["t"] },
  ],
  manageGroup: async (operation, groupId) => {
    const status = groupId === 1 ? "RUNNING" : "INEXISTENT";
    const files = { genesis: groupId === 1, ini: groupId === 1 };
    return decideGroupOperation({ operation, groupId, status, files }).result;
  },
});

interface Expected {
  readonly error?: { readonly code: number };
  readonly result?: unknown;
  readonly resultType?: string;
  readonly id: unknown;
}

function assertAnswer(answer: unknown, expected: Expected): void {
  const { id, result, error } = answer as {
    id: unknown;
    result?: unknown;
    error?: { code: number };
  };
  assert.equal(id, expected.id);
  assert.equal(error?.code, expected.error?.code);
  if ("result" in expected) assert.deepEqual(result, expected.result);
  if (expected.resultType === "array") assert.ok(Array.isArray(result));
  else if (expected.resultType !== undefined) assert.equal(typeof result, expected.resultType);
}

interface ErrorCase {
  readonly id: string;
  readonly body: string;
  readonly expected: Expected | readonly Expected[];
}

for (const { id, body, expected } of casesOf<ErrorCase>("rpc-errors.json")) {
  test(`rpc-errors ${id}`, async () => {
    const answer = JSON.parse(await dispatch(node, body, { ...ALL_LEAVE })) as unknown;
    if (!Array.isArray(expected)) {
      assertAnswer(answer, expected as Expected);
      return;
    }
    const answers = answer as readonly unknown[];
    assert.equal(answers.length, expected.length);
    for (const [index, one] of (expected as readonly Expected[]).entries()) {
      assertAnswer(answers[index], one);
    }
  });
}

type Shape = string | readonly Shape[] | { readonly [member: string]: Shape };

interface Shapes {
  readonly patterns: Readonly<Record<string, string>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

const SHAPES = readVectors<Shapes>("rpc-shapes.json");

/**
 * What is wrong with a value; empty when it has the shape. Members that no shape names are
 * extensions.
 */
function misfits(value: unknown, shape: Shape, path: string): string[] {
  if (typeof shape === "string") {
    return shape.split("|").some((kind) => isKind(value, kind)) ? [] : [`${path} is no ${shape}`];
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    const [item = "text"] = shape as readonly Shape[];
    return value.flatMap((it, index) => misfits(it, item, `${path}[${index}]`));
  }
  if (typeof value !== "object" || value === null) return [`${path} is no object`];
  const members = value as Record<string, unknown>;
  return Object.entries(shape as Readonly<Record<string, Shape>>).flatMap(([key, inner]) => {
    const name = key.replace(/\?$/, "");
    if (name === "*") return [];
    if (name in members) return misfits(members[name], inner, `${path}.${name}`);
    return key.endsWith("?") ? [] : [`${path} lacks ${name}`];
  });
}

function isKind(value: unknown, kind: string): boolean {
  if (kind === "null") return value === null;
  if (kind === "integer") return Number.isInteger(value);
  if (kind === "boolean") return typeof value === "boolean";
  if (kind === "@tx") {
    const transaction = SHAPES.shapes["getTransactionByHash"];
    return transaction !== undefined && misfits(value, transaction, "").length === 0;
  }
  const pattern = SHAPES.patterns[kind];
  assert.ok(pattern !== undefined, `kind ${kind}`);
  return typeof value === "string" && new RegExp(pattern, "u").test(value);
}

const TRANSACTION = FIRST.transactions[0]?.hash;
const GENESIS_PARAMS = { timestamp: "1", sealers: [nodeIdOf("a1")] };
/** Parameters that give a result, by method; the rest takes the group ID alone. */
const PARAMS: Readonly<Record<string, readonly unknown[]>> = {
  getBlockByHash: [1, FIRST.hash, true],
  getBlockByNumber: [1, "1", false],
  getBlockHeaderByHash: [1, FIRST.hash, true],
  getBlockHeaderByNumber: [1, "1", false],
  getBlockHashByNumber: [1, "1"],
  getTransactionByHash: [1, TRANSACTION],
  getTransactionByBlockHashAndIndex: [1, FIRST.hash, "0"],
  getTransactionByBlockNumberAndIndex: [1, "1", "0"],
  getTransactionReceipt: [1, TRANSACTION],
  getCode: [1, CONTRACT],
  getSystemConfigByKey: [1, "tx_count_limit"],
  call: [1, { from: SENDER, to: CONTRACT }],
  sendRawTransaction: [1, toHex(pending[0]?.raw ?? new Uint8Array(0))],
  sendRawTransactionAndGetProof: [1, toHex(pending[0]?.raw ?? new Uint8Array(0))],
  getTransactionByHashWithProof: [1, TRANSACTION],
  getTransactionReceiptByHashWithProof: [1, TRANSACTION],
  generateGroup: [2, GENESIS_PARAMS],
};

for (const [method, shape] of Object.entries(SHAPES.shapes)) {
  test(`rpc-shapes ${method}`, async () => {
    const { result, error } = await ask(node, method, PARAMS[method] ?? [1]);
    assert.equal(error, undefined, error?.message);
    assert.deepEqual(misfits(result, shape, method), []);
  });
}

interface Published {
  readonly id: string;
  readonly method: string;
  readonly kind: string;
  readonly request: { readonly params: readonly unknown[] };
}

for (const { id, method, request } of casesOf<Published>("rpc-published.json")) {
  test(`rpc-published ${id}: the printed parameters are taken`, async () => {
    const { error } = await ask(node, method, request.params);
    assert.notEqual(error?.code, -32601);
    assert.notEqual(error?.code, -32602);
  });
}

interface RenderCase {
  readonly id: string;
  readonly kind: string;
  readonly suite: string;
  readonly rawHex: string;
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly transactionIndex: string;
  readonly json: Readonly<Record<string, unknown>>;
}

const RENDERED = casesOf<RenderCase>("rpc-render.json");
for (const row of RENDERED) {
  if (row.kind !== "transaction") continue;
  test(`rpc-render ${row.id}`, () => {
    const suite = suiteOf(row.suite);
    const raw = fromHex(row.rawHex);
    assert.ok(raw);
    const decoded = decodeTransaction(raw, suite);
    assert.ok(decoded.ok);
    const from = recoverSender(decoded.transaction, suite) as Address;
    const shown = presentTransaction({
      transaction: withSender(decoded.transaction, from),
      blockHash: row.blockHash as Hash,
      blockNumber: Number(row.blockNumber),
      index: Number(row.transactionIndex),
    });
    assert.deepEqual(shown, row.json);
  });
}

for (const row of casesOf<BlockCase>("rpc-render.json").filter(({ kind }) => kind === "block")) {
  test(`rpc-render ${row.id}`, () => {
    const suite = STANDARD_SUITE;
    const { json } = row;
    const header = headerOf(json);
    assert.equal(headerHash(header, suite), row.headerHash);
    const transactions = row.transactionsRaw.map((rawHex) => {
      const decoded = decodeTransaction(hexBytes(rawHex), suite);
      assert.ok(decoded.ok);
      const from = recoverSender(decoded.transaction, suite);
      assert.ok(from);
      return withSender(decoded.transaction, from);
    });
    const seals = (json["signatureList"] as { index: string; signature: string }[]).map((it) => ({
      index: Number(it.index),
      signature: hexBytes(it.signature),
    }));
    const block = { header, hash: row.headerHash as Hash, seals, transactions, receipts: [] };
    assert.deepEqual(presentBlock(block, true), json);
  });
}

interface BlockCase {
  readonly id: string;
  readonly kind: string;
  readonly headerHash: string;
  readonly transactionsRaw: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
}

function headerOf(json: Readonly<Record<string, unknown>>): Header {
  const text = (name: string): string => String(json[name]);
  const hash = (name: string): Hash => text(name) as Hash;
  return {
    parentHash: hash("parentHash"),
    stateRoot: hash("stateRoot"),
    transactionsRoot: hash("transactionsRoot"),
    receiptsRoot: hash("receiptsRoot"),
    dbHash: hash("dbHash"),
    logsBloom: hexBytes(text("logsBloom")),
    number: Number(text("number")),
    gasLimit: BigInt(text("gasLimit")),
    gasUsed: BigInt(text("gasUsed")),
    timestamp: BigInt(text("timestamp")),
    extraData: (json["extraData"] as string[]).map(hexBytes),
    sealer: Number(text("sealer")),
    sealerList: json["sealerList"] as NodeId[],
  };
}

interface ValueCase {
  readonly id: string;
  readonly fn: string;
  readonly input: string;
  readonly expected?: string;
  readonly expectedError?: boolean;
}

/**
 * The conversions of js-values.json by ours; numbers give decimal text, bytes plain hexadecimal.
 */
const CONVERSIONS: Readonly<Record<string, (input: string) => string | undefined>> = {
  hexFixed: (input) => toPrefixedHex(namedBytes(input)),
  toHexBytes: (input) => toPrefixedHex(namedBytes(input)),
  toHexNumber: (input) => quantity(BigInt(input)),
  jsToBytes: (input) => {
    const bytes = readHexBytes(input);
    return bytes && toHex(bytes);
  },
  jsToFixed32: (input) => readHash(input)?.slice(2),
  jsToInt: (input) => readBlockNumber(input)?.toString(),
  jsToU256: (input) => readU256(input)?.toString(),
  jsToInt32bytes: (input) => readU256(input)?.toString(),
  jsToInt16bytes: (input) => readU256(input)?.toString(),
};

/** `bytes ff 00` and `8 bytes baad` describe bytes in words. */
function namedBytes(input: string): Uint8Array {
  const digits = input.replace(/^.*bytes /, "").replaceAll(" ", "");
  return fromHex(digits) ?? assert.fail(input);
}

for (const { id, fn, input, expected, expectedError } of casesOf<ValueCase>("js-values.json")) {
  test(`js-values ${id}`, () => {
    const convert = CONVERSIONS[fn];
    assert.ok(convert, fn);
    assert.equal(convert(input), expectedError === true ? undefined : expected);
  });
}
