/** Compiling as the page shows it: what is offered, what runs, what came of it. */
import { Observed } from "../observed.ts";
import { CompileFault, Compiler, type CompileProgress, offeredCompilers } from "./compiler.ts";
import {
  type EvmVersion,
  evmVersionFor,
  newestFor,
  type OfferedCompiler,
  rangesOf,
} from "../../../runtimes/shared/solidity/compiler-versions.ts";
import {
  closureOf,
  type CompileResult,
  type CompiledContract,
  inputOf,
  resultOf,
  type Sources,
} from "../../../runtimes/shared/solidity/standard-json.ts";

/** The newest compiler that the source admits. */
export const AUTOMATIC = "auto";

/** What came of a compilation. */
export interface Compiled extends CompileResult {
  /** The file that was asked for, and all that it imports. */
  readonly entry: string;
  readonly sources: Sources;
  readonly version: string;
  readonly evmVersion: EvmVersion;
  readonly seconds: number;
  /** The engine's stack was too small for the compiler's optimizer. */
  readonly isUnoptimized: boolean;
}

/** Why nothing was compiled. */
export type CompileFailure =
  | { readonly kind: "noCompilers" }
  /** No compiler is admitted by these ranges. */
  | { readonly kind: "noneFits"; readonly ranges: readonly string[] }
  | { readonly kind: "notInstalled"; readonly compiler: OfferedCompiler }
  | { readonly kind: "cancelled" }
  | { readonly kind: "unloadable" | "crashed"; readonly version: string; readonly reason: string };

/** A compilation that runs. */
export interface CompileRun {
  readonly version: string;
  readonly progress: CompileProgress;
  /** By the page's clock. */
  readonly began: number;
}

/** What the page shows. */
export interface CompileState {
  /** Undefined until the server has answered. */
  readonly compilers: readonly OfferedCompiler[] | undefined;
  /** A version, or {@link AUTOMATIC}. */
  readonly wanted: string;
  readonly optimize: boolean;
  readonly run: CompileRun | undefined;
  readonly result: Compiled | undefined;
  readonly failure: CompileFailure | undefined;
}

interface CompileRequest {
  readonly entry: string;
  readonly files: Sources;
  /** `Supported Version` of the chain; empty without one. */
  readonly supported: string;
}

/** The compiler for sources: the chosen one, or the newest that is installed and admitted. */
function chooseCompiler(
  sources: Sources,
  { compilers = [], wanted }: Pick<CompileState, "compilers" | "wanted">,
): OfferedCompiler | CompileFailure {
  if (compilers.length === 0) return { kind: "noCompilers" };
  if (wanted !== AUTOMATIC) {
    const chosen = compilers.find(({ version }) => version === wanted);
    if (chosen?.installed) return chosen;
    return chosen ? { kind: "notInstalled", compiler: chosen } : { kind: "noCompilers" };
  }
  const ranges = [...sources.values()].flatMap(rangesOf);
  const newest = (list: readonly OfferedCompiler[]) =>
    newestFor(
      ranges,
      list.map(({ version }) => version),
    );
  const version = newest(compilers.filter(({ installed }) => installed)) ?? newest(compilers);
  const compiler = compilers.find((it) => it.version === version);
  if (compiler === undefined) return { kind: "noneFits", ranges };
  return compiler.installed ? compiler : { kind: "notInstalled", compiler };
}

/** Compiles, and remembers what came of it while other parts of the page are visited. */
export class CompileService {
  readonly state = new Observed<CompileState>({
    compilers: undefined,
    wanted: AUTOMATIC,
    optimize: true,
    run: undefined,
    result: undefined,
    failure: undefined,
  });
  readonly #compiler = new Compiler();
  /** Compilers whose optimizer the engine's stack is too small for. */
  readonly #deep = new Set<string>();

  /** Asks which compilers there are, unless it is known. */
  async load(): Promise<void> {
    if ((this.state.value.compilers?.length ?? 0) > 0) return;
    this.state.change({ compilers: await offeredCompilers() });
  }

  /** Compiles a file with what it imports; the result, or undefined when there is none. */
  async compile({ entry, files, supported }: CompileRequest): Promise<Compiled | undefined> {
    await this.load();
    const sources = closureOf(entry, files);
    const chosen = chooseCompiler(sources, this.state.value);
    if ("kind" in chosen) {
      this.state.change({ failure: chosen });
      return undefined;
    }
    const { version } = chosen;
    const began = performance.now();
    const onProgress = (progress: CompileProgress): void =>
      this.state.change({ run: { version, progress, began } });
    onProgress({ phase: "starting" });
    const evmVersion = evmVersionFor(version, supported);
    try {
      const output = await this.#output({ compiler: chosen, sources, evmVersion, onProgress });
      const seconds = (performance.now() - began) / 1_000;
      const isUnoptimized = this.state.value.optimize && this.#deep.has(version);
      const read = resultOf(output, sources);
      const result = { ...read, entry, sources, version, evmVersion, seconds, isUnoptimized };
      this.state.change({ run: undefined, result, failure: undefined });
      return result;
    } catch (cause) {
      this.state.change({ run: undefined, failure: failureOf(cause, version) });
      return undefined;
    }
  }

  /** Ends what runs. */
  cancel(): void {
    this.#compiler.cancel();
  }

  async #output(order: {
    readonly compiler: OfferedCompiler;
    readonly sources: Sources;
    readonly evmVersion: EvmVersion;
    onProgress(progress: CompileProgress): void;
  }): Promise<string> {
    const { compiler, sources, evmVersion, onProgress } = order;
    const { version } = compiler;
    const optimize = this.state.value.optimize && !this.#deep.has(version);
    const input = inputOf(sources, { evmVersion, optimize });
    try {
      return await this.#compiler.compile({ compiler, input, onProgress });
    } catch (cause) {
      const isDeep = cause instanceof CompileFault && cause.trouble === "tooDeep";
      if (!isDeep || !optimize) throw cause;
      this.#deep.add(version);
      return await this.#output(order);
    }
  }
}

function failureOf(cause: unknown, version: string): CompileFailure {
  const trouble = cause instanceof CompileFault ? cause.trouble : "crashed";
  if (trouble === "cancelled") return { kind: "cancelled" };
  const reason = cause instanceof Error ? cause.message : String(cause);
  return { kind: trouble === "unloadable" ? "unloadable" : "crashed", version, reason };
}

/**
 * Whether a result is not of what is there now: a text has changed, the chain wants other code, or
 * a later compilation came to nothing.
 */
export function isStale(
  { result, failure }: Pick<CompileState, "result" | "failure">,
  { files, supported }: Pick<CompileRequest, "files" | "supported">,
): boolean {
  if (result === undefined) return false;
  if (failure !== undefined) return true;
  const isOther = [...result.sources].some(([name, text]) => files.get(name) !== text);
  return isOther || result.evmVersion !== evmVersionFor(result.version, supported);
}

/** Contracts that can be deployed: those with code, of the file that was asked for first. */
export function deployable({ contracts, entry }: Compiled): readonly CompiledContract[] {
  const all = contracts.filter(({ code }) => code !== "");
  return [...all.filter(({ file }) => file === entry), ...all.filter(({ file }) => file !== entry)];
}

/** A contract among those that were compiled: what distinguishes it, and its name for people. */
export function choiceOf({ file, name }: CompiledContract): readonly [string, string] {
  return [`${file}:${name}`, `${name} (${file})`];
}

let service: CompileService | undefined;

/** The compilers of this page. */
export function compileService(): CompileService {
  service ??= new CompileService();
  return service;
}
