/** Start and end commands. Source: benchmark 2 */
import { spawn } from "node:child_process";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import { ENGINE_CODES } from "../exit-codes.ts";

/** Its number, which a thread has too. */
const STDERR = 2;

interface Failure {
  /** Added to the code of the step. */
  readonly code: 1 | 2;
  readonly why: string;
}

/**
 * Runs a command by a shell in the workspace.
 * @throws BenchmarkFault `engine` that has the command, how it ended, and the code of that
 */
export async function runShell(
  step: "start" | "end",
  command: string,
  workspace: string,
): Promise<void> {
  const failure = await new Promise<Failure | undefined>((resolve) => {
    // What the command prints is no result of the run.
    const stdio = ["ignore", STDERR, STDERR] as const;
    const child = spawn(command, { cwd: workspace, shell: true, stdio: [...stdio] });
    child.once("error", ({ message }) => resolve({ code: 1, why: message }));
    child.once("close", (code, signal) => {
      resolve(code === 0 ? undefined : { code: 2, why: `it ended with ${signal ?? code}` });
    });
  });
  if (failure === undefined) return;
  const what = `the ${step} command failed (code ${ENGINE_CODES[step] + failure.code})`;
  throw new BenchmarkFault("engine", `${what}: ${failure.why}: ${command}`);
}
