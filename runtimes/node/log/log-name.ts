/** Names of log files: patterns with the time in them. Source: groups 8 (log) */

/** Digits of each part of a time. */
const DIGITS: Readonly<Record<string, number>> = { Y: 4, m: 2, d: 2, H: 2, M: 2, S: 2 };
const PART = /%([A-Za-z%])/g;
const COMPRESSED = ".gz";

function partOf(letter: string, time: Date): string {
  const value = {
    Y: time.getFullYear(),
    m: time.getMonth() + 1,
    d: time.getDate(),
    H: time.getHours(),
    M: time.getMinutes(),
    S: time.getSeconds(),
  }[letter];
  return value === undefined ? letter : String(value).padStart(DIGITS[letter] ?? 0, "0");
}

/** The name at a moment, in local time; `%` before another letter stands for that letter. */
export function logName(pattern: string, now: number): string {
  const time = new Date(now);
  return pattern.replace(PART, (_, letter: string) => partOf(letter, time));
}

/** A name with a number before its ending: `a.log` and 2 give `a.2.log`. */
export function numberedName(name: string, number: number): string {
  if (number === 0) return name;
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? `${name}.${number}` : `${name.slice(0, dot)}.${number}${name.slice(dot)}`;
}

/** A name without the ending of compressed files. */
export function plainName(name: string): string {
  return name.endsWith(COMPRESSED) ? name.slice(0, -COMPRESSED.length) : name;
}

/** The number in a name that {@link numberedName} made of another, compressed or not. */
export function numberOfName(base: string, name: string): number | undefined {
  const plain = plainName(name);
  if (plain === base) return 0;
  const number = Number(/\.(\d{1,9})(?:\.[^.]*)?$/.exec(plain)?.[1] ?? Number.NaN);
  return numberedName(base, number) === plain ? number : undefined;
}

function quoted(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Whether a name was made from a pattern; numbered and compressed ones are too. */
export function isLogName(pattern: string): (name: string) => boolean {
  const body = (text: string): string =>
    text
      .split(PART)
      .map((piece, index) => {
        if (index % 2 === 0) return quoted(piece);
        const digits = DIGITS[piece];
        return digits === undefined ? quoted(piece) : `\\d{${digits}}`;
      })
      .join("");
  const dot = pattern.lastIndexOf(".");
  const [stem, ending] = dot <= 0 ? [pattern, ""] : [pattern.slice(0, dot), pattern.slice(dot)];
  const whole = new RegExp(`^${body(stem)}(\\.\\d+)?${body(ending)}(${quoted(COMPRESSED)})?$`);
  return (name) => whole.test(name);
}
