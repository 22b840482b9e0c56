/**
 * What compilers answered, kept in the repository: they take longer than what is tested with it.
 * That they compile is seen where nothing is lent. Each answer has its question's hash as its name,
 * so that a changed question is asked; REWRITE_COMPILED=1 keeps its answer.
 */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import { ROOT } from "./root.ts";

const KEPT = join(ROOT, "test/data/compiled");

/** Puts what is kept where a compiler looks for it first. */
export function lendAnswers(folder: string): Promise<void> {
  return cp(KEPT, folder, { recursive: true });
}

/** Keeps what is in the folder now. */
export async function keepAnswers(folder: string): Promise<void> {
  if (env["REWRITE_COMPILED"] === "1") await cp(folder, KEPT, { recursive: true });
}
