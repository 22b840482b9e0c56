/**
 * What a soak is: a long check with a name, which prints its figures and throws when something does
 * not hold.
 */

/** A long check. */
export interface Soak {
  /** One line for the list; what it names with two dashes are its options. */
  readonly about: string;
  run(args: readonly string[], say: (line: string) => void): Promise<void>;
}

/** An option that a soak does not take, or not so. */
export class OptionFault extends Error {
  override readonly name = "OptionFault";
}

/** The first option that the line about a soak does not name. */
export function unknownOption(args: readonly string[], about: string): string | undefined {
  const known: readonly string[] = about.match(/--[a-z]+(-[a-z]+)*/g) ?? [];
  return args.find((arg) => arg.startsWith("-") && !known.includes(arg));
}

/** The whole number after an option. @throws OptionFault for anything else */
export function numberOption(args: readonly string[], name: string, otherwise: number): number {
  const at = args.indexOf(`--${name}`);
  if (at < 0) return otherwise;
  const value = Number(args[at + 1]);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new OptionFault(`--${name} wants a whole number`);
  return value;
}

/** The text after an option. @throws OptionFault when there is none */
export function textOption(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(`--${name}`);
  if (at < 0) return undefined;
  const value = args[at + 1];
  if (value === undefined || value === "") throw new OptionFault(`--${name} wants a value`);
  return value;
}

/** Arguments of Node that write a CPU profile of each thread of the nodes into a folder. */
export function profilingTo(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  return ["--cpu-prof", "--cpu-prof-interval=2000", `--cpu-prof-dir=${folder}`];
}
