/** The documents of docs/spec, which are the law, and their sections. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../runner/root.ts";

const FOLDER = join(ROOT, "docs", "spec");

/** Names of the documents, without their ending. */
export const DOCUMENTS: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.slice(0, -".md".length));

const texts = new Map<string, string>();

/** The text of a document. */
export function specification(document: string): string {
  const known = texts.get(document) ?? readFileSync(join(FOLDER, `${document}.md`), "utf8");
  texts.set(document, known);
  return known;
}

/** The text of a decision: its row in docs/spec/README.md. */
export function decision(number: string): string | undefined {
  return specification("README")
    .split("\n")
    .find((line) => line.startsWith(`| ${number} |`));
}

/** The text below the first heading that passes, up to the next of its level or above. */
function below(text: string, isMeant: (heading: string) => boolean): string | undefined {
  const parts = text.split(/^(?=#+ )/m);
  const levelOf = (part: string) => /^#*/.exec(part)?.[0].length ?? 0;
  const start = parts.findIndex((part) => isMeant(/^#+ (.*)$/m.exec(part)?.[1] ?? ""));
  if (start < 0) return undefined;
  const level = levelOf(parts[start] ?? "");
  const length = parts.slice(start + 1).findIndex((part) => levelOf(part) <= level);
  return parts.slice(start, length < 0 ? undefined : start + 1 + length).join("");
}

/** The line of an item in a numbered list or of a row in a table whose first cell is its number. */
function item(text: string, number: string): string | undefined {
  const starts = [`${number}. `, `| ${number} |`];
  return text.split("\n").find((line) => starts.some((start) => line.startsWith(start)));
}

/**
 * A section of a document's text: `7.2`; `16.3.8` for an item of 16.3 that is no section; `0` for
 * what stands above section 1; or the first words of a heading without a number.
 */
export function section(text: string, place: string): string | undefined {
  if (place === "0") return text.slice(0, text.search(/^## /m));
  if (!/^\d/.test(place)) return below(text, (heading) => heading.startsWith(place));
  const start = new RegExp(`^${place.replaceAll(".", "\\.")}(?!\\d|\\.\\d)`);
  const own = below(text, (heading) => start.test(heading));
  if (own !== undefined) return own;
  const [, outer = "", number = ""] = /^(.*)\.(\d+)$/.exec(place) ?? [];
  const around = outer === "" ? undefined : section(text, outer);
  return around === undefined ? undefined : item(around, number);
}
