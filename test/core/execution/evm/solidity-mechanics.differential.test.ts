/** What the Solidity compiler makes of the language, against plain arithmetic. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeAll, test } from "vitest";
import type { AbiValue } from "../../../../core/abi/encode.ts";
import { encodeAbi } from "../../../../core/abi/encode.ts";
import { parseAbiTypes } from "../../../../core/abi/type.ts";
import type { Address } from "../../../../core/bytes/ids.ts";
import { bytes, hex } from "../../../support/execution/evm-host.ts";
import { type CompiledContract, compileContract } from "../../../support/execution/solidity.ts";
import {
  ANN,
  BEN,
  callData,
  EVE,
  hashOf,
  TwinChain,
  word,
} from "../../../support/execution/twin-chain.ts";

// Every transaction runs on the oracle too, with the same gas, logs, slots and accounts.

/** Compilers are slow when a machine is busy. */
const COMPILE_MS = 300_000;

let contracts: Record<string, CompiledContract>;
beforeAll(() => {
  contracts = {
    ...compileContract("Mechanics.sol", "solc08"),
    ...compileContract("Factory.sol", "solc08"),
    ...compileContract("Old.sol", "solc04"),
  };
}, COMPILE_MS);

const MAX = (1n << 256n) - 1n;

function code(name: string): string {
  const contract = contracts[name];
  assert.ok(contract, name);
  return contract.bytecode;
}

function encode(types: readonly string[], values: readonly AbiValue[]): Uint8Array {
  const parsed = parseAbiTypes(types);
  assert.ok(parsed);
  return encodeAbi(parsed, values);
}

test("a proxy keeps the state and lends the code", async () => {
  const chain = await TwinChain.open();
  const logic = await chain.create(code("CounterLogic"));
  const proxy = await chain.create(code("Proxy"), ["address"], [logic]);
  const { logs } = await chain.send(proxy, ["add(uint256)", 40n], BEN);
  const counted = hashOf("Counted(address,uint256)");
  assert.deepEqual(logs, [`${proxy} [${counted},${word(BEN)}] ${word(40n)}`]);
  assert.deepEqual(await chain.get(proxy, ["add(uint256)", 2n], ["uint256"]), [42n]);
  assert.equal(await chain.reason(proxy, ["add(uint256)", 100n]), "too much");
  assert.deepEqual(await chain.get(logic, ["count()"], ["uint256"]), [0n]);
  const next = await chain.create(code("CounterLogic"));
  await chain.send(proxy, ["upgrade(address)", next]);
  assert.deepEqual(await chain.get(proxy, ["count()"], ["uint256"]), [42n]);
});

test("texts change their layout at 32 bytes and keep their content", async () => {
  const chain = await TwinChain.open();
  const texts = await chain.create(code("Texts"));
  let text = "";
  for (const [how, part] of [
    ["set", "thirty-one bytes fit in one slot"],
    ["set", "x".repeat(31)],
    ["append", "y"],
    ["append", "z".repeat(70)],
    ["set", "short"],
    ["append", ""],
  ] as const) {
    text = how === "set" ? part : text + part;
    await chain.send(texts, [`${how}(string)`, part]);
    assert.deepEqual(await chain.get(texts, ["text()"], ["string"]), [text]);
  }
  assert.deepEqual(
    await chain.get(texts, ["push(bytes1,uint256)", bytes("ab"), 40n], ["uint256"]),
    [40n],
  );
  const [left] = await chain.get(texts, ["pop(uint256)", 10n], ["bytes"]);
  assert.deepEqual(left, bytes("ab".repeat(30)));
  assert.equal(await chain.reason(texts, ["pop(uint256)", 31n]), "panic 49");
  const data = Uint8Array.from({ length: 100 }, (_, i) => i);
  const slice = (from: bigint, to: bigint) =>
    ["slice(bytes,uint256,uint256)", data, from, to] as const;
  assert.deepEqual(await chain.get(texts, slice(33n, 71n), ["bytes"]), [data.slice(33, 71)]);
  assert.equal(await chain.reason(texts, slice(2n, 1n)), "");
  const digests = await chain.get(
    texts,
    ["digest(string,string)", "ab", "c"],
    ["bytes32", "bytes32"],
  );
  const sha = createHash("sha256").update("ab").digest();
  assert.deepEqual(digests, [bytes(hashOf("abc")), new Uint8Array(sha)]);
  const word = "Was it a car or a cat I saw, he asked, and nobody knew.";
  const reversed = [...word].reverse().join("");
  assert.deepEqual(await chain.get(texts, ["reverse(string)", word], ["string"]), [reversed]);
});

