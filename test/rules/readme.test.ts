/**
 * Every command of README.md and of the pages that continue it runs, and its example answers as
 * printed.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, test } from "vitest";
import { readOptions } from "../bench/options.ts";
import { steadyPorts } from "../support/process/dev-process.ts";
import { everydayStepsOf } from "../support/process/page-shell.ts";
import { ROOT } from "./source-tree.ts";

const run = promisify(execFile);
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const READY_TIMEOUT_MS = 240_000;
const README_PORT = "8545";
const OPERATORS = "docs/operators.md";

/** What README.md leaves to them; their commands run here too. */
const FURTHER = ["CONTRIBUTING.md", "docs/development-chain.md", "docs/generator.md"];

/** The blocks of a language, in order. */
function fences(text: string, language: string): string[] {
  const form = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return [...text.matchAll(form)].map((match) => match[1] ?? "");
}

function commandsIn(text: string): string[] {
  const lines = fences(text, "sh").flatMap((block) => block.split("\n"));
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

const FURTHER_COMMANDS = FURTHER.map((page) => commandsIn(readFileSync(join(ROOT, page), "utf8")));
const COMMANDS = new Set([...commandsIn(README), ...FURTHER_COMMANDS.flat()]);

/** A chain listens on as many ports as it has nodes. */
const PORTS_PER_CHAIN = 5;

interface Chain {
  readonly child: ChildProcess;
  readonly ready: Record<string, unknown>;
  readonly port: number;
  /** All of its standard output so far. */
  output(): string;
}

/** Runs `npm start` with the arguments, on ports of its own, until it is ready. */
async function start(args: readonly string[]): Promise<Chain> {
  const port = await steadyPorts(PORTS_PER_CHAIN);
  const place = ["--port", String(port), "--json"];
  const child = spawn("npm", ["start", "--silent", "--", ...args, ...place], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const ready = await new Promise<Record<string, unknown>>((resolve, reject) => {
    const fail = (why: string) => {
      if (child.exitCode === null) child.kill("SIGTERM");
      reject(new Error(`npm start ${why}; stdout: ${output}`));
    };
    const timer = setTimeout(() => fail("was not ready in time"), READY_TIMEOUT_MS);
    child.once("exit", (code) => fail(`ended with ${code}`));
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.endsWith("\n")) return;
      clearTimeout(timer);
      resolve(JSON.parse(output) as Record<string, unknown>);
    });
  });
  return { child, ready, port, output: () => output };
}

/** Interrupts the whole group, as a terminal does; gives the exit code. */
async function interrupt({ child }: Chain): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
  return await ended;
}

const folder = mkdtempSync(join(tmpdir(), "chain-node-readme-"));
let chain: Chain;

beforeAll(async () => {
  chain = await start(["--data", join(folder, "data")]);
});

afterAll(async () => {
  if (chain?.child.exitCode === null) await interrupt(chain);
  rmSync(folder, { recursive: true, force: true });
});

test("npm start gives one line of JSON, four nodes and a group", () => {
  assert.equal(chain.ready["ready"], true);
  assert.equal((chain.ready["rpc"] as unknown[]).length, 4);
  assert.deepEqual(chain.ready["groups"], [1]);
});

async function output(file: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(file, args, { cwd: ROOT });
  return stdout + stderr;
}

