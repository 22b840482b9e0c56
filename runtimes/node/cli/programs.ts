/** Programs that are commands of `chain-node` too: they read their words themselves. */

/** Does what words say; gives the exit code. */
type Program = (args: readonly string[]) => Promise<number>;

const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  benchmark: async () => (await import("../../tools/benchmark/run-bench.ts")).runBench,
  console: async () => (await import("../../tools/console/run-console.ts")).runConsole,
  generator: async () => (await import("../../tools/generator/run.ts")).runGenerator,
};

/** Runs the program that the first word names; undefined when it names none. */
export function programOf([name = "", ...rest]: readonly string[]):
  | (() => Promise<number>)
  | undefined {
  const load = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  return load && (async () => await (await load())(rest));
}
