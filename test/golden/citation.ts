/** Looks up what an allow-list entry cites. */
import { specification } from "../support/specification.ts";

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
  const lines = specification("README").split("\n");
  return lines.find((line) => line.startsWith(`| ${number} |`));
}

function sectionText(document: string, number: string): string | undefined {
  const headings = specification(document).split(/^(?=#{2,4} )/m);
  return headings.find((part) => new RegExp(`^#+ ${number.replace(".", "\\.")}[. ]`).test(part));
}
