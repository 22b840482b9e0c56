/** The compiler's input and output: standard JSON. */
import type { AbiList } from "../../../core/client/abi-list.ts";
import { type EvmVersion, withoutComments } from "./compiler-versions.ts";

/** Sources by path. */
export type Sources = ReadonlyMap<string, string>;

/** Settings of a compilation. */
interface CompileSettings {
  readonly evmVersion: EvmVersion;
  readonly optimize: boolean;
}

/** Something that the compiler says about a place. */
export interface Diagnostic {
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  /** The path of the source; empty when the message is about none. */
  readonly file: string;
  /** Positions in the text, counted as JavaScript does; the end is excluded. */
  readonly from: number;
  readonly to: number;
  /** From 1 on; 0 when there is no place. */
  readonly line: number;
  readonly column: number;
}

/** Where the address of a library belongs in code: bytes from the front. */
interface LinkPlace {
  readonly library: string;
  readonly start: number;
}

/** A contract that was compiled. */
export interface CompiledContract {
  readonly file: string;
  readonly name: string;
  readonly abi: AbiList;
  /** Creation code, digits without 0x; empty for interfaces and abstract contracts. */
  readonly code: string;
  readonly links: readonly LinkPlace[];
}

/** What came of a compilation. */
export interface CompileResult {
  readonly contracts: readonly CompiledContract[];
  readonly diagnostics: readonly Diagnostic[];
}

const IMPORT =
  /\bimport\s+(?:(?:\*\s*as\s+\w+|\{[^}]*\}|\w+)\s+from\s+)?(["'])([^"'\n]+)\1(?:\s+as\s+\w+)?\s*;/g;

/** The paths that a source imports, as it writes them. */
export function importsOf(source: string): readonly string[] {
  return [...withoutComments(source).matchAll(IMPORT)].map(([, , path = ""]) => path);
}

/** Whether an import is meant from the folder of the importing file. */
export function isRelativeImport(path: string): boolean {
  return /^\.{1,2}\//.test(path);
}

/** The path that an import means: beginning with a dot it is next to the importing file. */
export function resolveImport(from: string, path: string): string {
  if (!isRelativeImport(path)) return path;
  const parts = from.split("/").slice(0, -1);
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}

/** A source with all that it imports; what is missing, the compiler says at the import. */
export function closureOf(entry: string, files: Sources): Sources {
  const found = new Map<string, string>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = files.get(path);
    if (text === undefined || found.has(path)) continue;
    found.set(path, text);
    waiting.push(...importsOf(text).map((it) => resolveImport(path ?? "", it)));
  }
  return found;
}

/** Runs of the optimizer: what the compiler takes for contracts that are used often. */
const OPTIMIZER_RUNS = 200;

/** The text for the compiler. */
export function inputOf(sources: Sources, { evmVersion, optimize }: CompileSettings): string {
  const entries = [...sources].map(([path, content]) => [path, { content }] as const);
  const output = ["abi", "evm.bytecode.object", "evm.bytecode.linkReferences"];
  return JSON.stringify({
    language: "Solidity",
    sources: Object.fromEntries(entries),
    settings: {
      optimizer: { enabled: optimize, runs: OPTIMIZER_RUNS },
      evmVersion,
      outputSelection: { "*": { "*": output } },
    },
  });
}

interface RawError {
  readonly severity?: string;
  readonly message?: string;
  readonly formattedMessage?: string;
  readonly sourceLocation?: {
    readonly file?: string;
    readonly start?: number;
    readonly end?: number;
  };
}
type Links = Readonly<
  Record<string, Readonly<Record<string, readonly { readonly start: number }[]>>>
>;
interface RawContract {
  readonly abi?: AbiList;
  readonly evm?: {
    readonly bytecode?: { readonly object?: string; readonly linkReferences?: Links };
  };
}
interface RawOutput {
  readonly errors?: readonly RawError[];
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, RawContract>>>>;
}

/** Position in the text of a position in its UTF-8 bytes, which compilers count. */
export function positionOf(text: string, byteOffset: number): number {
  let bytes = 0;
  let position = 0;
  for (const sign of text) {
    if (bytes >= byteOffset) break;
    const code = sign.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    position += sign.length;
  }
  return position;
}

/** `dir/A.sol:3:5: Error ...`: how compilers write a place that they do not count. */
const WRITTEN_PLACE = /^([^\n:]+):(\d+):(\d+):/;
const WITHOUT_PLACE = { file: "", from: 0, to: 0, line: 0, column: 0 };

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return at;
    at = end + 1;
  }
  return at;
}

function placeOf(error: RawError, sources: Sources): Omit<Diagnostic, "severity" | "message"> {
  const { file = "", start = -1, end = -1 } = error.sourceLocation ?? {};
  const text = sources.get(file);
  if (text !== undefined && start >= 0) {
    const from = positionOf(text, start);
    const before = text.slice(0, from);
    const line = before.split("\n").length;
    const to = Math.max(from, positionOf(text, end));
    return { file, from, to, line, column: from - before.lastIndexOf("\n") };
  }
  const [, written = "", line = "", column = ""] =
    WRITTEN_PLACE.exec(error.formattedMessage ?? "") ?? [];
  const source = sources.get(written);
  if (source === undefined) return WITHOUT_PLACE;
  const from = Math.min(source.length, lineStart(source, Number(line)) + Number(column) - 1);
  return { file: written, from, to: from, line: Number(line), column: Number(column) };
}

function diagnosticOf(error: RawError, sources: Sources): Diagnostic {
  const severity =
    error.severity === "warning" || error.severity === "info" ? error.severity : "error";
  const message = (error.message ?? error.formattedMessage ?? "").trim();
  return { severity, message, ...placeOf(error, sources) };
}

function contractOf(file: string, name: string, { abi, evm }: RawContract): CompiledContract {
  const { object = "", linkReferences = {} } = evm?.bytecode ?? {};
  const links = Object.values(linkReferences).flatMap((libraries) =>
    Object.entries(libraries).flatMap(([library, places]) =>
      places.map(({ start }) => ({ library, start })),
    ),
  );
  return { file, name, abi: abi ?? [], code: object, links };
}

/** Reads what the compiler answered. */
export function resultOf(output: string, sources: Sources): CompileResult {
  const { errors = [], contracts = {} } = JSON.parse(output) as RawOutput;
  return {
    diagnostics: errors.map((error) => diagnosticOf(error, sources)),
    contracts: Object.entries(contracts).flatMap(([file, named]) =>
      Object.entries(named).map(([name, raw]) => contractOf(file, name, raw)),
    ),
  };
}

const ADDRESS_DIGITS = 40;

/** The libraries that code needs, each once. */
export function librariesOf({ links }: CompiledContract): readonly string[] {
  return [...new Set(links.map(({ library }) => library))];
}

/** The code with the addresses of its libraries in their places. */
export function linkedCode(
  { code, links }: CompiledContract,
  addresses: ReadonlyMap<string, string>,
): string {
  let linked = code;
  for (const { library, start } of links) {
    const digits = (addresses.get(library) ?? "").replace(/^0x/, "").toLowerCase();
    if (digits.length !== ADDRESS_DIGITS) continue;
    linked = linked.slice(0, 2 * start) + digits + linked.slice(2 * start + ADDRESS_DIGITS);
  }
  return linked;
}
