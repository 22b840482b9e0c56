/** The compilers themselves, as their scripts leave them: one shape for three generations. */

/** The part of a compiler's module that is used. */
export interface CompilerModule {
  cwrap(
    name: string,
    result: string,
    parameters: readonly string[],
  ): (...values: unknown[]) => string;
  readonly calledRun?: boolean;
  onRuntimeInitialized?: () => void;
  readonly _solidity_compile?: unknown;
  readonly _solidity_reset?: unknown;
  readonly _solidity_version?: unknown;
}

/** Compiles standard JSON, as text. */
export type Compile = (input: string) => string;

const NO_CALLBACK = 0;

/** Waits where a module starts later. */
export async function started(module: CompilerModule): Promise<CompilerModule> {
  if (module.calledRun !== true) {
    await new Promise<void>((resolve) => {
      module.onRuntimeInitialized = resolve;
    });
  }
  return module;
}

/** The call of each generation of compilers: 0.4, 0.5, and from 0.6 on. */
export function compileCallOf(module: CompilerModule): Compile {
  if (module._solidity_compile === undefined) {
    const compile = module.cwrap("compileStandard", "string", ["string", "number"]);
    return (input) => compile(input, NO_CALLBACK);
  }
  if (module._solidity_reset === undefined) {
    const compile = module.cwrap("solidity_compile", "string", ["string", "number"]);
    return (input) => compile(input, NO_CALLBACK);
  }
  const parameters = ["string", "number", "number"];
  const compile = module.cwrap("solidity_compile", "string", parameters);
  return (input) => compile(input, NO_CALLBACK, NO_CALLBACK);
}

/** The full version text. */
export function versionTextOf(module: CompilerModule): string {
  const name = module._solidity_version === undefined ? "version" : "solidity_version";
  return module.cwrap(name, "string", [])();
}
