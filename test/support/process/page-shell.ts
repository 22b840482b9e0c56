/** Runs the commands of a page of the documentation as a reader does: one shell, in order. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "./dev-process.ts";
import { ROOT } from "../runner/root.ts";

/** Commands of a page, and what they print. */
export interface PageStep {
  readonly commands: string;
  /** Lines that occur in this order; `...` stands for anything. Empty when nothing is shown. */
  readonly shown: readonly string[];
}

const FENCE = /^```sh\n([\s\S]*?)^```$(?:\n\n^```text\n([\s\S]*?)^```$)?/gm;
/** A node that has just begun needs a moment to find its peers. */
const PATIENCE_MS = 240_000;
const RETRY_MS = 500;
/** Asks and changes nothing, or answers the same again: may be repeated. */
const ASKS = /^(chain-node (status|doctor|confirm) |curl |grep |touch |sleep |ls |[A-Z_]+=|#)/;

/** The blocks of a page that run, each with the block of text that follows it directly. */
export function stepsOf(page: string): readonly PageStep[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(FENCE)].map(([, commands = "", shown = ""]) => ({
    commands,
    shown: shown.split("\n").filter((line) => line !== ""),
  }));
}

/**
 * Steps that every test run takes: the network of README.md, and what asks or changes its nodes
 * without a start of one. The others run with all cases.
 */
const EVERYDAY = [
  /^chain-node (init|status|doctor) net\b(?!\/)/,
  /^bash net\/stop_all/,
  /^(N0=|for method |touch |grep |curl )/,
];

/** The steps of a page in a test run that takes few cases. */
export function everydayStepsOf(page: string): readonly PageStep[] {
  return stepsOf(page).filter(({ commands }) => EVERYDAY.some((step) => step.test(commands)));
}

/** Columns are as wide as their cells here. */
function narrow(line: string): string {
  return line.trim().replaceAll(/\s+/g, " ");
}

function formOf(line: string): RegExp {
  const plain = narrow(line).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${plain.replaceAll(/ ?\\\.\\\.\\\. ?/g, ".*")}$`);
}

/** The first line of a page that was not printed in its place; undefined when all were. */
function missingLine(shown: readonly string[], printed: string): string | undefined {
  const lines = printed.split("\n").map(narrow);
  let next = 0;
  for (const line of shown) {
    const form = formOf(line);
    while (next < lines.length && !form.test(lines[next] ?? "")) next++;
    if (next++ >= lines.length) return line;
  }
  return undefined;
}

/** Where and how a page is run. */
export interface PagePlace {
  /** The shell's folder. */
  readonly folder: string;
  /** Where files of the runner itself go. */
  readonly scratch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Changes of the page's text that make it run here, such as other ports. */
  adapt(commands: string): string;
}

/** A shell that is kept for a whole page, so that variables live on. */
export class PageShell {
  readonly #place: PagePlace;
  readonly #child: ChildProcess;
  #said = "";
  #count = 0;

  constructor(place: PagePlace) {
    this.#place = place;
    const { folder, env } = place;
    this.#child = spawn("bash", ["--norc"], { cwd: folder, env, stdio: "pipe", detached: true });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.#said += chunk.toString();
      });
    this.#child.stdin?.write("set -o pipefail; failed=; trap 'failed=$BASH_COMMAND' ERR\n");
  }

  /** Runs a block; gives what it printed, and the command that failed. */
  async #run(commands: string): Promise<{ printed: string; failed: string }> {
    const number = ++this.#count;
    const file = join(this.#place.scratch, `step${number}.sh`);
    writeFileSync(file, this.#place.adapt(commands));
    this.#said = "";
    this.#child.stdin?.write(`failed=; . ${file} 2>&1; echo "<end ${number}>$failed</end>"\n`);
    const end = new RegExp(`<end ${number}>([\\s\\S]*?)</end>`);
    const limit = performance.now() + 2 * PATIENCE_MS;
    for (;;) {
      const match = end.exec(this.#said);
      if (match) return { printed: this.#said.slice(0, match.index), failed: match[1] ?? "" };
      assert.ok(performance.now() < limit, `too late: ${commands}\n${this.#said}`);
      await sleep(RETRY_MS / 10);
    }
  }

  /** Runs a step and compares; steps that only ask are repeated until they say what they should. */
  async step(step: PageStep): Promise<void> {
    const { commands } = step;
    const shown = step.shown.map((line) => this.#place.adapt(line));
    const lines = commands.replaceAll(/\\\n|\[1,\{\n/g, "").split("\n");
    const asks = lines.filter((line) => line !== "").every((line) => ASKS.test(line));
    const limit = performance.now() + PATIENCE_MS;
    for (;;) {
      const { printed, failed } = await this.#run(commands);
      const missing = failed === "" ? missingLine(shown, printed) : undefined;
      if (failed === "" && missing === undefined) return;
      const why = failed === "" ? `it does not print: ${missing}` : `this failed: ${failed}`;
      if (!asks || performance.now() > limit) assert.fail(`${why}\n${commands}\n---\n${printed}`);
      await sleep(RETRY_MS);
    }
  }

  /** Ends the shell; what it started goes on. */
  close(): void {
    this.#child.stdin?.end();
    this.#child.kill();
  }
}
