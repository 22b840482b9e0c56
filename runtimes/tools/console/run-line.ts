/** Runs one command of a line: from its words to its outcome. Source: console 2 */
import { parseVersion } from "../../../core/model/version.ts";
import { type ConsoleCommand, ConsoleFault, type Outcome, usageFault } from "./command.ts";
import { firstWord, splitWords } from "./lexer.ts";
import type { Session } from "./session.ts";
import { asksForUsage, findCommand, usageText } from "./usage.ts";

/** A command with what it is given. */
export interface Invocation {
  readonly command: ConsoleCommand;
  readonly args: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

/** Arguments and flags of a command apart. @throws ConsoleFault with exit code 2 */
function sorted(command: ConsoleCommand, words: readonly string[]): Invocation {
  const args: string[] = [];
  const flags = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const flag = command.flags?.find(({ name }) => name === word);
    if (flag === undefined) {
      args.push(word);
    } else if (flag.value === undefined) {
      flags.set(flag.name, "");
    } else {
      const value = words[++at];
      if (value === undefined) throw usageFault(`${flag.name} wants a ${flag.value} behind it.`);
      flags.set(flag.name, value);
    }
  }
  return { command, args, flags };
}

/** @throws ConsoleFault with exit code 2: for too few what is missing, for too many a hint */
function requireCount({ command, args }: Invocation): void {
  const { parameters, name } = command;
  const least = parameters.filter(({ isOptional }) => !isOptional).length;
  if (args.length < least) {
    const skipped = parameters.find(({ form }, at) => form?.test(args[at] ?? "") === false);
    const lacking = skipped ?? parameters[args.length];
    const line = lacking ? `${lacking.name} is missing: ${lacking.says}.\n` : "";
    throw usageFault(`${line}${usageText(command)}`);
  }
  const isOpen = parameters.at(-1)?.isMany === true;
  if (!isOpen && args.length > parameters.length)
    throw usageFault(`Try '${name} -h or --help' for more information.`);
}

/**
 * The command of words that a shell has cut, or of one that holds a whole line.
 * @throws ConsoleFault with exit code 2
 */
export function readWords(
  words: readonly string[],
  commands: readonly ConsoleCommand[],
): Invocation {
  const [first = "", ...rest] = words;
  const word = firstWord(first);
  if (rest.length === 0 && word !== first) return readLine(first, commands);
  const command = findCommand(first, commands);
  if (command.takesLine && !asksForUsage(rest))
    return { command, args: [words.join(" ")], flags: new Map() };
  return sorted(command, rest);
}

/** The command of a line that somebody typed. @throws ConsoleFault with exit code 2 */
export function readLine(line: string, commands: readonly ConsoleCommand[]): Invocation {
  const word = firstWord(line);
  const command = findCommand(word, commands);
  if (command.takesLine) {
    const rest = line.trim().slice(word.length).trim();
    return { command, args: asksForUsage([rest]) ? [rest] : [line.trim()], flags: new Map() };
  }
  return sorted(command, splitWords(line).slice(1));
}

/** Both are compared by major and minor number. */
const PATCHES = 1_000;

/** @throws ConsoleFault when the chain runs with an older compatibility version */
async function requireVersion(session: Session, { name, since }: ConsoleCommand): Promise<void> {
  if (since === undefined) return;
  const { supportedVersion } = await session.chain();
  const [found, least] = [parseVersion(supportedVersion), parseVersion(since)];
  if (found === undefined || least === undefined) return;
  if (Math.floor(found / PATCHES) >= Math.floor(least / PATCHES)) return;
  throw new ConsoleFault(
    `the node is too old for ${name}: its Supported Version is ${supportedVersion}, ` +
      `${since} or later is needed.`,
  );
}

/** Does what was read. @throws ConsoleFault; the faults of the client */
export async function runInvocation(session: Session, invocation: Invocation): Promise<Outcome> {
  const { command, args, flags } = invocation;
  if (asksForUsage(args)) {
    const text = usageText(command);
    return { text, data: text };
  }
  if (command.isInteractiveOnly && !session.options.isInteractive)
    throw usageFault(`${command.name} makes sense in a session or a script only.`);
  requireCount(invocation);
  await requireVersion(session, command);
  return await command.run(session, args, flags);
}
