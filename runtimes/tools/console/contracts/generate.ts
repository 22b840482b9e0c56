/** Writes ABIs, code and bindings of contracts. Source: console 7 */
import { readdir, stat } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { type FileToWrite, writeAll } from "../../../folder/whole-files.ts";
import { type CompiledContract, librariesOf } from "../../../shared/solidity/standard-json.ts";
import { ConsoleFault, usageFault } from "../command.ts";
import { bindingText } from "./bindings.ts";
import { type CompileContext, compileFile, linkedContract } from "./compile.ts";
import { type ContractFile, contractNameOf } from "./contract-file.ts";

/** What is to be written. */
export interface GenerateOrder {
  /** A source, or a folder of sources; absolute. */
  readonly source: string;
  /** Where to write; absolute. */
  readonly out: string;
  /** Addresses by name. */
  readonly libraries: ReadonlyMap<string, string>;
}

/** Sources of libraries in a folder: they are compiled with those that use them. */
const LIBRARY = /^Lib/;

async function sourcesIn(source: string): Promise<readonly ContractFile[]> {
  const found = await stat(source).catch(() => undefined);
  if (found === undefined) throw usageFault(`${source} does not exist.`);
  if (!found.isDirectory()) return [{ name: contractNameOf(source), path: source }];
  const names = (await readdir(source)).sort();
  const files = names.filter((name) => name.endsWith(".sol") && !LIBRARY.test(name));
  if (files.length === 0) throw usageFault(`${source} has no .sol files.`);
  return files.map((name) => ({ name: contractNameOf(name), path: join(source, name) }));
}

/** Only the libraries that a contract uses: others of the same run have others. */
function linked(contract: CompiledContract, libraries: GenerateOrder["libraries"]): string {
  if (contract.code === "") return "";
  const used = librariesOf(contract).filter((name) => libraries.has(name));
  const given = new Map(used.map((name) => [name, libraries.get(name) ?? ""]));
  return linkedContract(contract, given).code;
}

function filesOf(
  contract: CompiledContract,
  { path }: ContractFile,
  { compiler, code }: { readonly compiler: string; readonly code: string },
): readonly FileToWrite[] {
  const { name, abi } = contract;
  const bound = { name, file: basename(path), compiler, abi, code };
  const codeFile = { path: join("bin", `${name}.bin`), text: code, use: "text" } as const;
  return [
    { path: join("abi", `${name}.abi`), text: `${JSON.stringify(abi)}\n`, use: "text" },
    ...(code === "" ? [] : [codeFile]),
    { path: join("ts", `${name}.ts`), text: bindingText(bound), use: "text" },
  ];
}

/**
 * Compiles all sources and writes, for each contract, ABI, code and a TypeScript module. Nothing is
 * written when one of them does not compile.
 * @returns paths of the files, relative to the console folder where they are below it
 * @throws ConsoleFault
 */
export async function generateBindings(
  { source, out, libraries }: GenerateOrder,
  context: CompileContext,
): Promise<readonly string[]> {
  const files: FileToWrite[] = [];
  for (const file of await sourcesIn(source)) {
    const { compiler, contracts } = await compileFile(file, context);
    for (const contract of contracts)
      files.push(...filesOf(contract, file, { compiler, code: linked(contract, libraries) }));
  }
  const paths = files.map(({ path }) => path);
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined)
    throw new ConsoleFault(`Two contracts are called ${contractNameOf(basename(twice))}.`);
  await writeAll(out, files);
  return paths.map((path) => {
    const full = resolve(out, path);
    const short = relative(context.folder, full);
    return short.startsWith("..") || isAbsolute(short) ? full : short;
  });
}