test("a registry of structs forgets what it deletes", async () => {
  const chain = await TwinChain.open();
  const registry = await chain.create(code("Registry"));
  const key = (n: number): Uint8Array => new Uint8Array(32).fill(n);
  const put = "put(bytes32,uint128,string,uint32[])";
  const item = ["(uint128,uint64,bool,string,uint32[])"];
  const long = "a title that does not fit into one word of thirty-two bytes";
  await chain.send(registry, [put, key(1), 5n, long, [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n]]);
  await chain.send(registry, [put, key(2), 6n, "two", []]);
  await chain.send(registry, [put, key(3), 7n, "three", [1n]]);
  await chain.send(registry, [put, key(1), (1n << 128n) - 1n, "one", [0xffffffffn, 1n]]);
  const [first] = await chain.get(registry, ["get(bytes32)", key(1)], item);
  assert.deepEqual(first, [(1n << 128n) - 1n, 2n, true, "one", [0xffffffffn, 1n]]);
  assert.deepEqual(await chain.get(registry, ["remove(bytes32)", key(1)], ["uint256"]), [2n]);
  assert.equal(await chain.reason(registry, ["remove(bytes32)", key(1)]), "absent");
  assert.deepEqual(await chain.get(registry, ["keys(uint256)", 0n], ["bytes32"]), [key(3)]);
  assert.deepEqual(await chain.get(registry, ["get(bytes32)", key(1)], item), [
    [0n, 0n, false, "", []],
  ]);
  const grid = [
    [1n, 2n, 3n],
    [40n, 50n, 60n],
  ];
  assert.deepEqual(await chain.get(registry, ["sum(uint128[3][])", grid], ["uint256"]), [156n]);
});

test("a box scales through its whole line of ancestors", async () => {
  const chain = await TwinChain.open();
  const box = await chain.create(code("Box"), ["uint256", "uint256"], [3n, 5n]);
  assert.deepEqual(await chain.get(box, ["area()"], ["uint256"]), [15n]);
  assert.deepEqual(await chain.get(box, ["name()"], ["string"]), ["box, a shape"]);
  await chain.send(box, ["scale(uint256)", 4n]);
  assert.deepEqual(await chain.get(box, ["area()"], ["uint256"]), [240n]);
  assert.deepEqual(await chain.get(box, ["edits()"], ["uint256"]), [1n]);
  const colour = BigInt(0xff8800) / 4n;
  assert.deepEqual(await chain.get(box, ["colour()"], ["uint24"]), [colour]);
  assert.equal(await chain.reason(box, ["scale(uint256)", 0n]), "panic 18");
});

test("events carry values, hashes of texts, and no name when they are anonymous", async () => {
  const chain = await TwinChain.open();
  const herald = await chain.create(code("Herald"));
  const { logs } = await chain.send(herald, ["cry(uint8,string,int16)", 200n, "hear", -3n]);
  const text = `${word(4n)}${hex(new TextEncoder().encode("hear")).padEnd(64, "0")}`;
  const topic = hashOf("hear");
  assert.deepEqual(logs, [
    `${herald} [${hashOf("Plain(uint8,string)")}] ${word(200n)}${word(64n)}${text}`,
    `${herald} [${hashOf("Marked(uint256,string,bytes32,int16)")},${word(200n)},${topic},${topic}]` +
      ` ${word(-3n)}`,
    `${herald} [${word(ANN)}] `,
  ]);
});

