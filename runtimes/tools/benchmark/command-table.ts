/** The commands of `bench`, each with what it does. Source: benchmark 1 */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandWords } from "./command-words.ts";
import type { RunIo } from "./run-io.ts";

/** Does what a command says; gives the exit code. */
export type Command = (words: CommandWords, args: readonly string[], io: RunIo) => Promise<number>;

/** A command. */
export interface CommandEntry {
  readonly name: string;
  /** What follows the name. */
  readonly argument?: string;
  readonly help: string;
  load(): Promise<Command>;
}

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
    help: "run the rounds of a benchmark file on the chain of a network file",
    load: async () => (await import("./run-command.ts")).runCommand,
  },
  {
    name: "launch manager",
    help: "the same; binds first when --caliper-bind-sut is given",
    load: async () => (await import("./run-command.ts")).runCommand,
  },
  {
    name: "launch worker",
    help: "one worker of a manager elsewhere, over mqtt or websocket",
    load: async () => (await import("./worker/launch-worker.ts")).launchWorker,
  },
  {
    name: "new",
    argument: "[sample] [folder]",
    help: "write a ready workload, or the skeleton of one; without a name list them",
    load: async () => (await import("./samples/write-sample.ts")).newCommand,
  },
  {
    name: "up",
    argument: "[nodes]",
    help: "start a fresh network on this host and run a ready workload on it",
    load: async () => (await import("./up.ts")).upCommand,
  },
  {
    name: "compare",
    argument: "<a.json> <b.json>",
    help: "compare two reports",
    load: async () => (await import("./report/compare-text.ts")).compareCommand,
  },
  {
    name: "bind",
    help: "check and tell that the chain's adapter is built in; installs nothing",
    load: async () => (await import("./bind.ts")).bindCommand,
  },
  {
    name: "unbind",
    help: "nothing, or remove the packages of a bind file",
    load: async () => (await import("./bind.ts")).unbindCommand,
  },
  {
    name: "link",
    help: "put the command caliper in place (--remove takes it away)",
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
