/** Accounts that sign transactions. */
import { fromHex, toPrefixedHex } from "../bytes/hex.ts";
import type { CryptoSuite, SuiteName } from "../crypto/suite.ts";
import { UsageFault } from "./client-fault.ts";
import type { Hex } from "./rpc-objects.ts";

/**
 * A signer. One whose key is elsewhere, in a device or a service, is an object of the same shape.
 */
export interface Account {
  readonly address: Hex;
  /** Which kind of chain it is for. */
  readonly suite: SuiteName;
  /**
   * The serialised signature of a 32-byte digest: r, s and recovery id (65 bytes), or on a chain of
   * the national suite r, s and public key (128 bytes). Source: tx-block-codec 1
   */
  sign(digest: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

const KEY_BYTES = 32;

/**
 * The account of a private key.
 *
 * @param privateKey 32 bytes, or 64 hexadecimal digits with or without `0x`
 * @throws UsageFault when it is no key of the curve
 */
export function accountOf(privateKey: string | Uint8Array, suite: CryptoSuite): Account {
  const key = typeof privateKey === "string" ? fromHex(privateKey) : privateKey.slice();
  if (key?.length !== KEY_BYTES) throw new UsageFault("a private key has 32 bytes");
  return {
    address: addressOfKey(key, suite),
    suite: suite.name,
    sign: (digest) => suite.sign(digest, key),
  };
}

function addressOfKey(key: Uint8Array, suite: CryptoSuite): Hex {
  try {
    return suite.address(suite.publicKey(key)) as string as Hex;
  } catch (cause) {
    throw new UsageFault("the private key is zero or not below the order of the curve", { cause });
  }
}

/** `0x` and digits as the type that the client speaks. */
export function hexOf(bytes: Uint8Array): Hex {
  return toPrefixedHex(bytes) as Hex;
}
