/** Calls, results and events in words. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { encodeFunction, eventTopic, type JsonItem } from "../../../core/client/abi-item.ts";
import type { Hex } from "../../../core/client/rpc-objects.ts";
import { createSmSuite } from "../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { greeter } from "../../../docs/examples/greeter.ts";
import { PRECOMPILED } from "../../../web/data/precompiled.ts";
import { Decoder, type KnownAbi } from "../../../web/explorer/read/decode.ts";

const { hash } = createStandardSuite();
const NATIONAL = createSmSuite().hash;
const GREETER = `0x${"a1".repeat(20)}`;
const OUTSIDER = `0x${"b2".repeat(20)}`;
const ABI = greeter.abi as readonly JsonItem[];
const KNOWN: readonly KnownAbi[] = [
  { address: GREETER, name: "Greeter", abi: ABI, isPrecompiled: false },
  ...PRECOMPILED.map((it) => ({ ...it, isPrecompiled: true })),
];
const now = () => Promise.resolve();
const decoder = await new Decoder(KNOWN, [hash]).learn(now);

function greetData(words: string): Hex {
  return encodeFunction(ABI, "greet", [words], hash).data;
}

test("a call is shown with its function and arguments", () => {
  const call = decoder.call(GREETER, greetData("good morning"));
  assert.equal(call?.signature, "greet(string)");
  assert.equal(call?.isGuess, false);
  assert.deepEqual(
    call?.args.map(({ value }) => value),
    ["good morning"],
  );
  assert.deepEqual(decoder.nameOf(GREETER, greetData("x")), { name: "greet", guess: undefined });
  assert.deepEqual(decoder.nameOf(OUTSIDER, greetData("x")), { name: "greet", guess: "Greeter" });
});

test("a call of a contract without an ABI is shown by whichever has the selector, and says so", () => {
  const call = decoder.call(OUTSIDER, greetData("hello"));
  assert.equal(call?.isGuess, true);
  assert.equal(call?.contract.name, "Greeter");
  assert.equal(decoder.call(OUTSIDER, "0x01020304"), undefined);
});

test("precompiled contracts are shown by their own ABI and no other", () => {
  const consensus = KNOWN.find(({ name }) => name === "Consensus");
  assert.ok(consensus);
  const { data } = encodeFunction(consensus.abi, "addSealer", ["ab"], hash);
  assert.equal(decoder.call(consensus.address, data)?.signature, "addSealer(string)");
  assert.equal(decoder.call(consensus.address, greetData("x")), undefined);
});

test("an event is shown with its indexed and its plain values", () => {
  const item = ABI.find(({ type, name }) => type === "event" && name === "Greeted");
  assert.ok(item);
  const by = OUTSIDER.slice(2).padStart(64, "0");
  const words = [
    "40".padStart(64, "0"),
    "2".padStart(64, "0"),
    "1".padStart(64, "0"),
    "61".padEnd(64, "0"),
  ];
  const log = {
    address: GREETER as Hex,
    topics: [eventTopic(item, hash), `0x${by}`] as const,
    data: `0x${words.join("")}` as const,
  };
  const event = decoder.event(log);
  assert.equal(event?.signature, "Greeted(address,string,uint256)");
  assert.deepEqual(
    event?.args.map(({ name, value }) => [name, value]),
    [
      ["by", OUTSIDER],
      ["text", "a"],
      ["times", 2n],
    ],
  );
  assert.equal(decoder.event({ ...log, topics: [log.topics[0]] }), undefined);
});

test("an indexed text is shown as the hash that the log has of it", async () => {
  const abi: readonly JsonItem[] = [
    { type: "event", name: "Named", inputs: [{ name: "name", type: "string", indexed: true }] },
  ];
  const known = [{ address: GREETER, name: "Names", abi, isPrecompiled: false }];
  const [item] = abi;
  assert.ok(item);
  const topic = `0x${"77".repeat(32)}` as const;
  const one = await new Decoder(known, [hash]).learn(now);
  const topics = [eventTopic(item, hash), topic];
  const event = one.event({ address: GREETER as Hex, topics, data: "0x" });
  assert.deepEqual(
    event?.args.map(({ value, hash: shown }) => [value, shown]),
    [[undefined, topic]],
  );
});

test("on a chain of the national suite selectors of both hashes are understood", async () => {
  const both = await new Decoder(KNOWN, [NATIONAL, hash]).learn(now);
  for (const each of [NATIONAL, hash]) {
    const { data } = encodeFunction(ABI, "greet", ["x"], each);
    assert.equal(both.call(GREETER, data)?.signature, "greet(string)");
  }
});

test("a library with types that only its own code knows does not keep others from being read", async () => {
  const abi: readonly JsonItem[] = [
    { type: "function", name: "insert", inputs: [{ name: "self", type: "Sets.Set storage" }] },
    { type: "event", name: "Changed", inputs: [{ name: "kind", type: "Sets.Kind" }] },
    { type: "error", name: "Full", inputs: [{ name: "kind", type: "Sets.Kind" }] },
  ];
  const library = { address: OUTSIDER, name: "Sets", abi, isPrecompiled: false };
  const both = await new Decoder([library, ...KNOWN], [hash]).learn(now);
  assert.equal(both.call(GREETER, greetData("x"))?.signature, "greet(string)");
  assert.equal(both.reason(OUTSIDER, "0x01020304"), undefined);
});

test("why a call failed is reported: a text, or the contract's own error", () => {
  const reasons = encodeFunction(
    [{ type: "function", name: "Error", inputs: [{ name: "", type: "string" }] }],
    "Error",
    ["say something"],
    hash,
  );
  assert.equal(decoder.reason(OUTSIDER, reasons.data), "say something");
  const own = encodeFunction(
    [
      {
        type: "function",
        name: "TooLong",
        inputs: [
          { name: "length", type: "uint256" },
          { name: "most", type: "uint256" },
        ],
      },
    ],
    "TooLong",
    [101n, 100n],
    hash,
  );
  assert.equal(decoder.reason(GREETER, own.data), "TooLong(101, 100)");
  assert.equal(decoder.reason(OUTSIDER, own.data), undefined);
});

test("no bytes of anybody break the page", () => {
  const selectors = ABI.filter(({ type }) => type === "function").map(({ name = "" }) => name);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(...selectors, ""),
      (bytes, name) => {
        const rest = Buffer.from(bytes).toString("hex");
        const isGreet = name === "greet" ? greetData("").slice(0, 10) : "0x";
        const data = `${isGreet}${rest}` as Hex;
        decoder.call(GREETER, data);
        decoder.reason(GREETER, data);
        decoder.event({ address: GREETER as Hex, topics: [], data });
        const item = ABI.find((it) => it.type === "function" && it.name === name);
        if (item) decoder.result(item, data);
      },
    ),
  );
});
