/** Trees of calls as small contracts: what each frame does is written down, and how it ends. */
import fc from "fast-check";
import type { AbiValue } from "../../../core/abi/encode.ts";
import { encodeCall } from "../../../core/abi/encode.ts";
import { addressOfNumber } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import { STANDARD_SUITE } from "../suites.ts";
import { assemble, push } from "./assembler.ts";

/** How a frame ends. */
export type Ending =
  | "stop"
  | "return"
  | "revert"
  | "invalid"
  | "bad jump"
  | "underflow"
  | "out of gas"
  | "destroy";

/** Something that a frame does. */
export type Step =
  | { readonly does: "store"; readonly slot: number; readonly value: number }
  | { readonly does: "log"; readonly topic: number }
  | { readonly does: "call"; readonly kind: string; readonly child: Tree }
  | { readonly does: "create"; readonly salt: number | undefined; readonly child: Tree }
  | { readonly does: "system"; readonly call: number };

/** A frame. */
export interface Tree {
  readonly steps: readonly Step[];
  readonly ending: Ending;
}

const { hash } = STANDARD_SUITE;
const NOBODY = addressOfNumber(0xd00d);

/** Calls of system contracts: such that change rows, such that answer codes, such that throw. */
const SYSTEM_CALLS: readonly { readonly to: number; readonly input: Uint8Array }[] = (
  [
    [0x1000, "setValueByKey(string,string)", ["tx_count_limit", "77"]],
    [0x1000, "setValueByKey(string,string)", ["tx_count_limit", "none"]],
    [0x1001, "createTable(string,string,string)", ["made", "k", "a,b"]],
    [0x1001, "createTable(string,string,string)", ["base", "k", "a,b"]],
    [0x1001, "createTable(string,string,string)", ["x".repeat(70), "k", "a"]],
    [0x1001, "openTable(string)", ["base"]],
    [0x1002, "insert(string,string,string,string)", ["base", "one", '{"a":"9","b":"8"}', ""]],
    [0x1002, "insert(string,string,string,string)", ["base", "one", '{"nothing":"9"}', ""]],
    [0x1002, "update(string,string,string,string,string)", ["base", "one", '{"a":"5"}', "[]", ""]],
    [0x1002, "remove(string,string,string,string)", ["base", "one", "[]", ""]],
    [0x1004, "insert(string,string,string,string)", ["name", "1.0", NOBODY.slice(2), "[]"]],
    [0x1005, "insert(string,string)", ["base", NOBODY]],
    [0x1005, "remove(string,string)", ["base", NOBODY]],
    [
      0x1006,
      "registerParallelFunctionInternal(address,string,uint256)",
      [NOBODY, "f(uint256)", 1n],
    ],
    [0x1007, "freeze(address)", [addressOfNumber(0xd000)]],
    [0x1010, "createTable(string,string,string)", ["pairs", "k", "v"]],
    [0x1010, "openTable(string)", ["absent"]],
    [0x5002, "userSave(string,uint256)", ["ann", 5n]],
    [0x5002, "userSave(string,uint256)", ["new", 7n]],
    [0x5002, "userTransfer(string,string,uint256)", ["ann", "ben", 3n]],
    [0x5002, "userDraw(string,uint256)", ["ann", 1_000_000n]],
  ] as readonly (readonly [number, string, readonly AbiValue[]])[]
).map(([to, signature, values]) => ({ to, input: encodeCall(signature, values, hash) }));

const CALL_KINDS = ["call", "call", "delegatecall", "callcode", "staticcall"];
const ENDINGS: readonly Ending[] = [
  "stop",
  "stop",
  "return",
  "return",
  "revert",
  "invalid",
  "bad jump",
  "underflow",
  "out of gas",
  "destroy",
];

const leafStep = fc.oneof(
  fc.record({
    does: fc.constant("store" as const),
    slot: fc.nat({ max: 4 }),
    value: fc.nat({ max: 2 }),
  }),
  fc.record({ does: fc.constant("log" as const), topic: fc.nat({ max: 9 }) }),
  fc.record({ does: fc.constant("system" as const), call: fc.nat(SYSTEM_CALLS.length - 1) }),
);

