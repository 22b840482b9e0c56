/** The Ethereum precompiled contracts of a chain by address. Source: precompiles 17; execution 4 */
import { addressOfNumber } from "../../../bytes/hex.ts";
import type { Address } from "../../../bytes/ids.ts";
import { NOBLE_BACKEND } from "../../../crypto/standard.ts";
import type { CryptoSuite } from "../../../crypto/suite.ts";
import { type Version, version } from "../../../model/version.ts";
import { ecrecover } from "./01-ecrecover.ts";
import { sha256 } from "./02-sha256.ts";
import { ripemd160 } from "./03-ripemd160.ts";
import { identity } from "./04-identity.ts";
import { modexp } from "./05-modexp.ts";
import { bn128Add } from "./06-bn128-add.ts";
import { bn128Mul } from "./07-bn128-mul.ts";
import { bn128Pairing } from "./08-bn128-pairing.ts";
import { blake2f } from "./09-blake2f.ts";
import type { EthereumPrecompile } from "./contract.ts";

/** Contracts by address. */
export type EthereumPrecompiles = ReadonlyMap<Address, EthereumPrecompile>;

/**
 * Contracts 1 to 4, and from 2.5.0 on 5 to 9. ecrecover and sha256 follow the chain's suite on old
 * national chains only. Source: precompiles 17
 */
export function createEthereumPrecompiles(
  suite: CryptoSuite,
  chainVersion: Version,
): EthereumPrecompiles {
  const hasAll = chainVersion >= version(2, 5, 0);
  const isNational = suite.name === "national";
  const followsSuite = isNational && chainVersion < version(2, 4, 0);
  const { recover } = isNational ? NOBLE_BACKEND : suite;
  const always = [
    // SM2 recovers nothing from a call: v is no key, and there is no room for one.
    ecrecover(
      followsSuite ? () => undefined : recover,
      hasAll ? NOBLE_BACKEND.keccak256 : suite.hash,
    ),
    sha256(followsSuite ? suite.hash : undefined),
    ripemd160,
    identity,
  ];
  const all = hasAll ? [...always, modexp, bn128Add, bn128Mul, bn128Pairing, blake2f] : always;
  return new Map(all.map((contract, i) => [addressOfNumber(i + 1), contract]));
}
