/** Signs transactions for running chains: every one with a nonce of its own. */
import { randomBytes } from "node:crypto";
import { hexBytes, toPrefixedHex } from "../../core/bytes/hex.ts";
import type { Address, Hash } from "../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { signTransaction } from "../../core/model/transaction.ts";

/** What may be chosen of a transaction. */
export interface Call {
  /** Creates a contract when absent. */
  readonly to?: string;
  readonly input?: Uint8Array;
  /** The head of the chain, roughly. */
  readonly head: number;
  /** 1 when absent. */
  readonly groupId?: number;
}

/** A signed transaction. */
export interface SignedCall {
  readonly hash: Hash;
  /** `0x` and hexadecimal digits, as sendRawTransaction takes it. */
  readonly raw: string;
}

/** Blocks that a transaction stays valid. */
const VALID_BLOCKS = 500;
/** Init code of a contract without code. */
const NOTHING = Uint8Array.of(0x60, 0, 0x60, 0, 0xf3);

/** Init code that deploys a runtime code. */
export function deployment(runtime: Uint8Array): Uint8Array {
  const [high = 0, low = 0] = [runtime.length >> 8, runtime.length & 0xff];
  // PUSH2 length, DUP1, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 0, RETURN
  const head = [0x61, high, low, 0x80, 0x60, 12, 0x60, 0, 0x39, 0x60, 0, 0xf3];
  return Uint8Array.from([...head, ...runtime]);
}

/** Makes a signer with a key of its own. */
export function createSender(suite: CryptoSuite): (call: Call) => SignedCall {
  const key = randomBytes(32);
  return ({ to, input = NOTHING, head, groupId = 1 }) => {
    const fields = {
      nonce: BigInt(toPrefixedHex(randomBytes(16))),
      gasPrice: 1n,
      gas: 300_000_000n,
      blockLimit: BigInt(head + VALID_BLOCKS),
      to: (to ?? null) as Address | null,
      value: 0n,
      input,
      chainId: 1n,
      groupId: BigInt(groupId),
      extraData: hexBytes(""),
    };
    const { hash, raw } = signTransaction(fields, key, suite);
    return { hash, raw: toPrefixedHex(raw) };
  };
}
