/**
 * The Solidity compilers that are installed next to the node: optional packages, which the page
 * loads from the node that serves it, never from elsewhere. They are unmodified and under the GNU
 * General Public License; each is served with its licence and a notice.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { type CompilerPlace, compilerPlaces } from "../../folder/installed-compilers.ts";
import { installCommand } from "../../shared/solidity/compiler-packages.ts";
import { builtPageFolder, type PageAnswer, type PageOptions } from "./page.ts";

const COMPILER_POLICY =
  "default-src 'none'; script-src 'self' blob: 'unsafe-eval' 'wasm-unsafe-eval'";
/** Where the compilers are served. */
export const COMPILERS_PATH = "/compilers/";
/**
 * The policies of the places where compilers run, in place of the page's, by path: compilers made
 * before WebAssembly are asm.js and build functions from text. They reach nothing, not even the
 * origin that served them.
 */
export const COMPILER_POLICIES: ReadonlyMap<string, string> = new Map([
  ["/compiler-worker.js", COMPILER_POLICY],
  ["/compiler-frame.html", `${COMPILER_POLICY}; sandbox allow-scripts; frame-ancestors 'self'`],
]);

function indexText(places: readonly CompilerPlace[]): string {
  const compilers = places.map((place) => ({
    version: place.version,
    installed: place.file !== undefined,
    bytes: place.file === undefined ? 0 : statSync(place.file).size,
    install: installCommand(place),
  }));
  return `${JSON.stringify({ compilers }, undefined, 2)}\n`;
}

function noticeText({ version }: CompilerPlace): string {
  return [
    `soljson.js is the Solidity compiler ${version}, unmodified, as published in the npm package`,
    `solc@${version} (https://www.npmjs.com/package/solc/v/${version}).`,
    "Copyright the authors of Solidity. It is free software under the GNU General Public License,",
    "version 3, which lies next to it as LICENSE. It comes with no warranty.",
    `Its source is at https://github.com/ethereum/solidity/tree/v${version}.`,
    "",
  ].join("\n");
}

const VERSION_PATH = /^(\d+\.\d+\.\d+)\/(soljson\.js|LICENSE|NOTICE)$/;
const PLAIN = "text/plain; charset=utf-8";

/**
 * Over the packages that are installed now: answers paths below {@link COMPILERS_PATH}; undefined
 * for what there is not.
 * @param search a file or URL from which packages are resolved, and the text of the licence, which
 *   the page has as a file of its own
 */
export function createCompilerService(search: {
  readonly origin: string;
  readonly licenceFile: string;
}) {
  const places = compilerPlaces(search.origin);
  return (path: string): PageAnswer | undefined => {
    if (!path.startsWith(COMPILERS_PATH)) return undefined;
    const rest = path.slice(COMPILERS_PATH.length);
    if (rest === "index.json") {
      const text = indexText(places);
      return { contentType: "application/json; charset=utf-8", text, isImmutable: false };
    }
    const [, version, name] = VERSION_PATH.exec(rest) ?? [];
    const place = places.find((it) => it.version === version);
    if (place?.file === undefined) return undefined;
    if (name === "NOTICE")
      return { contentType: PLAIN, text: noticeText(place), isImmutable: false };
    if (name === "LICENSE")
      return { contentType: PLAIN, file: search.licenceFile, isImmutable: false };
    return { contentType: "text/javascript; charset=utf-8", file: place.file, isImmutable: true };
  };
}

/** What the page of a node needs to offer the compilers that are installed next to the program. */
export function compilerPaths(): Required<Pick<PageOptions, "service" | "policies">> {
  const licenceFile = join(builtPageFolder(), "licenses", "gpl-3.0.txt");
  const service = createCompilerService({ origin: import.meta.url, licenceFile });
  return { service, policies: COMPILER_POLICIES };
}
