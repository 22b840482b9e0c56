/** The built `chain-node` in processes of its own: started, asked, stopped by their own ids. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { portsInRow } from "./ports.ts";
import { ROOT } from "../runner/root.ts";

const PROGRAM = join(ROOT, "dist", "node", "main.js");
/** Nothing that these tests wait for takes longer, also on a machine with other work. */
const PATIENCE_MS = 240_000;

/** How a process ended and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when the process is gone and its output is complete. */
  readonly ended: Promise<Ended>;
}

/** What `--json` prints. */
export interface Ready {
  readonly ready: true;
  readonly rpc: readonly string[];
  readonly chainId: number;
  readonly groups: readonly number[];
  readonly nodeIds: readonly string[];
  readonly accounts: readonly { readonly address: string; readonly privateKey: string }[];
  /** Ports for SDKs, `host:port`, and the folder with their files. */
  readonly channel: readonly string[];
  readonly sdk: string;
  readonly data: string;
}

/** A dev chain that serves. */
export interface DevProcess extends Running {
  readonly ready: Ready;
  /** RPC URL of node 0. */
  readonly url: string;
}

/** An answer of JSON-RPC. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

const living = new Set<ChildProcess>();

/** Ends what a failed test left running. */
export function endLeftovers(): void {
  for (const child of living) child.kill("SIGKILL");
}

function within<T>(work: Promise<T>, what: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`too late: ${what()}`)), PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The first of this many consecutive free ports on loopback. */
export const freePorts = (count = 4): Promise<number> => portsInRow(count);

/** Starts any command and collects what it says. */
export function run(
  file: string,
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly detached?: boolean;
    readonly env?: NodeJS.ProcessEnv;
  } = {},
): Running {
  const child = spawn(file, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], ...options });
  living.add(child);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      living.delete(child);
      resolve({ code, stdout, stderr });
    });
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** Starts the built command. */
export function runProgram(...args: readonly string[]): Running {
  if (!existsSync(PROGRAM)) throw new Error("there is no build: run `npm run build` or `npm test`");
  return run(process.execPath, [PROGRAM, ...args]);
}

/** What a chain said on stderr but for views that timed out: so they do on a busy machine. */
export function withoutLateViews(stderr: string): string {
  return stderr.replaceAll(/^.*ViewChangeWarning.*\n/gm, "");
}

/** The end of a command that ends by itself. */
export function endOf(running: Running): Promise<Ended> {
  return within(running.ended, () => `the end of the process; ${running.stderr()}`);
}

/** Waits until what a process printed satisfies a condition. */
export async function untilSaid(
  running: Running,
  holds: (said: { readonly stdout: string; readonly stderr: string }) => boolean,
): Promise<void> {
  let over = false;
  const poll = async () => {
    while (!over && !holds({ stdout: running.stdout(), stderr: running.stderr() })) {
      if (running.child.exitCode !== null) throw new Error(`ended early: ${running.stderr()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const said = () => `${running.stdout()}\n${running.stderr()}`.slice(-2_000);
  await within(poll(), said).finally(() => {
    over = true;
  });
}

/** The ready line of a process that was started with `--json`. */
export async function untilReady(running: Running): Promise<DevProcess> {
  await untilSaid(running, ({ stdout }) => stdout.includes("\n"));
  const ready = JSON.parse(running.stdout().split("\n")[0] ?? "") as Ready;
  return { ...running, ready, url: ready.rpc[0] ?? "" };
}

/** Starts `chain-node dev --json` on free ports. */
export async function startDev(nodes: number, ...args: readonly string[]): Promise<DevProcess> {
  const port = await freePorts(nodes);
  const all = ["dev", "--json", "--nodes", `${nodes}`, "--port", `${port}`, ...args];
  return untilReady(runProgram(...all));
}

/** Asks a process to stop and waits for its end. */
export function stop(running: Running, signal: NodeJS.Signals = "SIGINT"): Promise<Ended> {
  running.child.kill(signal);
  return endOf(running);
}

/** Posts a body; gives status, headers and text. */
export async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const response = await fetch(url, { method: "POST", body, headers, signal });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** One JSON-RPC answer, errors included. */
export async function answerOf(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return JSON.parse((await post(url, body)).text) as Answer;
}

/** The result of a call; throws on an error answer. */
export async function ask<T = unknown>(
  url: string,
  method: string,
  ...params: readonly unknown[]
): Promise<T> {
  const { result, error } = await answerOf(url, method, params);
  if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
  return result as T;
}

/** Asks again until the result satisfies a condition. */
export async function askUntil<T>(
  once: () => Promise<T>,
  holds: (result: T) => boolean,
): Promise<T> {
  let over = false;
  const poll = async (): Promise<T> => {
    for (;;) {
      const result = await once();
      if (over || holds(result)) return result;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  return within(poll(), () => "an answer that satisfies").finally(() => {
    over = true;
  });
}
