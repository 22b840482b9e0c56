/** A session on a terminal: keys, completion, history. Source: console 2 */
import { homedir } from "node:os";
import { join } from "node:path";
import { type ReplOptions, type REPLServer, start } from "node:repl";
import type { ReadStream, WriteStream } from "node:tty";
import { type ConsoleCommand, EXIT, type ExitCode } from "../command.ts";
import type { ConsoleSession } from "../console-session.ts";
import { runLine, type RunnerTerms } from "../runner.ts";
import { isQuit, isSilent } from "../script.ts";
import { findCommand } from "../usage.ts";
import { firstWord } from "../lexer.ts";
import { promptText } from "./banner.ts";
import { complete } from "./completion.ts";

/** A terminal, and what is run on it. */
export interface EditorTerms extends RunnerTerms {
  readonly session: ConsoleSession;
  readonly input: ReadStream;
  readonly terminal: WriteStream;
  /** Where the lines are kept. */
  readonly historyFile: string;
}

/** Lines that are kept. Source: console 2 */
export const MOST_LINES = 1_000;
const CYAN = "\u001b[36m";
const PLAIN = "\u001b[0m";
/** Name and format; what follows may be a password. */
const OPEN_WORDS = 2;

/** Below the home folder. */
export function historyFile(home: string = homedir()): string {
  return join(home, ".chain-node_history");
}

/** Whether a line may hold a password: it is not kept. Source: console 2 */
export function isSecretLine(line: string, commands: readonly ConsoleCommand[]): boolean {
  if (line.trim().split(/\s+/).length <= OPEN_WORDS) return false;
  try {
    return findCommand(firstWord(line), commands).isSecret === true;
  } catch {
    // A misspelt command, perhaps one with a password.
    return true;
  }
}

/** Takes out what is not to be kept: the list is that of the editor itself. */
function forgetSecrets(lines: string[], commands: readonly ConsoleCommand[]): void {
  for (let at = lines.length - 1; at >= 0; at--) {
    if (isSecretLine(lines[at] ?? "", commands)) lines.splice(at, 1);
  }
}

/** One line after the other, however fast they are typed or pasted. */
class LineQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** Lines that run or wait. */
  waiting = 0;

  add(work: () => Promise<unknown>): Promise<unknown> {
    this.waiting++;
    const done = this.#last.then(work).finally(() => {
      this.waiting--;
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** Ctrl+C: ends the command that runs, else empties the line. */
function onInterrupt(server: REPLServer, { session }: EditorTerms, queue: LineQueue): void {
  if (queue.waiting > 0) return session.interrupt();
  server.write(null, { ctrl: true, name: "e" });
  server.write(null, { ctrl: true, name: "u" });
  server.output.write("^C\n");
  server.clearBufferedCommand();
  server.displayPrompt();
}

function prompt({ session, output }: EditorTerms): string {
  const text = promptText(session.groupId);
  return output.isColored ? `${CYAN}${text}${PLAIN}` : text;
}

function keepHistory(server: REPLServer, { historyFile: file, commands }: EditorTerms): void {
  server.on("history", (lines: string[]) => forgetSecrets(lines, commands));
  // A folder that cannot be written costs the history and nothing else; the editor says so.
  server.setupHistory(file, () => undefined);
}

/** Until somebody leaves. */
export function runEditor(terms: EditorTerms): Promise<ExitCode> {
  const queue = new LineQueue();
  const { session, commands, input, terminal } = terms;
  const place = { session, commands, workingFolder: process.cwd() };
  // The declared options lack the size of the history, which goes to the reader of lines.
  const options: ReplOptions & { readonly historySize: number } = {
    prompt: prompt(terms),
    input,
    output: terminal,
    terminal: true,
    useGlobal: true,
    useColors: false,
    ignoreUndefined: true,
    preview: false,
    historySize: MOST_LINES,
    completer: (line: string, answer: (fault: null, offer: [string[], string]) => void) => {
      void complete(line, place).then(([offered, word]) => answer(null, [[...offered], word]));
    },
    eval: (text, _context, _file, done) => {
      const line = text.replace(/\n$/, "");
      // A user who leaves gets no further prompt.
      if (isQuit(line, terms)) return void queue.add(async () => server.close());
      const work = async (): Promise<void> => {
        if (isSilent(line)) return;
        await runLine(terms, line);
        server.setPrompt(prompt(terms));
      };
      void queue.add(work).finally(() => done(null, undefined));
    },
  };
  const server = start(options);
  keepHistory(server, terms);
  server.removeAllListeners("SIGINT");
  server.on("SIGINT", () => onInterrupt(server, terms, queue));
  return new Promise((resolve) => {
    server.on("exit", () => resolve(EXIT.done));
  });
}
