/** Runs `bench`, `caliper` or `chain-node benchmark` to its end. Source: benchmark 1 */
import { BenchmarkFault, faultText } from "../../shared/benchmark/benchmark-fault.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { commandOf, COMMANDS } from "./command-table.ts";
import { readWords } from "./command-words.ts";
import { EXIT } from "./exit-codes.ts";
import { processIo, type RunIo } from "./run-io.ts";
import { SETTING_DEFAULTS } from "./settings.ts";

/** Does what the arguments say; gives the exit code. */
export async function runBench(args: readonly string[], io: RunIo = processIo()): Promise<number> {
  try {
    const words = readWords(args);
    if (words.flags.has("version")) {
      io.stdout(`v${BUILD_INFO.version}\n`);
      return EXIT.done;
    }
    if (words.flags.has("help") || args.length === 0) {
      io.stdout(usageText());
      return EXIT.done;
    }
    const command = commandOf(words.words);
    if (command === undefined) {
      const name = words.words.join(" ");
      const what = name === "" ? "no command is given" : `there is no command ${name}`;
      // Not 2, which everything else of usage has. Source: benchmark 1
      throw new BenchmarkFault("engine", `${what}: bench --help lists all`);
    }
    return await (await command.load())(words, args, io);
  } catch (cause) {
    io.stderr(`error: ${faultText(cause)}\n`);
    return cause instanceof BenchmarkFault && cause.kind === "usage" ? EXIT.usage : EXIT.engine;
  }
}

const OWN_OPTIONS: readonly (readonly [string, string])[] = [
  ["--assert <text>", "of a round, such as 'transfer.p95 <= 2'; may be repeated"],
  ["--fail-on-error-rate <percent>", "more failed transactions of a round than that fail it"],
  ["--json", "print one document in place of tables"],
  ["-v, --version", "print the version"],
];
/** Those of `new` and `up`. */
const SAMPLE_OPTIONS: readonly (readonly [string, string])[] = [
  ["--chain <folder>", "new: the chain that the network file names; else a development chain"],
  ["--sample <name>", "up: which ready workload (hello)"],
  ["--folder <folder>", "up: where network, files and report are (bench-<name>)"],
  ["--ports <rpc,channel,p2p>", "up: where ports begin (8645,20200,30300)"],
  ["--keep", "up: the nodes run on"],
];
const WIDTH = 34;

function rows(pairs: readonly (readonly [string, string])[]): readonly string[] {
  return pairs.map(([left, right]) => `  ${left.padEnd(WIDTH)} ${right}`);
}

/** All commands and settings. */
export function usageText(): string {
  const commands = COMMANDS.map(
    ({ name, argument = "", help }) => [`${name} ${argument}`.trim(), help] as const,
  );
  const settings = Object.entries(SETTING_DEFAULTS).map(([key, value]) => `  --${key} (${value})`);
  return [
    "Usage: bench <command> [options]; caliper <command> and chain-node benchmark <command> too",
    "",
    "Commands:",
    ...rows(commands),
    "",
    "Options of run and launch manager:",
    "  --caliper-benchconfig <file>       rounds, rates, workloads, monitors",
    "  --caliper-networkconfig <file>     nodes, certificates, contracts",
    ...rows(OWN_OPTIONS),
    "",
    "Options of new and up:",
    ...rows(SAMPLE_OPTIONS),
    "",
    "Settings with their defaults; also CALIPER_... in the environment, or caliper: in YAML files",
    "that --caliper-userconfig, --caliper-projectconfig and --caliper-machineconfig name:",
    ...settings,
    "",
    "Exit codes: 0 all rounds fine; 1 the engine failed, or no such command; 2 usage or",
    "configuration; 3 a round failed or an assertion does not hold.",
    "",
  ].join("\n");
}