/** Two agencies, through the scripts. */
const FLOW = "test/runtimes/tools/generator/chain-flow.test.ts";
const CONSOLE = "bash tool/tmp_one_click/agencyA/generator-agency/console/console.sh";
/** Of a command that another test runs: the words that stand there. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, words: string]>> = {
  "npm start -- --ephemeral --json --nodes 1": [
    "test/runtimes/node/cli/dev-command.test.ts",
    '"start", "--silent", "--", "--ephemeral", "--json", "--nodes", "1"',
  ],
  "node dist/node/main.js generator --create_tool_folder tool": [
    FLOW,
    "--create_tool_folder ./tool",
  ],
  "(cd tool && bash ./one_click_generator.sh -b ./tmp_one_click)": [
    FLOW,
    "bash ./one_click_generator.sh -b ./tmp_one_click",
  ],
  "bash tool/tmp_one_click/agencyA/node/start_all.sh": [FLOW, "bash ./start_all.sh"],
  "bash tool/tmp_one_click/agencyB/node/start_all.sh": [FLOW, "bash ./start_all.sh"],
  "(cd tool/tmp_one_click/agencyA/generator-agency && ./generator --download_console ./)": [
    FLOW,
    "./generator --download_console ./",
  ],
  [`${CONSOLE} 1 deploy HelloWorld`]: [FLOW, "deploy HelloWorld"],
  [`${CONSOLE} 1 call HelloWorld latest get`]: [FLOW, "call HelloWorld latest get"],
  "npm run edge": ["test/runtimes/node/gateway/edge-commands.test.ts", '"run", "--silent", "edge"'],
  "npm pack": ["test/support/process/packed.ts", 'const PACK = ["pack"'],
};

/** A command that the guide for operators has too, and that every test run gives. */
function isOnOperatorsPage(command: string): boolean {
  const installed = command.replace("node dist/node/main.js", "chain-node");
  const lines = everydayStepsOf(OPERATORS).flatMap(({ commands }) => commands.split("\n"));
  return lines.some((line) => `${line} `.startsWith(`${installed} `));
}

/** How each other command is run here; what would start this very run or take minutes, in small. */
const RUNS: Readonly<Record<string, (command: string) => Promise<void>>> = {
  "npm start": async () => assert.equal(chain.child.exitCode, null),
  "npm start -- --help": async () =>
    assert.match(await output("npm", ["start", "--silent", "--", "--help"]), /--ephemeral/),
  "npm test": async () => assert.match(await output("npm", ["test", "--", "--help"]), /vitest/),
  "npm run check": async () =>
    assert.match(await output("npm", ["run", "check", "--", "--list"]), /types of core/),
  "npm run check -- --write": async () =>
    assert.match(await output("npm", ["run", "check", "--", "--write", "--list"]), /comments/),
  "npm run simulate -- --seed=1": async () =>
    assert.match(await output("npm", ["run", "simulate", "--", "--seed=1"]), /every property held/),
  "npm run bench -- --help": async () =>
    assert.match(await output("npm", ["run", "bench", "--", "--help"]), /--vs anvil/),
  "npm run bench -- --vs anvil": async () =>
    assert.ok(readOptions(["--vs", "anvil"]).vsAnvil, "its start is the other one's"),
};

for (const command of COMMANDS) {
  if (command.startsWith("curl ")) {
    test(`the answer to ${command} is the one on the page`, async () => {
      const [answer] = fences(README, "json");
      const local = command.replace(README_PORT, String(chain.port));
      assert.deepEqual(JSON.parse(await output("sh", ["-c", local])), JSON.parse(answer ?? ""));
    });
    continue;
  }
  if (isOnOperatorsPage(command)) continue;
  test(`${command} runs`, async () => {
    const elsewhere = ELSEWHERE[command];
    if (elsewhere) {
      const [file, words] = elsewhere;
      assert.ok(readFileSync(join(ROOT, file), "utf8").includes(words), `${file} runs it`);
      return;
    }
    const known = RUNS[command];
    assert.ok(known, `say in this test how to run: ${command}`);
    await known(command);
  });
}

test("an interrupt ends npm start with 0", async () => {
  assert.equal(await interrupt(chain), 0);
});

test("each further page has commands", () => {
  for (const commands of FURTHER_COMMANDS) assert.ok(commands.length > 0);
});

test("each way of running a command is used", () => {
  const known = [...Object.keys(RUNS), ...Object.keys(ELSEWHERE)];
  assert.deepEqual(
    known.filter((command) => !COMMANDS.has(command)),
    [],
  );
});
