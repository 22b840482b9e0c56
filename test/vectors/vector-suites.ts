/** Crypto suites and versions as the vector files tag them. */
import { createSmSuite } from "../../core/crypto/national.ts";
import { createStandardSuite } from "../../core/crypto/standard.ts";
import type { CryptoSuite } from "../../core/crypto/suite.ts";
import { InvariantFault } from "../../core/fault/invariant.ts";
import { parseVersion, type Version, version } from "../../core/model/version.ts";

export const STANDARD = createStandardSuite();

export const NATIONAL = createSmSuite();

/** The suite of a row's tag. */
export function suiteOf(tag: string): CryptoSuite {
  return tag === "sm" ? NATIONAL : STANDARD;
}

/** The oldest version a row's tag names (`2.7`, `>=2.9.0`, `2.5-2.8`); the newest for `any`. */
export function versionOf(tag: string): Version {
  const text = /[0-9]+(\.[0-9]+)+(-rc2)?/.exec(tag)?.[0];
  if (text === undefined) return version(2, 11, 1);
  return parseVersion(text) ?? parseVersion(`${text}.0`) ?? unknownVersion(tag);
}

function unknownVersion(tag: string): never {
  throw new InvariantFault(`no version in ${tag}`);
}
