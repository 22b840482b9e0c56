/** `benchmark new`: writes a ready workload, or the skeleton of one. */
import { resolve } from "node:path";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import { type CommandWords, wordsBehind } from "../command-words.ts";
import { EXIT } from "../exit-codes.ts";
import type { RunIo } from "../run-io.ts";
import { samplesText } from "./all-samples.ts";
import { chainPlace, DEV_CHAIN } from "./chain-place.ts";
import { BENCHMARK_FILE, NETWORK_FILE, sampleNamed, writeSample } from "./write-sample.ts";

/**
 * `benchmark new [NAME] [FOLDER] [--chain FOLDER]`; without a name it lists what there is.
 * @throws BenchmarkFault `usage`
 */
export async function newCommand(
  { words, flags }: CommandWords,
  _args: readonly string[],
  io: RunIo,
): Promise<number> {
  const [name, given, tooMany] = wordsBehind("new", words);
  if (tooMany !== undefined)
    throw new BenchmarkFault("usage", `"${tooMany}" is too much: benchmark new NAME FOLDER`);
  if (name === undefined) {
    io.stdout(samplesText());
    return EXIT.done;
  }
  const sample = sampleNamed(name);
  const folder = resolve(io.cwd, given ?? name);
  const chain = flags.get("chain");
  const place = chain === undefined ? DEV_CHAIN : await chainPlace(resolve(io.cwd, chain), folder);
  await writeSample(sample, folder, place);
  io.stdout(`${folder}\n`);
  const where = `--caliper-workspace ${given ?? name}`;
  const files = `--caliper-benchconfig ${BENCHMARK_FILE} --caliper-networkconfig ${NETWORK_FILE}`;
  const node = place.nodes[0];
  io.stderr(
    `${NETWORK_FILE} names ${place.nodes.length} node(s), the first at ` +
      `${node?.ip}:${node?.rpcPort}; to run it:\n  bench run ${where} ${files}\n`,
  );
  return EXIT.done;
}
