/** The documents of docs/spec, which are the law. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.ts";

const FOLDER = join(ROOT, "docs", "spec");

/** Names of the documents, without their ending. */
export const DOCUMENTS: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.slice(0, -".md".length));

/** The text of a document. */
export function specification(document: string): string {
  return readFileSync(join(FOLDER, `${document}.md`), "utf8");
}
