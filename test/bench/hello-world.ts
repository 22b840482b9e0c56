/** The benchmark's contract: HelloWorld and its calls. */
import { hexBytes } from "../../core/bytes/hex.ts";
import type { SignedBytes, TransactionMaker } from "../../runtimes/shared/benchmark/signing.ts";
import { compileContract } from "../support/execution/solidity.ts";

/** Creation code of HelloWorld, hex without 0x. */
export function helloWorldBytecode(): string {
  const bytecode = compileContract("HelloWorld.sol", "solc04")["HelloWorld"]?.bytecode;
  if (!bytecode) throw new Error("HelloWorld.sol did not compile");
  return bytecode;
}

/** Selector of set(string) under Keccak-256. */
const SET_SELECTOR = "4ed3885e";

/** Call data of `set(text)`, hex without 0x. Shorter than 32 bytes, so that one slot changes. */
export function setCall(text: string): string {
  const hex = Buffer.from(text, "utf8").toString("hex");
  const word = (value: number) => value.toString(16).padStart(64, "0");
  return SET_SELECTOR + word(32) + word(hex.length / 2) + hex.padEnd(64, "0");
}

/** The text of transaction i: deterministic, all different. */
export function textOf(i: number): string {
  return `benchmark ${i.toString(36).padStart(6, "0")}`;
}

/** Further than the maker allows: what is signed at one time is sent over a minute. */
const MORE_BLOCKS = 400;

/** The call of transaction i, signed. */
export function signSet(
  maker: TransactionMaker,
  contract: string,
  i: number,
  height: number,
): SignedBytes {
  return maker.make(contract, hexBytes(setCall(textOf(i))), height + MORE_BLOCKS);
}
