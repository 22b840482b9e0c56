/** The commands of `bench`, each with what it does. Source: benchmark.md 1 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchmarkFault } from "../../shared/benchmark/benchmark-fault.ts";
import type { CommandWords } from "./command-words.ts";
import { EXIT } from "./exit-codes.ts";
import type { RunIo } from "./run-io.ts";

/** Does what a command says; gives the exit code. */
export type Command = (words: CommandWords, args: readonly string[], io: RunIo) => Promise<number>;

/** A command. */
export interface CommandEntry {
  readonly name: string;
  /** What follows the name. */
  readonly argument?: string;
  readonly says: string;
  load(): Promise<Command>;
}

/** The words behind the command's own. */
function wordsBehind(name: string, { words }: CommandWords): readonly string[] {
  const skipped = (words[0] === "benchmark" ? 1 : 0) + name.split(" ").length;
  return words.slice(skipped);
}

/** Options, and what a command adds to them, as a command line for workers. */
function argsWith(args: readonly string[], more: ReadonlyMap<string, string>): readonly string[] {
  return [...args, ...[...more].map(([name, value]) => `--${name}=${value}`)];
}

const up: Command = async (words, args, io) => {
  const { upCommand } = await import("./up.ts");
  const { runCommand } = await import("./run-command.ts");
  return await upCommand(wordsBehind("up", words), words.flags, io, (more) => {
    const flags = new Map([...words.flags, ...more]);
    return runCommand({ ...words, flags }, argsWith(args, more), io);
  });
};

const make: Command = async (words, _args, io) => {
  const { newCommand } = await import("./samples/new-command.ts");
  return await newCommand(wordsBehind("new", words), words.flags, io);
};

const compare: Command = async (words, _args, io) => {
  const [before, after] = wordsBehind("compare", words);
  if (before === undefined || after === undefined) {
    throw new BenchmarkFault("usage", "two reports are wanted: bench compare a.json b.json");
  }
  const { compareText } = await import("./report/compare-text.ts");
  const { ReportFault } = await import("./report/read-report.ts");
  try {
    io.stdout(await compareText(before, after, { json: words.flags.has("json") }));
    return EXIT.done;
  } catch (cause) {
    if (cause instanceof ReportFault) throw new BenchmarkFault("usage", cause.message, { cause });
    throw cause;
  }
};

const link: Command = async (words, _args, io) => {
  const { linkCommand } = await import("./link.ts");
  return await linkCommand(words, io, {
    started: process.argv[1] ?? "",
    dist: dirname(fileURLToPath(import.meta.url)),
    isWindows: process.platform === "win32",
  });
};

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "run",
    says: "run the rounds of a benchmark file on the chain of a network file",
    load: async () => (await import("./run-command.ts")).runCommand,
  },
  {
    name: "launch manager",
    says: "the same; binds first when --caliper-bind-sut is given",
    load: async () => (await import("./run-command.ts")).runCommand,
  },
  {
    name: "launch worker",
    says: "one worker of a manager elsewhere, over mqtt or websocket",
    load: async () => (await import("./worker/launch-worker.ts")).launchWorker,
  },
  {
    name: "new",
    argument: "[sample] [folder]",
    says: "write a ready workload, or the skeleton of one; without a name list them",
    load: async () => make,
  },
  {
    name: "up",
    argument: "[nodes]",
    says: "start a fresh network on this host and run a ready workload on it",
    load: async () => up,
  },
  {
    name: "compare",
    argument: "<a.json> <b.json>",
    says: "compare two reports",
    load: async () => compare,
  },
  {
    name: "bind",
    says: "check and tell that the chain's adapter is built in; installs nothing",
    load: async () => (await import("./bind.ts")).bindCommand,
  },
  {
    name: "unbind",
    says: "nothing, or remove the packages of a bind file",
    load: async () => (await import("./bind.ts")).unbindCommand,
  },
  {
    name: "link",
    says: "put the command caliper in place (--remove takes it away)",
    load: async () => link,
  },
];

/** The command that words name; `benchmark` in front is optional. */
export function commandOf(words: readonly string[]): CommandEntry | undefined {
  const rest = words[0] === "benchmark" ? words.slice(1) : words;
  return COMMANDS.find(({ name }) => {
    const own = name.split(" ");
    return own.every((word, index) => rest[index] === word);
  });
}
