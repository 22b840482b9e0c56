/** Who signs: the account of the file, or several that are derived from it. */
import { utf8Bytes } from "../../../../core/bytes/byte-string.ts";
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import { hexBytes } from "../../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../../core/crypto/suite.ts";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import type { Signer } from "../../../shared/benchmark/signing.ts";

function signerOf(key: Uint8Array, suite: CryptoSuite): Signer {
  try {
    return { key, address: suite.address(suite.publicKey(key)) };
  } catch (cause) {
    const what = "config.privateKey is zero or not below the order of the curve";
    throw new BenchmarkFault("usage", what, { cause });
  }
}

/**
 * The accounts of a key: the first is that of the key itself.
 * @param privateKey 64 digits
 * @throws BenchmarkFault `usage` when the key has no account
 */
export function signersOf(privateKey: string, count: number, suite: CryptoSuite): Signer[] {
  const key = hexBytes(privateKey);
  return Array.from({ length: count }, (_, index) =>
    signerOf(
      index === 0 ? key : suite.hash(concatBytes(key, utf8Bytes(`account ${index}`))),
      suite,
    ),
  );
}

/** @throws BenchmarkFault `usage` when the account of the file is not that of its key */
export function requireAccount(account: string | undefined, signer: Signer | undefined): void {
  if (account === undefined || signer === undefined || account === signer.address) return;
  const what = `config.account is ${account}, but config.privateKey is that of ${signer.address}`;
  throw new BenchmarkFault("usage", `${what}: leave account out, or give its key`);
}