test("every way to fail has its reason, and can be caught", async () => {
  const chain = await TwinChain.open();
  const judge = await chain.create(code("Judge"));
  const long = "a reason of more than thirty-two bytes, for the second word";
  const verdict = (who: Address): string =>
    hex(callData(["Verdict(address,uint256[],string)", who, [0n, 7n], "guilty"]));
  const panics = [1n, 18n, 50n, 49n, 65n];
  for (const [kind, panic] of panics.entries()) {
    assert.equal(await chain.reason(judge, ["judge(uint256)", BigInt(kind + 2)]), `panic ${panic}`);
  }
  assert.equal(await chain.reason(judge, ["judge(uint256)", 0n]), "");
  assert.equal(await chain.reason(judge, ["judge(uint256)", 1n]), long);
  assert.equal(await chain.reason(judge, ["judge(uint256)", 7n], EVE), verdict(EVE));
  assert.equal(await chain.reason(judge, ["judge(uint256)", 8n]), "");
  const attempt = async (kind: bigint): Promise<[unknown, string]> => {
    const [how, what] = await chain.get(judge, ["attempt(uint256)", kind], ["uint8", "bytes"]);
    assert.ok(what instanceof Uint8Array);
    return [how, hex(what)];
  };
  assert.deepEqual(await attempt(1n), [1n, hex(new TextEncoder().encode(long))]);
  assert.deepEqual(await attempt(3n), [2n, word(18n)]);
  assert.deepEqual(await attempt(7n), [3n, verdict(judge)]);
  assert.deepEqual(await attempt(8n), [3n, ""]);
  // Nothing above has counted a case.
  assert.deepEqual(await attempt(9n), [0n, word(1n)]);
  assert.deepEqual(await chain.get(judge, ["cases()"], ["uint256"]), [1n]);
});

test("nested structs pass the coder both ways, and what is cut short is refused", async () => {
  const chain = await TwinChain.open();
  const codec = await chain.create(code("Codec"));
  const type = "(string,(bytes4,int64)[],uint16[2][])";
  const node = (sign: bigint) => [
    "label",
    [
      [bytes("01020304"), sign * 9n],
      [bytes("aabbccdd"), sign * -((1n << 63n) - 1n)],
    ],
    [
      [1n, 0xffffn],
      [2n, 3n],
    ],
  ];
  const turn = `turn(${type},bool)`;
  for (const deep of [false, true]) {
    const back = node(deep ? -1n : 1n);
    const seen = await chain.get(codec, [turn, node(1n), deep], [type, "bytes32"]);
    assert.deepEqual(seen, [back, bytes(hashOf(encode([type], [back])))]);
  }
  const whole = callData([turn, node(1n), true]);
  assert.equal((await chain.send(codec, whole.slice(0, -32))).status, 22);
  const smallest = ["", [[bytes("00000000"), -(1n << 63n)]], []];
  assert.equal(await chain.reason(codec, [turn, smallest, true]), "panic 17");
  const data = encode(["uint256", "string", "address"], [7n, "seven", BEN]);
  const [swapped] = await chain.get(codec, ["swap(bytes)", data], ["bytes"]);
  assert.deepEqual(swapped, encode(["address", "string", "uint256"], [BEN, "seven", 7n]));
  const dirty = data.slice();
  dirty[64] = 1;
  assert.equal((await chain.send(codec, ["swap(bytes)", dirty])).status, 22);
});

test("numbers overflow, wrap and divide as their widths say", async () => {
  const chain = await TwinChain.open();
  const numbers = await chain.create(code("Numbers"));
  const three = ["uint8", "uint8", "uint8"];
  const wrap = (value: bigint): bigint => BigInt.asUintN(8, value);
  for (const [a, b] of [
    [13n, 11n],
    [200n, 56n],
    [5n, 6n],
    [255n, 255n],
    [16n, 16n],
  ] as const) {
    const results = [a + b, a - b, a * b];
    const wrapped = await chain.get(numbers, ["wrapping(uint8,uint8)", a, b], three);
    assert.deepEqual(wrapped, results.map(wrap));
    const checked = ["checked(uint8,uint8)", a, b] as const;
    if (results.every((value) => value === wrap(value)))
      assert.deepEqual(await chain.get(numbers, checked, three), results);
    else assert.equal(await chain.reason(numbers, checked), "panic 17");
  }
  const least = -(1n << 127n);
  const four = ["int128", "int128", "int128", "int128"];
  const signed = (a: bigint, b: bigint) => ["signed(int128,int128)", a, b] as const;
  for (const [a, b] of [
    [-17n, 5n],
    [17n, -5n],
    [least + 1n, 3n],
  ] as const) {
    assert.deepEqual(await chain.get(numbers, signed(a, b), four), [a / b, a % b, a >> 3n, -a]);
  }
  assert.equal(await chain.reason(numbers, signed(least, -1n)), "panic 17");
  assert.equal(await chain.reason(numbers, signed(1n, 0n)), "panic 18");
});

