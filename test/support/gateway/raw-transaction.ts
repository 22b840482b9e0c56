/** A signed transaction as clients hand it in. */
import { toPrefixedHex } from "../../../core/bytes/hex.ts";
import { utf8Bytes } from "../../../core/bytes/byte-string.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { signTransaction } from "../../../core/model/transaction.ts";

/** Its text and its hash. */
export function decodedTransaction(suite: CryptoSuite, nonce = 7n): { raw: string; hash: string } {
  const fields = {
    nonce,
    gasPrice: 1n,
    gas: 300_000n,
    blockLimit: 500n,
    to: null,
    value: 0n,
    input: utf8Bytes("code"),
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
  };
  const { raw, hash } = signTransaction(fields, suite.hash(utf8Bytes("sender")), suite);
  return { raw: toPrefixedHex(raw), hash };
}
