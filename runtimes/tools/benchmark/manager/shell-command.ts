/** Start and end commands. Source: benchmark 2 */
import { spawn } from "node:child_process";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";

/** Runs a command by a shell in the workspace. @throws BenchmarkFault `engine` when it fails */
export async function runShell(what: string, command: string, workspace: string): Promise<void> {
  const why = await new Promise<string | undefined>((resolve) => {
    // What the command prints is no result of the run.
    const stdio = ["ignore", process.stderr, process.stderr] as const;
    const child = spawn(command, { cwd: workspace, shell: true, stdio: [...stdio] });
    child.once("error", (cause) => resolve(cause.message));
    child.once("close", (code, signal) => {
      resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`);
    });
  });
  if (why === undefined) return;
  throw new BenchmarkFault("engine", `the ${what} command failed: ${why}: ${command}`);
}
