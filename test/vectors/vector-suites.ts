/** Crypto suites and versions as the vector files tag them. */
import { createHash } from "node:crypto";
import { addressOf } from "../../core/bytes/hex.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { InvariantFault } from "../../core/fault/invariant.ts";
import { parseVersion, type Version, version } from "../../core/model/version.ts";

export const STANDARD = createStandardSuite();

function sm3(data: Uint8Array): Uint8Array {
  return Uint8Array.from(createHash("sm3").update(data).digest());
}

function withoutKeys(): never {
  throw new InvariantFault("the rows that need SM2 are skipped");
}

/** SM3 of the platform: enough for every rule that only hashes. Rows that need SM2 are skipped. */
export const NATIONAL_HASHES: CryptoSuite = {
  name: "national",
  signatureBytes: 128,
  hash: sm3,
  sign: withoutKeys,
  recover: withoutKeys,
  publicKey: withoutKeys,
  address: (publicKey) => addressOf(sm3(publicKey).subarray(12)),
};

/** The suite of a row's tag. */
export function suiteOf(tag: string): CryptoSuite {
  return tag === "sm" ? NATIONAL_HASHES : STANDARD;
}

/** The oldest version a row's tag names (`2.7`, `>=2.9.0`, `2.5-2.8`); the newest for `any`. */
export function versionOf(tag: string): Version {
  const text = /[0-9]+(\.[0-9]+)+(-rc2)?/.exec(tag)?.[0];
  if (text === undefined) return version(2, 11, 1);
  return parseVersion(text) ?? parseVersion(`${text}.0`) ?? withoutKeys();
}
