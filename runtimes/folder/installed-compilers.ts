/** Which Solidity compilers are installed next to the program. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { COMPILER_PACKAGES, type CompilerPackage } from "../shared/solidity/compiler-packages.ts";

/** A compiler, and where it is. */
export interface CompilerPlace extends CompilerPackage {
  /** Path of soljson.js; undefined when the package is not installed. */
  readonly file: string | undefined;
}

/** Finds the packages as Node does. @param origin a file or URL from which packages are resolved */
export function compilerPlaces(origin: string): readonly CompilerPlace[] {
  const require = createRequire(origin);
  return COMPILER_PACKAGES.map(({ alias, version }) => {
    try {
      const file = join(dirname(require.resolve(`${alias}/package.json`)), "soljson.js");
      return { alias, version, file: existsSync(file) ? file : undefined };
    } catch {
      return { alias, version, file: undefined };
    }
  });
}
