/** Values of contracts: what programs write and read, against the codec. */
import assert from "node:assert/strict";
import type { Abi } from "abitype";
import * as fc from "fast-check";
import { test } from "vitest";
import { decodeAbi } from "../../../core/abi/decode.ts";
import { encodeAbi, encodeCall, encodeRevert } from "../../../core/abi/encode.ts";
import { parseAbiType } from "../../../core/abi/type.ts";
import { utf8ByteString } from "../../../core/bytes/byte-string.ts";
import { encodeFunction, eventTopic, type JsonItem } from "../../../core/client/abi-item.ts";
import { fromAbiValue, toAbiValue } from "../../../core/client/abi-value.ts";
import { hexOf } from "../../../core/client/account.ts";
import { UsageFault } from "../../../core/client/client-fault.ts";
import type { SubscriptionListener } from "../../../core/client/transport.ts";
import { toldClient } from "../../support/client/client-transport.ts";
import { decodeEvent, decodeResult, failureReason } from "../../../core/client/contract-output.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";

const { hash } = createStandardSuite();
const ADDRESS = `0x${"ab".repeat(20)}`;

function typeOf(text: string) {
  const type = parseAbiType(text);
  assert.ok(type, text);
  return type;
}

/** Through the codec and back, as a program sees it. */
function roundTrip(text: string, value: unknown): unknown {
  const type = typeOf(text);
  const decoded = decodeAbi([type], encodeAbi([type], [toAbiValue(type, value, "value")]));
  assert.ok(decoded.ok);
  const [back = false] = decoded.values;
  return fromAbiValue(type, back);
}

const VALUES: readonly (readonly [string, unknown])[] = [
  ["uint8", 255],
  ["int48", -(2 ** 47)],
  ["uint56", 2n ** 56n - 1n],
  ["int256", -(2n ** 255n)],
  ["bool", true],
  ["address", ADDRESS],
  ["bytes4", "0x01020304"],
  ["bytes", "0x"],
  ["string", "你好, \u{1f310}"],
  ["uint256[2]", [1n, 2n]],
  ["string[]", ["a", ""]],
  ["tuple(string name, uint256 count)", { name: "a", count: 3n }],
  ["tuple(string, bool)[]", [["a", true]]],
];
for (const [type, value] of VALUES) {
  test(`a value of ${type} comes back as it was written`, () => {
    assert.deepEqual(roundTrip(type, value), value);
  });
}

test("any text and any integer come back as they were written", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.bigInt(0n, 2n ** 256n - 1n), (text, number) => {
      assert.equal(roundTrip("string", text), text);
      assert.equal(roundTrip("uint256", number), number);
    }),
  );
});

test("numbers stand for large integers, bytes for hexadecimal text, lists for tuples", () => {
  assert.equal(roundTrip("uint256", 7), 7n);
  assert.equal(roundTrip("bytes", Uint8Array.of(1, 2)), "0x0102");
  assert.deepEqual(roundTrip("tuple(bool a, bool b)", [true, false]), { a: true, b: false });
  assert.equal(roundTrip("address", ADDRESS.toUpperCase().replace("0X", "0x")), ADDRESS);
});

const MISFITS: readonly (readonly [string, unknown, RegExp])[] = [
  ["uint8", 256, /value: 256 is out of the range of uint8/],
  ["uint8", -1, /out of the range/],
  ["uint256", 1.5, /uint256 is expected, not number/],
  ["uint256", "1", /uint256 is expected, not "1"/],
  ["bool", 1, /bool is expected/],
  ["address", "0x12", /address is expected/],
  ["address", ADDRESS.slice(2), /address is expected/],
  ["bytes4", "0x01", /1 bytes are no bytes4/],
  ["bytes", "zz", /bytes is expected/],
  ["string", 1, /string is expected/],
  ["uint8[2]", [1], /1 items are no uint8\[2\]/],
  ["uint8[]", [1, 300], /value\[1\]: 300/],
  ["tuple(uint8 a)", { b: 1 }, /the member a is missing/],
  ["tuple(uint8 a)", { a: 300 }, /value\.a: 300/],
  ["tuple(uint8 a)", 1, /1 members are expected/],
];
for (const [type, value, message] of MISFITS) {
  test(`${JSON.stringify(value)} is no ${type}, and the message says where`, () => {
    assert.throws(() => toAbiValue(typeOf(type), value, "value"), message);
    assert.throws(() => toAbiValue(typeOf(type), value, "value"), UsageFault);
  });
}

const OVERLOADED: readonly JsonItem[] = [
  { type: "function", name: "set", inputs: [{ name: "a", type: "uint8" }], outputs: [] },
  { type: "function", name: "set", inputs: [{ name: "a", type: "string" }], outputs: [] },
  {
    type: "function",
    name: "put",
    inputs: [
      {
        name: "item",
        type: "tuple[2]",
        components: [
          { name: "name", type: "string" },
          { name: "count", type: "uint256" },
        ],
      },
    ],
    outputs: [{ name: "", type: "bool" }],
  },
];

test("among functions of one name the arguments choose", () => {
  const text = encodeFunction(OVERLOADED, "set", ["a"], hash).data;
  assert.equal(text, hexOf(encodeCall("set(string)", ["a"], hash)));
  const number = encodeFunction(OVERLOADED, "set", [7], hash).data;
  assert.equal(number, hexOf(encodeCall("set(uint8)", [7n], hash)));
});

