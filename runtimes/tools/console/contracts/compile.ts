/** Compiles contracts in place. Source: console 4.3 */
import { createHash } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AbiList } from "../../../../core/client/abi-list.ts";
import { compilerPlaces } from "../../../folder/installed-compilers.ts";
import { readText, writeWhole } from "../../../folder/whole-files.ts";
import { evmVersionFor } from "../../../shared/solidity/compiler-versions.ts";
import {
  type CompiledContract,
  type Diagnostic,
  inputOf,
  librariesOf,
  linkedCode,
  resultOf,
} from "../../../shared/solidity/standard-json.ts";
import { ConsoleFault, usageFault } from "../command.ts";
import { chooseCompiler } from "./choose-compiler.ts";
import { type ContractFile, SOURCE_FOLDER } from "./contract-file.ts";
import { runCompiler } from "./run-compiler.ts";
import { readClosure } from "./source-closure.ts";

/** What compilations need of a session. */
export interface CompileContext {
  /** The console folder, absolute. */
  readonly folder: string;
  /** `Supported Version` of the chain, which decides what code may be made. */
  readonly supportedVersion: string;
  readonly signal: AbortSignal;
  progress(line: string): void;
}

/** What a file compiles to. */
export interface CompiledFile {
  readonly compiler: string;
  /** Contracts of the file itself, not of its imports. */
  readonly contracts: readonly CompiledContract[];
}

/** Answers of compilers, by the hash of what they were asked, below the console folder. */
const CACHE_FOLDER = "contracts/.compiled/sources";
/** Answers that are kept. */
const MOST_CACHED = 200;

async function pruneCache(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MOST_CACHED) return;
  const files = await Promise.all(
    names.map(async (name) => ({
      path: join(folder, name),
      at: (await stat(join(folder, name))).mtimeMs,
    })),
  );
  files.sort((a, b) => b.at - a.at);
  for (const { path } of files.slice(MOST_CACHED)) await rm(path, { force: true });
}

function sayWhere({ file, line, column, message }: Diagnostic): string {
  const [first = "", ...rest] = message.split("\n");
  const text = [first, ...rest.map((it) => `  ${it}`)].join("\n");
  return line === 0 ? text : `${file}:${line}:${column}: ${text}`;
}

/**
 * Compiles a file, or takes the answer of an earlier run on the same sources.
 * @throws ConsoleFault with what the compiler says, or what keeps it from running
 */
export async function compileFile(
  { path, name }: ContractFile,
  context: CompileContext,
): Promise<CompiledFile> {
  const { sources, entry } = await readClosure(path, join(context.folder, SOURCE_FOLDER));
  const { version, file } = chooseCompiler(sources, compilerPlaces(import.meta.url));
  const evmVersion = evmVersionFor(version, context.supportedVersion);
  const input = inputOf(sources, { evmVersion, optimize: false });
  const hash = createHash("sha256").update(`${version} ${input}`).digest("hex");
  const cached = join(CACHE_FOLDER, `${hash}.json`);
  let output = await readText(join(context.folder, cached));
  if (output === undefined) {
    context.progress(`Compiling ${name} with Solidity ${version} ...`);
    output = await runCompiler({ compiler: file, version, input, signal: context.signal });
  }
  const result = resultOf(output, sources);
  const errors = result.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const lines = errors.map(sayWhere).join("\n");
    throw new ConsoleFault(`${path} does not compile with Solidity ${version}:\n${lines}`);
  }
  await writeWhole(context.folder, { path: cached, text: output, use: "text" });
  await pruneCache(join(context.folder, CACHE_FOLDER));
  return { compiler: version, contracts: result.contracts.filter((it) => it.file === entry) };
}

/** A contract that can be deployed. */
export interface DeployableContract {
  readonly name: string;
  readonly abi: AbiList;
  /** Creation code, digits without 0x; all libraries have their addresses in it. */
  readonly code: string;
}

/** The contract of a file's own name. @throws ConsoleFault when the file has none */
export function mainContract({ name, path }: ContractFile, file: CompiledFile): CompiledContract {
  const found = file.contracts.find((contract) => contract.name === name);
  if (found) return found;
  const names = file.contracts.map((contract) => contract.name).join(", ") || "none";
  throw usageFault(
    `${path} has no contract ${name}, only ${names}: the contract must have the file's name.`,
  );
}

/**
 * Its code with the addresses of its libraries.
 * @param libraries addresses by name
 * @throws ConsoleFault for a library without an address, and for what has no code
 */
export function linkedContract(
  contract: CompiledContract,
  libraries: ReadonlyMap<string, string>,
): DeployableContract {
  const { name, abi } = contract;
  if (contract.code === "")
    throw usageFault(`${name} is abstract or an interface: it has no code to deploy.`);
  const needed = librariesOf(contract);
  const missing = needed.filter((library) => !libraries.has(library));
  if (missing.length > 0) {
    const options = missing.map((library) => `-l ${library}:0x<address>`).join(" ");
    throw usageFault(
      `${name} needs the library ${missing.join(", ")}: deploy it first and add ${options}`,
    );
  }
  const unknown = [...libraries.keys()].find((library) => !needed.includes(library));
  if (unknown !== undefined) throw usageFault(`${name} uses no library ${unknown}.`);
  return { name, abi, code: linkedCode(contract, libraries) };
}