test("powers, remainders, narrowing and shifts are those of the width", async () => {
  const chain = await TwinChain.open();
  const numbers = await chain.create(code("Numbers"));
  const power = (a: bigint, b: bigint) => ["power(uint256,uint256)", a, b] as const;
  for (const [a, b] of [
    [3n, 161n],
    [2n, 255n],
    [0n, 0n],
    [MAX, 1n],
  ] as const) {
    assert.deepEqual(await chain.get(numbers, power(a, b), ["uint256"]), [a ** b]);
  }
  for (const [a, b] of [
    [3n, 162n],
    [2n, 256n],
    [MAX, 2n],
  ] as const) {
    assert.equal(await chain.reason(numbers, power(a, b)), "panic 17");
  }
  const m = MAX - 188n;
  assert.deepEqual(
    await chain.get(
      numbers,
      ["modular(uint256,uint256,uint256)", MAX, MAX - 1n, m],
      ["uint256", "uint256"],
    ),
    [(MAX + MAX - 1n) % m, (MAX * (MAX - 1n)) % m],
  );
  const big = 0xfedcba9876543210_0123456789abcdef_fedcba9876543210_01234567_89abcdefn;
  assert.deepEqual(
    await chain.get(numbers, ["narrow(uint256)", big], ["uint8", "int8", "bytes4", "address"]),
    [
      big & 255n,
      BigInt.asIntN(8, big),
      bytes("fedcba98"),
      `0x${(big & ((1n << 160n) - 1n)).toString(16).padStart(40, "0")}`,
    ],
  );
  const shifted = await chain.get(
    numbers,
    ["bits(uint256,uint8)", big, 37n],
    ["uint256", "uint256", "uint256"],
  );
  assert.deepEqual(shifted, [(big << 37n) & MAX, big >> 37n, MAX ^ big]);
});

test("assembly loops, hashes, stores and logs", async () => {
  const chain = await TwinChain.open();
  const machine = await chain.create(code("Machine"));
  for (const root of [0n, 1n, 2n, 999_999n, (1n << 127n) - 5n]) {
    for (const square of [root * root, root * root + root]) {
      assert.deepEqual(await chain.get(machine, ["root(uint256)", square], ["uint256"]), [root]);
    }
  }
  for (const x of [0n, 1n, MAX, 0xf0f0n << 200n]) {
    const ones = BigInt([...x.toString(2)].filter((bit) => bit === "1").length);
    assert.deepEqual(await chain.get(machine, ["count(uint256)", x], ["uint256"]), [ones]);
  }
  const slots = "slots(uint256,uint256)";
  const { logs } = await chain.send(machine, [slots, 1n << 250n, 77n]);
  assert.deepEqual(logs, [`${machine} [${word(1n << 250n)},${word(77n)}] ${word(77n)}`]);
  const [before] = await chain.get(machine, [slots, 1n << 250n, 0n], ["uint256", "uint256"]);
  assert.equal(before, 77n);
  const signed = 0xfffff1n;
  for (const [x, expected] of [
    [0x1fen, 0xfen],
    [signed - (signed % 3n) + 1n, undefined],
    [MAX - 1n, undefined],
  ] as const) {
    const kind = x % 3n;
    const extended = BigInt.asUintN(256, BigInt.asIntN(8, x));
    const shifted = BigInt.asUintN(256, BigInt.asIntN(256, x) >> 4n);
    const wanted = expected ?? (kind === 0n ? x & 255n : kind === 1n ? extended : shifted);
    assert.deepEqual(await chain.get(machine, ["pick(uint256)", x], ["uint256"]), [wanted]);
  }
});

test("calls without a function come in by other entry points", async () => {
  const chain = await TwinChain.open();
  const entryPoints = await chain.create(code("Doors"));
  assert.equal((await chain.send(entryPoints, bytes(""))).status, 0);
  const data = bytes("deadbeef0102");
  const { output, logs } = await chain.send(entryPoints, data);
  assert.equal(hex(output), word(1_001n) + hex(data));
  const came = hashOf("Came(bytes4,uint256)");
  assert.deepEqual(logs, [`${entryPoints} [${came}] ${"deadbeef".padEnd(64, "0")}${word(6n)}`]);
  assert.equal(hex((await chain.send(entryPoints, bytes("7f"))).output), `${word(1_002n)}7f`);
  assert.deepEqual(await chain.get(entryPoints, ["visits()"], ["uint256"]), [1_002n]);
});

