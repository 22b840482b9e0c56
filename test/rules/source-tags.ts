/** The `Source:` tags of comments: where they stand and whether what they name exists. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decision, DOCUMENTS, section, specification } from "../support/ledger/specification.ts";
import { listFiles, ROOT } from "./source-tree.ts";

/** A tag of a comment. */
export interface SourceTag {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** What follows `Source:`, in one line. */
  readonly text: string;
}

const FOLDERS = ["core", "runtimes", "web", "test", "build.mjs", "vitest.config.ts"];
/** Standards of others, with a section where they have some. */
const STANDARD = /^(RFC \d+|EIP-\d+|GB\/T \d+(\.\d+)?)( \d+(\.\d+)*)?$/;

/** The tags of a file. */
export function tagsOf(path: string, text: string): readonly SourceTag[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const found = /^(.*(?:\/\*\*?|\/\/|^\s*\*) (?:.* )?)Source:(?: (.*))?$/.exec(line);
    if (found === null) return [];
    const [, before = "", first = ""] = found;
    const marker = before.includes("//") ? /^\s*\/\/ ?(.*)$/ : /^\s*\*(?!\/) ?(.*)$/;
    const parts = [first];
    for (let at = index + 1; !parts.at(-1)?.includes("*/"); at++) {
      const next = marker.exec(lines[at] ?? "")?.[1]?.trim();
      if (next === undefined || next === "" || /^(@|Source: )/.test(next)) break;
      parts.push(next);
    }
    const whole = parts
      .join(" ")
      .replace(/\s*\*\/.*$/, "")
      .trim();
    return [{ path, line: index + 1, text: whole }];
  });
}

/** All tags of the repository. */
export function allTags(): readonly SourceTag[] {
  const paths = FOLDERS.flatMap(listFiles).filter((path) => /\.(tsx?|mts|mjs)$/.test(path));
  return paths.flatMap((path) => tagsOf(path, readFileSync(join(ROOT, path), "utf8")));
}

/** The text of a document that a tag may name. */
function textOf(document: string): string | undefined {
  if (/^(ARCHITECTURE|architecture\/[a-z-]+)$/.test(document)) {
    const page = join(ROOT, document === "ARCHITECTURE" ? "." : "docs", `${document}.md`);
    return existsSync(page) ? readFileSync(page, "utf8") : undefined;
  }
  const isLaw = DOCUMENTS.includes(document) && document !== "README";
  return isLaw ? specification(document) : undefined;
}

/** Letters, digits and marks alone, as far as they carry meaning. */
function plain(text: string): string {
  return text
    .replace(/[`*\\]/g, "")
    .replace(/\s+/g, " ")
    .toLowerCase();
}

/** Why one place in a document's text cannot be found. */
function flawOfPlace(text: string, place: string): string | undefined {
  const parsed = /^(?:"([^"]+)"|(\d[\d.]*)(?:-(\d+))?)(?: \((.+)\))?$/.exec(place);
  if (parsed === null) return `"${place}" is no section`;
  const [, heading, first = "", last, words] = parsed;
  const outer = first.slice(0, first.lastIndexOf(".") + 1);
  const from = Number(first.slice(outer.length));
  const count = last === undefined ? 1 : Number(last) - from + 1;
  const names = Array.from({ length: count }, (_, i) => `${outer}${from + i}`);
  const texts = (heading === undefined ? names : [heading]).map((it) => section(text, it));
  if (texts.includes(undefined) || texts.length === 0) return `there is no ${place}`;
  const isThere = words === undefined || plain(texts.join()).includes(plain(words));
  return isThere ? undefined : `${place}: the words are not there`;
}

/** Why a reference, such as `pbft 6, 16.3.8` or `decision 24`, cannot be found. */
function flawOfReference(reference: string): string | undefined {
  if (STANDARD.test(reference)) return undefined;
  const [, document = "", rest = ""] = /^(\S+) (.+)$/.exec(reference) ?? [];
  const places = rest.match(/(?:[^,(]|\([^)]*\))+/g)?.map((it) => it.trim()) ?? [];
  if (document === "decision") {
    return places.every((it) => decision(it)) ? undefined : `no decision ${rest}`;
  }
  const text = textOf(document);
  if (text === undefined || places.length === 0) return "it names no document and section";
  return places.map((it) => flawOfPlace(text, it)).find((it) => it !== undefined);
}

/** Why the text of a tag cannot be resolved; undefined when all of it can. */
export function flawOf(text: string): string | undefined {
  const references = text.replace(/\.$/, "").split(/; /);
  return references.map(flawOfReference).find((it) => it !== undefined);
}
