/** Bytes as people write them. */
import { numberText } from "../format.ts";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** A number of bytes with one digit behind the point at most. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${numberText(Math.round(value * 10) / 10)} ${UNITS[unit]}`;
}
