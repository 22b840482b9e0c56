/** Random programs in the executor and in an independent interpreter. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { EvmFuzz, type FuzzCounts, noCounts, shortcomings, summary } from "./fuzz/evm/run.ts";
import { numberOption, type Soak, textOption } from "./soak.ts";

/** What issue 4 asks for. */
const PROGRAMS = 1_000_000;
const REPORT_MS = 20_000;
/** Programs between two examines the clock and turns of the event loop. */
const TURN = 64;

/** What a resumed run goes on from. */
interface Record {
  readonly seed: number;
  readonly counts: FuzzCounts;
}

/** `npm run soak -- fuzz-evm [--programs N] [--seed S] [--resume FILE]`. */
export const fuzzEvmSoak: Soak = {
  about: `random programs next to another EVM: [--programs ${PROGRAMS}] [--seed 1] [--resume F]`,
  async run(args, say) {
    const programs = numberOption(args, "programs", PROGRAMS);
    const file = textOption(args, "resume");
    const record = readRecord(file) ?? { seed: numberOption(args, "seed", 1), counts: noCounts() };
    const { seed, counts } = record;
    const fuzz = await EvmFuzz.open({ counts });
    if (counts.programs > 0) say(`goes on after ${counts.programs} programs of seed ${seed}`);
    let began = performance.now();
    let before = counts.programs;
    while (counts.programs < programs) {
      const next = seed + counts.programs;
      await fuzz.one(next).catch((cause: unknown) => {
        throw new Error(`program ${next} differs: --seed ${next} --programs 1`, { cause });
      });
      if (counts.programs % TURN > 0) continue;
      await new Promise<void>((resume) => void setImmediate(resume));
      const elapsed = performance.now() - began;
      if (elapsed < REPORT_MS) continue;
      fuzz.settle();
      if (file !== undefined) writeRecord(file, record);
      const rate = Math.round((1_000 * (counts.programs - before)) / elapsed);
      say(`${counts.programs} of ${programs}, ${rate} per second`);
      began = performance.now();
      before = counts.programs;
    }
    fuzz.settle();
    if (file !== undefined) writeRecord(file, record);
    for (const line of summary(counts)) say(line);
    const missing = shortcomings(counts);
    if (missing.length > 0) throw new Error(missing.join("; "));
    say(`${programs} programs without a difference`);
  },
};

function readRecord(file: string | undefined): Record | undefined {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record;
  } catch {
    return undefined;
  }
}

function writeRecord(file: string, record: Record): void {
  writeFileSync(`${file}.new`, JSON.stringify(record));
  renameSync(`${file}.new`, file);
}
