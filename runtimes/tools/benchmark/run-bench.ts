/** Runs `bench`, `caliper` or `chain-node benchmark` to its end. Source: benchmark 1 */
import { BenchmarkFault, faultText } from "../../shared/benchmark/benchmark-fault.ts";
import { BUILD_INFO } from "../../shared/platform/build-info.ts";
import { commandOf } from "./command-table.ts";
import { readWords } from "./command-words.ts";
import { EXIT } from "./exit-codes.ts";
import { processIo, type RunIo } from "./run-io.ts";
import { usageText } from "./usage.ts";

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
