/** Runs a Solidity compiler next to the console. */
import { fork } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { InvariantFault } from "../../../../core/fault/invariant.ts";
import { ConsoleFault } from "../command.ts";
import type { CompilerAnswer } from "./compiler-process.ts";

/** The built file of the process. */
const FILE = "solidity-compiler.js";
/** Folder with the built files, for code that does not run from the build itself. */
const DIST_VARIABLE = "CHAIN_NODE_DIST";
/** More text than a process that fails has to say. */
const MOST_ERROR_TEXT = 2_000;

/** A file of the build that is started as a process of its own. */
export function builtFile(name: string): string {
  const dist = process.env[DIST_VARIABLE];
  if (dist !== undefined && dist !== "") return join(resolve(dist), name);
  if (import.meta.url.endsWith(".ts"))
    throw new InvariantFault(`${DIST_VARIABLE} must name the folder of the built ${name}`);
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}

/** What is to be compiled, and with what. */
export interface CompilerRun {
  /** Path of soljson.js. */
  readonly compiler: string;
  /** `0.8.11`, for messages. */
  readonly version: string;
  /** Standard JSON, as text. */
  readonly input: string;
  readonly signal: AbortSignal;
}

/**
 * The compiler's answer, standard JSON as text.
 * @throws ConsoleFault when it was ended, or failed itself
 */
export async function runCompiler(run: CompilerRun): Promise<string> {
  const { compiler, version, input, signal } = run;
  const child = fork(builtFile(FILE), [compiler], {
    execArgv: [],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const end = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", end, { once: true });
  let errorText = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errorText = `${errorText}${text}`.slice(-MOST_ERROR_TEXT);
  });
  try {
    const answer = await new Promise<CompilerAnswer>((fulfil) => {
      child.once("message", (told) => fulfil(told as CompilerAnswer));
      child.once("error", (cause) => fulfil({ reason: cause.message }));
      child.once("exit", (code, by) => {
        fulfil({ reason: `it ended with ${by ?? code}: ${errorText.trim()}` });
      });
      child.send({ input }, (cause) => {
        if (cause) fulfil({ reason: cause.message });
      });
      if (signal.aborted) end();
    });
    if (signal.aborted) throw new ConsoleFault("The compilation was cancelled.");
    if ("output" in answer) return answer.output;
    throw new ConsoleFault(`The Solidity compiler ${version} failed: ${answer.reason}.`);
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}
