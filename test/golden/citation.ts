/** Looks up what an allow-list entry cites. */
import { decision, DOCUMENTS, section, specification } from "../support/ledger/specification.ts";

/**
 * The text of `decision N`, or of a section such as `rpc-semantics 2.6` that holds a PICK or a
 * [DEVIATE]; undefined when there is none.
 */
export function citedText(citation: string): string | undefined {
  const [document = "", place = ""] = citation.split(" ");
  if (document === "decision") return decision(place);
  const text = DOCUMENTS.includes(document) ? section(specification(document), place) : undefined;
  return text !== undefined && /PICK|\[DEVIATE\]/.test(text) ? text : undefined;
}
