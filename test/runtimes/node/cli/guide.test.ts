/**
 * The commands of the pages for operators and programmers run and print what is shown: with few
 * cases those that README.md has too and those that are cheap, else all. What the others do is
 * examined in role, init-command, start-restored and the tests named after commands; that the
 * program takes them as they stand there, in command-reference.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, test } from "vitest";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { endLeftovers, startDev, stop } from "../../../support/process/dev-chain-process.ts";
import { steadyPorts } from "../../../support/process/dev-process.ts";
import { everydayStepsOf, PageShell, stepsOf } from "../../../support/process/page-shell.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const scratch = mkdtempSync(join(tmpdir(), "chain-guide-"));
const shells: PageShell[] = [];

function folderIn(name: string): string {
  const folder = join(scratch, name);
  mkdirSync(folder);
  return folder;
}

/** Ends nodes that a page left running; they are no children of the test. */
function endNodes(net: string): void {
  for (const name of existsSync(net) ? readdirSync(net) : []) {
    const file = join(net, name, "node.pid");
    const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
    try {
      if (pid > 0) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

afterAll(() => {
  for (const shell of shells) shell.close();
  endLeftovers();
  rmSync(scratch, { recursive: true, force: true });
});

const TRANSLATED = [
  "development-chain",
  "operators",
  "transactions",
  "subscriptions",
  "channel",
  "browser",
  "workbench",
  "console",
  "console-contracts",
  "generator",
  "network",
  "distribution",
  "benchmark",
  "edge-objects",
];

/** Blocks of code and what they print; comments in them are translated. */
function blocksOf(path: string): readonly string[] {
  const blocks = readFileSync(join(ROOT, path), "utf8").match(/^```.*\n[\s\S]*?^```$/gm) ?? [];
  return blocks.map((block) => block.replaceAll(/(^|[ \t]+)(#|\/\/) .*$/gm, ""));
}

for (const page of TRANSLATED.map((name) => `docs/${name}`)) {
  test(`${page}.zh.md has the commands and answers of the English page`, () => {
    assert.deepEqual(blocksOf(`${page}.zh.md`), blocksOf(`${page}.md`));
    const rows = (path: string) =>
      readFileSync(join(ROOT, path), "utf8")
        .split("\n")
        .filter((line) => /^(\||#|```)/.test(line)).length;
    assert.equal(rows(`${page}.zh.md`), rows(`${page}.md`), "headings, rows and blocks");
  });
}

const DOCS = readdirSync(join(ROOT, "docs"), { recursive: true })
  .map((name) => join("docs", String(name)))
  .filter((path) => path.endsWith(".md"));
const PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...DOCS];

test("every link of a page leads to a file", () => {
  for (const page of PAGES) {
    const text = readFileSync(join(ROOT, page), "utf8");
    for (const [, link = ""] of text.matchAll(/\]\(([^)#:]+)\)/g)) {
      assert.ok(existsSync(join(ROOT, dirname(page), link)), `${page} links ${link}`);
    }
  }
});

test("every line that the operators' page explains is one that the program writes", () => {
  const code = ["core", "runtimes"]
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true })
        .map(String)
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(join(ROOT, folder, name), "utf8")),
    )
    .join("\n");
  const page = readFileSync(join(ROOT, "docs/operators.md"), "utf8");
  const table = page.slice(page.indexOf("## What alarms mean"));
  const cells = [...table.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = ""]) => cell);
  assert.ok(cells.length > 10);
  for (const [, line = ""] of cells.join().matchAll(/`([^`]+)`/g))
    assert.ok(code.includes(line.replace("...", "")), line);
});

// This page and the next mostly wait for programs, in parallel.
// transaction-example.test.ts runs the program of the page; the commands are in command-reference.
inFull("docs/transactions.md: every command runs and prints what the page shows", async () => {
  const chain = await startDev(1, "--ephemeral");
  const adapt = (commands: string) =>
    commands
      .replaceAll("http://127.0.0.1:8545", chain.url)
      .replaceAll("docs/examples/", `${join(ROOT, "docs/examples")}/`);
  const folder = folderIn("transactions");
  const shell = new PageShell({ folder, scratch: folder, env: process.env, adapt });
  shells.push(shell);
  const steps = stepsOf("docs/transactions.md");
  assert.ok(steps.length > 3);
  for (const step of steps) await shell.step(step);
  assert.equal((await stop(chain)).code, 0);
});

/** The ports of the page, and for each a range of as many that are free here. */
const PAGE_PORTS = [8645, 20_200, 30_300];
const RANGE = 6;

test.concurrent("docs/operators.md: commands run and print what the page shows", async () => {
  const first = await steadyPorts(PAGE_PORTS.length * RANGE);
  const adapt = (commands: string) =>
    commands.replaceAll(/\b\d{4,5}\b/g, (text) => {
      const range = PAGE_PORTS.findIndex((port) => port <= +text && +text < port + RANGE);
      return range < 0 ? text : `${first + range * RANGE + +text - (PAGE_PORTS[range] ?? 0)}`;
    });
  const folder = folderIn("operators");
  const bin = folderIn("bin");
  const program = join(bin, "chain-node");
  const entry = join(ROOT, "dist", "node", "main.js");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  const shell = new PageShell({ folder, scratch: bin, env, adapt });
  shells.push(shell);
  const steps = (TAKES_ALL_CASES ? stepsOf : everydayStepsOf)("docs/operators.md");
  assert.ok(steps.length > (TAKES_ALL_CASES ? 15 : 5));
  try {
    for (const step of steps) await shell.step(step);
  } finally {
    endNodes(join(folder, "net"));
  }
});
