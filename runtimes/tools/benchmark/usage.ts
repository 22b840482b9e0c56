/** What `bench --help` says. */
import { SETTING_DEFAULTS } from "./settings.ts";

const COMMANDS = [
  ["run", "run a benchmark: rounds of a benchmark file on a chain of a network file"],
  ["launch manager", "the same, under the name of the second generation"],
];

/** All commands and settings. */
export function usageText(): string {
  const commands = COMMANDS.map(([name = "", says]) => `  ${name.padEnd(16)} ${says}`);
  const settings = Object.entries(SETTING_DEFAULTS).map(([key, value]) => `  --${key} (${value})`);
  return [
    "Usage: bench <command> [--caliper-... <value>]",
    "",
    "Commands:",
    ...commands,
    "",
    "Settings, with their defaults; each also as CALIPER_... in the environment:",
    "  --caliper-benchconfig <file>",
    "  --caliper-networkconfig <file>",
    ...settings,
    "",
  ].join("\n");
}
