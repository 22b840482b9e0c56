/** Runs `bench`, `caliper` or `chain-node benchmark` to its end. Source: benchmark.md 1 */
import { BenchmarkFault, faultText } from "../../shared/benchmark/benchmark-fault.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { type CommandWords, readWords } from "./command-words.ts";
import { EXIT } from "./exit-codes.ts";
import { processIo, type RunIo } from "./run-io.ts";
import { usageText } from "./usage.ts";

/** Does what a command says; gives the exit code. */
type Command = (words: CommandWords, args: readonly string[], io: RunIo) => Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import("./run-command.ts")).runCommand,
  "launch manager": async () => (await import("./run-command.ts")).runCommand,
  new: async () => (await import("./samples/new-command.ts")).newCommand,
  up: async () => (await import("./up.ts")).upCommand,
  compare: async () => (await import("./report/compare-text.ts")).compareCommand,
  "launch worker": async () => (await import("./worker/launch-worker.ts")).launchWorker,
};

/** The command that words name; `benchmark` in front is optional. */
function commandOf(words: readonly string[]): {
  readonly name: string;
  readonly load?: () => Promise<Command>;
} {
  const rest = words[0] === "benchmark" ? words.slice(1) : words;
  const [first = "", second] = rest;
  const name = first === "launch" ? `${first} ${second ?? ""}`.trim() : first;
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return load ? { name, load } : { name };
}

/** Does what the arguments say; gives the exit code. */
export async function runBench(args: readonly string[], io: RunIo = processIo()): Promise<number> {
  try {
    const words = readWords(args);
    if (words.flags.has("version")) {
      io.stdout(`v${BUILD_INFO.version}\n`);
      return EXIT.done;
    }
    const { name, load } = commandOf(words.words);
    if (words.flags.has("help") || (name === "" && words.flags.size === 0)) {
      io.stdout(usageText());
      return EXIT.done;
    }
    if (load === undefined) {
      const what = name === "" ? "no command is given" : `there is no command ${name}`;
      throw new BenchmarkFault("usage", `${what}: bench --help lists all`);
    }
    return await (await load())(words, args, io);
  } catch (cause) {
    io.stderr(`error: ${faultText(cause)}\n`);
    return cause instanceof BenchmarkFault && cause.kind === "usage" ? EXIT.usage : EXIT.engine;
  }
}
