/**
 * A chain that runs, a console folder next to it, and the console: as a process, or in this one.
 */
import { spawn } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { consoleConfigText, consoleFolderFiles } from "../../../runtimes/folder/console-folder.ts";
import { writeAll } from "../../../runtimes/folder/whole-files.ts";
import { COMMANDS } from "../../../runtimes/tools/console/commands/all.ts";
import { firstWord } from "../../../runtimes/tools/console/lexer.ts";
import { runConsole } from "../../../runtimes/tools/console/run-console.ts";
import {
  initProcessChain,
  type ProcessChain,
  type ProcessChainOptions,
} from "../process/node-processes.ts";
import { writeChainFolder } from "../process/written-chain.ts";
import { keepAnswers, lendAnswers } from "../runner/kept-answers.ts";
import { endWithUs } from "../runner/own-children.ts";
import { ROOT } from "../runner/root.ts";

const PROGRAM = join(ROOT, "dist/node/console.js");
const SDK_FILES = ["ca.crt", "sdk.crt", "sdk.key"];

/** How a console ended. */
export interface ConsoleEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The document of a command, as `--json` prints it. */
export interface ConsoleDocument {
  readonly ok: boolean;
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
  readonly transactionHash?: string;
  readonly hint?: string;
}

/** How a console is started. */
export interface ConsoleStart {
  /** The working folder. */
  readonly cwd: string;
  /** Lines for its standard input; nothing when absent. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Which commands were done, and which were refused. */
class Trials {
  readonly #seen = new Set<string>();

  /** @param words of a command line, the command among them */
  note(words: readonly string[], isDone: boolean): void {
    const names = words.map(firstWord);
    const command = COMMANDS.find(({ name }) => names.includes(name));
    if (command) this.#seen.add(trial(command.name, isDone));
  }

  noteLines(lines: readonly string[], told: readonly ConsoleDocument[]): void {
    for (const [index, line] of lines.entries()) this.note([line], told[index]?.ok === true);
  }

  /** What never came of a command: `getPeers refused`. */
  missing(): readonly string[] {
    const all = COMMANDS.flatMap(({ name }) => [trial(name, true), trial(name, false)]);
    return all.filter((it) => !this.#seen.has(it));
  }
}

function trial(name: string, isDone: boolean): string {
  return `${name} ${isDone ? "done" : "refused"}`;
}

/** Collects what is written into it. */
class Collector extends Writable {
  text = "";
  #look = (): void => undefined;

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += bytes.toString();
    this.#look();
    done();
  }

  /** Until there are this many lines. */
  untilLines(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#look = () => {
        if (this.text.split("\n").length > count) resolve();
      };
      this.#look();
    });
  }
}

/**
 * Runs the console of the sources to its end in this process, with all that it does but the start
 * of a process and the keys of a terminal.
 */
export async function runConsoleHere(
  words: readonly string[],
  { cwd, input = "", env = {} }: ConsoleStart,
): Promise<ConsoleEnd> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const code = await runConsole(words, {
    cwd: () => cwd,
    env: { ...process.env, HOME: cwd, NO_COLOR: "1", ...env },
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** Runs the built console to its end. */
export function runConsoleProgram(
  words: readonly string[],
  { cwd, input = "", env = {} }: ConsoleStart,
): Promise<ConsoleEnd> {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd,
    env: { ...process.env, HOME: cwd, NO_COLOR: "1", ...env },
    stdio: "pipe",
  });
  endWithUs(child);
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (bytes: Buffer) => {
    said.stdout += bytes.toString();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    said.stderr += bytes.toString();
  });
  // A console that needs no input may have ended.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, ...said }));
  });
}

/** A console of a folder. */
interface FolderConsole {
  /** What came of the commands that were given to it. */
  readonly trials: Trials;
  /** One command in the console folder, in this process. */
  run(...words: readonly string[]): Promise<ConsoleEnd>;
  /** One command, and its document. */
  ask(...words: readonly string[]): Promise<ConsoleDocument>;
  /** Lines of a script that goes on after failures; the document of each. */
  script(lines: readonly string[], ...words: readonly string[]): Promise<ConsoleDocument[]>;
}

/** A chain with a console. */
export interface ConsoleChain extends FolderConsole {
  readonly chain: ProcessChain;
  /** The console folder: its config.toml names the first node, two-nodes.toml two. */
  readonly folder: string;
  /** Channel ports, `ip:port`, in the order of the nodes. */
  readonly endpoints: readonly string[];
  /** RPC ports. */
  readonly urls: readonly string[];
  /** The SDK folder of another chain, which does not run. */
  otherSdk(): Promise<string>;
  close(): Promise<void>;
}

async function channelPort(folder: string): Promise<number> {
  const text = await readFile(join(folder, "config.ini"), "utf8");
  return Number(/^\s*channel_listen_port\s*=\s*(\d+)/m.exec(text)?.[1]);
}

