/** Compatibility versions and their order. Source: spec README decision 13; interface 9 */

/** A compatibility version `x.y.z` as the number x * 1_000_000 + y * 1_000 + z; rc2 of 2.0.0 is {@link VERSION_RC2}. */
export type Version = number;

/** 2.0.0-rc2: only codecs know it. */
export const VERSION_RC2: Version = 1_999_998;
/** The newest compatibility version, and the default. */
export const NEWEST_VERSION: Version = 2_011_001;

/** The number of a version, for comparisons: `version(2, 9, 0)`. */
export function version(major: number, minor: number, patch: number): Version {
  return major * 1_000_000 + minor * 1_000 + patch;
}
