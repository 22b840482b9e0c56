/** Runs a script in a second Node process, for tests of locks and sudden ends. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** Bounds of the other process. */
export interface ProcessBounds {
  /** Size beyond which no file grows: a stand-in for a full disk. */
  readonly fileSizeKib?: number;
}

/** Starts an ECMAScript module from its text; resolves when it prints its first line. */
export async function runUntilLine(
  script: string,
  bounds: ProcessBounds = {},
): Promise<{ child: ChildProcess; line: string }> {
  const limit = bounds.fileSizeKib ? `ulimit -f ${bounds.fileSizeKib * 2};` : "";
  const run = `${limit} exec "$0" --input-type=module --eval "$1"`;
  const child = spawn("sh", ["-c", run, process.execPath, script], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the other process ended with ${code}`)));
    child.stdout?.once("data", (data) => resolve(String(data).trim()));
  });
  return { child, line };
}

/** Ends a process at once, as a power cut would, and waits until it is gone. */
export async function killAtOnce(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}