/** Writes a console folder with the certificates of an SDK folder. */
export async function writeConsoleFolder(
  folder: string,
  sdk: string,
  peers: readonly string[],
): Promise<void> {
  await mkdir(join(folder, "conf"), { recursive: true });
  await writeAll(folder, consoleFolderFiles({ peers }));
  for (const name of SDK_FILES) await copyFile(join(sdk, name), join(folder, "conf", name));
}

function documents(stdout: string): ConsoleDocument[] {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as ConsoleDocument);
}

/** A console of a folder, each time a new one. */
function consoleIn(folder: string, trials: Trials): FolderConsole {
  const runIt = async (words: readonly string[]): Promise<ConsoleEnd> => {
    const end = await runConsoleHere(words, { cwd: folder });
    trials.note(words, end.code === 0);
    return end;
  };
  return {
    trials,
    run: (...words) => runIt(words),
    async ask(...words) {
      const { stdout, stderr } = await runIt([...words, "--json"]);
      const [document] = documents(stdout);
      if (document === undefined) throw new Error(`no document: ${stderr}`);
      return document;
    },
    async script(lines, ...words) {
      const given = { cwd: folder, input: `${lines.join("\n")}\n` };
      const told = documents((await runConsoleHere([...words, ...AS_SCRIPT], given)).stdout);
      trials.noteLines(lines, told);
      return told;
    },
  };
}

const AS_SCRIPT = ["--json", "--keep-going"];

/** A session that is kept: a script whose next lines are not known yet. */
class KeptSession {
  readonly #stdin = new PassThrough();
  readonly #stdout = new Collector();
  readonly #stderr = new Collector();
  readonly #ended: Promise<unknown>;

  constructor(cwd: string, words: readonly string[]) {
    const { env } = process;
    const [stdin, stdout, stderr] = [this.#stdin, this.#stdout, this.#stderr];
    this.#ended = runConsole(words, { cwd: () => cwd, env, stdin, stdout, stderr });
  }

  /** What comes of some more lines. */
  async give(lines: readonly string[]): Promise<ConsoleDocument[]> {
    this.#stdout.text = "";
    this.#stdin.write(`${lines.join("\n")}\n`);
    await Promise.race([this.#stdout.untilLines(lines.length), this.#ended]);
    const told = documents(this.#stdout.text);
    if (told.length < lines.length) throw new Error(`it ended: ${this.#stderr.text}`);
    return told;
  }

  async close(): Promise<void> {
    this.#stdin.end();
    await this.#ended;
  }
}

/** The same chain, asked about one group of it: sessions of scripts are kept until it is closed. */
export function ofGroup(world: ConsoleChain, groupId: number): ConsoleChain {
  const { folder } = world;
  const kept = new Map<string, KeptSession>();
  const all = (words: readonly string[]) => [`${groupId}`, ...words];
  const trials = new Trials();
  const fresh = consoleIn(folder, trials);
  return {
    ...world,
    trials,
    run: (...words) => fresh.run(...all(words)),
    ask: (...words) => fresh.ask(...all(words)),
    async script(lines, ...words) {
      const key = words.join(" ");
      const session = kept.get(key) ?? new KeptSession(folder, [...all(words), ...AS_SCRIPT]);
      kept.set(key, session);
      const told = await session.give(lines);
      trials.noteLines(lines, told);
      return told;
    },
    async close() {
      await Promise.all([...kept.values()].map((session) => session.close()));
    },
  };
}

/** Where a console has what compilers answered. */
export function compiledIn(consoleFolder: string): string {
  return join(consoleFolder, "contracts/.compiled/sources");
}

/** Starts a chain, whose files may be changed before, and writes a console folder next to it. */
export async function startConsoleChain(
  options: ProcessChainOptions,
  prepare: (chain: ProcessChain) => Promise<unknown> = async () => undefined,
): Promise<ConsoleChain> {
  const chain = await initProcessChain(options);
  await prepare(chain);
  await Promise.all(chain.nodes.map((node) => node.start()));
  const ports = await Promise.all(chain.nodes.map((node) => channelPort(node.folder)));
  const endpoints = ports.map((port) => `127.0.0.1:${port}`);
  const folder = join(chain.folder, "..", "console");
  // One node is enough for most: each more costs each console a handshake.
  await writeConsoleFolder(folder, join(chain.folder, "agency/sdk"), endpoints.slice(0, 1));
  const several = consoleConfigText(endpoints.slice(0, 2));
  await writeFile(join(folder, "conf/two-nodes.toml"), several);
  await lendAnswers(compiledIn(folder));
  return {
    chain,
    folder,
    endpoints,
    urls: chain.nodes.map(({ url }) => url),
    async otherSdk() {
      const other = join(chain.folder, "..", "other");
      const basePorts = { rpc: 8545, channel: 20_200, p2p: 30_300 };
      await writeChainFolder(other, { nodes: 1, groups: "1:pbft", sm: false, basePorts });
      return join(other, "agency/sdk");
    },
    ...consoleIn(folder, new Trials()),
    async close() {
      await keepAnswers(compiledIn(folder));
      await chain.close();
    },
  };
}
