/** Addresses of new contracts. Source: tx-block-codec 3 */
import { concatBytes } from "../bytes/bytes.ts";
import { addressOf, idBytes } from "../bytes/hex.ts";
import type { Address } from "../bytes/ids.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { invariant } from "../fault/invariant.ts";
import type { HashFunction } from "./merkle.ts";

/** Start of what is hashed for CREATE2, which no RLP list starts with at this length. */
const CREATE2_MARK = Uint8Array.of(0xff);

/**
 * Address of a contract made by a creation transaction or CREATE.
 *
 * @param nonce the creator's account nonce in the state before it is incremented
 * Source: tx-block-codec 3
 */
export function createAddress(
  creator: Address,
  nonce: bigint | number,
  hash: HashFunction,
): Address {
  return addressOf(hash(encodeRlp([idBytes(creator), nonce])).subarray(12));
}

/** Address of a contract made by CREATE2. Source: tx-block-codec 3 */
export function create2Address(
  { creator, salt, initCode }: { creator: Address; salt: Uint8Array; initCode: Uint8Array },
  hash: HashFunction,
): Address {
  invariant(salt.length === 32, "a salt has 32 bytes");
  const origin = concatBytes(CREATE2_MARK, idBytes(creator), salt, hash(initCode));
  return addressOf(hash(origin).subarray(12));
}
