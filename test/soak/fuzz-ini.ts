/** Mutated configuration files. */
import { fuzzIni } from "./fuzz/ini.ts";
import { numberOption, type Soak } from "./soak.ts";

const FILES = 10_000;

/** `npm run soak -- fuzz-ini [--files N] [--seed S]`. */
export const fuzzIniSoak: Soak = {
  about: `mutated configuration files: [--files ${FILES}] [--seed 1]`,
  async run(args, say) {
    const files = numberOption(args, "files", FILES);
    const sights = fuzzIni(files, numberOption(args, "seed", 1));
    for (const line of sights.refusals.lines()) say(line);
    say(`${files} files: ${sights.accepted} accepted, ${sights.refused} refused helpfully`);
  },
};