test("tuples are written out in the signature of a function", () => {
  const items = [
    { name: "a", count: 1n },
    { name: "b", count: 2n },
  ];
  const values = items.map(({ name, count }) => [name, count]);
  assert.equal(
    encodeFunction(OVERLOADED, "put", [items], hash).data,
    hexOf(encodeCall("put((string,uint256)[2])", [values], hash)),
  );
});

test("an unknown function and a wrong number of arguments are named", () => {
  assert.throws(() => encodeFunction(OVERLOADED, "get", [], hash), /no function get/);
  assert.throws(
    () => encodeFunction(OVERLOADED, "put", [], hash),
    /put\(\(string,uint256\)\[2\]\) takes 1 arguments, not 0/,
  );
});

test("results are nothing, a value, or a list, and an empty output is explained", () => {
  const outputs = (...types: string[]): JsonItem => ({
    type: "function",
    name: "f",
    outputs: types.map((type) => ({ name: "", type })),
  });
  const two = hexOf(encodeAbi([typeOf("bool"), typeOf("uint8")], [true, 3n]));
  assert.equal(decodeResult(outputs(), "0x"), undefined);
  assert.equal(decodeResult(outputs("bool"), two), true);
  assert.deepEqual(decodeResult(outputs("bool", "uint8"), two), [true, 3]);
  assert.throws(() => decodeResult(outputs("bool"), "0x"), /is there a contract at the address\?/);
});

const EVENTS: readonly JsonItem[] = [
  {
    type: "event",
    name: "Moved",
    inputs: [
      { name: "to", type: "address", indexed: true },
      { name: "note", type: "string", indexed: true },
      { name: "value", type: "uint256", indexed: false },
    ],
  },
];
const [MOVED] = EVENTS;

test("an event is decoded by name; an indexed text is its hash", () => {
  assert.ok(MOVED);
  const note = `0x${"5a".repeat(32)}` as const;
  const log = {
    address: "0x00" as const,
    topics: [eventTopic(MOVED, hash), `0x${ADDRESS.slice(2).padStart(64, "0")}` as const, note],
    data: hexOf(encodeAbi([typeOf("uint256")], [9n])),
  };
  assert.deepEqual(decodeEvent(EVENTS, log, hash), {
    eventName: "Moved",
    args: { to: ADDRESS, note, value: 9n },
  });
  assert.equal(decodeEvent(EVENTS, { ...log, topics: log.topics.slice(0, 2) }, hash), undefined);
  assert.equal(decodeEvent(EVENTS, { ...log, data: "0x" }, hash), undefined);
  assert.equal(decodeEvent(EVENTS, log, createSmSuite().hash), undefined);
});

test("events of a contract are reported as they come, those of others are not", async () => {
  assert.ok(MOVED);
  let told: SubscriptionListener | undefined;
  const subscribed: unknown[] = [];
  const { client } = toldClient(
    {},
    {
      subscribe: async (params, listener) => {
        subscribed.push(params);
        told = listener;
        return { stop: async () => undefined };
      },
    },
  );
  const contract = client.contract({ abi: EVENTS as Abi, address: ADDRESS });
  const heard: unknown[] = [];
  const ends: Error[] = [];
  const listener = {
    onEvent: ({ eventName }: { eventName: string }) => heard.push(eventName),
    onEnd: (it: Error) => ends.push(it),
  };
  await contract.watch(listener, { fromBlock: 3n });
  assert.deepEqual(subscribed, [[1, "logs", { addresses: [ADDRESS], topics: [], fromBlock: "3" }]]);
  const topics = [eventTopic(MOVED, hash), `0x${ADDRESS.slice(2).padStart(64, "0")}`, ADDRESS];
  const data = hexOf(encodeAbi([typeOf("uint256")], [9n]));
  for (const address of [ADDRESS, `0x${"cd".repeat(20)}`])
    told?.onResult({ address, topics, data });
  told?.onEnd?.(new UsageFault("over"));
  assert.deepEqual([heard, ends.length], [["Moved"], 1]);
  const quiet = toldClient({}).client.contract({ abi: EVENTS as Abi, address: ADDRESS });
  await assert.rejects(quiet.watch(listener), /pushes nothing/);
});

const ERRORS: readonly JsonItem[] = [
  { type: "error", name: "TooLong", inputs: [{ name: "length", type: "uint256" }] },
];
const sm3 = createSmSuite().hash;
const REASONS = [
  ["a text", encodeRevert(utf8ByteString("nicht möglich"), hash), hash, "nicht möglich"],
  ["a text on a national chain", encodeRevert("no", sm3), sm3, "no"],
  ["a text of a compiler for Keccak on a national chain", encodeRevert("no", hash), sm3, "no"],
  ["an overflow", encodeCall("Panic(uint256)", [0x11n], hash), hash, "arithmetic overflow"],
  ["an unknown panic", encodeCall("Panic(uint256)", [0x99n], hash), hash, "panic 153"],
  ["an error of the ABI", encodeCall("TooLong(uint256)", [101n], hash), hash, "TooLong(101)"],
  ["an error of nobody", encodeCall("Other(uint256)", [1n], hash), hash, undefined],
  ["nothing", new Uint8Array(0), hash, undefined],
  ["half an error", encodeRevert("no", hash).slice(0, 40), hash, undefined],
] as const;
for (const [name, output, by, reason] of REASONS) {
  test(`the reason of a failure that left ${name} is ${reason}`, () => {
    assert.equal(failureReason(hexOf(output), by, ERRORS), reason);
  });
}
