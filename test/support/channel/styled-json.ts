/**
 * JSON as the reference writes receipts: three spaces for each level, keys in order, short arrays
 * on one line. Source: channel-protocol 6.1
 */

const INDENT = 3;
/** An array of texts stands on one line that is shorter than this. */
const LINE_LIMIT = 74;

function lines(open: string, items: readonly string[], [close, depth]: readonly [string, number]) {
  const inner = " ".repeat(INDENT * (depth + 1));
  const outer = " ".repeat(INDENT * depth);
  return `${open}\n${items.map((item) => inner + item).join(",\n")}\n${outer}${close}`;
}

function written(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const items = value.map((it) => written(it, depth + 1));
    if (items.length === 0) return "[]";
    const line = `[ ${items.join(", ")} ]`;
    const fits = value.every((it) => typeof it === "string") && line.length < LINE_LIMIT;
    return fits ? line : lines("[", items, ["]", depth]);
  }
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const items = members.map(([key, it]) => `"${key}" : ${written(it, depth + 1)}`);
  return lines("{", items, ["}", depth]);
}

/** The text with its newline. */
export function styledJson(value: unknown): string {
  return `${written(value, 0)}\n`;
}
