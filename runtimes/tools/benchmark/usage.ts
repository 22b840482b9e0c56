/** What `bench --help` says. */
import { COMMANDS } from "./command-table.ts";
import { SETTING_DEFAULTS } from "./settings.ts";

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