/** Random trees of at most that many levels; the root itself ends well, so that steps are taken. */
export function callTrees(depth: number): fc.Arbitrary<Tree> {
  return tree(depth).map(({ steps }) => ({ steps, ending: "return" }));
}

function tree(depth: number): fc.Arbitrary<Tree> {
  const child = depth > 1 ? tree(depth - 1) : undefined;
  const step: fc.Arbitrary<Step> =
    child === undefined
      ? leafStep
      : fc.oneof(
          { weight: 4, arbitrary: leafStep },
          {
            weight: 3,
            arbitrary: fc.record({
              does: fc.constant("call" as const),
              kind: fc.constantFrom(...CALL_KINDS),
              child,
            }),
          },
          {
            weight: 1,
            arbitrary: fc.record({
              does: fc.constant("create" as const),
              salt: fc.option(fc.nat({ max: 1 }), { nil: undefined }),
              child,
            }),
          },
        );
  return fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    ending: fc.constantFrom(...ENDINGS),
  });
}

/** A tree as contracts. */
export interface Compiled {
  readonly codes: ReadonlyMap<Address, Uint8Array>;
  readonly root: Address;
  /** The root as init code. */
  readonly init: Uint8Array;
}

/** Addresses of the contracts of a tree; each frame that is called has its own. */
const FIRST_CONTRACT = 0xd000;

/** Compiles a tree: one contract per call. */
export function compileTree(root: Tree): Compiled {
  const codes = new Map<Address, Uint8Array>();
  const place = (node: Tree): Address => {
    const address = addressOfNumber(FIRST_CONTRACT + codes.size);
    codes.set(address, new Uint8Array(0));
    codes.set(address, code(node));
    return address;
  };
  const code = (node: Tree): Uint8Array =>
    assemble([...node.steps.map((step) => stepText(step, { place, code })), end(node)].join(" "));
  const address = place(root);
  return { codes, root: address, init: codes.get(address) ?? new Uint8Array(0) };
}

interface Compiler {
  place(node: Tree): Address;
  code(node: Tree): Uint8Array;
}

function stepText(step: Step, compiler: Compiler): string {
  switch (step.does) {
    case "store":
      return `${step.value} ${step.slot} sstore`;
    case "log":
      return `${step.topic} 32 0 log1`;
    case "call": {
      const value = step.kind === "call" || step.kind === "callcode" ? "0" : "";
      return `0 0 0 0 ${value} ${compiler.place(step.child)} gas ${step.kind} pop`;
    }
    case "create": {
      const init = compiler.code(step.child);
      const salt = step.salt === undefined ? "" : `${step.salt}`;
      const name = step.salt === undefined ? "create" : "create2";
      return `${inMemory(init)} ${salt} ${init.length} 0 0 ${name} pop`;
    }
    case "system": {
      const { to, input } = SYSTEM_CALLS[step.call] ?? { to: 0, input: new Uint8Array(0) };
      // What it answers is seen in a log.
      return `${inMemory(input)} 32 0 ${input.length} 0 0 ${to} gas call pop 32 0 log0`;
    }
  }
}

/** Writes bytes to memory from 0 on. */
function inMemory(bytes: Uint8Array): string {
  const words: string[] = [];
  for (let at = 0; at < bytes.length; at += 32) {
    const word = new Uint8Array(32);
    word.set(bytes.subarray(at, at + 32));
    const text = Buffer.from(push(BigInt(`0x${Buffer.from(word).toString("hex")}`), 32));
    words.push(`hex"${text.toString("hex")}" ${at} mstore`);
  }
  return words.join(" ");
}

function end({ ending }: Tree): string {
  switch (ending) {
    case "stop":
      return "stop";
    case "return":
      return "1 0 mstore8 3 0 return";
    case "revert":
      return "32 0 revert";
    case "invalid":
      return "invalid";
    case "bad jump":
      return "1 jump";
    case "underflow":
      return "pop";
    case "out of gas":
      return "0xffffff00 mload";
    case "destroy":
      return "0 selfdestruct";
  }
}
