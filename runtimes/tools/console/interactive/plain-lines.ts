/** A session without keys and completion, for logs and pipes: `-l`. Source: console 1 */
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { EXIT, type ExitCode } from "../command.ts";
import type { ConsoleSession } from "../console-session.ts";
import { runLine, type RunnerTerms } from "../runner.ts";
import { isQuit, isSilent } from "../script.ts";
import { promptText } from "./banner.ts";

/** Where lines come from. */
export interface PlainTerms extends RunnerTerms {
  readonly session: ConsoleSession;
  readonly input: Readable;
}

/** Until somebody leaves, or the lines end. */
export async function runPlainLines(terms: PlainTerms): Promise<ExitCode> {
  const { session, output, input } = terms;
  const lines = createInterface({ input, terminal: false });
  const ask = (): void => output.out(promptText(session.groupId));
  let isRunning = false;
  const onInterrupt = (): void => {
    if (isRunning) return session.interrupt();
    output.out("\n");
    ask();
  };
  process.on("SIGINT", onInterrupt);
  ask();
  for await (const line of lines) {
    if (isQuit(line, terms)) break;
    isRunning = true;
    if (!isSilent(line)) await runLine(terms, line);
    isRunning = false;
    ask();
  }
  process.off("SIGINT", onInterrupt);
  lines.close();
  return EXIT.done;
}
