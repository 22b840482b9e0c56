/** Looks up what an allow-list entry cites. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SHARED } from "../support/recorded-ledger.ts";

/**
 * The text of `decision N`, or of a section such as `rpc-semantics 2.6` that holds a PICK or a
 * [DEVIATE]; undefined when there is none.
 */
export function citedText(citation: string): string | undefined {
  const decision = /^decision (\d+)$/.exec(citation);
  if (decision !== null) return decisionText(decision[1] ?? "");
  const section = /^([a-z-]+) (\d+(?:\.\d+)*)$/.exec(citation);
  if (section === null) return undefined;
  const text = sectionText(section[1] ?? "", section[2] ?? "");
  return text !== undefined && /PICK|\[DEVIATE\]/.test(text) ? text : undefined;
}

function decisionText(number: string): string | undefined {
  const index = readFileSync(join(SHARED, "spec", "README.md"), "utf8");
  return index.split("\n").find((line) => line.startsWith(`| ${number} |`));
}

function sectionText(document: string, number: string): string | undefined {
  const text = readFileSync(join(SHARED, "spec", `${document}.md`), "utf8");
  const headings = text.split(/^(?=#{2,4} )/m);
  return headings.find((part) => new RegExp(`^#+ ${number.replace(".", "\\.")}[. ]`).test(part));
}
