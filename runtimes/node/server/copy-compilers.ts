/**
 * Part of the build: writes the installed compilers, their licence and their notices next to the
 * page, so that a server of plain files offers them too. Argument: the folder of the page.
 */
import { copyFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { COMPILERS_PATH, createCompilerService } from "./compilers.ts";
import type { PageAnswer } from "./page.ts";

const [folder = "dist/web"] = process.argv.slice(2);
const licenceFile = join(folder, "licenses", "gpl-3.0.txt");
const service = createCompilerService({ origin: import.meta.url, licenceFile });

/** Compilers never change under a version, so one of the same size is the same. */
function isThere(from: string, to: string): boolean {
  return statSync(to, { throwIfNoEntry: false })?.size === statSync(from).size;
}

function write(path: string, answer: PageAnswer | undefined): void {
  if (answer === undefined) return;
  const to = join(folder, path);
  mkdirSync(dirname(to), { recursive: true });
  if ("text" in answer) writeFileSync(to, answer.text);
  else if (!isThere(answer.file, to)) copyFileSync(answer.file, to);
}

const index = service(`${COMPILERS_PATH}index.json`);
write(`${COMPILERS_PATH}index.json`, index);
const { compilers } = JSON.parse(index !== undefined && "text" in index ? index.text : "{}") as {
  readonly compilers: readonly { readonly version: string }[];
};
for (const { version } of compilers) {
  for (const name of ["soljson.js", "LICENSE", "NOTICE"]) {
    const path = `${COMPILERS_PATH}${version}/${name}`;
    write(path, service(path));
  }
}
