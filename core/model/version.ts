/** Compatibility versions and their order. Source: decision 13; interface 9 */

/**
 * A compatibility version `x.y.z` as the number x * 1_000_000 + y * 1_000 + z; rc2 of 2.0.0 is
 * {@link VERSION_RC2}.
 */
export type Version = number;

/** 2.0.0-rc2: only codecs know it. */
export const VERSION_RC2: Version = 1_999_998;
/** The newest compatibility version, and the default. */
export const NEWEST_VERSION: Version = 2_011_001;

/** The number of a version, for comparisons: `version(2, 9, 0)`. */
export function version(major: number, minor: number, patch: number): Version {
  return major * 1_000_000 + minor * 1_000 + patch;
}

/** The oldest version a chain may run with. Source: decision 13 */
export const OLDEST_VERSION: Version = version(2, 0, 0);

const RC2_TEXT = "2.0.0-rc2";
const PARTS = /^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$/;

/** The version of `x.y.z` or of `2.0.0-rc2`; undefined for any other text. Source: decision 13 */
export function parseVersion(text: string): Version | undefined {
  if (text === RC2_TEXT) return VERSION_RC2;
  const parts = PARTS.exec(text);
  if (!parts) return undefined;
  return version(Number(parts[1]), Number(parts[2]), Number(parts[3]));
}

/** The text of a version. */
export function formatVersion(value: Version): string {
  if (value === VERSION_RC2) return RC2_TEXT;
  const patch = value % 1_000;
  const minor = Math.floor(value / 1_000) % 1_000;
  return `${Math.floor(value / 1_000_000)}.${minor}.${patch}`;
}

/** Whether a chain may run with the version: from 2.0.0 to the newest. Source: decision 13 */
export function isSupportedVersion(value: Version): boolean {
  return value >= OLDEST_VERSION && value <= NEWEST_VERSION;
}
