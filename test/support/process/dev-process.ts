/**
 * `chain-node dev` as a process of its own, started, asked, killed, and started again on the same
 * folder.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { endWithUs } from "../runner/own-children.ts";
import { portsInRow } from "./ports.ts";
import { ROOT } from "../runner/root.ts";
import { createReporting } from "../runner/where-it-stands.ts";

const READY = /\{"ready":true.*\}\n/;
const START_LIMIT_MS = 240_000;
const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 400;
const PAUSE_GROWTH = 1.3;
const MARKER = /ViewChangeWarning/;
const MOST_MARKED = 10_000;
/** As many as a chain has nodes that says nothing about it. */
const FEW_PORTS = 4;

/** An answer of the endpoint. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A chain that runs. */
export interface DevProcess {
  readonly urls: readonly string[];
  readonly pid: number;
  /** The last of what it wrote to its standard error. */
  errors(): string;
  /** Lines of it with a marker that operators look for. */
  marked(): readonly string[];
  /** Ends it and waits for its end. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

/** What is started. */
export interface DevProcessOptions {
  readonly data: string;
  /** Node i listens on port + i. */
  readonly port: number;
  readonly args?: readonly string[];
}

/** Waits. */
export const sleep = (ms: number): Promise<void> =>
  new Promise((resume) => void setTimeout(resume, ms));

/**
 * Waits between examines nodes: longer from time to time. A look takes work of the nodes that are
 * waited for, and one that comes late by a share of what has been waited takes little.
 */
export function growingPauses(): () => Promise<void> {
  let next = FIRST_PAUSE_MS;
  return () => {
    const ms = next;
    next = Math.min(LONGEST_PAUSE_MS, ms * PAUSE_GROWTH);
    return sleep(ms);
  };
}

/** A port that is free, and the next few too. */
export const freePort = (): Promise<number> => portsInRow(FEW_PORTS);

/** The first of this many free ports: a process that ended finds its port free again. */
export const steadyPorts = portsInRow;

/** Starts a chain of several nodes in one process; resolves when it says that it is ready. */
export async function startDevProcess(options: DevProcessOptions): Promise<DevProcess> {
  const { data, port, args = [] } = options;
  const dev = ["dev", "--json", "--quiet", "--data", data, "--port", `${port}`, ...args];
  const { line, ...program } = await startProgram(dev);
  const { rpc } = JSON.parse(line) as { rpc: readonly string[] };
  return { urls: rpc, ...program };
}

/** The built program, which has reported that it is ready. */
export interface Program extends Omit<DevProcess, "urls"> {
  /** What it said. */
  readonly line: string;
}

/** How a program is run, where it matters. */
export interface ProgramOptions {
  /** Of Node. */
  readonly nodeArgs?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts the built program with `--json` among its arguments. */
export async function startProgram(
  args: readonly string[],
  { nodeArgs = [], env = {} }: ProgramOptions = {},
): Promise<Program> {
  const program = join(ROOT, "dist/node/main.js");
  const reporting = await createReporting();
  const child = spawn(process.execPath, [...nodeArgs, ...reporting.options, program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  endWithUs(child);
  let output = "";
  let errors = "";
  const marked: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000);
  });
  createInterface({ input: child.stderr }).on("line", (line) => {
    if (MARKER.test(line) && marked.length < MOST_MARKED) marked.push(line);
  });
  let late: NodeJS.Timeout | undefined;
  const line = await new Promise<string>((resolve, reject) => {
    late = setTimeout(async () => {
      errors += `${output}\n${await reporting.ask(child).catch(String)}`;
      if (!READY.test(output)) child.kill("SIGKILL");
    }, START_LIMIT_MS);
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const [ready] = READY.exec(output) ?? [];
      if (ready !== undefined) resolve(ready);
    });
    child.once("exit", (code, signal) =>
      reject(new Error(`chain-node ${args[0]} ended with ${code ?? signal}: ${errors}`)),
    );
  }).finally(() => {
    clearTimeout(late);
    return reporting.close();
  });
  let isAsked = false;
  child.once("exit", (code, signal) => {
    if (!isAsked) console.error(`chain-node ${args[0]} ended with ${code ?? signal}: ${errors}`);
  });
  return {
    line,
    pid: child.pid ?? 0,
    errors: () => errors,
    marked: () => marked,
    end(signal) {
      isAsked = true;
      return endProcess(child, signal);
    },
  };
}

/** Ends a process and waits for its end. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await ended;
}

/** Asks a node; the answer may be an error. */
export async function ask(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", body });
  return (await response.json()) as Answer;
}

/** Asks a node for what it must be able to answer. */
export async function request(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const { result, error } = await ask(url, method, params);
  if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
  return result;
}

/** A receipt as far as the tests look at it. */
export interface SeenReceipt {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly contractAddress: string;
}

/** The receipt of a transaction on a node; undefined while there is none. */
export async function receiptOf(
  url: string,
  hash: string,
  groupId = 1,
): Promise<SeenReceipt | undefined> {
  const receipt = await request(url, "getTransactionReceipt", [groupId, hash]);
  return (receipt as SeenReceipt | null) ?? undefined;
}

/** Waits for a receipt. */
export async function waitForReceipt(
  url: string,
  hash: string,
  limitMs: number,
  groupId = 1,
): Promise<SeenReceipt> {
  const end = performance.now() + limitMs;
  for (const pause = growingPauses(); ; await pause()) {
    const receipt = await receiptOf(url, hash, groupId);
    if (receipt) return receipt;
    assert.ok(performance.now() < end, `${url} has a receipt for ${hash} within ${limitMs} ms`);
  }
}
