/** The Ethereum precompiled contracts of a chain by address. Source: precompiles 17; execution 4 */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { addressOfNumber } from "../../../bytes/hex.ts";
import type { Address } from "../../../bytes/ids.ts";
import { type Version, version } from "../../../model/version.ts";
import { ecrecover, type Recover } from "./01-ecrecover.ts";
import { sha256 } from "./02-sha256.ts";
import { ripemd160 } from "./03-ripemd160.ts";
import { identity } from "./04-identity.ts";
import { modexp } from "./05-modexp.ts";
import { bn128Add } from "./06-bn128-add.ts";
import { bn128Mul } from "./07-bn128-mul.ts";
import { bn128Pairing } from "./08-bn128-pairing.ts";
import { blake2f } from "./09-blake2f.ts";
import type { EthereumPrecompile } from "./contract.ts";

/** What a chain's version and suite choose. */
export interface EthereumPrecompileOptions {
  readonly supportedVersion: Version;
  /** Hash of a recovered key: Keccak-256 from 2.5.0 on, the chain hash before. */
  readonly hashKey: (data: Uint8Array) => Uint8Array;
  /** secp256k1 recovery, low s; the default is noble's. */
  readonly recover?: Recover;
  /** What 0x02 computes; the default is SHA-256. */
  readonly digest?: (data: Uint8Array) => Uint8Array;
}

/** Contracts by address. */
export type EthereumPrecompiles = ReadonlyMap<Address, EthereumPrecompile>;

/** Contracts 1 to 4, and from 2.5.0 on 5 to 9. */
export function createEthereumPrecompiles(options: EthereumPrecompileOptions): EthereumPrecompiles {
  const always = [
    ecrecover(options.recover ?? recoverByNoble, options.hashKey),
    sha256(options.digest),
    ripemd160,
    identity,
  ];
  const later = [modexp, bn128Add, bn128Mul, bn128Pairing, blake2f];
  const all = options.supportedVersion >= version(2, 5, 0) ? [...always, ...later] : always;
  return new Map(all.map((contract, i) => [addressOfNumber(i + 1), contract]));
}

/** Recovery where the runtime brings none that is faster. */
function recoverByNoble(digest: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  try {
    const { r, s } = secp256k1.Signature.fromBytes(signature.subarray(0, 64), "compact");
    const signed = new secp256k1.Signature(r, s, signature[64]);
    return signed.recoverPublicKey(digest).toBytes(false).subarray(1);
  } catch {
    // The library throws for an r that is no point and for the point at infinity: nobody signed.
    return undefined;
  }
}
