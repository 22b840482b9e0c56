/** Interpreters with one fault each: what the comparison must find. */
import { join } from "node:path";
import type { createEvm } from "../../../../core/execution/evm/interpreter.ts";
import { loadMutant } from "../../../support/runner/mutant-module.ts";
import { ROOT } from "../../../support/runner/root.ts";

/** One fault: a text of one file and what stands there instead. */
export interface Mutant {
  readonly name: string;
  /** A file of core/execution/evm. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** The seed of the first program that shows it. */
  readonly shownBy: number;
}

const FOLDER = join("core", "execution", "evm");

/** Faults of every kind: arithmetic, prices, memory, calls, blocks, logs, identity. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: "SIGNEXTEND reads the wrong sign",
    file: "words.ts",
    find: "const shift = 24 - 8 * (byte & 3);",
    replace: "const shift = 16 - 8 * (byte & 3);",
    shownBy: 228,
  },
  {
    name: "SAR shifts in zeros",
    file: "dispatch.ts",
    find: "> 0x7fffffff ? 0xffffffff : 0",
    replace: "> 0x7fffffff ? 0 : 0",
    shownBy: 163,
  },
  {
    name: "SSTORE of a new slot is cheaper by one",
    file: "instructions.ts",
    find: "return spend(frame, gas, schedule.storeAdded);",
    replace: "return spend(frame, gas, schedule.storeAdded - 1);",
    shownBy: 1,
  },
  {
    name: "SSTORE has no sentry",
    file: "instructions.ts",
    find: "gas + ahead <= STORE_SENTRY",
    replace: "gas + ahead < 0",
    shownBy: 47,
  },
  {
    name: "a call that cannot be made keeps the return data",
    file: "calls.ts",
    find: "frame.returnData = EMPTY;\n  setSmall(words, resultAt, 0);",
    replace: "setSmall(words, resultAt, 0);",
    shownBy: 202,
  },
  {
    name: "memory costs nothing beyond 64 words",
    file: "frame.ts",
    find: "memoryGas(words) - memoryGas(memory.size / 32)",
    replace: "Math.min(words, 64) * 3 - Math.min(memory.size / 32, 64) * 3",
    shownBy: 14,
  },
  {
    name: "memory of an earlier frame shows through",
    file: "memory.ts",
    find: "else memory.bytes.fill(0, memory.size, size);",
    replace: "",
    shownBy: 10,
  },
  {
    name: "a call may take everything",
    file: "calls.ts",
    find: "return gas - Math.floor(gas / 64);",
    replace: "return gas;",
    shownBy: 10,
  },
  {
    name: "DELEGATECALL changes the sender",
    file: "calls.ts",
    find: "sender: isDelegate ? message.sender : message.recipient,",
    replace: "sender: message.recipient,",
    shownBy: 18,
  },
  {
    name: "a static call may change state two levels down",
    file: "calls.ts",
    find: 'isStatic: message.isStatic || kind === "staticcall",',
    replace: 'isStatic: kind === "staticcall",',
    shownBy: 128,
  },
  {
    name: "CALLCODE writes the slots of the callee",
    file: "calls.ts",
    find: 'recipient: kind === "call" || kind === "staticcall" ? target',
    replace: 'recipient: kind !== "delegatecall" ? target',
    shownBy: 47,
  },
  {
    name: "a jump lands in the data of a PUSH",
    file: "analysis.ts",
    find: "at += KINDS[opcode] === KIND.push ? opcode - OP.push1 + 2 : 1;",
    replace: "at += 1;",
    shownBy: 32,
  },
  {
    name: "the stack may be one higher",
    file: "analysis.ts",
    find: "(MAX_STACK - builder.growth - 1) * LIMBS",
    replace: "(MAX_STACK - builder.growth) * LIMBS",
    shownBy: 138,
  },
  {
    name: "the cache of addresses compares four limbs of five",
    file: "address-cache.ts",
    find: "for (let i = 0; i < LIMBS; i++) if (limbs",
    replace: "for (let i = 0; i < LIMBS - 1; i++) if (limbs",
    shownBy: 10,
  },
  {
    name: "GAS forgets what lies ahead in its block",
    file: "dispatch.ts",
    find: "setNumber(w, sp, gas + argument);",
    replace: "setNumber(w, sp, gas);",
    shownBy: 121,
  },
  {
    name: "EXP is charged for one byte too few",
    file: "dispatch.ts",
    find: "EXP_GAS_PER_BYTE * byteLength(w, sp - 8)",
    replace: "EXP_GAS_PER_BYTE * Math.max(0, byteLength(w, sp - 8) - 1)",
    shownBy: 5,
  },
  {
    name: "logs lose their last topic",
    file: "instructions.ts",
    find: "for (let i = 0; i < topicCount; i++) topics",
    replace: "for (let i = 0; i < Math.min(3, topicCount); i++) topics",
    shownBy: 51,
  },
];

/** The interpreter with that fault. */
export async function createMutant({ file, ...fault }: Mutant): Promise<typeof createEvm> {
  const entry = join(ROOT, FOLDER, "interpreter.ts");
  const module = await loadMutant<{ readonly createEvm: typeof createEvm }>(entry, {
    ...fault,
    file: join(FOLDER, file),
  });
  return module.createEvm;
}
