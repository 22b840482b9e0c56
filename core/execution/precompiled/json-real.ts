/**
 * Real numbers as the reference's JSON library prints them: 17 significant digits, the form of C's
 * `%.17g`, and `.0` behind what would look like an integer. Source: precompiles 6
 */

const DIGITS = 17;
/** More digits than decide how a number is rounded to 17. */
const EXACT_DIGITS = 100;
/** Smallest exponent that is written without one. */
const MIN_FIXED_EXPONENT = -4;

/** Text of a finite number. */
export function realText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const sign = value < 0 ? "-" : "";
  const { digits, exponent } = rounded(Math.abs(value));
  const significant = digits.replace(/0+$/, "");
  if (exponent < MIN_FIXED_EXPONENT || exponent >= DIGITS) {
    const rest = significant.slice(1);
    const mantissa = significant.charAt(0) + (rest === "" ? "" : `.${rest}`);
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${significant}`;
  const whole = digits.slice(0, exponent + 1);
  const rest = significant.slice(exponent + 1);
  return `${sign}${whole}.${rest === "" ? "0" : rest}`;
}

/** The first 17 digits and the exponent of the first one; ties go to the even digit, as in C. */
function rounded(value: number): { readonly digits: string; readonly exponent: number } {
  const [mantissa = "", power = ""] = value.toExponential(EXACT_DIGITS).split("e");
  const all = mantissa.replace(".", "");
  const kept = BigInt(all.slice(0, DIGITS));
  const rest = all.slice(DIGITS);
  const half = `5${"0".repeat(rest.length - 1)}`;
  const up = rest > half || (rest === half && kept % 2n === 1n);
  const digits = String(kept + (up ? 1n : 0n));
  const exponent = Number(power) + digits.length - DIGITS;
  return { digits: digits.slice(0, DIGITS), exponent };
}
