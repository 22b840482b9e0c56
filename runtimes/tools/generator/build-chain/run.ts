/** Runs build_chain.sh to its end. Source: generator 10.1 */
import { resolve } from "node:path";
import { createReport } from "../report.ts";
import { endOf, runAction, type RunIo, toolContext, toolFolder, USAGE_CODE } from "../tool-run.ts";
import type { ModifierName } from "../flags.ts";
import { buildTree } from "./build-tree.ts";
import { daysOf, outOf } from "./tree-settings.ts";
import { buildChainUsage, readWords } from "./words.ts";

/** Does what the words say; gives the exit code. */
export async function runBuildChain(args: readonly string[], io: RunIo): Promise<number> {
  const report = createReport(io.stderr);
  try {
    const { words, notes } = readWords(args);
    if (words.has("h")) {
      io.stdout(buildChainUsage());
      return 0;
    }
    for (const note of notes) report.info(note);
    const modifiers = new Map<ModifierName, readonly string[]>();
    if (words.has("g")) modifiers.set("guomi", []);
    const days = daysOf(words);
    const context = toolContext(toolFolder(io, true), modifiers, io, report);
    const out = outOf(words);
    const run = { work: "build a chain in", action: buildTree(words), args: [out] };
    const end = `[INFO] All completed. Files in ${resolve(io.cwd, out)}`;
    await runAction({ ...run, end }, { ...context, days, caDays: days }, modifiers, io);
    return 0;
  } catch (cause) {
    const code = endOf(cause, report);
    if (code === USAGE_CODE) io.stderr(`\n${buildChainUsage()}`);
    return code;
  }
}
