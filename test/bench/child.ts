/** Child processes of the benchmark: started, waited for, stopped by their own process id. */
import { type ChildProcess, spawn } from "node:child_process";
import { endWithUs } from "../support/runner/own-children.ts";
import { portsInRow } from "../support/process/ports.ts";

/** A port that is free, and the next few too. */
export const freePort = (): Promise<number> => portsInRow(4);

/** Starts a command and resolves with its output up to the first match. */
export async function startChild(
  command: string,
  args: readonly string[],
  ready: RegExp,
  env: NodeJS.ProcessEnv = {},
) {
  const child: ChildProcess = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  endWithUs(child);
  let output = "";
  let errors = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      errors = (errors + chunk.toString()).slice(-4000);
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      if (output.length < 200_000) output += chunk.toString();
      if (ready.test(output)) resolve();
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${command} ended with ${code}: ${errors}`)));
  });
  return { child, output: () => output, errors: () => errors };
}

/** Stops a child with a signal and waits for its end. */
export async function stopChild(
  child: ChildProcess,
  signal: NodeJS.Signals = "SIGINT",
): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill(signal);
  return ended;
}
