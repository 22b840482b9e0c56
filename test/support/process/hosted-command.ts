/** The command `chain-node` in the test's process: what it says, and the code it ends with. */
import { join } from "node:path";
import { runCommand } from "../../../runtimes/node/cli/command-run.ts";
import type { Ended } from "./dev-chain-process.ts";
import { ROOT } from "../runner/root.ts";

/** What scripts that are written run, and nodes that are started. */
const PROGRAM = join(ROOT, "dist", "node", "main.js");

/** Has scripts that are written meanwhile run the built program. */
export async function asProgram<T>(work: () => Promise<T>): Promise<T> {
  const { argv } = process;
  const [, started] = argv;
  argv[1] = PROGRAM;
  return await work().finally(() => {
    argv.splice(1, 1, ...(started === undefined ? [] : [started]));
  });
}

/** Commands write to the streams of the process: one at a time. */
let last: Promise<unknown> = Promise.resolve();

async function runAlone(args: readonly string[]): Promise<Ended> {
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  const { stdout, stderr } = process;
  const said = { stdout: "", stderr: "" };
  const own = { stdout: stdout.write, stderr: stderr.write };
  const keep = (name: "stdout" | "stderr") => (text: string) => {
    said[name] += text;
    return true;
  };
  stdout.write = keep("stdout");
  stderr.write = keep("stderr");
  try {
    return { code: await asProgram(() => runCommand(args)), ...said };
  } finally {
    stdout.write = own.stdout;
    stderr.write = own.stderr;
  }
}

/**
 * Runs a command that ends by itself. A process of its own takes one to two CPU seconds: that is
 * for what a test shows of the process, as its end, its streams or its locks.
 */
export function runHosted(...args: readonly string[]): Promise<Ended> {
  const run = last.then(() => runAlone(args));
  last = run.catch(() => undefined);
  return run;
}