test("recursion within a contract and through messages comes back", async () => {
  const chain = await TwinChain.open();
  const tower = await chain.create(code("Tower"));
  assert.deepEqual(await chain.get(tower, ["fib(uint256)", 15n], ["uint256"]), [610n]);
  assert.deepEqual(await chain.get(tower, ["climb(uint256)", 90n], ["uint256"]), [91n]);
  assert.deepEqual(await chain.get(tower, ["deepest()"], ["uint256"]), [90n]);
});

test("a linked library sorts in the storage of its user", async () => {
  const chain = await TwinChain.open();
  const library = await chain.create(code("Heap"));
  const linked = code("Sorter").replaceAll(/__\$[0-9a-f]{34}\$__/g, library.slice(2));
  assert.notEqual(linked, code("Sorter"));
  const sorter = await chain.create(linked);
  const values = [9n, 3n, 77n, 3n, MAX, 0n, 15n];
  await chain.send(sorter, ["add(uint256[])", values]);
  const sorted = values.toSorted((a, b) => (a < b ? -1 : 1));
  for (const value of sorted)
    assert.deepEqual(await chain.get(sorter, ["take()"], ["uint256"]), [value]);
  assert.equal(await chain.reason(sorter, ["take()"]), "empty heap");
});

test("a factory creates where everybody expects it, and once", async () => {
  const chain = await TwinChain.open();
  const factory = await chain.create(code("Factory"));
  const salt = new Uint8Array(32).fill(5);
  const create = (value: bigint) => ["create(bytes32,uint256)", salt, value] as const;
  const init = code("Child") + word(12n);
  const text = Buffer.from(`ff${factory.slice(2)}${hex(salt)}${hexHash(init)}`, "hex");
  const expected = `0x${hexHash(text.toString("hex")).slice(24)}`;
  assert.deepEqual(await chain.get(factory, create(12n), ["address"]), [expected]);
  assert.equal((await chain.send(factory, create(12n))).status, 22);
  const [plain] = await chain.get(factory, ["createPlain(uint256)", 30n], ["address"]);
  const sum = ["sum(address,address)", expected as Address, plain as Address] as const;
  assert.deepEqual(await chain.get(factory, sum, ["uint256"]), [42n]);
  const tooLarge = hex(callData(["TooLarge(uint256,uint256)", 1_001n, 1_000n]));
  assert.equal(await chain.reason(factory, create(1_001n)), tooLarge);
  assert.equal(await chain.reason(factory, ["aboveMost(uint256)", 1n]), "panic 17");
});

test("a contract of the old compiler wraps, throws and answers with a flag", async () => {
  const chain = await TwinChain.open();
  const old = await chain.create(code("Old"));
  const other = await chain.create(code("Old"), [], [], BEN);
  assert.equal((await chain.send(old, ["send(address,uint256)", BEN, 11n])).status, 0);
  const balance = ["balances(address)", ANN] as const;
  assert.deepEqual(await chain.get(old, balance, ["uint256"]), [MAX]);
  assert.deepEqual(await chain.get(old, ["grow(uint8)", 10n], ["uint8"]), [4n]);
  assert.deepEqual(await chain.get(old, ["strict(uint256,uint256)", 5n, 7n], ["uint256"]), [12n]);
  assert.equal((await chain.send(old, ["strict(uint256,uint256)", MAX, 7n])).status, 22);
  // An assertion of that time is an undefined instruction.
  assert.equal((await chain.send(old, ["strict(uint256,uint256)", 6n, 7n])).status, 10);
  const relay = async (to: Address, signature: string): Promise<unknown> => {
    const id = callData([signature, 9n]).slice(0, 4);
    const call = ["relay(address,bytes4,uint256)", to, id, 9n] as const;
    return (await chain.get(old, call, ["bool"]))[0];
  };
  assert.equal(await relay(other, "grow(uint8)"), true);
  assert.deepEqual(await chain.get(other, ["small()"], ["uint8"]), [3n]);
  assert.equal(await relay(other, "nothing(uint256)"), false);
  assert.equal((await chain.send(other, ["leave()"])).status, 0);
  const gone = await chain.send(other, ["small()"]);
  assert.deepEqual([gone.status, gone.output.length], [0, 0]);
});

/** The chain hash of bytes in hexadecimal digits. */
function hexHash(digits: string): string {
  return hashOf(bytes(digits));
}
