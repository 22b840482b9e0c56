/** The Solidity compilers that packages of their own bring along. */

/** A compiler, and the alias under which package.json names it. */
export interface CompilerPackage {
  readonly alias: string;
  /** `0.8.11`. */
  readonly version: string;
}

/** All of them, the oldest first. */
export const COMPILER_PACKAGES: readonly CompilerPackage[] = [
  { alias: "solc04", version: "0.4.25" },
  { alias: "solc05", version: "0.5.2" },
  { alias: "solc06", version: "0.6.10" },
  { alias: "solc07", version: "0.7.6" },
  { alias: "solc08", version: "0.8.11" },
];

/** The command that installs a compiler. */
export function installCommand({ alias, version }: CompilerPackage): string {
  return `npm install ${alias}@npm:solc@${version}`;
}
