/** Runs commands one after the other and prints what comes of them. Source: console 3, 6 */
import { AbortedFault } from "../../../core/client/client-fault.ts";
import { type ConsoleCommand, ConsoleFault, EXIT, type ExitCode } from "./command.ts";
import { asConsoleFault } from "./faults.ts";
import type { Output } from "./output.ts";
import { faultDocument, faultText, outcomeDocument } from "./print.ts";
import { type Invocation, readLine, readWords, runInvocation } from "./run-line.ts";
import type { Session } from "./session.ts";

/** What commands are run with. */
export interface RunnerTerms {
  readonly session: Session;
  readonly output: Output;
  readonly commands: readonly ConsoleCommand[];
  /** Tell how long each command took. */
  readonly isTimed: boolean;
}

/** Prints a fault: what a node or a contract said is a result, a sentence is a diagnostic. */
export function printFault(output: Output, fault: ConsoleFault): void {
  if (output.json) return output.out(`${faultDocument(fault)}\n`);
  const isResult = fault.code !== undefined || fault.text !== undefined;
  if (isResult) output.out(`${faultText(fault)}\n`);
  else output.complain(faultText(fault));
  if (fault.hint !== undefined) output.aside(fault.hint);
  if (isResult) output.out("\n");
}

/** Words for anything that was thrown; a defect has its stack. */
export function faultOf(cause: unknown): ConsoleFault {
  const known = asConsoleFault(cause);
  if (known) return known;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return new ConsoleFault(`a defect of the console: ${text}`, { cause });
}

/** Runs what is read, prints, and gives the exit code. */
async function perform(
  { session, output, isTimed }: RunnerTerms,
  read: () => Invocation,
): Promise<ExitCode> {
  const began = performance.now();
  let code: ExitCode = EXIT.done;
  session.begin();
  try {
    const invocation = read();
    const work = runInvocation(session, invocation);
    const { endsBySignal } = invocation.command;
    const outcome = await (endsBySignal ? work : unlessInterrupted(session, work));
    if (output.json) output.out(`${outcomeDocument(outcome)}\n`);
    else output.out(outcome.text === "" ? "\n" : `${outcome.text}\n\n`);
  } catch (cause) {
    const fault = faultOf(cause);
    printFault(output, fault);
    code = fault.exitCode;
  }
  if (isTimed) output.aside(`took ${Math.round(performance.now() - began)} ms`);
  return code;
}

/** A command that examines the signal says more of its end: it has this long, in milliseconds. */
const OWN_WORDS_MS = 500;

/** Ctrl+C ends the wait for a command that does not look at the signal itself. */
async function unlessInterrupted<T>(session: Session, work: Promise<T>): Promise<T> {
  const { signal } = session;
  let stop = (): void => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    stop = () => {
      setTimeout(() => reject(new AbortedFault("interrupted")), OWN_WORDS_MS);
    };
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    signal.removeEventListener("abort", stop);
    // No caller waits for it any more.
    work.catch(() => undefined);
  }
}

/** A line that somebody typed, or of a script. */
export function runLine(terms: RunnerTerms, line: string): Promise<ExitCode> {
  return perform(terms, () => readLine(line, terms.commands));
}

/** The words of one command. */
export function runWords(terms: RunnerTerms, words: readonly string[]): Promise<ExitCode> {
  return perform(terms, () => readWords(words, terms.commands));
}
