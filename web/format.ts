/** Numbers and times as people of the chosen language write them. */
import { language } from "./texts.ts";

const LOCALES = { en: "en-GB", zh: "zh-CN" } as const;
const DAY_MS = 86_400_000;

type Style = "time" | "full";
const formats = new Map<string, Intl.DateTimeFormat>();
const numbers = new Map<string, Intl.NumberFormat>();

const STYLES: Readonly<Record<Style, Intl.DateTimeFormatOptions>> = {
  time: { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false },
  full: { dateStyle: "medium", timeStyle: "medium" },
};

function formatOf(style: Style): Intl.DateTimeFormat {
  const key = `${style}:${language()}`;
  const known = formats.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(LOCALES[language()], STYLES[style]);
  formats.set(key, made);
  return made;
}

/** Milliseconds as date and time. */
export function fullTime(time: number): string {
  return formatOf("full").format(time);
}

/** Milliseconds as the time of day; with the date when that is another day. */
export function shortTime(time: number): string {
  return Math.abs(Date.now() - time) < DAY_MS / 2 ? formatOf("time").format(time) : fullTime(time);
}

/** A number with its thousands apart. */
export function numberText(value: number | bigint | string): string {
  const key = language();
  const format = numbers.get(key) ?? new Intl.NumberFormat(LOCALES[key]);
  numbers.set(key, format);
  return format.format(typeof value === "string" ? BigInt(value) : value);
}

/** Digits by which nodes are named, on the page as on the terminal. */
const NODE_DIGITS = 8;

/** The name of a node wherever it is spoken of: the first digits of its ID. */
export function nodeName(id: string): string {
  return id.length <= NODE_DIGITS ? id : `${id.slice(0, NODE_DIGITS)}…`;
}

/** Digits that are shown at each end. */
const HEAD_DIGITS = 10;
const TAIL_DIGITS = 6;

/** A hash or an address with its middle left out. */
export function shortText(value: string): string {
  if (value.length <= HEAD_DIGITS + TAIL_DIGITS + 1) return value;
  return `${value.slice(0, HEAD_DIGITS)}…${value.slice(-TAIL_DIGITS)}`;
}

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
