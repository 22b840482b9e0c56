/** Commands as data: from one row come the parser, the help and the reference. */
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { parseHost } from "../../folder/chain-layout.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { LEAF_DAYS } from "../../formats/certificates/certificate-terms.ts";

/** A kind of value that an option takes. */
export interface ValueKind {
  /** What may stand there. */
  readonly allowed: string;
  /** The value; throws InvalidArgumentError with a sentence. */
  read(text: string): unknown;
}

/** One option of a command. */
export interface OptionRow {
  /** As the parser knows it: `-c, --config <file>`. A flag without `<...>` is a switch. */
  readonly flags: string;
  /** What it is for, without a full stop. */
  readonly help: string;
  /** Any text when absent. */
  readonly kind?: ValueKind;
  /** One of these words. */
  readonly choices?: readonly string[];
  /** The value when the option is not given; false for a switch. */
  readonly fallback?: unknown;
  /** How the fallback is shown where its own text says too little. */
  readonly shown?: string;
  readonly required?: boolean;
  /** Names of options that exclude this one, as fields of the parsed options. */
  readonly conflicts?: readonly string[];
}

/** The argument of a command. */
export interface ArgumentRow {
  /** `<folder>`, or `[folder]` where it may be left out. */
  readonly name: string;
  readonly help: string;
  readonly fallback?: string;
}

/** One command. */
export interface CommandRow {
  /** One word, or two for a command below another. */
  readonly name: string;
  readonly help: string;
  readonly argument?: ArgumentRow;
  /** A second argument: what the first one goes to. */
  readonly target?: ArgumentRow;
  readonly options: readonly OptionRow[];
  /** What follows is read by a program of its own, options too. */
  readonly passesOn?: true;
  /**
   * Loads what does the work: what all commands load together takes a second. Those that can end in
   * another way than by a fault give their code. Absent for a parent, and where `passesOn` is set.
   */
  readonly work?: () => Promise<(...given: never[]) => Promise<unknown>>;
  /** Command lines that do something useful, without the name of the program. */
  readonly examples: readonly string[];
}

/** Only switches may stay without a value. */
export function isSwitch({ flags }: OptionRow): boolean {
  return !flags.includes("<") && !flags.includes("[");
}

/** A whole number in a range. */
export function wholeNumber(low: number, high: number): ValueKind {
  return {
    allowed: `a whole number from ${low} to ${high}`,
    read(text) {
      const value = Number(text);
      if (/^\d+$/.test(text) && value >= low && value <= high) return value;
      throw new InvalidArgumentError(`A whole number from ${low} to ${high} is wanted.`);
    },
  };
}

/** Source: groups 6 */
export const HIGHEST_GROUP = 32_767;

/** Ports below 1024 belong to the system. Source: interface 8 */
export const LOWEST_PORT = 1024;
/** The highest port there is. */
export const HIGHEST_PORT = 65_535;
/** Longest validity: a hundred years. */
const MOST_DAYS = 36_500;

/** How long certificates of leaves are valid. */
export const DAYS: OptionRow = {
  flags: "--days <days>",
  kind: wholeNumber(1, MOST_DAYS),
  fallback: LEAF_DAYS,
  help: "validity of node and SDK certificates",
};

/** Makes the agency that is to sign, too. */
export const NEW_AGENCY: OptionRow = {
  flags: "--new-agency",
  help: "make the agency first; needs ca.key",
};

/** What is printed on stderr. */
export const LOG_LEVEL: OptionRow = {
  flags: "--log-level <level>",
  choices: ["trace", "debug", "info", "warning", "error"],
  help: "least severe log lines to print on stderr",
};

/** For scripts. */
export const YES: OptionRow = { flags: "--yes", help: "do not ask" };

/** One line for machines. */
export const JSON_LINE: OptionRow = { flags: "--json", help: "print one line of JSON" };

/** Which group; the first when absent. */
export const GROUP: OptionRow = {
  flags: "--group <id>",
  kind: wholeNumber(1, HIGHEST_GROUP),
  fallback: 1,
  help: "group",
};

/** A command that only stands above others. */
export function parentRow(name: string, help: string): CommandRow {
  return { name, help, examples: [], options: [] };
}

/** A reader of the folder rung as a kind of value: its fault is a sentence about the option. */
export function folderValue(allowed: string, read: (text: string) => unknown): ValueKind {
  return {
    allowed,
    read(text) {
      try {
        return read(text);
      } catch (error) {
        if (error instanceof FolderFault) throw new InvalidArgumentError(error.message);
        throw error;
      }
    },
  };
}

/** Where peers reach a node. */
export const HOST: ValueKind = folderValue("an IPv4 or IPv6 address, or a name", parseHost);

function optionOf(row: OptionRow): Option {
  const option = new Option(row.flags, row.help);
  const fallback = row.fallback ?? (isSwitch(row) ? false : undefined);
  if (fallback !== undefined) option.default(fallback, row.shown);
  if (row.choices) option.choices(row.choices);
  const { kind } = row;
  if (kind) option.argParser((text) => kind.read(text));
  if (row.required) option.makeOptionMandatory();
  if (row.conflicts) option.conflicts([...row.conflicts]);
  return option;
}

/** Whether a command only stands above others. */
export function isParent({ options, argument }: CommandRow): boolean {
  return options.length === 0 && !argument;
}

/** The arguments of a command in their order. */
export function argumentsOf({ argument, target }: CommandRow): readonly ArgumentRow[] {
  return [argument, target].filter((row) => row !== undefined);
}

/** The command of a row, without its parent and its action. */
export function commandOf(row: CommandRow): Command {
  const command = new Command(row.name.split(" ").at(-1)).description(row.help);
  for (const { name, help, fallback } of argumentsOf(row)) {
    const argument = new Argument(name, help);
    if (fallback !== undefined) argument.default(fallback);
    command.addArgument(argument);
  }
  if (row.passesOn) command.allowUnknownOption().allowExcessArguments();
  for (const option of row.options) command.addOption(optionOf(option));
  if (row.examples.length > 0) {
    const lines = row.examples.map((example) => `  $ chain-node ${example}\n`);
    command.addHelpText("after", `\nExamples:\n${lines.join("").trimEnd()}`);
  }
  return command;
}
