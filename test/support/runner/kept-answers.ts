/**
 * What compilers answered, kept between runs: they take longer than what is tested with it. That
 * they compile is seen where nothing is lent.
 */
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./root.ts";

const kept = (name: string) => join(ROOT, "node_modules/.cache", name);

/** Puts what was kept under a name into a folder. */
export async function lendAnswers(name: string, folder: string): Promise<void> {
  await mkdir(kept(name), { recursive: true });
  await cp(kept(name), folder, { recursive: true });
}

/** Keeps what is in the folder now, for other tests and the next run. */
export async function keepAnswers(name: string, folder: string): Promise<void> {
  await cp(folder, kept(name), { recursive: true, force: false });
}
