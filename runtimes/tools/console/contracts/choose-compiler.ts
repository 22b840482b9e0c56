/** Which of the installed compilers a source gets. Source: console 4.3 */
import type { CompilerPlace } from "../../../folder/installed-compilers.ts";
import { installCommand } from "../../../shared/solidity/compiler-packages.ts";
import { admits, newestFor, rangesOf } from "../../../shared/solidity/compiler-versions.ts";
import type { Sources } from "../../../shared/solidity/standard-json.ts";
import { ConsoleFault } from "../command.ts";

/** What sources get that ask for no version. Source: console 4.3 */
const DEFAULT_VERSION = "0.4.25";
/** The first compiler whose code begins with an instruction that chains do not know. */
const FIRST_PUSH0 = "0.8.20";

/** A compiler that is there. */
export interface ChosenCompiler {
  readonly version: string;
  /** Path of soljson.js. */
  readonly file: string;
}

/** Versions that someone may ask for and no package here has. */
function asksForPush0(ranges: readonly string[]): boolean {
  const later = Array.from({ length: 20 }, (_, patch) => `0.8.${patch + 20}`);
  const earlier = Array.from({ length: 20 }, (_, patch) => `0.8.${patch}`);
  const fits = (version: string): boolean => ranges.every((range) => admits(range, version));
  return later.some(fits) && !earlier.some(fits);
}

function noCompiler(ranges: readonly string[], places: readonly CompilerPlace[]): ConsoleFault {
  const asked = ranges.join(" and ");
  const there = places.filter(({ file }) => file !== undefined).map(({ version }) => version);
  const installed = `Installed: ${there.join(", ") || "none"}.`;
  const missing = newestFor(
    ranges,
    places.map(({ version }) => version),
  );
  const place = places.find(({ version }) => version === missing);
  if (place) {
    return new ConsoleFault(
      `The source asks for Solidity ${asked}, for which ${place.version} is not installed. ` +
        `${installed} Install it: ${installCommand(place)}`,
    );
  }
  const push0 = asksForPush0(ranges)
    ? ` Compilers from ${FIRST_PUSH0} on emit PUSH0, which the chain does not execute.`
    : "";
  const last = places.at(-1)?.version ?? "";
  return new ConsoleFault(
    `The source asks for Solidity ${asked}, which is not offered.${push0} ${installed} ` +
      `Write a pragma that admits one of them, such as ^${last}.`,
  );
}

/**
 * The newest compiler that the pragmas of all sources admit; without any pragma 0.4.25, if it is
 * there.
 * @throws ConsoleFault that says what to install or to change
 */
export function chooseCompiler(sources: Sources, places: readonly CompilerPlace[]): ChosenCompiler {
  const ranges = [...new Set([...sources.values()].flatMap((source) => rangesOf(source)))];
  const there = places.flatMap(({ version, file }) =>
    file === undefined ? [] : [{ version, file }],
  );
  const versions = there.map(({ version }) => version);
  const isDefault = ranges.length === 0 && versions.includes(DEFAULT_VERSION);
  const wanted = isDefault ? DEFAULT_VERSION : newestFor(ranges, versions);
  const chosen = there.find(({ version }) => version === wanted);
  if (chosen === undefined) throw noCompiler(ranges, places);
  return chosen;
}
