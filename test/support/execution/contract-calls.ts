/** Calls of system contracts by signature, as transactions of a test chain. */
import assert from "node:assert/strict";
import { decodeAbi } from "../../../core/abi/decode.ts";
import { type AbiValue, encodeCall } from "../../../core/abi/encode.ts";
import type { AbiType } from "../../../core/abi/type.ts";
import { utf8Text } from "../../../core/bytes/byte-string.ts";
import { addressOfNumber, toHex } from "../../../core/bytes/hex.ts";
import type { Address } from "../../../core/bytes/ids.ts";
import type { Receipt } from "../../../core/model/receipt.ts";
import { ALICE, type Sending, SUITE, type TestChain } from "./test-chain.ts";

const STRING = { kind: "string" } as const;

/** A system contract to call. */
export interface ContractCalls {
  readonly address: Address;
  /** A transaction for a block. */
  sending(signature: string, values: readonly AbiValue[], from?: Address): Sending;
  /** The receipt of a block of one transaction. */
  receipt(
    chain: TestChain,
    signature: string,
    values: readonly AbiValue[],
    from?: Address,
  ): Promise<Receipt>;
  /** The one number that a successful transaction returns. */
  code(
    chain: TestChain,
    signature: string,
    values: readonly AbiValue[],
    from?: Address,
  ): Promise<number>;
  /** The text that a successful transaction returns. */
  text(
    chain: TestChain,
    signature: string,
    values: readonly AbiValue[],
    from?: Address,
  ): Promise<string>;
}

/** Calls of the contract at a number. */
export function callsOf(number: number): ContractCalls {
  const address = addressOfNumber(number);
  const calls: ContractCalls = {
    address,
    sending: (signature, values, from = ALICE) => ({
      from,
      to: address,
      input: encodeCall(signature, values, SUITE.hash),
    }),
    receipt: (chain, ...call) => chain.send(calls.sending(...call)),
    async code(chain, ...call) {
      return int256(await calls.receipt(chain, ...call));
    },
    async text(chain, ...call) {
      const [text] = outputs([STRING], await calls.receipt(chain, ...call));
      return String(text);
    },
  };
  return calls;
}

/** The one number that a receipt returns. */
export function int256({ status, output }: Receipt): number {
  assert.equal(status, 0);
  assert.equal(output.length, 32);
  return Number(BigInt.asIntN(256, BigInt(`0x${toHex(output)}`)));
}

/** What a receipt returns. */
export function outputs(types: readonly AbiType[], { status, output }: Receipt): AbiValue[] {
  assert.equal(status, 0);
  const decoded = decodeAbi(types, output);
  assert.ok(decoded.ok);
  return decoded.values;
}

/** The text of `Error(string)` in a receipt of a failed call. */
export function errorText({ status, output }: Receipt): string {
  assert.equal(status, 21);
  if (output.length === 0) return "";
  const decoded = decodeAbi([STRING], output.subarray(4));
  assert.ok(decoded.ok);
  return utf8Text(Uint8Array.from(String(decoded.values[0]), (c) => c.charCodeAt(0)));
}
