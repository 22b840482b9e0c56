/** Texts that are anybody's: what contracts, rows, names and certificates say. */

/** Not to be seen: controls, breaks of lines, and what turns the direction of what is read. */
const UNSEEN = String.raw`\p{Cc}\u2028-\u202e\u2066-\u2069`;
const EACH_UNSEEN = new RegExp(`[${UNSEEN}]`, "gu");
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const HEX_DIGITS = 4;

function escaped(sign: string): string {
  const digits = sign.charCodeAt(0).toString(16).padStart(HEX_DIGITS, "0");
  return SHORT[sign] ?? `\\u${digits}`;
}

/**
 * The text as it fits into one line of others' words: nobody can end the line and begin one that
 * looks like the console's own. What is not to be seen is written as in JSON.
 */
export function oneLine(text: string): string {
  return text.replace(EACH_UNSEEN, escaped);
}

const STEERING = new RegExp(String.raw`\u001b\[[\d;]*m|[\n\t]|[${UNSEEN}]`, "gu");

/**
 * Many lines as a terminal may have them: they may colour, and neither move its cursor nor write
 * into it, nor turn the direction of what is read.
 */
export function harmless(lines: string): string {
  return lines.replace(STEERING, (found) => (/^[\n\t]$|m$/.test(found) ? found : "?"));
}
