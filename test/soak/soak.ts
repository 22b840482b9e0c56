/**
 * What a soak is: a long check with a name, which prints its figures and throws when something does
 * not hold.
 */

/** A long check. */
export interface Soak {
  /** One line for the list, options included. */
  readonly about: string;
  run(args: readonly string[], say: (line: string) => void): Promise<void>;
}

/** The whole number after an option. */
export function numberOption(args: readonly string[], name: string, otherwise: number): number {
  const at = args.indexOf(`--${name}`);
  if (at < 0) return otherwise;
  const value = Number(args[at + 1]);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`--${name} wants a whole number`);
  return value;
}

/** The text after an option. */
export function textOption(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(`--${name}`);
  if (at < 0) return undefined;
  const value = args[at + 1];
  if (value === undefined || value === "") throw new RangeError(`--${name} wants a value`);
  return value;
}
