/** Commands from standard input, without anybody who types. Source: console 6 */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { EXIT, type ExitCode } from "./command.ts";
import { QUIT } from "./commands/session.ts";
import { firstWord } from "./lexer.ts";
import { runLine, type RunnerTerms } from "./runner.ts";
import { findCommand } from "./usage.ts";

/** Whether a line ends the session. */
export function isQuit(line: string, { commands }: Pick<RunnerTerms, "commands">): boolean {
  const word = firstWord(line);
  try {
    return word !== "" && line.trim() === word && findCommand(word, commands).name === QUIT;
  } catch {
    return false;
  }
}

/** Whether a line says nothing: blank, or a comment. */
export function isSilent(line: string): boolean {
  return /^\s*(#.*)?$/.test(line);
}

/** What a script is run with. */
export interface ScriptTerms extends RunnerTerms {
  readonly input: Readable;
  /** Do not stop at the first command that fails. */
  readonly keepsGoing: boolean;
}

/**
 * Runs each line; lines that begin with `#` are comments.
 * @returns the code of the first command that failed
 */
export async function runScript(terms: ScriptTerms): Promise<ExitCode> {
  const lines = createInterface({ input: terms.input, crlfDelay: Number.POSITIVE_INFINITY });
  let first: ExitCode = EXIT.done;
  for await (const line of lines) {
    if (isSilent(line)) continue;
    if (isQuit(line, terms)) break;
    const code = await runLine(terms, line);
    if (first === EXIT.done) first = code;
    if (code !== EXIT.done && !terms.keepsGoing) break;
  }
  lines.close();
  return first;
}
