/**
 * Compiles Solidity sources of test/contracts with one of the compilers among the development
 * dependencies.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { moduleCacheFolder } from "../runner/module-cache.ts";

/** The compilers that are installed, by package alias. */
export type CompilerName = "solc04" | "solc05" | "solc06" | "solc07" | "solc08";

/** What a contract compiles to. */
export interface CompiledContract {
  /** Creation code, hex without 0x. */
  readonly bytecode: string;
  readonly abi: readonly AbiEntry[];
}

/** One entry of a contract ABI. */
export interface AbiEntry {
  readonly type: string;
  readonly name?: string;
  readonly inputs?: readonly { readonly name: string; readonly type: string }[];
  readonly outputs?: readonly { readonly name: string; readonly type: string }[];
}

interface StandardOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { abi: AbiEntry[]; evm: { bytecode: { object: string } } }>
  >;
}

interface Compiler {
  readonly compile: (input: string) => string;
  readonly compileStandardWrapper?: (input: string) => string;
}

/**
 * Later opcodes do not exist on the chain: 0.4 and 0.5 know Constantinople at most.
 */
const EVM_VERSION: Record<CompilerName, string> = {
  solc04: "byzantium",
  solc05: "constantinople",
  solc06: "istanbul",
  solc07: "istanbul",
  solc08: "istanbul",
};

/** The repository's root: npm scripts and the test runner start there. */
const ROOT = process.cwd();

/** As one of them: their types differ in what the listeners are told next to the cause. */
const ENDINGS = ["uncaughtException", "unhandledRejection"] as "uncaughtException"[];

/**
 * The old compilers install handlers that print their whole source on any later exception, and
 * abort at any promise that fails, no matter whose it is.
 */
function withoutHandlers<T>(load: () => T): T {
  const before = ENDINGS.map((name) => process.listeners(name));
  const loaded = load();
  for (const [index, name] of ENDINGS.entries()) {
    const added = process.listeners(name).filter((it) => !before[index]?.includes(it));
    for (const it of added) process.removeListener(name, it);
  }
  return loaded;
}

/** Compiles standard JSON; gives the compiler's answer as it is. */
export function compileInput(input: string, compiler: CompilerName): string {
  const require = createRequire(join(ROOT, "package.json"));
  const solc = withoutHandlers(() => require(compiler) as Compiler);
  return (solc.compileStandardWrapper ?? solc.compile)(input);
}

let folder: string | undefined;

/** As {@link compileInput}; once for all runs of a day: a compiler alone takes seconds to load. */
function compileOnce(input: string, compiler: CompilerName): string {
  folder ??= moduleCacheFolder(ROOT);
  const hash = createHash("sha256").update(`${compiler} ${input}`).digest("hex");
  const file = join(folder, `solidity-${hash}`);
  if (existsSync(file)) return readFileSync(file, "utf8");
  const output = compileInput(input, compiler);
  const draft = `${file}.${process.pid}.${threadId}`;
  writeFileSync(draft, output);
  renameSync(draft, file);
  return output;
}

/** Compiles one source text; throws with the compiler's message on an error. */
export function compileSource(
  source: string,
  compiler: CompilerName,
): Record<string, CompiledContract> {
  const input = JSON.stringify({
    language: "Solidity",
    sources: { source: { content: source } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: EVM_VERSION[compiler],
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  });
  const output = JSON.parse(compileOnce(input, compiler)) as StandardOutput;
  const failed = output.errors?.find(({ severity }) => severity === "error");
  if (failed) throw new Error(failed.formattedMessage);
  const contracts = output.contracts["source"] ?? {};
  return Object.fromEntries(
    Object.entries(contracts).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: evm.bytecode.object },
    ]),
  );
}

const compiled = new Map<string, Record<string, CompiledContract>>();

/** Compiles a file of test/contracts, once per process. */
export function compileContract(
  file: string,
  compiler: CompilerName,
): Record<string, CompiledContract> {
  const key = `${compiler} ${file}`;
  const known = compiled.get(key);
  if (known) return known;
  const source = readFileSync(join(ROOT, "test", "contracts", file), "utf8");
  const contracts = compileSource(source, compiler);
  compiled.set(key, contracts);
  return contracts;
}
