/**
 * Takes the rows of the protocols' tables out, one by one, and adds those that they forbid: a
 * schedule or a test must fail.
 */
import { spawn } from "node:child_process";
import { PROTOCOLS, type Tested } from "../simulation/rows/protocols.ts";
import { placesOf, WITHOUT_ROW } from "../simulation/rows/rows.ts";
import { countRows, searchWith, searchWithout } from "../simulation/rows/search.ts";
import { endWithUs } from "../support/runner/own-children.ts";
import { numberOption, OptionFault, type Soak, textOption } from "./soak.ts";

const DEFAULT_SEEDS = 300;
const DEFAULT_COUNTED = 10_000;

/** The first test that fails without a row. */
async function failingTest(row: string, name: string, tests: readonly string[]) {
  const child = spawn("npx", ["vitest", "run", "--bail", "1", ...tests], {
    env: { ...process.env, [WITHOUT_ROW]: `${name} ${row}`, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithUs(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (code === 0) return undefined;
  return /FAIL .*?(test.*)/.exec(output)?.[1] ?? `exit code ${code}`;
}

/** Says of each row who misses it. Gives those that nobody misses. */
async function missed(
  name: string,
  protocol: Tested,
  { seeds, say }: { readonly seeds: number; readonly say: (line: string) => void },
): Promise<readonly string[]> {
  const idle: string[] = [];
  for (const { name: row } of placesOf(protocol)) {
    const schedule = searchWithout(protocol, row, seeds);
    if (schedule) {
      say(`${name}: ${row}: schedule ${schedule.seed}: ${schedule.text.split("\n")[0]}`);
      continue;
    }
    const failed = await failingTest(row, name, protocol.tests);
    say(`${name}: ${row}: ${failed === undefined ? "NOBODY MISSES IT" : `test ${failed}`}`);
    if (failed === undefined) idle.push(row);
  }
  return idle;
}

/** Says who notices the rows that a protocol forbids. Gives what nobody notices. */
function unnoticed(
  name: string,
  protocol: Tested,
  { seeds, say }: { readonly seeds: number; readonly say: (line: string) => void },
): readonly string[] {
  return Object.entries(protocol.forbidden).flatMap(([forbidden, { found }]) => {
    const schedule = searchWith(protocol, forbidden, seeds);
    const isFound = schedule !== undefined && found.test(schedule.text);
    const text = schedule && `schedule ${schedule.seed}: ${schedule.text.split("\n")[0]}`;
    say(`${name} ${forbidden}: ${isFound ? "" : "NOT FOUND: "}${text ?? "nothing"}`);
    return isFound ? [] : [`${name} ${forbidden}`];
  });
}

/** Says how often rows are taken. Gives those that are not, and have no reason. */
function uncounted(name: string, protocol: Tested, counted: number, say: (line: string) => void) {
  const without: string[] = [];
  for (const [row, times] of countRows(protocol, counted)) {
    const reason = protocol.unseen[row];
    say(`${name}: ${row}: ${times === 0 ? `never: ${reason ?? "NO REASON"}` : `${times} times`}`);
    if (times === 0 && reason === undefined) without.push(row);
  }
  return without;
}

/** `npm run soak -- rows`. */
export const rowsSoak: Soak = {
  about:
    "takes rows out of the protocols' tables, adds and counts them: [--only NAME] " +
    `[--seeds ${DEFAULT_SEEDS}] [--counted ${DEFAULT_COUNTED}]`,
  async run(args, say) {
    const seeds = numberOption(args, "seeds", DEFAULT_SEEDS);
    const counted = numberOption(args, "counted", DEFAULT_COUNTED);
    const only = textOption(args, "only");
    if (only !== undefined && !(only in PROTOCOLS)) throw new OptionFault(`no protocol ${only}`);
    const idle: string[] = [];
    const hidden: string[] = [];
    for (const [name, protocol] of Object.entries(PROTOCOLS)) {
      if (only !== undefined && only !== name) continue;
      hidden.push(...unnoticed(name, protocol, { seeds, say }));
      idle.push(...uncounted(name, protocol, counted, say));
      idle.push(...(await missed(name, protocol, { seeds, say })));
    }
    if (hidden.length > 0) throw new Error(`nobody notices: ${hidden.join(", ")}`);
    if (idle.length > 0) throw new Error(`rows without effect: ${idle.join(", ")}`);
  },
};
