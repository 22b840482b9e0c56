/** How commands are found, and what is reported of them. Source: console 2 */
import { nearestName } from "../../formats/config/nearest-name.ts";
import { type ConsoleCommand, type ConsoleFault, type Parameter, usageFault } from "./command.ts";
import { padTo } from "./print.ts";

/** Second words that ask for the usage. Source: console 2 */
const HELP_WORDS = new Set(["-h", "-help", "--h", "--H", "--help", "-H", "h"]);
const NAME_WIDTH = 40;

/** Whether the words ask how a command is used. */
export function asksForUsage(args: readonly string[]): boolean {
  return args.length === 1 && HELP_WORDS.has(args[0] ?? "");
}

function placeOf({ name, isOptional, isMany }: Parameter): string {
  const words = isMany ? `${name}...` : name;
  return isOptional ? `[${words}]` : words;
}

/** Name, parameters and flags as they are typed. */
export function grammarOf({ name, parameters, flags = [] }: ConsoleCommand): string {
  const options = flags.map((flag) => `[${flag.name}${flag.value ? ` <${flag.value}>` : ""}]`);
  return [name, ...parameters.map(placeOf), ...options].join(" ");
}

/** The usage: description, grammar, one line per parameter. Source: console 2 */
export function usageText(command: ConsoleCommand): string {
  const { says, parameters, flags = [], aliases = [], since, isInteractiveOnly } = command;
  const notes = [
    ...(aliases.length > 0 ? [`Aliases: ${aliases.join(", ")}`] : []),
    ...(since === undefined ? [] : [`Needs a chain of version ${since} or later.`]),
    ...(isInteractiveOnly ? ["In a session or a script only."] : []),
  ];
  const lines = [
    ...parameters.map((it) => `* ${it.name} -- ${it.says}${it.isOptional ? " (optional)" : ""}`),
    ...flags.map((it) => `* ${it.name} -- ${it.says} (optional)`),
  ];
  return [`${says}.`, "Usage:", grammarOf(command), ...lines, ...notes].join("\n");
}

/** All commands, sorted: name, description, aliases. Source: console 4.1 */
export function commandList(commands: readonly ConsoleCommand[]): string {
  const sorted = [...commands].sort((a, b) => a.name.localeCompare(b.name, "en"));
  const line = ({ name, aliases = [], says }: ConsoleCommand): string => {
    const shown = aliases.length > 0 ? `${name}([${aliases.join(", ")}])` : name;
    return `* ${padTo(shown, NAME_WIDTH)}  ${says}`;
  };
  return sorted.map(line).join("\n");
}

function namesOf({ name, aliases = [] }: ConsoleCommand): readonly string[] {
  return [name, ...aliases];
}

/**
 * The command of a word: by its exact name, else in any case when one only is meant.
 * @throws ConsoleFault with exit code 2 that suggests the nearest name
 * Source: console 2
 */
export function findCommand(word: string, commands: readonly ConsoleCommand[]): ConsoleCommand {
  const exact = commands.find((command) => namesOf(command).includes(word));
  if (exact) return exact;
  const wanted = word.toLowerCase();
  const alike = commands.filter((command) =>
    namesOf(command).some((name) => name.toLowerCase() === wanted),
  );
  const [only] = alike;
  if (only && alike.length === 1) return only;
  throw undefinedCommand(word, commands);
}

function undefinedCommand(word: string, commands: readonly ConsoleCommand[]): ConsoleFault {
  const near = nearestName(word, commands.flatMap(namesOf));
  const meant = near === undefined ? "" : ` Did you mean ${near}?`;
  return usageFault(`Undefined command: "${word}". Try "help".${meant}`);
}
